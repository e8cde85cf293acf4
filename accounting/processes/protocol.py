"""What is asked of other processes, on whichever platform. Spec: asks.md 1.6, 1.9; dispatch.md 2.2."""

from typing import Protocol

from accounting.processes.origin import Where
from wire.scalars import TimeMs


class Processes(Protocol):
    """The operations of one platform; none of them raises. A group is a process that leads it and all it started."""

    def alive(self, pid: int, /) -> bool:
        """Whether a process runs, whoever owns it. One that has ended and was not collected does not."""
        ...

    def started_at(self, pid: int, /) -> str | None:
        """When and where a process started: equal texts mean the same process.

        `None` when there is no such process, and where the system does not tell.
        """
        ...

    def began_at(self, pid: int, /) -> TimeMs | None:
        """About when a process began, UTC milliseconds: a minute off where the clock was set since.

        `None` when there is no such process, and where the system does not tell.
        """
        ...

    def where(self, recorded: str, /) -> Where:
        """Where the process was whose start was written down so: only of one that was here its number says anything."""
        ...

    def in_group(self, pid: int, /) -> bool:
        """Whether this very process belongs to a group, which a signal to the group would end too."""
        ...

    def leads_since(self, pid: int, recorded_at: TimeMs, /) -> bool:
        """Whether a process that runs may be the leader of a group that was started about that time.

        False for another process that was given its number since, as far as the system tells.
        """
        ...

    def group_left(self, pid: int, /) -> bool:
        """Whether anything of a group is there, its leader or what that started."""
        ...

    def group_began_at(self, pid: int, /) -> TimeMs | None:
        """About when the first of those began that are left of a group, UTC milliseconds, as `began_at`.

        `None` when nothing of it is left, and where the system does not tell.
        """
        ...

    def terminate(self, pid: int, /) -> None:
        """Ask a group to end. Nothing happens when it is gone, or is not ours to ask."""
        ...

    def kill(self, pid: int, /) -> None:
        """End a group. Nothing happens when it is gone, or is not ours to end."""
        ...
