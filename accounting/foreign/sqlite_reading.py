"""A SQLite database opened for reading only, while others may write it. Spec: foreign.md 3.5."""

import errno
import sqlite3
from pathlib import Path
from typing import Final

_WAIT_S: Final = 5.0


def begun(uri: str) -> sqlite3.Connection:
    """What an address opens, in one transaction, text as bytes. Raises `sqlite3.Error`."""
    database = sqlite3.connect(uri, uri=True, timeout=_WAIT_S, isolation_level=None)
    try:
        database.text_factory = bytes
        database.execute("BEGIN")
        database.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error:
        database.close()
        raise
    return database


def columns_of(database: sqlite3.Connection, *tables: str) -> dict[str, set[str]]:
    """The columns of those tables that there are; an empty name among them says that its rows are numbered."""
    found: dict[str, set[str]] = {}
    for table in tables:
        names = {bytes(row[1]).decode(errors="replace") for row in database.execute(f"PRAGMA table_info({table})")}
        if names:
            try:
                database.execute(f"SELECT rowid FROM {table} LIMIT 0")  # noqa: S608
                names.add("")
            except sqlite3.OperationalError:
                names.discard("")
            found[table] = names
    return found


def raise_if_busy(error: sqlite3.Error, path: Path) -> None:
    """Raise `OSError` where another holds the database locked: it cannot be read now, and is not damaged."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        raise OSError(errno.EBUSY, str(error), str(path)) from None
