"""Usage as a table: a line of figures for each group, and one for all of them."""

from collections.abc import Iterator
from typing import Final

from rich.text import Text

from accounting.cli.draw.lines import DIM, cropped, flow, indented, single
from accounting.cli.table import needed, padded
from accounting.cli.units import UNKNOWN, dollars
from accounting.foreign.fidelity import Standing
from accounting.foreign.usage import Usage, UsageRow

LACKING: Final = "+ at least: not every request reports it"
"""The footnote to a sum that lacks something."""
UNSURE: Final = "? in part unknown: it may lack something, or hold what was copied"
"""The footnote to a sum of which not every part is known to be right."""
ESTIMATED: Final = "~ estimated, by the prices given or from other figures"
"""The footnote to a sum that holds an estimate."""
_HEADS: Final = ("requests", "in", "cached", "written", "out", "cost", "estimated", "wall", "active")
_KEY: Final = 48


def usage_table(usage: Usage, width: int) -> Iterator[Text]:
    """The groups and their sum: a line each where there is room, else the figures below what they are for."""
    if not usage.rows:
        yield Text("no requests", DIM)
        return
    priced = any(row.estimated is not None for row in usage.rows)
    rows = [*usage.rows, usage.total] if len(usage.rows) > 1 else [*usage.rows]
    table = [(usage.by.value, *_HEADS), *((cropped(single(row.key), _KEY).plain, *_figures(row)) for row in rows)]
    if not priced:
        table = [(*row[:7], *row[8:]) for row in table]
    if needed(table) <= width:
        yield from padded(table, left=1)
    else:
        heads = table[0]
        for row in table[1:]:
            yield cropped(row[0], width, "bold")
            items = (_spelled(figure, head) for head, figure in zip(heads[1:], row[1:], strict=True))
            yield from (indented(line, 2) for line in flow((Text(item, DIM) for item in items), width - 2))
    told = " ".join(cell for row in table[1:] for cell in row[1:])
    for mark, note in (("+", LACKING), ("?", UNSURE), ("~", ESTIMATED)):
        if mark in told:
            yield cropped(note, width, DIM)
    copies = usage.total.copies
    if copies:
        what = "copy of a request that stands" if copies == 1 else "copies of requests that stand"
        yield cropped(f"{copies:,} {what} elsewhere {'is' if copies == 1 else 'are'} not counted again", width, DIM)
    yield cropped(f"active: without gaps of {usage.idle_ms // 60_000} minutes or more", width, DIM)


def _spelled(figure: str, head: str) -> str:
    return f"{figure} {'request' if figure == '1' and head == _HEADS[0] else head}"


def _figures(row: UsageRow) -> tuple[str, ...]:
    guessed = "~" if row.standing is Standing.estimated else ""
    lacks = bool(row.unmetered)
    unsure = bool(row.requests > row.unmetered) and row.standing is Standing.unknown
    return (
        f"{row.requests:,}",
        _tokens(row.input, guessed, lacks=lacks, unsure=unsure),
        _tokens(row.cached, guessed, lacks=lacks or bool(row.cached_unknown), unsure=unsure),
        _tokens(row.cache_write, guessed, lacks=lacks or bool(row.cache_write_unknown), unsure=unsure),
        _tokens(row.output, guessed, lacks=lacks, unsure=unsure),
        UNKNOWN if row.spent is None else f"{dollars(row.spent)}{_more(lacks=row.priced < row.requests)}",
        UNKNOWN if row.estimated is None else f"~{dollars(row.estimated)}{_more(lacks=bool(row.unpriced))}",
        _time(row.wall_ms),
        _time(row.active_ms),
    )


def _tokens(count: int | None, mark: str, *, lacks: bool, unsure: bool) -> str:
    return UNKNOWN if count is None else f"{mark}{count:,}{'?' if unsure else _more(lacks=lacks)}"


def _more(*, lacks: bool) -> str:
    return "+" if lacks else ""


def _time(milliseconds: int) -> str:
    """Hours, minutes and seconds, cut off to the second: `12:03:09`."""
    minutes, seconds = divmod(milliseconds // 1000, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:,}:{minutes:02}:{seconds:02}"
