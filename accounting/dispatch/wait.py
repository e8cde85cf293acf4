"""Waiting for a run to end. Spec: dispatch.md 2.2."""

import time
from collections.abc import Callable
from typing import Final

from accounting.dispatch.errors import RunBusyError
from accounting.dispatch.observe import Observing
from accounting.dispatch.store import PATIENCE_S, RunStore
from accounting.ledger.following.bell import Bell
from accounting.ledger.following.watch import Watch
from accounting.processes import PROCESSES, Processes
from wire.dispatch import TERMINAL, DispatchJournal
from wire.scalars import DispatchId

POLL_S: Final = 0.5
"""How long nobody looks while the system tells of nothing: that a process ended, no file tells."""
_YOUNG_S: Final = 2.0
_YOUNG_POLL_S: Final = 0.02
"""How often it is looked in the first moments, when an agent is just starting."""
_REST_S: Final = 0.02
"""The least time between two looks at an agent that prints without a pause."""


def wait(
    store: RunStore, run: DispatchId, timeout_ms: int | None = None, *, processes: Processes = PROCESSES
) -> DispatchJournal:
    """The run once it has ended, or as it stands after so many milliseconds: a timeout is no state.

    `None` waits for ever. May be called again and again, from any process. Raises `UnknownRunError`,
    `CorruptJournalError`, `OSError`.
    """
    return wait_until(Observing(store, run, processes), lambda journal: journal.state in TERMINAL, timeout_ms)


def wait_until(
    observing: Observing, is_enough: Callable[[DispatchJournal], bool], timeout_ms: int | None
) -> DispatchJournal:
    """The run once it is as wanted, or as it stands after so many milliseconds. Raises as `wait` does."""
    began = time.monotonic()
    deadline = None if timeout_ms is None else began + timeout_ms / 1000
    bell = Bell()
    watch = Watch(observing.store.stream_path(observing.run), bell.ring)
    try:
        while True:
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            journal = _look(observing, PATIENCE_S if left is None else min(left, PATIENCE_S))
            if is_enough(journal) or left == 0.0:
                return journal
            poll = _YOUNG_POLL_S if time.monotonic() - began < _YOUNG_S else POLL_S
            pause = min(poll, watch.patience())
            time.sleep(_REST_S if left is None else min(left, _REST_S))
            bell.wait(pause if left is None else min(left, pause))
    finally:
        watch.close()


def _look(observing: Observing, patience_s: float) -> DispatchJournal:
    try:
        return observing.look(patience_s)
    except RunBusyError:  # somebody is cancelling it
        return observing.store.read(observing.run)
