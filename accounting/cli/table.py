"""The runs of a ledger as a table, in as many columns as the width has room for."""

from collections.abc import Iterator, Sequence
from typing import Final

from rich.text import Text

from accounting.cli.draw.columns import columns
from accounting.cli.draw.lines import DIM, cropped, flow, indented, single
from accounting.cli.units import UNKNOWN, dollars, iso, several
from accounting.views.runs import RunSummary

LACKING: Final = "+ at least: not every reply reports it"
"""The footnote to a marked sum."""
_GAP: Final = "  "
_STATE: Final = 16
_WORDS: Final = ("run", "state")
_TIMES: Final = ("first", "last")
_FIGURES: Final = ("turns", "calls", "failed", "in", "out", "cost")


def table(runs: Sequence[RunSummary], width: int) -> Iterator[Text]:
    """The runs: a line each where there is room, else two; on a narrow terminal their figures below each other."""
    if not runs:
        yield Text("no runs", DIM)
        return
    words = [_WORDS, *((run.run, cropped(single(run.state), _STATE).plain) for run in runs)]
    times = [_TIMES, *((iso(run.first or 0), iso(run.last or 0)) for run in runs)]
    figures = [_FIGURES, *map(_figures, runs)]
    whole = [[*left, *middle, *right] for left, middle, right in zip(words, times, figures, strict=True)]
    short = [[*left, *right] for left, right in zip(words, figures, strict=True)]
    if needed(whole) <= width:
        yield from padded(whole, left=4)
    elif needed(short) <= width:
        for row, (first, last) in zip(padded(short, left=2), times, strict=True):
            yield row
            yield Text(f"{_GAP}{_span(first, last)}", DIM)
    else:
        for run, (_, state), (first, last) in zip(runs, words[1:], times[1:], strict=True):
            yield cropped(run.run, width, "bold")
            items = (state, _span(first, last), *_spelled(run))
            yield from (indented(line, 2) for line in flow((Text(item, DIM) for item in items), width - 2))
    if any("+" in figure for row in figures for figure in row):
        yield cropped(LACKING, width, DIM)


def _figures(run: RunSummary) -> tuple[str, ...]:
    return (
        f"{run.turns:,}",
        f"{run.calls:,}",
        f"{run.failed:,}",
        UNKNOWN if run.input is None else f"{run.input:,}{_lacks(run.uncounted)}",
        UNKNOWN if run.output is None else f"{run.output:,}{_lacks(run.uncounted)}",
        UNKNOWN if run.spent is None else f"{dollars(run.spent)}{_lacks(run.unpriced)}",
    )


def _spelled(run: RunSummary) -> tuple[str, ...]:
    *_, prompts, replies, cost = _figures(run)
    return (
        several(run.turns, "turn"),
        several(run.calls, "call"),
        f"{run.failed:,} failed",
        f"{prompts} in",
        f"{replies} out",
        f"cost {cost}",
    )


def _span(first: str, last: str) -> str:
    return "times unknown" if first == last == UNKNOWN else f"{first} to {last}"


def _lacks(replies: int) -> str:
    return "+" if replies else ""


def needed(rows: Sequence[Sequence[str]]) -> int:
    """How many columns of a terminal the rows take."""
    return sum(_widths(rows)) + len(_GAP) * (len(rows[0]) - 1)


def _widths(rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(columns, column)) for column in zip(*rows, strict=True)]


def padded(rows: Sequence[Sequence[str]], left: int) -> Iterator[Text]:
    """The rows with their columns under each other: the first ones flush left, figures flush right."""
    widths = _widths(rows)
    for number, row in enumerate(rows):
        spaces = [" " * (width - columns(cell)) for cell, width in zip(row, widths, strict=True)]
        cells = [
            cell + space if index < left else space + cell
            for index, (cell, space) in enumerate(zip(row, spaces, strict=True))
        ]
        yield Text(_GAP.join(cells), "" if number else DIM)
