"""The agents that this very process started: only their parent learns how they ended. Spec: dispatch.md 2.0, 2.2.

A thread waits for each, so that none of them stays behind as a zombie, which other processes might take for alive.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from typing import Final, TypeAlias

from msgspec import Struct


class Exit(Struct, frozen=True, kw_only=True):
    """How a process ended. Neither is known when another part of this process collected it."""

    exit_code: int | None = None
    """Its exit code."""
    signal: str | None = None
    """The name of the signal that ended it."""


class Child:
    """A process that this one started."""

    def __init__(self, process: "subprocess.Popen[bytes]", ended: Callable[[], None]) -> None:
        self.pid: Final = process.pid
        """Its number."""
        self._process: Final = process
        self._told: Final = ended
        self._ended: Final = Event()
        self._exit = Exit()
        Thread(target=self._wait, name=f"dispatch-{process.pid}", daemon=True).start()

    def ended(self, wait_s: float = 0.0) -> Exit | None:
        """How it ended; `None` when it has not after so many seconds."""
        return self._exit if self._ended.wait(wait_s) else None

    def _wait(self) -> None:
        self._exit = _exit_of(_collect(self._process))
        self._ended.set()
        self._told()


_Key: TypeAlias = tuple[int, int, str]
_children: Final[dict[_Key, Child]] = {}


def look_after(journal: Path, process: "subprocess.Popen[bytes]", ended: Callable[[], None]) -> None:
    """Wait for the process of the run whose journal that is, in a thread, which calls `ended` once it has ended."""
    _children[_key(journal)] = Child(process, ended)


def child_of(journal: Path) -> Child | None:
    """The process that this one started for a run; `None` when it started none."""
    return _children.get(_key(journal))


def _key(journal: Path) -> _Key:
    """A journal by its directory, however that is spelled: links and mounts lead to it under other names."""
    try:
        stat = journal.parent.stat()
    except OSError:  # it is gone, and with it all runs
        return 0, 0, str(journal)
    return stat.st_dev, stat.st_ino, journal.name


def _collect(process: "subprocess.Popen[bytes]") -> int | None:
    if sys.platform == "win32":
        return process.wait()
    try:
        # Not by `Popen`, which takes a process that it cannot collect for one that ended well.
        code = os.waitstatus_to_exitcode(os.waitpid(process.pid, 0)[1])
    except ChildProcessError:
        process.returncode = 0  # nobody is to look again
        return None
    process.returncode = code
    return code


def _exit_of(code: int | None) -> Exit:
    if code is None or code >= 0:
        return Exit(exit_code=code)
    try:
        return Exit(signal=signal.Signals(-code).name)
    except ValueError:
        return Exit(signal=f"signal {-code}")
