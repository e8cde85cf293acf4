"""What a database has no table or column for, and which values do not read: a few sentences, however many rows."""

from collections.abc import Iterable
from typing import Final

_LONGEST_NAME: Final = 80


class Notes:
    """Collects them. What is told twice is noted once."""

    def __init__(self) -> None:
        self._sentences: dict[str, None] = {}
        self._bad: dict[tuple[str, str, str], tuple[str, int]] = {}

    def say(self, sentence: str) -> None:
        """Note a sentence."""
        self._sentences[sentence] = None

    def no_table(self, table: str) -> None:
        """Note that a table is missing."""
        self.say(f"there is no table {table}: nothing is told of what it holds")

    def no_columns(self, table: str, columns: Iterable[str]) -> None:
        """Note which columns a table lacks."""
        missing = ", ".join(columns)
        if missing:
            self.say(f"{table} lacks columns, which read as null: {missing}")

    def bad(self, table: str, column: str, why: str, row: str) -> None:
        """Note a value that does not read: `why` it does not, and the row by its id."""
        first, count = self._bad.get((table, column, why), (row, 0))
        self._bad[table, column, why] = (first, count + 1)

    def told(self) -> tuple[str, ...]:
        """All of it, in the order in which it came up; values last, counted, with the first row of each."""
        values = (
            f"{table}.{column} {why}, in {_rows(count, row)}"
            for (table, column, why), (row, count) in self._bad.items()
        )
        return (*self._sentences, *values)


def _rows(count: int, first: str) -> str:
    if not first:
        return "1 row" if count == 1 else f"{count} rows"
    return _name(first) if count == 1 else f"{count} rows, the first {_name(first)}"


def _name(row: str) -> str:
    short = row if len(row) <= _LONGEST_NAME else f"{row[:_LONGEST_NAME]}…"
    return ascii(short) if not short.isprintable() else f"`{short}`"
