"""The automations of a database, each with its last run. Spec: dispatch.md 2.6.

A deleted automation keeps its row, and its status with it: what is deleted is told by `deleted_at` alone.
"""

import sqlite3
from pathlib import Path
from typing import Final

from msgspec import Struct

from accounting.dispatch.automations.notes import Notes
from accounting.dispatch.automations.row import Cell, Row
from accounting.dispatch.automations.runs import last_runs, runs_table
from accounting.dispatch.automations.table import Table
from accounting.foreign.sqlite_snapshot import snapshot
from wire.dispatch import Automation, AutomationList, AutomationRun
from wire.scalars import TimeMs

GRACE_MS: Final = 60_000
"""How late an automation may be before it is overdue: the scheduler looks from time to time."""
ACTIVE: Final = "ACTIVE"
"""The status of an automation that is to run."""
_COLUMNS: Final = (
    "name",
    "prompt",
    "status",
    "schedule_type",
    "rrule",
    "scheduled_at",
    "next_run_at",
    "last_run_at",
    "cwds",
    "model_id",
    "permission_mode",
    "created_at",
    "updated_at",
    "deleted_at",
)
_STATE_COLUMNS: Final = ("last_run_at", "last_error", "running", "running_started_at")


class Reading(Struct, frozen=True, kw_only=True):
    """The automations, and whether it can be told how their runs came out."""

    listed: AutomationList
    """The automations."""
    tells_outcomes: bool
    """Whether the database has what the last run of each and its outcome are read from."""


def list_automations(database: Path, now: TimeMs, *, grace_ms: int = GRACE_MS) -> AutomationList:
    """All automations, deleted ones included, as they are at `now` (UTC milliseconds).

    One is overdue once it is `grace_ms` late. Raises `OSError` when the database cannot be read.
    """
    return snapshot(database, lambda opened: reading(opened, now, grace_ms)).listed


def reading(database: sqlite3.Connection, now: TimeMs, grace_ms: int) -> Reading:
    """All automations out of an open database. Raises `sqlite3.Error`."""
    notes = Notes()
    table = Table(database, "automations", "id", _COLUMNS, notes)
    states = Table(database, "automation_runtime_state", "automation_id", _STATE_COLUMNS, notes)
    runs = runs_table(database, notes)
    state_of: dict[Cell, Row] = {row.key: row for row in states.rows(_in_order(states)) if row.key is not None}
    run_of = last_runs(runs, table, notes) if table.is_there else None
    found = tuple(
        _automation(row, state_of.get(row.key), (run_of or {}).get(row.key), now - grace_ms)
        for row in table.rows(_in_order(table))
    )
    listed = AutomationList(
        at=now,
        automations=found,
        live=sum(one.live for one in found),
        soft_deleted=sum(one.soft_deleted for one in found),
        overdue=sum(one.overdue for one in found),
        notes=notes.told(),
    )
    return Reading(listed=listed, tells_outcomes=run_of is not None and "result_success" in runs.columns)


def _automation(row: Row, state: Row | None, last_run: AutomationRun | None, due_before: TimeMs) -> Automation:
    live = row.cell("deleted_at") is None  # also what does not read as a time is a deletion
    status, next_run_at = row.text("status"), row.time("next_run_at")
    running = None if state is None else state.flag("running")
    last_run_at = row.time("last_run_at")
    if last_run_at is None and state is not None:
        last_run_at = state.time("last_run_at")
    return Automation(
        id=row.id,
        name=row.text("name"),
        prompt=row.text("prompt"),
        status=status,
        live=live,
        soft_deleted=not live,
        overdue=live and status == ACTIVE and next_run_at is not None and next_run_at < due_before and not running,
        running=running,
        running_started_at=state.time("running_started_at") if state is not None and running else None,
        schedule_type=row.text("schedule_type"),
        rrule=row.text("rrule"),
        scheduled_at=row.time("scheduled_at"),
        next_run_at=next_run_at,
        last_run_at=last_run_at,
        cwds=row.texts("cwds"),
        model_id=row.text("model_id"),
        permission_mode=row.text("permission_mode"),
        created_at=row.time("created_at"),
        updated_at=row.time("updated_at"),
        deleted_at=row.time("deleted_at"),
        last_error=None if state is None else state.text("last_error"),
        last_run=last_run,
    )


def _in_order(table: Table) -> str:
    """In the order in which rows were put down, where they are numbered."""
    return "" if table.number is None else f"ORDER BY {table.number}"
