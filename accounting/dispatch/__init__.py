"""Dispatched runs: agents that are started once, and never lost sight of. Spec: dispatch.md.

    from accounting.dispatch import Spawned, step

    journal = step(journal, Spawned(at=now, pid=41, pid_started_at="410"))

What is here is pure: what can happen to a run, and what it becomes by that. `stream` reads what an agent prints, as
events. Journals on disk, starting, waiting and cancelling are modules of their own: `store`, `dispatching`, `wait`,
`cancel`, `listing`.
"""

from accounting.dispatch.events import (
    CancelAsked,
    DispatchEvent,
    Ended,
    Initialised,
    Killed,
    Progressed,
    Reaped,
    Recovered,
    Spawned,
    SpawnFailed,
    Vanished,
)
from accounting.dispatch.ids import key_hash, new_run_id, run_id_of
from accounting.dispatch.machine import SPAWN_ERROR, SUCCESS, IllegalEventError, is_success, step
from accounting.dispatch.reconcile import ProcessState, reconcile

__all__ = [
    "SPAWN_ERROR",
    "SUCCESS",
    "CancelAsked",
    "DispatchEvent",
    "Ended",
    "IllegalEventError",
    "Initialised",
    "Killed",
    "ProcessState",
    "Progressed",
    "Reaped",
    "Recovered",
    "SpawnFailed",
    "Spawned",
    "Vanished",
    "is_success",
    "key_hash",
    "new_run_id",
    "reconcile",
    "run_id_of",
    "step",
]
