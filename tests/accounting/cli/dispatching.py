"""What the tests of `rounds dispatch` share: a state directory and a profile of their own, nothing left running."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Generator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from accounting.dispatch.store import RunStore
from tests.accounting.ask.workers import processes_with, until
from tests.accounting.cli.help import ROUNDS, environment, rounds
from tests.accounting.dispatch.runs import FAKE_AGENT

CONFIG = """
[profiles.fake]
program = "{python}"
run = ["-S", "-E", "{agent}", "--to", "{root}/started"]
review = ["-S", "-E", "{agent}", "--to", "{root}/reviewed"]
configuration = "{root}/agent"
environment = ["ROUNDS_TEST_MARK"]

[profiles.gone]
program = "{root}/gone"
run = []
"""
_marks = count()


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Path]:
    """A state directory, a configuration and a workspace below a directory; at the end no agent may be left."""
    mark = f"cli-dispatch-{os.getpid()}-{next(_marks)}"
    config = tmp_path / "dispatch.toml"
    config.write_text(CONFIG.format(python=sys.executable, agent=FAKE_AGENT, root=tmp_path))
    (tmp_path / "workspace").mkdir()
    monkeypatch.setenv("ROUNDS_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("ROUNDS_DISPATCH_CONFIG", str(config))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("ROUNDS_TEST_MARK", mark)
    for name in ("CLAUDE_CONFIG_DIR", "DWB_CONFIG_DIR", "WORKBUDDY_CONFIG_DIR", "CODEBUDDY_CONFIG_DIR", "DWB_CLI_DIR"):
        monkeypatch.delenv(name, raising=False)
    yield tmp_path
    try:
        until(lambda: _agents(mark) == [], "no agent is left")
    finally:
        for left in _agents(mark):
            os.kill(left, signal.SIGKILL)


def _agents(mark: str) -> list[int]:
    return [pid for pid in processes_with(mark) if pid != os.getpid()]


def store(places: Path) -> RunStore:
    """The runs there."""
    return RunStore(places / "state")


def dispatch(*words: str | Path, **options: Any) -> Result:
    """`rounds dispatch` within this process."""
    return rounds("dispatch", *words, **options)


def dispatch_json(*words: str | Path, code: int = 0, **options: Any) -> Any:
    """What `rounds dispatch ... --json` prints."""
    given = dispatch(*words, "--json", **options)
    assert (given.exit_code, given.stdout.count("\n")) == (code, 1), given.output
    return json.loads(given.stdout)


def start(places: Path, task: str, *words: str) -> Any:
    """A run that was started with `rounds dispatch start`, as JSON."""
    return dispatch_json("start", "--profile", "fake", "--workspace", places / "workspace", *words, task)


def process(*words: str | Path) -> "subprocess.Popen[bytes]":
    """`rounds dispatch` as a process of its own, its output in pipes."""
    return subprocess.Popen(
        [*ROUNDS, "dispatch", *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    )
