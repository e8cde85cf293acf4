"""What a search with generated ledgers came to, and its find written as a case. Page: docs/strategies.md."""

from itertools import count
from pathlib import Path

from msgspec import Struct

from accounting.conformance.blame import Broken
from accounting.conformance.cases import read_fold_case, write_fold_case
from accounting.conformance.comparing import Difference, differences
from accounting.conformance.report import Outcome
from accounting.conformance.subject import Reply
from wire.scalars import JsonObject, RunId


class Failure(Struct, frozen=True, kw_only=True):
    """The smallest ledger found on which a subject fails."""

    outcome: Outcome
    """`wrong`, `rejected`, `crashed` or `timed_out`."""
    ledger: bytes
    """The ledger."""
    run: RunId
    """The run that was asked for."""
    expected: JsonObject
    """The answer, by our fold."""
    reply: Reply
    """What the subject did."""
    differences: tuple[Difference, ...]
    """Where its answer differs; empty when there was none."""
    broken: Broken
    """The rule that it breaks."""
    flaky: bool
    """Whether the subject did otherwise when asked the same again."""
    found_at: int
    """How many ledgers it was asked up to the first that failed."""
    shrink_asks: int
    """How many it was asked while that one was made smaller."""


class Spent(Struct, frozen=True, kw_only=True):
    """Where the time of the search went, in seconds; making a failing ledger smaller is not part of it."""

    subject: float
    """The subject's own: from asking it to its answer being there."""
    generation: float
    """Making ledgers: hypothesis and the strategies."""
    kit: float
    """All else: our fold, speaking to the subject, comparing. Starting the subject is no part of it."""


class FuzzReport(Struct, frozen=True, kw_only=True):
    """What a search came to."""

    seed: int
    """What it began from: the same seed gives the same ledgers."""
    ledgers: int
    """How many ledgers the subject was asked in the search, the failing one included."""
    spent: Spent
    """Where the time went."""
    failure: Failure | None
    """The smallest ledger on which the subject fails; `None` when none was found."""

    @property
    def rate(self) -> float:
        """Ledgers a second."""
        return self.ledgers / max(self.spent.subject + self.spent.generation + self.spent.kit, 1e-9)

    @property
    def kit_ms(self) -> float:
        """Milliseconds a ledger that the kit itself added."""
        return self.spent.kit * 1000 / max(self.ledgers, 1)


def save(failure: Failure, folder: Path, *, seed: int) -> Path:
    """Write the smallest ledger as a case into a folder of its own inside `folder`, and return that.

    Where that very case stands already, it stays as it is. No other is written over: the name gets a number more.

    Raises `OSError` when it cannot be written.
    """
    case, is_new = _place_for(failure, folder, f"fuzz-{seed}-{failure.found_at}")
    if not is_new:
        return case
    where = f" at `{failure.differences[0].path}`" if failure.differences else ""
    about = (
        f"A fold of somebody's is {failure.outcome.replace('_', ' ')} here{where}. "
        f"The rule: {failure.broken.says}. Found by a search from seed {seed} after {failure.found_at} ledgers and "
        "made smaller by a program; the expected values are those of the reference fold and want checking by eye."
    )
    return write_fold_case(
        case,
        rule=failure.broken.rule,
        about=about,
        ledger=failure.ledger,
        expected=failure.expected,
        generated=True,
        unsealed="it is as the search made it",
    )


def _place_for(failure: Failure, folder: Path, name: str) -> tuple[Path, bool]:
    """The folder of the case, and whether it was made just now."""
    for number in count(1):
        case = folder / (name if number == 1 else f"{name}-{number}")
        try:
            case.mkdir(parents=True)
        except FileExistsError:
            if _holds(case, failure):
                return case, False
        else:
            return case, True
    raise AssertionError("numbers do not end")


def _holds(case: Path, failure: Failure) -> bool:
    try:
        found = read_fold_case(case)
    except (OSError, ValueError):
        return False
    return found.ledger == failure.ledger and not differences(failure.expected, found.expected)
