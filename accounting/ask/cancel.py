"""A question given up: its worker ended, and the thread told. Spec: asks.md 1.0, 1.9.

The thread is looked at only when the worker is gone and its lock is ours: no `end` can come between the look and the
`aborted`, and no new question.
"""

import time
from enum import StrEnum
from typing import Final

from accounting.ask.clock import stamp, system_clock
from accounting.ask.fold import in_flight
from accounting.ask.lock import is_stale
from accounting.ask.lock_file import HeldLock, live, look, take_from
from accounting.ask.moment import moment
from accounting.ask.notify import notifier
from accounting.ask.processes import PROCESSES, Processes, end_worker
from accounting.ask.thread import AskThread
from wire.ask import AskAborted, AskLock

STARTING_MS: Final = 2000
"""How long a lock without a worker is left to whoever took it."""
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


def cancel(thread: AskThread, *, notify: str | None = None, processes: Processes = PROCESSES) -> CancelOutcome:
    """Give up the question that a thread is about to have answered, ending its worker and all that this started.

    A question that no worker is at, for it was killed or never started, is settled too. One that is asked meanwhile is
    left alone. `notify` is an address to tell afterwards (`accounting.ask.notify`). Raises `OSError` when the thread or
    its lock cannot be read or written to.
    """
    if not thread.exists and look(thread.lock_path) is None:
        return CancelOutcome.idle
    outcome = _cancel(thread, processes)
    notifier(notify)()
    return outcome


def _cancel(thread: AskThread, processes: Processes) -> CancelOutcome:
    first = look(thread.lock_path)
    began = time.monotonic()
    while time.monotonic() - began < _PATIENCE_S:
        lock = look(thread.lock_path)
        if lock is not None and (first is None or lock.started_at != first.started_at):
            return CancelOutcome.idle  # somebody asks the next question, and has settled the one before
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
    return now - _recorded(lock) < STARTING_MS


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
