"""Whether anybody is at a thread's question, as its lock tells."""

from enum import StrEnum

from accounting.ask.lock import is_unclaimed
from accounting.ask.lock_file import live
from accounting.ask.thread import AskThread
from accounting.clock import system_clock
from accounting.processes import PROCESSES


class Presence(StrEnum):
    """Who is at a thread."""

    nobody = "nobody"
    """The lock is free, or may be taken over."""
    no_worker = "no worker"
    """The lock is held, but no worker has taken the question up, as it should have by now."""
    worker = "worker"
    """A worker is at it, or is about to be."""


def presence(thread: AskThread) -> Presence:
    """Who is at a thread now. Raises `OSError` when its lock cannot be read."""
    now = system_clock()
    lock = live(thread.lock_path, now, PROCESSES.alive)
    if lock is None:
        return Presence.nobody
    return Presence.no_worker if is_unclaimed(lock, now) else Presence.worker
