"""OpenCode's newer storage: a SQLite database, read while it may be written. Spec: foreign.md 3.5.

It is opened for reading only, and read in one transaction: a writer's log counts as far as it was committed. Tables and
columns are asked for, not assumed. A place in it is the file with the table behind a `#`, and the row's number as line.
"""

import errno
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Final, TypeVar

from msgspec import Struct

from accounting.foreign.fidelity import DamageCode, Fidelity
from accounting.foreign.opencode.decoding import decoded
from accounting.foreign.opencode.kept import KeptSession
from accounting.foreign.opencode.rows import AGENT, Info, Part
from accounting.foreign.opencode.sniffing import is_data
from accounting.foreign.rows import carried, row_of
from accounting.foreign.sample import Sample
from accounting.foreign.session import Source, run_of
from accounting.foreign.sqlite_reading import columns_of, raise_if_busy
from accounting.foreign.sqlite_snapshot import snapshot
from accounting.foreign.times import integer_ms
from accounting.ledger.problem import Place
from wire.scalars import Json, JsonObject

T = TypeVar("T", bound=Struct)
R = TypeVar("R")
_MAGIC: Final = b"SQLite format 3\0"
_SESSION: Final = {
    "id": "id",
    "parent_id": "parentID",
    "project_id": "projectID",
    "directory": "directory",
    "title": "title",
    "version": "version",
}
_AGE: Final = ("time_created", "id")
_Cells = dict[str, Json | bytes]


def is_sqlite(sample: Sample) -> bool:
    """Whether a file is a SQLite database, or the place of one that is in its log yet."""
    logged = sample.path.with_name(f"{sample.path.name}-wal")
    return sample.head.startswith(_MAGIC) or (sample.size == 0 and logged.exists())


def is_database(sample: Sample) -> bool:
    """Whether a file is such a database, by its tables; of one that does not open, by what its head tells of them."""
    if not is_sqlite(sample):
        return False
    try:
        tables = snapshot(sample.path, lambda database: columns_of(database, "session", "message", "part"))
    except OSError:
        return all(word in sample.head for word in (b"message", b"part", b"session_id"))
    return len(tables) > 1 and {"session_id", "data"} <= tables.get("message", set())


def database_sources(path: Path) -> Iterator[Source]:
    """The sessions that no other one started, by id. Raises `OSError`."""
    parents = _state(path, lambda database: _Reading(path, database, Fidelity(AGENT)).parents())
    found = sorted(own for own, parent in parents.items() if parent is None or parent not in parents)
    for own in found or sorted(parents)[:1]:
        yield Source(agent=AGENT, path=path, run=run_of(AGENT, own), within=own)
    if not parents:
        yield Source(agent=AGENT, path=path)


def read_database(source: Source) -> Iterator[tuple[KeptSession, Fidelity]]:
    """The session that is meant, and its sub-agents'. Raises `OSError`."""

    def read(database: sqlite3.Connection) -> list[tuple[KeptSession, Fidelity]]:
        found: list[tuple[KeptSession, Fidelity]] = []
        wanted = [source.within or source.path.stem]
        for own in wanted:  # it grows on the way
            fidelity = Fidelity(AGENT, str(source.path))
            reading = _Reading(source.path, database, fidelity)
            found.append((reading.session(own), fidelity))
            wanted += [child for child in reading.children(own) if child not in wanted]
        return found

    yield from _state(source.path, read)


def _state(path: Path, read: Callable[[sqlite3.Connection], R]) -> R:
    """What is read of the database's state now; of one that is damaged from its beginning on, as of an empty one."""
    try:
        return snapshot(path, read)
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
    with closing(sqlite3.connect(":memory:")) as nothing:
        return read(nothing)


class _Reading:
    """Reads out of one database, damage told."""

    def __init__(self, path: Path, database: sqlite3.Connection, fidelity: Fidelity) -> None:
        self._path = path
        self._database = database
        self._fidelity = fidelity

    def parents(self) -> dict[str, str | None]:
        """Every session there is a trace of, and its parent."""
        found: dict[str, str | None] = {}
        for cells, _ in self._select("session", ("id", "parent_id", "data")):
            own = _text(cells.get("id"))
            if own:
                found[own] = _text(cells.get("parent_id")) or _parent_in(cells.get("data"))
        for cells, _ in self._select("message", ("session_id",), distinct=True):
            own = _text(cells.get("session_id"))
            if own:
                found.setdefault(own, None)
        return found

    def children(self, own: str) -> list[str]:
        """The sessions that a session started, by id."""
        if "parent_id" not in columns_of(self._database, "session").get("session", ()):
            return sorted(child for child, parent in self.parents().items() if parent == own)
        found = self._select("session", ("id", "parent_id"), "parent_id", own)
        return sorted(child for cells, _ in found if (child := _text(cells.get("id"))))

    def session(self, own: str) -> KeptSession:
        """One session with its messages and their parts."""
        session = KeptSession(own)
        for cells, place in self._select("session", (*_SESSION, "revert", "time_created", "data"), "id", own):
            self._fidelity.mapped(place, "session")
            self._fidelity.rows += 1
            session.put(self._info(cells, place), place)
        for cells, place in self._select("message", ("id", "time_created", "data"), "session_id", own):
            message = _text(cells.get("id"))
            if message:
                info = self._value(cells, Info, place) or Info()
                session.put_message(message, info, place, integer_ms(_json(cells.get("time_created"))))
        for cells, place in self._select("part", ("id", "message_id", "time_created", "data"), "session_id", own):
            message, part = _text(cells.get("message_id")), self._value(cells, Part, place)
            if message and part is not None:
                seen = integer_ms(_json(cells.get("time_created")))
                session.put_part(message, _text(cells.get("id")) or f"row {place.line}", part, place, seen)
        return session

    def _value(self, cells: _Cells, shape: type[T], place: Place) -> T | None:
        data = cells.get("data")
        if isinstance(data, bytes):
            return decoded(data, shape, self._fidelity, place, is_data)
        self._fidelity.damaged(place, DamageCode.bad_field, "data")
        return None

    def _info(self, cells: _Cells, place: Place) -> Info:
        """What a session says of itself: its columns, and in what they leave out its `data`."""
        data = cells.get("data")
        held = carried(data) if isinstance(data, bytes) else None
        value: JsonObject = held if isinstance(held, dict) else {}
        value |= {name: text for column, name in _SESSION.items() if (text := _text(cells.get(column)))}
        if isinstance(created := cells.get("time_created"), int):
            value["time"] = {"created": created}
        if isinstance(revert := cells.get("revert"), bytes) and (read := carried(revert)) is not None:
            value["revert"] = read
        return row_of(value, Info, self._fidelity, place)

    def _select(
        self,
        table: str,
        wanted: tuple[str, ...],
        where: str | None = None,
        value: str = "",
        *,
        distinct: bool = False,
    ) -> Iterator[tuple[_Cells, Place]]:
        """Rows of a table, with those of the columns that it has, in the order in which they were made."""
        segment = f"{self._path}#{table}"
        try:
            columns = columns_of(self._database, table).get(table)
            if columns is None:
                self._fidelity.damaged(_place(segment, 1), DamageCode.bad_field, "no such table")
                return
            asked = [column for column in wanted if column in columns]
            number = "0" if distinct or "" not in columns else "rowid"
            query = f"SELECT {'DISTINCT ' if distinct else ''}{', '.join((number, *asked))} FROM {table}"  # noqa: S608
            if where is not None:
                inner = "message_id IN (SELECT id FROM message WHERE session_id = ?)"
                query += f" WHERE {inner if where not in columns and table == 'part' else f'{where} = ?'}"
            if not distinct:
                query += f" ORDER BY {', '.join(column for column in (*_AGE, '1') if column in (*asked, '1'))}"
            rows = self._database.execute(query, (value,) if where is not None else ())
            for at, row in enumerate(rows, 1):
                place = _place(segment, row[0] if number == "rowid" and row[0] else at)
                yield dict(zip(asked, row[1:], strict=True)), place
        except sqlite3.Error as error:
            raise_if_busy(error, self._path)
            self._fidelity.damaged(_place(segment, 1), DamageCode.not_json, str(error))


def _parent_in(data: Json | bytes) -> str | None:
    held = carried(data) if isinstance(data, bytes) else None
    parent = held.get("parentID") if isinstance(held, dict) else None
    return parent if isinstance(parent, str) and parent else None


def _text(cell: Json | bytes) -> str | None:
    if isinstance(cell, bytes):
        return cell.decode(errors="replace")
    return cell if isinstance(cell, str) else None


def _json(cell: Json | bytes) -> Json:
    return None if isinstance(cell, bytes) else cell


def _place(segment: str, number: int) -> Place:
    return Place(segment=segment, line=number, offset=0)
