"""What an ask thread needs of other processes: whether one lives, and to end a worker with all it started.

Spec: asks.md 1.6, 1.9. Where platforms differ, and where tests put stand-ins.
"""

import sys
import time
from typing import Final, Protocol

from accounting.ask.posix_processes import PosixProcesses
from accounting.ask.windows_processes import WindowsProcesses
from wire.scalars import TimeMs

KILL_GRACE_MS: Final = 250
"""How long a worker has to end by itself."""
_KILLED_S: Final = 5.0
_POLL_S: Final = 0.005


class Processes(Protocol):
    """The operations of one platform; none of them raises. A worker leads a group: itself and all that it started."""

    def alive(self, pid: int, /) -> bool:
        """Whether a process runs, whoever owns it. One that has ended and was not collected does not."""
        ...

    def is_worker(self, pid: int, recorded_at: TimeMs, /) -> bool:
        """Whether a process that runs may be the worker that a lock of that time names.

        False for another process that was given its number since, as far as the system tells.
        """
        ...

    def group_left(self, pid: int, /) -> bool:
        """Whether anything of a worker's group is there, itself or what it started."""
        ...

    def terminate(self, pid: int, /) -> None:
        """Ask a worker's group to end. Nothing happens when it is gone, or is not ours to ask."""
        ...

    def kill(self, pid: int, /) -> None:
        """End a worker's group. Nothing happens when it is gone, or is not ours to end."""
        ...


def processes_of(platform: str) -> Processes:
    """The operations of a platform that is called as `sys.platform` calls it."""
    return WindowsProcesses() if platform == "win32" else PosixProcesses()


PROCESSES: Final = processes_of(sys.platform)
"""Those of the platform at hand."""


def end_worker(pid: int, recorded_at: TimeMs, processes: Processes = PROCESSES) -> bool:
    """End the worker that a lock of that time names, and whatever it started; true when the worker is gone for sure.

    It is asked first, and has `KILL_GRACE_MS`. What a worker left behind that is gone itself is ended too. A process
    that was only given its number is left alone.
    """
    if processes.alive(pid) and not processes.is_worker(pid, recorded_at):
        return True
    if not processes.group_left(pid):
        return True
    processes.terminate(pid)
    if not _wait_until_left(pid, KILL_GRACE_MS / 1000, processes):
        processes.kill(pid)
    deadline = time.monotonic() + _KILLED_S
    while processes.alive(pid):
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_S)
    return True


def _wait_until_left(pid: int, seconds: float, processes: Processes) -> bool:
    """Wait until nothing of a worker's group is there; false when something still is."""
    deadline = time.monotonic() + seconds
    while processes.group_left(pid):
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_S)
    return True
