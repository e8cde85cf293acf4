"""A run given up: its process ended with all that it started, and that proven. Spec: dispatch.md 2.0, 2.2.

The run's lock is held over the whole of it, so that nobody judges a process that is just being ended. That it is to be
cancelled is in the journal before the first signal.
"""

import time
from collections.abc import Callable
from typing import Final

from accounting.clock import system_clock
from accounting.dispatch import steps
from accounting.dispatch.events import CancelAsked, Killed
from accounting.dispatch.machine import step
from accounting.dispatch.observe import Observing
from accounting.dispatch.store import LockedRun, RunStore
from accounting.processes import PROCESSES, Presence, Processes, is_group_left, presence
from wire.dispatch import TERMINAL, CancelAnswer, DispatchJournal, DispatchState
from wire.scalars import DispatchId

GRACE_MS: Final = 2000
"""How long an agent has to end by itself, once it was asked to."""
_KILLED_S: Final = 3.0
"""How long the system has to end it then."""
_STARTING_S: Final = 10.0
"""How long a run is waited for whose agent is just being started."""
_ELSEWHERE: Final = "on another machine or in another container: cancel it there"
_EXIT_PATIENCE_S: Final = 0.5
_POLL_S: Final = 0.01


def cancel(
    store: RunStore, run: DispatchId, *, grace_ms: int = GRACE_MS, processes: Processes = PROCESSES
) -> CancelAnswer:
    """Give a run up, ending its agent and all that is in its process group; which has `grace_ms` to end by itself.

    A run that has ended, or whose successful result came first, stays what it is; what is left of its group is ended
    all the same. One whose process survives goes on. A process that was only given the agent's number is left alone,
    as is one that cannot be told from such. Raises `UnknownRunError`, `CorruptJournalError`, `RunBusyError`; and
    `OSError` when the run could not be written down: before the agent was sent a signal, or when it has ended, and then
    the next to look writes it.
    """
    store.read(run)  # an unknown run is to leave nothing behind
    observing = Observing(store, run, processes)
    deadline = time.monotonic() + _STARTING_S
    while True:
        with store.locked(run) as held:
            journal = observing.catch_up(held)
            if journal.state in TERMINAL:
                return _ended_before(journal, grace_ms, processes)
            if journal.state is DispatchState.running:
                answer = _cancel(held, observing, journal, grace_ms, processes)
                if answer is not None:
                    return answer
            elif presence(processes, journal.owner_pid, journal.owner_pid_started_at) is Presence.elsewhere:
                return _not_cancelled(
                    journal, f"its agent is being started by process {journal.owner_pid} {_ELSEWHERE}"
                )
            elif time.monotonic() > deadline:
                why = f"its agent is still being started, by process {journal.owner_pid}; try again"
                return _not_cancelled(journal, why)
        time.sleep(_POLL_S)  # whoever starts it needs the lock


def _cancel(
    held: LockedRun, observing: Observing, journal: DispatchJournal, grace_ms: int, processes: Processes
) -> CancelAnswer | None:
    """End the agent of a run; `None` when it has ended meanwhile, and the run is to be looked at anew."""
    pid = journal.pid
    assert pid is not None
    why = _hindrance(observing, journal, pid, processes)
    if why is not None:
        return _not_cancelled(journal, why)
    # First: whoever finds the agent gone then knows why, should this process be ended too, or the disk be full.
    asked = step(journal, CancelAsked(at=system_clock()))
    if asked is not journal:
        held.write(asked)
    steps.reached("cancelling written down")
    if observing.presence(asked) is Presence.gone:  # its number may be another's next
        return None
    _end_group(pid, grace_ms, processes)
    if not _until(lambda: observing.presence(asked) is Presence.gone, _KILLED_S):
        why = f"process {pid} goes on, although it was told to end: it is perhaps another user's, or waits for a disk"
        return _not_cancelled(asked, why)
    steps.reached("agent ended")
    ended = _ended(observing, asked)
    held.write(ended)
    if ended.state is DispatchState.cancelled:
        return CancelAnswer(cancelled=True, run=ended)
    return _not_cancelled(ended, f"its result came first: {ended.state}")


def _hindrance(observing: Observing, journal: DispatchJournal, pid: int, processes: Processes) -> str | None:
    """Why the run's process must not be sent a signal; `None` when it may, or is gone."""
    if processes.in_group(pid):
        return f"whoever cancels it is part of it, in the process group {pid}: cancel it from elsewhere"
    match observing.presence(journal):
        case Presence.elsewhere:
            return f"process {pid} was started {_ELSEWHERE}"
        case Presence.untold if not (
            # A journal without a start is of a system that tells none.
            not journal.pid_started_at and processes.leads_since(pid, journal.started_at or journal.created_at)
        ):
            return (
                f"process {pid} runs, and whether it is the agent's the system does not tell: end it by hand if it is"
            )
        case _:
            return None


def _end_group(pid: int, grace_ms: int, processes: Processes) -> None:
    processes.terminate(pid)
    steps.reached("agent asked to end")
    if not _until(lambda: not processes.group_left(pid), grace_ms / 1000):
        processes.kill(pid)
    steps.reached("agent told to end")


def _ended(observing: Observing, journal: DispatchJournal) -> DispatchJournal:
    """The run whose process was ended: a success that it had printed counts."""
    exited = observing.exited(journal, _EXIT_PATIENCE_S)
    printed = observing.printed(journal, whole=True)
    for event in (*(() if exited is None else (exited,)), *printed, Killed(at=system_clock())):
        journal = step(journal, event)
    return journal


def _ended_before(journal: DispatchJournal, grace_ms: int, processes: Processes) -> CancelAnswer:
    """Of a run that has ended, its process may hang, or what that started may go on."""
    is_cancelled = journal.state is DispatchState.cancelled
    told = [] if is_cancelled else [f"it had ended before: {journal.state}"]
    pid, began = journal.pid, journal.pid_started_at
    ended_at = journal.updated_at if journal.finished_at is None else journal.finished_at
    if pid is not None and is_group_left(processes, pid, began, ended_at):
        if processes.in_group(pid):
            told.append(f"whoever cancels it is what is left of its process group, {pid}")
        else:
            _end_group(pid, grace_ms, processes)
            is_gone = _until(lambda: not is_group_left(processes, pid, began, ended_at), _KILLED_S)
            told.append(f"what was left of its process group, {pid}, {'was ended' if is_gone else 'goes on'}")
    return CancelAnswer(cancelled=is_cancelled, why="; ".join(told) or None, run=journal)


def _not_cancelled(journal: DispatchJournal, why: str) -> CancelAnswer:
    return CancelAnswer(cancelled=False, why=why, run=journal)


def _until(condition: Callable[[], bool], seconds: float) -> bool:
    """Wait for a condition; false when it does not come."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_S)
    return True
