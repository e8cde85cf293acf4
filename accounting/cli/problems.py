"""Problems beside an answer, on standard error."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import click

from accounting.cli.visible import visible

if TYPE_CHECKING:
    from accounting.cli.choose import Chosen
    from accounting.foreign import FidelityReport
    from accounting.foreign.import_report import ImportReport
    from accounting.ledger import Place, Problem, ProblemCode

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


def tell_chosen(chosen: "Chosen") -> int:
    """Print the problems of a session that was chosen, and what is damaged in its files; the exit code comes back."""
    code = tell(chosen.folded.problems, chosen.folded.problem_counts)
    return code if chosen.session is None else max(code, tell_damage((chosen.session.report,)))


def tell_damage(reports: "Iterable[FidelityReport]") -> int:
    """Print what was damaged in the files of other agents, a line for each sort; the exit code comes back.

    A last line that is still being written is no damage.
    """
    damage = [one for report in reports for one in report.damage if one.code.value != "torn-tail"]
    for one in damage[:LISTED]:
        place, more = one.places[0], one.count - 1
        detail = f" {one.detail}" if one.detail else ""
        again = f", and {more:,} more" if more else ""
        _say(f"{_of_row(place)}: {one.code.value}{detail}{again}")
    if damage[LISTED:]:
        _say(f"and {len(damage) - LISTED:,} sorts of damage more")
    return CONTENT if damage else 0


def tell_import(done: "ImportReport") -> int:
    """Print what an import could not read, or the ledger cannot be told; the exit code comes back.

    What the ledger has all the same, in another place or with an empty name, is told and does not change the code.
    """
    code = tell_unread([(unread.path, f"cannot be read: {unread.why}") for unread in done.unread])
    not_told = [(session, one) for session in done.sessions for one in session.not_told]
    not_told.sort(key=lambda pair: not pair[1].why.loses)
    for session, one in not_told[:LISTED]:
        _say(f"{_of_row(one.place)}: {one.why.value}: {one.kind} of run {session.run}")
    more = sum(session.not_told_count for session in done.sessions) - len(not_told[:LISTED])
    if more:
        _say(f"and {_records(more)} more that the ledger does not have as the session does")
    return CONTENT if any(session.lost for session in done.sessions) else code


def tell_unread(unread: Sequence[tuple[str, str]]) -> int:
    """Print which files were left out, and why; the exit code comes back."""
    for path, why in unread:
        _say(f"{path}: {why}")
    return CONTENT if unread else 0


def tell_passed_over(shown: str, count: int) -> None:
    """Print how many files of a folder might be sessions, and no reader knew."""
    if count:
        files = "1 .json or .jsonl file is" if count == 1 else f"{count:,} .json or .jsonl files are"
        _say(f"{shown}: {files} of no agent that is known here, and left out")


def tell_outside(outside: Mapping[str, int]) -> None:
    """Print in one line how many records of each kind found no place in the answer."""
    if outside:
        by_kind = ", ".join(f"{count:,} {kind}" for kind, count in outside.items())
        _say(f"{_records(sum(outside.values()))} found no place in the drawing: {by_kind}")


def _records(count: int) -> str:
    return "1 record" if count == 1 else f"{count:,} records"


def _place(problem: "Problem") -> str:
    place = problem.place
    return f"record {problem.seq}" if place is None else _of_row(place)


def _of_row(place: "Place") -> str:
    return f"{place.segment}:{place.line} (byte {place.offset})"


def _say(line: str) -> None:
    click.echo(f"rounds: {visible(line)}", err=True)
