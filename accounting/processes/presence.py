"""Whether a process that was written down is there: the very one, and as far as can be told from here.

Spec: dispatch.md 2.2.
"""

from enum import StrEnum

from accounting.processes.origin import Where
from accounting.processes.protocol import Processes
from wire.scalars import TimeMs


class Presence(StrEnum):
    """Whether a process is there."""

    there = "there"
    """It runs."""
    gone = "gone"
    """It has ended, or its number is another's now."""
    untold = "untold"
    """Something has its number, and when that began the system does not tell, or nobody wrote down."""
    elsewhere = "elsewhere"
    """It was started on another machine or in another container, and nobody can tell from here."""


def presence(processes: Processes, pid: int, recorded: str | None) -> Presence:
    """Whether the process of that number is there which started then, as `started_at` spelt it.

    `recorded` is `None` or empty where the system did not tell.
    """
    where = processes.where(recorded) if recorded else Where.here
    if where is not Where.here:
        return Presence.elsewhere if where is Where.elsewhere else Presence.gone
    if not processes.alive(pid):
        return Presence.gone
    now = processes.started_at(pid)
    if now is None and not processes.alive(pid):  # it has ended this very moment
        return Presence.gone
    if not recorded or now is None:
        return Presence.untold
    return Presence.there if now == recorded else Presence.gone


def is_group_left(processes: Processes, pid: int, recorded: str | None, ended_at: TimeMs) -> bool:
    """Whether something is left of the group that a process led which started then: itself, or what it started.

    `ended_at` is when it had ended, at the latest. Where it is gone, something of the group has to have begun before
    that, or the number may be another's by now: while anything of a group is there, its number is given to nobody.
    False where the system does not tell.
    """
    match presence(processes, pid, recorded):
        case Presence.there:
            return True
        case Presence.gone if recorded and processes.where(recorded) is Where.here:
            if processes.alive(pid) or not processes.group_left(pid):
                return False
            began = processes.group_began_at(pid)
            return began is not None and began <= ended_at
        case _:
            return False
