"""A question given up: its worker ended, and the thread told. Spec: asks.md 1.0, 1.9.

The thread is looked at only when the worker is gone and its lock is ours: no `end` can come between the look and the
`aborted`, and no new question.
"""

import os
import time
from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from accounting.ask.ending import end_worker
from accounting.ask.environment import nested
from accounting.ask.fold import in_flight
from accounting.ask.lock import STARTING_MS, is_stale, is_unclaimed
from accounting.ask.lock_file import HeldLock, live, look, take_from
from accounting.ask.moment import moment
from accounting.ask.notify import notifier
from accounting.ask.thread import AskThread
from accounting.clock import stamp, system_clock
from accounting.processes import PROCESSES, Processes
from wire.ask import AskAborted, AskLock, AskQuestion

_PATIENCE_S: Final = 10.0
_POLL_S: Final = 0.01


class CancelOutcome(StrEnum):
    """What cancelling came to."""

    cancelled = "cancelled"
    """The question in flight is settled: cancelled."""
    idle = "idle"
    """Nothing was in flight, or its answer came first: nothing was added."""
    stuck = "stuck"
    """The worker could not be ended, being another user's for example: nothing was added."""
    nested = "nested"
    """A provider called, perhaps the very one that is answering: nothing was looked at."""


def cancel(
    thread: AskThread,
    *,
    notify: str | None = None,
    processes: Processes = PROCESSES,
    environ: Mapping[str, str] | None = None,
) -> CancelOutcome:
    """Give up the question that a thread is about to have answered, ending its worker and all that is in its group.

    A question that no worker is at, for it was killed or never started, is settled too. One that is asked meanwhile is
    left alone. Where nothing is in flight and there is no lock, nothing is made or changed. `notify` is an address to
    tell afterwards (`accounting.ask.notify`). Raises `OSError` when the thread or its lock cannot be read, or changed.
    """
    if nested(os.environ if environ is None else environ):
        return CancelOutcome.nested
    idle = look(thread.lock_path) is None and in_flight(thread.read().events) is None
    outcome = CancelOutcome.idle if idle else _cancel(thread, processes)
    notifier(notify)()
    return outcome


def _cancel(thread: AskThread, processes: Processes) -> CancelOutcome:
    first = look(thread.lock_path)
    began = time.monotonic()
    while time.monotonic() - began < _PATIENCE_S:
        lock = look(thread.lock_path)
        if lock is not None and (first is None or lock.started_at != first.started_at):
            if first is None or not _names_worker(thread, first, lock):
                return CancelOutcome.idle  # somebody asks the next question, and has settled the one before
            first = lock
        if lock is None or not _is_starting(lock, time.monotonic() - began, processes):
            if lock is not None and lock.pid > 0 and not end_worker(lock.pid, _recorded(lock), processes):
                return CancelOutcome.stuck
            held = take_from(thread.lock_path, lock, system_clock())
            if held is not None:
                return _settle(thread, held)
        time.sleep(_POLL_S)
    return CancelOutcome.stuck


def _is_starting(lock: AskLock, waited_s: float, processes: Processes) -> bool:
    """Whether a worker is still to come: the sender has just taken the lock."""
    now = system_clock()
    if lock.pid > 0 or waited_s * 1000 >= STARTING_MS or is_stale(lock, now, processes.alive):
        return False
    return not is_unclaimed(lock, now)


def _names_worker(thread: AskThread, first: AskLock, lock: AskLock) -> bool:
    """Whether a lock is the first one still, with its worker: other programs write the time anew together with it.

    It is not when a second question was asked since the first one was taken.
    """
    taken = _recorded(first)
    if first.pid > 0 or lock.pid <= 0 or not 0 <= _recorded(lock) - taken <= STARTING_MS:
        return False
    asked = (event.at for event in thread.read().events if isinstance(event, AskQuestion))
    return sum((moment(at) or 0) >= taken for at in asked) < 2


def _settle(thread: AskThread, held: HeldLock) -> CancelOutcome:
    try:
        seq = in_flight(thread.read().events)
        if seq is None:
            return CancelOutcome.idle
        thread.append(AskAborted(seq=seq, at=stamp(system_clock())))
        return CancelOutcome.cancelled
    finally:
        held.release()


def discard(thread: AskThread, processes: Processes = PROCESSES) -> None:
    """Leave a temporary thread: end its worker, if one is at work, and remove the thread's files.

    Raises `OSError` when one of them cannot be removed.
    """
    lock = live(thread.lock_path, system_clock(), processes.alive)
    if lock is not None and lock.pid > 0:
        end_worker(lock.pid, _recorded(lock), processes)
    thread.remove()


def _recorded(lock: AskLock) -> int:
    return moment(lock.started_at) or 0
