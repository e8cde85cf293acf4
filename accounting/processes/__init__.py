"""Other processes: whether one lives, which one it is, and ending it with all that it started.

Where platforms differ, and where tests put stand-ins. Spec: asks.md 1.6, 1.9; dispatch.md 2.2.
"""

import sys
from typing import Final, Protocol

from accounting.processes.posix import PosixProcesses
from accounting.processes.windows import WindowsProcesses
from wire.scalars import TimeMs


class Processes(Protocol):
    """The operations of one platform; none of them raises. A group is a process that leads it and all it started."""

    def alive(self, pid: int, /) -> bool:
        """Whether a process runs, whoever owns it. One that has ended and was not collected does not."""
        ...

    def started_at(self, pid: int, /) -> str | None:
        """When a process started, as the system spells it: equal texts mean the same process.

        `None` when there is no such process, and where the system does not tell.
        """
        ...

    def leads_since(self, pid: int, recorded_at: TimeMs, /) -> bool:
        """Whether a process that runs may be the leader of a group that was started about that time.

        False for another process that was given its number since, as far as the system tells.
        """
        ...

    def group_left(self, pid: int, /) -> bool:
        """Whether anything of a group is there, its leader or what that started."""
        ...

    def terminate(self, pid: int, /) -> None:
        """Ask a group to end. Nothing happens when it is gone, or is not ours to ask."""
        ...

    def kill(self, pid: int, /) -> None:
        """End a group. Nothing happens when it is gone, or is not ours to end."""
        ...


def processes_of(platform: str) -> Processes:
    """The operations of a platform that is called as `sys.platform` calls it."""
    return WindowsProcesses() if platform == "win32" else PosixProcesses()


PROCESSES: Final = processes_of(sys.platform)
"""Those of the platform at hand."""
