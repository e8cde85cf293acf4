"""Problems beside an answer, on standard error."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import click

from accounting.cli.visible import visible

if TYPE_CHECKING:
    from accounting.ledger import Problem, ProblemCode

CONTENT: Final = 1
"""Exit code when something in the ledger could not be used, or was read otherwise than written."""
LISTED: Final = 20
"""How many problems are printed in full; past that they are counted by code."""


def tell(problems: "Sequence[Problem]", counts: "Mapping[ProblemCode, int]") -> int:
    """Print the problems, a line each; the exit code they call for comes back."""
    listed = problems[:LISTED]
    for problem in listed:
        _say(f"{_place(problem)}: {problem.code.value}: expected {problem.expected}, found {problem.found}")
    left = {code: count - sum(problem.code is code for problem in listed) for code, count in counts.items()}
    more = ", ".join(f"{count:,} {code.value}" for code, count in left.items() if count)
    if more:
        _say(f"and {sum(left.values()):,} more: {more}")
    return CONTENT if counts else 0


def tell_outside(outside: Mapping[str, int]) -> None:
    """Print in one line how many records of each kind found no place in the answer."""
    if outside:
        by_kind = ", ".join(f"{count:,} {kind}" for kind, count in outside.items())
        _say(f"{_records(sum(outside.values()))} found no place in the drawing: {by_kind}")


def _records(count: int) -> str:
    return "1 record" if count == 1 else f"{count:,} records"


def _place(problem: "Problem") -> str:
    place = problem.place
    return f"record {problem.seq}" if place is None else f"{place.segment}:{place.line} (byte {place.offset})"


def _say(line: str) -> None:
    click.echo(f"rounds: {visible(line)}", err=True)
