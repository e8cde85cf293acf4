"""How the live automations of a database do. Spec: dispatch.md 2.6."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from accounting.clock import stamp
from accounting.dispatch.automations.listing import GRACE_MS, reading
from accounting.foreign.sqlite_snapshot import snapshot
from wire.dispatch import Automation, AutomationHealth, AutomationRun, AutomationStanding, Health
from wire.scalars import TimeMs

STUCK_AFTER_MS: Final = 3_600_000
"""How long a run may take before its automation is stuck."""
_PAUSED: Final = "PAUSED"
_LONGEST: Final = 200
"""Characters of an error that are told."""
_GRAVEST_FIRST: Final = (
    Health.stuck,
    Health.failing,
    Health.overdue,
    Health.unknown,
    Health.paused,
    Health.well,
)


def automation_health(database: Path, now: TimeMs, *, stuck_after_ms: int = STUCK_AFTER_MS) -> AutomationHealth:
    """How each live automation does at `now` (UTC milliseconds), the gravest first.

    One is stuck once it has been running for longer than `stuck_after_ms`. The counts are of all for which a thing
    holds, also where something graver holds as well. Raises `OSError` when the database cannot be read.
    """
    return snapshot(database, lambda opened: _health(opened, now, stuck_after_ms))


def _health(database: sqlite3.Connection, now: TimeMs, stuck_after_ms: int) -> AutomationHealth:
    read = reading(database, now, GRACE_MS)
    live = [one for one in read.listed.automations if one.live]
    found = [dict(_found(one, now - stuck_after_ms, tells_outcomes=read.tells_outcomes)) for one in live]
    standings = [
        AutomationStanding(id=one.id, name=one.name, health=gravest, why=holds[gravest])
        for one, holds in zip(live, found, strict=True)
        for gravest in (next(health for health in _GRAVEST_FIRST if health in holds),)
    ]
    counts = {health: sum(health in holds for holds in found) for health in _GRAVEST_FIRST}
    return AutomationHealth(
        at=now,
        live=read.listed.live,
        soft_deleted=read.listed.soft_deleted,
        overdue=counts[Health.overdue],
        stuck=counts[Health.stuck],
        failing=counts[Health.failing],
        unknown=counts[Health.unknown],
        standings=tuple(sorted(standings, key=lambda one: _GRAVEST_FIRST.index(one.health))),
        notes=read.listed.notes,
    )


def _found(one: Automation, stuck_before: TimeMs, *, tells_outcomes: bool) -> Iterator[tuple[Health, str]]:
    """All that holds of an automation, each with what shows it."""
    if one.running and one.running_started_at is not None and one.running_started_at < stuck_before:
        yield Health.stuck, f"it has been running since {stamp(one.running_started_at)}"
    if one.last_run is not None and one.last_run.result_success is False:
        yield Health.failing, f"its last run, {_called(one.last_run)}, came out badly"
    elif one.last_error is not None and (error := " ".join(one.last_error.split())):
        yield Health.failing, f"the scheduler has put down an error: {_cut(error)}"
    if one.overdue and one.next_run_at is not None:
        yield Health.overdue, f"it should have run at {stamp(one.next_run_at)}"
    if not tells_outcomes:
        yield Health.unknown, "the database does not tell how runs came out"
    elif one.last_run is not None and one.last_run.result_success is None:
        yield Health.unknown, f"its last run, {_called(one.last_run)}, does not tell how it came out"
    elif one.last_run is None and one.last_run_at is not None:
        yield Health.unknown, f"it ran at {stamp(one.last_run_at)}, and no run is put down that tells how it came out"
    if one.status == _PAUSED:
        yield Health.paused, "it is paused"
    if one.last_run is None:
        yield Health.well, "it has not run yet"
    else:
        yield Health.well, f"its last run, {_called(one.last_run)}, came out well"


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _called(run: AutomationRun) -> str:
    words = " ".join(word for word in (run.status, run.failure_code) if word)
    return f"{run.thread_id} ({words})" if words else run.thread_id
