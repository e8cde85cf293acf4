"""Runs of automations, the one that was put down last first, and the last of each. Spec: dispatch.md 2.6.

"Last" goes by the number of the row, which a run gets when it is put down: its times are the scheduler's to choose, and
its id says nothing of order. A run that is put down again in place of itself (`INSERT OR REPLACE`) is last again.
"""

import re
import sqlite3
from pathlib import Path
from typing import Final

from accounting.dispatch.automations.notes import Notes
from accounting.dispatch.automations.row import Cell, Row
from accounting.dispatch.automations.table import Table
from accounting.foreign.sqlite_snapshot import snapshot
from wire.dispatch import AutomationRun, AutomationRuns

_OWNER: Final = "CAST(automation_id AS TEXT)"
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_COLUMNS: Final = (
    "automation_id",
    "status",
    "result_success",
    "thread_title",
    "source_cwd",
    "created_at",
    "updated_at",
    "read_at",
    "failure_code",
    "reason_code",
)
# Where rows have no number; what is no number is no time.
_AGE: Final = "CASE WHEN typeof(created_at) = 'integer' THEN created_at END DESC, thread_id DESC"


def list_automation_runs(database: Path, automation_id: str | None = None, *, limit: int = 50) -> AutomationRuns:
    """The runs of one automation, of all for `None`: at most `limit`, the one that was put down last first.

    Raises `OSError` when the database cannot be read, `ValueError` for a limit below 0.
    """
    if limit < 0:
        raise ValueError(f"{limit} runs cannot be listed: give 0 or more")
    return snapshot(database, lambda opened: _list(opened, automation_id, limit))


def _list(database: sqlite3.Connection, automation_id: str | None, limit: int) -> AutomationRuns:
    notes = Notes()
    runs = runs_table(database, notes)
    where: str = ""
    values: tuple[str, ...] = ()
    if automation_id is not None:
        where = "WHERE NULL"  # no run is known to be of it
        if "automation_id" in runs.columns and _SURROGATE.search(automation_id) is None:
            where, values = f"WHERE {_OWNER} = ?", (automation_id,)
    found = runs.count(where, values)
    order = _order(runs, notes)
    rows = runs.rows(f"{where} {order} LIMIT ?", (*values, min(limit, found)))
    return AutomationRuns(runs=tuple(run_of(row) for row in rows), found=found, notes=notes.told())


def runs_table(database: sqlite3.Connection, notes: Notes) -> Table:
    """The table of runs."""
    return Table(database, "automation_runs", "thread_id", _COLUMNS, notes, foreign="automation_id")


def run_of(row: Row) -> AutomationRun:
    """A row of it."""
    return AutomationRun(
        thread_id=row.id,
        automation_id=row.text("automation_id"),
        status=row.text("status"),
        result_success=row.flag("result_success"),
        thread_title=row.text("thread_title"),
        source_cwd=row.text("source_cwd"),
        created_at=row.time("created_at"),
        updated_at=row.time("updated_at"),
        read_at=row.time("read_at"),
        failure_code=row.text("failure_code"),
        reason_code=row.text("reason_code"),
    )


def last_runs(runs: Table, automations: Table, notes: Notes) -> dict[Cell, AutomationRun] | None:
    """The last run of each automation, by the automation's key; `None` when the database does not tell.

    Raises `sqlite3.Error`.
    """
    if "automation_id" not in runs.columns or automations.key is None:
        return None
    # Other programs' runs may be many: those of no automation stay in the database.
    known = f"{_OWNER} IN (SELECT {automations.key} FROM automations)"  # noqa: S608
    if runs.number is not None:
        newest = f"SELECT max({runs.number}) FROM automation_runs GROUP BY automation_id HAVING {known}"  # noqa: S608
        rows = runs.rows(f"WHERE {runs.number} IN ({newest}) ORDER BY {runs.number}")
    elif "created_at" in runs.columns and runs.key is not None:
        _order(runs, notes)
        newest = f"row_number() OVER (PARTITION BY automation_id ORDER BY {_AGE})"
        inner = f"SELECT thread_id, {newest} AS place FROM automation_runs WHERE {known}"  # noqa: S608
        rows = runs.rows(f"WHERE thread_id IN (SELECT thread_id FROM ({inner}) WHERE place = 1)")  # noqa: S608
    else:
        _order(runs, notes)
        return None
    return {row.cell("automation_id"): run_of(row) for row in rows}


def _order(runs: Table, notes: Notes) -> str:
    if runs.number is not None:
        return f"ORDER BY {runs.number} DESC"
    if not runs.is_there:
        return ""
    if "created_at" in runs.columns and runs.key is not None:
        notes.say("automation_runs has no row numbers: which run is last goes by created_at")
        return f"ORDER BY {_AGE}"
    notes.say("automation_runs has neither row numbers nor created_at: which run is last is not told")
    return ""
