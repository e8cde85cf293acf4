"""What the tests of `rounds ask` share: places of their own, a provider that goes on when told, nothing left behind."""

import json
import os
import signal
import subprocess
from collections.abc import Generator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from accounting.ask.places import kept_directory
from accounting.ask.thread import AskThread
from tests.accounting.ask.workers import processes_with, until
from tests.accounting.cli.help import ROUNDS, environment, rounds

_marks = count()


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Path]:
    """Data, cache and configuration below a directory; at the end no process that was started may be left."""
    mark = f"cli-ask-{os.getpid()}-{next(_marks)}"
    for name in ("data", "cache", "config"):
        monkeypatch.setenv(f"XDG_{name.upper()}_HOME", str(tmp_path / name))
    monkeypatch.setenv("ROUNDS_TEST_MARK", mark)
    monkeypatch.delenv("ROUNDS_ASK_WITHIN", raising=False)
    yield tmp_path
    try:
        until(lambda: processes_with(mark) == [], "no process is left")
    finally:
        for left in processes_with(mark):
            os.kill(left, signal.SIGKILL)


def kept(name: str) -> AskThread:
    """A kept thread."""
    return AskThread(kept_directory() / f"{name}.jsonl")


def ask(*words: str | Path, **options: Any) -> Result:
    """`rounds ask` within this process."""
    return rounds("ask", *words, **options)


def ask_json(*words: str | Path) -> Any:
    """What `rounds ask ... --json` prints."""
    given = ask(*words, "--json")
    assert given.stdout.count("\n") == 1, given.output
    return json.loads(given.stdout)


def start(*words: str) -> "subprocess.Popen[bytes]":
    """`rounds ask` as a process of its own, its output in a pipe."""
    return subprocess.Popen([*ROUNDS, "ask", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())


class Gate:
    """A provider that says `part`, then waits until it is told the rest."""

    def __init__(self, path: Path) -> None:
        self._path = path
        os.mkfifo(path)
        self.provider = f"sh -c 'printf \"part \"; cat {path}'"

    def open(self, rest: str) -> None:
        """Say the rest, and end."""
        with self._path.open("w") as file:
            file.write(rest)
