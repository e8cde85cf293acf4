"""`rounds tools`: the table listed, a tool called, the server, and what each says when it cannot."""

import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from msgspec import json

from accounting.cli import tools as command
from accounting.cli.tools import Registered
from accounting.tools import Output, Tool, tools
from tests.accounting.cli.help import process, rounds
from tests.accounting.tools.world import SESSION, World

Json = Any


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A world that only the command is told of."""
    return World(tmp_path)


def run(world: World, *words: str, **more: Any) -> Any:
    return rounds("tools", *words, env={**world.environ, "XDG_STATE_HOME": None, "XDG_CONFIG_HOME": None}, **more)


def test_the_list_names_every_tool_and_what_it_does() -> None:
    given = rounds("tools")
    assert (given.exit_code, given.stderr) == (0, "")
    assert given.stdout == "".join(f"{tool.name}\n  {tool.description}\n" for tool in tools())


def test_a_tool_is_called_and_its_text_printed(world: World) -> None:
    given = run(world, "call", "read_session", json.encode({"sessionId": SESSION}).decode())
    assert (given.exit_code, given.stderr) == (0, "")
    assert "  Two boats." in given.stdout.splitlines()


def test_a_tool_is_called_and_its_answer_printed(world: World) -> None:
    given = run(world, "call", "check_ledger", "-", "--json", input=json.encode({"path": str(world.ledger)}))
    assert (given.exit_code, given.stderr) == (0, "")
    assert given.stdout.count("\n") == 1
    value: Json = json.decode(given.stdout)
    assert (value["conforms"], value["path"]) == (True, str(world.ledger))


def test_a_failed_run_is_no_failure_of_the_command(world: World) -> None:
    where = {"profile": "fake", "workspace": str(world.workspace), "task": "init error:error_max_turns"}
    given = run(world, "call", "start_run", json.encode({**where, "key": "k"}).decode(), "--json")
    assert given.exit_code == 0
    ended = run(world, "call", "wait_run", json.encode({"runId": json.decode(given.stdout)["runId"]}).decode())
    assert ended.exit_code == 0
    assert "failed (error_max_turns)" in ended.stdout


def test_what_would_act_on_a_terminal_is_spelled_out(world: World) -> None:
    where = {"profile": "fake", "workspace": str(world.workspace), "task": "init ok:\x1b[2Jgone"}
    given = run(world, "call", "start_run", json.encode(where).decode(), "--json")
    ended = run(world, "call", "wait_run", json.encode({"runId": json.decode(given.stdout)["runId"]}).decode())
    assert "\\x1b[2Jgone" in ended.stdout
    assert "\x1b" not in ended.stdout


@pytest.mark.parametrize("tool", tools(), ids=lambda tool: tool.name)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_what_changes_anything_holds_signals_back(
    monkeypatch: pytest.MonkeyPatch, tool: Tool, number: signal.Signals
) -> None:
    during: list[Any] = []

    def execute(arguments: Json) -> Json:
        during.append(signal.getsignal(number))
        return arguments

    output = Output(schema={}, render=str)
    monkeypatch.setattr(command, "registered", lambda: {tool.name: Registered("", {}, output, execute)})
    before = signal.getsignal(number)
    assert rounds("tools", "call", tool.name).exit_code == 0
    assert (during == [before]) is tool.effects.reads_only
    assert signal.getsignal(number) is before


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("call", "wb_doctor"), "rounds: no tool 'wb_doctor'; there are:\n  doctor\n"),
        (("call", "doctor", "[]"), "rounds: the arguments are no JSON object: Expected `object`, got `array`\n"),
        (("call", "doctor", "{"), "rounds: the arguments are no JSON object: Input data was truncated\n"),
        (("call", "doctor", '{"x": 1}'), "rounds: doctor: there is no argument `x`; it takes none\n"),
        (
            ("call", "wait_run", '{"runId": "wb-0000000000000000"}'),
            "rounds: wb-0000000000000000: no such run; list_runs",
        ),
        (("call",), "rounds: Missing argument 'NAME'; see `rounds tools call --help`\n"),
        (("--json", "call", "doctor"), "rounds: --json stands after the command here; see `rounds tools --help`\n"),
        (("serve", "x"), "rounds: Got unexpected extra argument (x); see `rounds tools serve --help`\n"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(world: World, words: tuple[str, ...], message: str) -> None:
    given = run(world, *words)
    assert (given.exit_code, given.stdout) == (2, "")
    assert given.stderr.startswith(message)


@pytest.mark.parametrize("missing", ["mcp", "mcp_types", "anyio", "pydantic"])
def test_serving_says_what_to_install(missing: str) -> None:
    code = f"""
import sys
sys.modules[{missing!r}] = None
from accounting.cli import main
main(["tools", "serve"])
"""
    given = process(command=(sys.executable, "-c", code))
    assert (given.returncode, given.stdout) == (2, b"")
    assert given.stderr.startswith(b"rounds: serving needs the extra `mcp`: pip install 'rounds[mcp]'")


def test_listing_needs_no_extra() -> None:
    code = """
import sys
sys.modules["mcp"] = None
from accounting.cli import main
main(["tools"])
"""
    assert process(command=(sys.executable, "-c", code)).returncode == 0
