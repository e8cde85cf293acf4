"""The file an index is kept in: SQLite, for its locks and its transactions.

Nothing is believed because SQLite says so: what is read carries a seal, and what should be there is listed in the
sealed state. So the file need not survive a crash, and its journal stays in memory, where no other process finds it.
"""

import os
import sqlite3
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from accounting.ledger.index.state import DamagedError, Owned, Part, State, seal, sealed, unsealed

VERSION: Final = 1
"""Of what is stored, of how lines are told apart (`pick`) and of what is reported of them (`LineReader`): a change to
any of them raises it."""
PATIENCE: Final = 1.0
"""Seconds to wait for another process that is writing."""
_APPLICATION: Final = 0x726E6473
_NOT_NOW: Final = frozenset(
    (
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_AUTH,
    )
)
_TABLES: Final = (
    "CREATE TABLE segments (name PRIMARY KEY, state)",
    "CREATE TABLE places (segment, start, run, places, PRIMARY KEY (segment, start, run)) WITHOUT ROWID",
    f"PRAGMA application_id = {_APPLICATION}",
    f"PRAGMA user_version = {VERSION}",
)


class UnavailableError(Exception):
    """The index cannot be read or written now: locked, no room, no permission."""


class Store:
    """An index file, open. Raises `UnavailableError` or `DamagedError`, like everything here."""

    def __init__(self, file: Path) -> None:
        with _told():
            try:
                file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            except OSError as error:
                raise UnavailableError(str(error)) from error
            self._db = sqlite3.connect(file, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
        try:
            with _told():
                self._prepare()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let go of the file."""
        with suppress(sqlite3.Error):
            self._db.close()

    def _prepare(self) -> None:
        for pragma in ("journal_mode = MEMORY", "synchronous = OFF", "cell_size_check = ON", "trusted_schema = OFF"):
            self._db.execute(f"PRAGMA {pragma}")
        if self._version() == (0, 0):
            with self.writing():
                if self._version() == (0, 0):  # and nobody was quicker
                    for statement in _TABLES:
                        self._db.execute(statement)
        if self._version() != (_APPLICATION, VERSION):
            raise DamagedError("another program's file, or another version's")

    def _version(self) -> tuple[object, object]:
        ask = self._db.execute
        return ask("PRAGMA application_id").fetchone()[0], ask("PRAGMA user_version").fetchone()[0]

    @contextmanager
    def reading(self) -> Generator[None]:
        """Around reads that have to agree."""
        with _told(), self._transaction("BEGIN"):
            yield

    @contextmanager
    def writing(self) -> Generator[None]:
        """Around writes: all of them are kept, or none; no other process writes meanwhile."""
        with _told(), self._transaction("BEGIN IMMEDIATE"):
            yield

    @contextmanager
    def _transaction(self, begin: str) -> Generator[None]:
        self._db.execute(begin)
        try:
            yield
            self._db.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                self._db.execute("ROLLBACK")
            raise

    def state(self, segment: str) -> State | None:
        """What is indexed of a segment."""
        found = self._db.execute("SELECT state FROM segments WHERE name = ?", (os.fsencode(segment),)).fetchone()
        return None if found is None else unsealed(found[0])

    def places(self, segment: str, part: Part, owner: Owned) -> bytes:
        """The places of one run's lines in a part."""
        asked = (os.fsencode(segment), part.start, owner.run)
        found = self._db.execute("SELECT places FROM places WHERE segment = ? AND start = ? AND run = ?", asked)
        row = found.fetchone()
        if row is None or not isinstance(row[0], bytes) or seal(row[0]) != owner.seal:
            raise DamagedError("the places of a run's lines")
        return row[0]

    def put_state(self, segment: str, state: State) -> None:
        """Keep what is indexed of a segment, in place of what was."""
        self._db.execute("REPLACE INTO segments VALUES (?, ?)", (os.fsencode(segment), sealed(state)))

    def put_places(self, segment: str, start: int, places: Iterable[tuple[bytes, bytes]]) -> None:
        """Keep the places of the lines of some runs in the part that starts there."""
        name = os.fsencode(segment)
        rows = ((name, start, run, packed) for run, packed in places)
        self._db.executemany("REPLACE INTO places VALUES (?, ?, ?, ?)", rows)

    def forget(self, segment: str) -> None:
        """Keep nothing of a segment."""
        name = (os.fsencode(segment),)
        self._db.execute("DELETE FROM segments WHERE name = ?", name)
        self._db.execute("DELETE FROM places WHERE segment = ?", name)


@contextmanager
def _told() -> Generator[None]:
    """SQLite's many errors as the two that matter."""
    try:
        yield
    except UnicodeError as error:  # what SQLite has to say quotes a damaged file
        raise DamagedError(str(error)) from error
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in _NOT_NOW:
            raise UnavailableError(str(error)) from error
        raise DamagedError(str(error)) from error
