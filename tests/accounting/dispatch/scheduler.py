"""A scheduler's database to read: the tables as they are known, filled by hand."""

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Final, TypeAlias

Value: TypeAlias = int | float | str | bytes | None
NOW: Final = 1_790_000_000_000
HOUR: Final = 3_600_000
TABLES: Final = {
    "automations": (
        "id TEXT PRIMARY KEY",
        "name TEXT",
        "prompt TEXT",
        "status TEXT",
        "schedule_type TEXT DEFAULT 'recurring'",
        "next_run_at INTEGER",
        "last_run_at INTEGER",
        "cwds TEXT DEFAULT '[]'",
        "rrule TEXT",
        "scheduled_at INTEGER",
        "valid_from INTEGER",
        "valid_until INTEGER",
        "model_id TEXT",
        "permission_mode TEXT",
        "created_at INTEGER",
        "updated_at INTEGER",
        "deleted_at INTEGER",
    ),
    "automation_runs": (
        "thread_id TEXT PRIMARY KEY",
        "automation_id TEXT",
        "status TEXT",
        "read_at INTEGER",
        "thread_title TEXT",
        "source_cwd TEXT",
        "runs_json TEXT",
        "result_success INTEGER",
        "metadata_json TEXT",
        "created_at INTEGER",
        "updated_at INTEGER",
        "failure_code TEXT",
        "reason_code TEXT",
    ),
    "automation_runtime_state": (
        "automation_id TEXT PRIMARY KEY",
        "last_run_at INTEGER",
        "last_error TEXT",
        "running INTEGER",
        "running_started_at INTEGER",
        "running_conversation_id TEXT",
        "metadata_json TEXT",
    ),
}


def made(path: Path, *lines: str, without: Mapping[str, tuple[str, ...]] | None = None, rowid: bool = True) -> Path:
    """A database with these tables, and then these statements. `without` says which columns a table lacks."""
    missing = without or {}
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("PRAGMA synchronous=OFF")
        for table, columns in TABLES.items():
            had = [column for column in columns if column.split()[0] not in missing.get(table, ())]
            database.execute(f"CREATE TABLE {table} ({', '.join(had)}) {'' if rowid else 'WITHOUT ROWID'}")
        for line in lines:
            database.execute(line)
    return path


def row(table: str, **values: Value) -> str:
    """The statement that puts down a row."""
    return f"INSERT INTO {table} ({', '.join(values)}) VALUES ({', '.join(map(_literal, values.values()))})"


def automation(own: Value, status: Value = "ACTIVE", **values: Value) -> str:
    return row("automations", id=own, status=status, **values)


def ran(thread: Value, owner: Value, success: Value = 1, **values: Value) -> str:
    return row("automation_runs", thread_id=thread, automation_id=owner, result_success=success, **values)


def state(owner: Value, running: Value = 0, **values: Value) -> str:
    return row("automation_runtime_state", automation_id=owner, running=running, **values)


def _literal(value: Value) -> str:
    match value:
        case None:
            return "NULL"
        case bytes():
            return f"x'{value.hex()}'"
        case str():
            return "'" + value.replace("'", "''") + "'"
        case _:
            return repr(value)
