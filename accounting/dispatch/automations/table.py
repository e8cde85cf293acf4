"""Reading a table whose columns differ between versions: what there is, is asked for. Spec: dispatch.md 2.6."""

import sqlite3
from collections.abc import Iterator
from typing import Final

from accounting.dispatch.automations.notes import Notes
from accounting.dispatch.automations.row import Cell, Row
from accounting.foreign.sqlite_reading import columns_of

_NUMBERS: Final = ("rowid", "_rowid_", "oid")
"""What SQLite calls the number of a row, as long as no column has that name."""


class Table:
    """A table of the scheduler's, by its name in the specification."""

    def __init__(
        self,
        database: sqlite3.Connection,
        name: str,
        key: str,
        columns: tuple[str, ...],
        notes: Notes,
        *,
        foreign: str = "",
    ) -> None:
        """`key` is the column of its id, and `columns` are the others that are wanted. Notes what is missing.

        `foreign` is the one of them that is another table's id. An id is compared and given as text, whatever it is.
        """
        self._database = database
        self._name = name
        self._key = key
        self._notes = notes
        found = {column.lower() for column in columns_of(database, name).get(name, ())} - {""}
        self.is_there = bool(found)
        """Whether there is such a table."""
        self.columns = tuple(column for column in columns if column in found)
        """Which of the wanted columns it has."""
        self._asked = tuple(_text(column) if column == foreign else column for column in self.columns)
        self.key = _text(key) if key in found else None
        """Its id in SQL, as text; `None` when it has no such column."""
        self.number = _number(database, name, found) if found else None
        """The number of a row in SQL, which grows as rows are put down; `None` when its rows are not numbered."""
        if not found:
            notes.no_table(name)
        else:
            notes.no_columns(name, (column for column in (key, *columns) if column not in found))

    def rows(self, clause: str = "", values: tuple[str | int, ...] = ()) -> Iterator[Row]:
        """Its rows, with the clause that follows the table's name; none when there is no such table.

        Raises `sqlite3.Error`.
        """
        if not self.is_there:
            return
        query = f"SELECT {', '.join((self.key or 'NULL', *self._asked))} FROM {self._name} {clause}"  # noqa: S608
        for key, *cells in self._database.execute(query, values):
            named: dict[str, Cell] = dict(zip(self.columns, cells, strict=True))
            yield Row(self._name, named, None if self.key is None else (self._key, key), self._notes)

    def count(self, clause: str = "", values: tuple[str | int, ...] = ()) -> int:
        """How many rows it has, with the clause that follows its name. Raises `sqlite3.Error`."""
        if not self.is_there:
            return 0
        query = f"SELECT count(*) FROM {self._name} {clause}"  # noqa: S608
        count: int = self._database.execute(query, values).fetchone()[0]
        return count


def _text(column: str) -> str:
    return f"CAST({column} AS TEXT)"


def _number(database: sqlite3.Connection, table: str, columns: set[str]) -> str | None:
    for number in _NUMBERS:
        if number not in columns:
            try:
                database.execute(f"SELECT {number} FROM {table} LIMIT 0")  # noqa: S608
            except sqlite3.OperationalError:
                continue
            return number
    return None
