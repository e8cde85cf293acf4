"""Providers to test with, workers that need no command line, and waiting for what other processes do."""

import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from accounting.ask import AskFold
from accounting.ask.environment import worker_environment
from accounting.ask.spawn import Job, launch
from accounting.ask.thread import AskThread
from accounting.processes.detached import Detached
from wire.ask import AskShown, AskState

DEADLINE_S = 20.0

WORK = """
import sys
from pathlib import Path
from accounting.ask.worker import work
work(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
"""


def script(code: str) -> tuple[str, ...]:
    """A provider that runs this code; `say` writes bytes at once, `sys`, `os` and `time` are there."""
    head = "import os, signal, sys, time\ndef say(data):\n    os.write(1, data)\n"
    return (sys.executable, "-S", "-E", "-c", head + code)


def shell(line: str) -> tuple[str, ...]:
    """A provider that is a line of the shell: quick to start."""
    return ("/bin/sh", "-c", line)


def start(job: Job, provider: Sequence[str]) -> int | None:
    """Start a worker as the command line does, but without it."""
    argv = (sys.executable, "-c", WORK, job.thread, str(job.seq), job.taken)
    return launch(Detached(argv=argv, new_session=True, creation_flags=0), worker_environment(os.environ, provider))


def until(condition: Callable[[], bool], what: str = "") -> None:
    """Wait for a condition; fail when it does not come."""
    deadline = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < deadline, f"this never came: {what or condition}"
        time.sleep(0.005)


def shown(thread: AskThread) -> tuple[AskShown, ...]:
    """The thread as a person sees it."""
    return AskFold.of(thread.read().events).shown()


def settled(thread: AskThread) -> AskShown:
    """The last question, once it is settled and its lock released."""
    until(
        lambda: bool(shown(thread)) and shown(thread)[-1].state not in (AskState.waiting, AskState.answering), "settled"
    )
    until(lambda: not thread.lock_path.exists(), "released")
    return shown(thread)[-1]


def processes_with(mark: str) -> list[int]:
    """The processes that run and have a mark in their environment."""
    found: list[int] = []
    for path in Path("/proc").iterdir():
        if path.name.isdecimal():
            try:
                state = (path / "stat").read_text().rpartition(")")[2].split()[0]
                if state not in ("Z", "X") and mark.encode() in (path / "environ").read_bytes():
                    found.append(int(path.name))
            except OSError:
                continue
    return found
