"""docs/tools.md does what it says: its table is the tools', its example runs, its commands print what stands there."""

import contextlib
import io
import json
import re
import subprocess
import sys
from typing import Any, cast

from accounting.dispatch.start import WAIT_MS
from accounting.tools.dispatched import Wait
from accounting.tools.mcp_server import FINISH_S
from accounting.tools.newest import MOST_BYTES
from accounting.tools.shortened import LONGEST_LISTED, LONGEST_OF_SESSION, LONGEST_RESULT, LONGEST_TASK
from accounting.tools.subset import ANNOTATIONS, KEYWORDS
from tests.accounting.tools.page import PAGE, page
from tests.accounting.tools.world import World

TEXT = PAGE.read_text("utf-8")


def test_the_table_is_that_of_the_tools() -> None:
    assert page() == TEXT, "python -m tests.accounting.tools.page writes it"


def test_the_example_registers_and_calls(world: World) -> None:
    [block] = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    shared: dict[str, Any] = {}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(block, "docs/tools.md", "exec"), shared)
    assert "fake: ready" in printed.getvalue()
    assert len(shared["registered"]) == 13


def test_the_commands_print_what_stands_there(world: World) -> None:
    [block] = re.findall(r"```console\n(.*?)```", TEXT, re.DOTALL)
    commands = re.findall(r"^\$ rounds tools call (\w+)(?: '(.*)')?\n(.*?)(?=^\$ |\Z)", block, re.DOTALL | re.MULTILINE)
    assert len(commands) == 2
    for name, arguments, expected in commands:
        done = subprocess.run(
            [sys.executable, "-m", "accounting.cli", "tools", "call", name, *filter(None, [arguments])],
            env=world.environ, capture_output=True, text=True,
        )  # fmt: skip
        assert (done.stdout + done.stderr).startswith(expected.strip().removesuffix("..."))
        assert done.returncode == (2 if arguments else 0)


def test_the_configuration_starts_the_server() -> None:
    [block] = re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL)
    [server] = json.loads(block)["mcpServers"].values()
    assert [server["command"], *server["args"]] == ["rounds", "tools", "serve"]


def test_the_figures_and_keywords_are_those_of_the_code() -> None:
    assert f"no more than {MOST_BYTES >> 10} KiB" in TEXT
    assert f"{LONGEST_TASK:,} characters of its task and {LONGEST_RESULT:,} of the agent's last" in TEXT
    assert f"runs {LONGEST_LISTED} of each, a list of sessions {LONGEST_OF_SESSION:,} of each text" in TEXT
    assert f"up to\n  {FINISH_S:.0f} seconds" in TEXT
    assert f"{Wait(run_id=cast('Any', 'x')).seconds}\n  seconds if nothing is said" in TEXT
    assert f"within {WAIT_MS // 1000} seconds" in TEXT
    told = TEXT.partition("## The schemas")[2].partition("`accounting.tools.outside`")[0]
    assert re.findall(r"`([$\w]+)`", told) == [*KEYWORDS, *ANNOTATIONS]
