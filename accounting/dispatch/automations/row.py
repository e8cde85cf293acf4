"""One row of a scheduler's table: what it holds by column, each of the type that is meant.

A value of another type costs that value alone: it reads as null, and is noted.
"""

from collections.abc import Mapping
from typing import Final, TypeAlias

from accounting.dispatch.automations.notes import Notes
from accounting.foreign.objects import without_surrogates
from accounting.foreign.rows import carried
from wire.scalars import TimeMs

Cell: TypeAlias = int | float | bytes | None
"""A value, text as bytes."""
_BAD_UTF8: Final = "is no UTF-8, and what is bad reads as U+FFFD"
_LAST_TIME: Final = 253_402_300_799_999
"""The end of the year 9999, UTC milliseconds. What is later is a time in another unit, or none."""


class Row:
    """A row; columns that its table lacks read as null."""

    def __init__(self, table: str, cells: Mapping[str, Cell], key: tuple[str, Cell] | None, notes: Notes) -> None:
        """`key` is the column of its id, and the id, which the database spelled as text; `None` without a column."""
        self._table = table
        self._cells = cells
        self._notes = notes
        name, value = ("", None) if key is None else key
        self.key = value if isinstance(value, bytes) else None
        """Its id, byte for byte; `None` when it has none."""
        self.id = "" if self.key is None else self.key.decode(errors="replace")
        """Its id, as text; empty when the row has none."""
        if key is not None and self.key is None:
            self._bad(name, "is missing, and reads as empty")
        elif self.key is not None and not _is_utf8(self.key):
            self._bad(name, _BAD_UTF8)

    def text(self, column: str) -> str | None:
        """A text. What is no UTF-8 in it reads as U+FFFD."""
        cell = self._cells.get(column)
        if cell is None:
            return None
        if not isinstance(cell, bytes):
            self._bad(column, "is no text")
            return None
        try:
            return cell.decode()
        except UnicodeDecodeError:
            self._bad(column, _BAD_UTF8)
            return cell.decode(errors="replace")

    def time(self, column: str) -> TimeMs | None:
        """A time, UTC milliseconds."""
        cell = self._cells.get(column)
        if cell is None:
            return None
        if not isinstance(cell, int) or not 0 <= cell <= _LAST_TIME:
            self._bad(column, "is no time in milliseconds")
            return None
        return cell

    def flag(self, column: str) -> bool | None:
        """A truth value: 1 or 0."""
        cell = self._cells.get(column)
        if cell is None:
            return None
        if not isinstance(cell, int) or cell not in (0, 1):
            self._bad(column, "is neither 0 nor 1")
            return None
        return cell == 1

    def texts(self, column: str) -> tuple[str, ...]:
        """A JSON list of texts; none for null. What is no text in it is left out."""
        cell = self._cells.get(column)
        if cell is None:
            return ()
        value = carried(cell) if isinstance(cell, bytes) else None
        if not isinstance(value, list):
            self._bad(column, "is no JSON list")
            return ()
        if not all(isinstance(one, str) for one in value):
            self._bad(column, "holds what is no text, which is left out")
        return tuple(without_surrogates(one)[0] for one in value if isinstance(one, str))

    def cell(self, column: str) -> Cell:
        """What is there, of whatever type."""
        return self._cells.get(column)

    def _bad(self, column: str, why: str) -> None:
        self._notes.bad(self._table, column, why, self.id)


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True
