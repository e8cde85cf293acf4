"""A SQLite database opened for reading only, while others may write it. Spec: foreign.md 3.5."""

import errno
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

_WAIT_S: Final = 5.0


def opened(path: Path) -> closing[sqlite3.Connection]:
    """The database, in one transaction. Raises `OSError` when it cannot be opened, or another holds it locked."""
    with path.open("rb"):
        pass
    try:
        return closing(begin(path))
    except sqlite3.OperationalError as error:
        raise OSError(errno.EIO, str(error), str(path)) from None
    except sqlite3.Error:
        return closing(_empty())


def begin(path: Path) -> sqlite3.Connection:
    """The database in one transaction, text as bytes. Raises `sqlite3.Error`, and `OSError` when it is locked."""
    where = path.absolute().as_uri()
    try:
        return _begun(f"{where}?mode=ro")
    except sqlite3.OperationalError as error:
        raise_if_busy(error, path)
        # A folder that nobody may write holds no log that a reader could set up; without a log there is no need of one.
        if any(_is_filled(path.with_name(f"{path.name}-{log}")) for log in ("wal", "journal")):
            raise
        return _begun(f"{where}?mode=ro&immutable=1")


def _begun(uri: str) -> sqlite3.Connection:
    database = sqlite3.connect(uri, uri=True, timeout=_WAIT_S, isolation_level=None)
    try:
        database.text_factory = bytes
        database.execute("BEGIN")
        database.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error:
        database.close()
        raise
    return database


def _is_filled(path: Path) -> bool:
    return path.exists() and path.stat().st_size > 0


def _empty() -> sqlite3.Connection:
    return sqlite3.connect(":memory:")


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
