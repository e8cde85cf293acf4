"""`rounds conform fold --fuzz`: generated ledgers, and the smallest on which the subject is wrong."""

import os
from collections.abc import Iterator
from pathlib import Path
from secrets import randbelow
from shlex import join
from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct

from accounting.cli.conform.asked import FAILED, Asked, shown_command, subject_of
from accounting.cli.conform.human import Line, difference_lines, show
from accounting.cli.conform.progress import counting
from accounting.cli.out import put
from accounting.cli.trouble import Trouble
from accounting.cli.units import several
from accounting.cli.visible import visible
from accounting.conformance.report import Outcome, ShownDifference
from accounting.conformance.runner import json_text, shown, shown_differences, whole
from accounting.conformance.subject import Answered, Crashed, Rejected, Reply
from wire import encode
from wire.scalars import U64, RunId

if TYPE_CHECKING:
    from accounting.conformance.finds import Failure, FuzzReport

_SEEDS: Final = 2**32
_LEDGER_LINES: Final = 40
_DIM: Final = "dim"
_BAD: Final = "bold red"


class SmallestLedger(Struct, frozen=True, kw_only=True):
    """The smallest ledger found on which the subject fails."""

    outcome: Outcome
    """What it did."""
    rule: str
    """The rule that it breaks: `rounds.md 3.3`."""
    says: str
    """That rule in a sentence."""
    run: RunId
    """The run that was asked for."""
    ledger: str
    r"""The ledger's text; bytes that are not UTF-8 stand as `\xff`."""
    expected: str
    """The answer of our fold, as JSON text."""
    actual: str | None
    """The subject's answer, as JSON text; null when it gave none."""
    message: str | None
    """What it did instead; null when it answered."""
    differences: tuple[ShownDifference, ...]
    """Where its answer differs, the first of them."""
    unlisted: U64
    """Differences that are counted here and not listed."""
    flaky: bool
    """Whether it did otherwise when asked the same again."""
    found_at: U64
    """How many ledgers it was asked up to the first that failed."""


class FuzzSummary(Struct, frozen=True, kw_only=True):
    """What a search came to: what `--fuzz --json` prints."""

    subject: tuple[str, ...]
    """The program and its arguments."""
    protocol: Literal["once", "lines"]
    """Whether it is run once for each ledger, or stays and speaks JSON lines."""
    ok: bool
    """Whether it was right on every ledger."""
    seed: U64
    """The same seed gives the same ledgers."""
    ledgers: U64
    """How many ledgers it was asked, the failing one included."""
    per_second: float
    """How many of them in a second."""
    subject_s: float
    """Seconds that the subject took."""
    generation_s: float
    """Seconds that making the ledgers took."""
    kit_s: float
    """Seconds that all else took."""
    failure: SmallestLedger | None
    """The smallest ledger on which it fails; null when there was none."""
    saved: str | None
    """The folder it was written to as a case; null when it was not."""


def fuzzed(asked: Asked, examples: int, seed: int | None, folder: Path | None) -> int:
    """Search; the exit code."""
    try:
        from accounting.conformance.finds import save
        from accounting.conformance.fuzzing import fuzz
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "hypothesis":
            raise
        raise Trouble("--fuzz needs hypothesis: pip install 'rounds[conformance]'") from None
    if folder is not None:
        _made(folder)
    with subject_of(asked) as subject, counting(examples) as progress:
        report = fuzz(subject, examples=examples, seed=randbelow(_SEEDS) if seed is None else seed, progress=progress)
    failure = report.failure
    kept = trouble = None
    if failure is not None and folder is not None:
        try:
            kept = save(failure, folder, seed=report.seed)
        except OSError as error:
            trouble = error
    if asked.form == "json":
        put(_written(asked, report, kept), b"\n")
    else:
        show(_lines(asked, report, kept))
    if trouble is not None:
        raise trouble
    return 0 if failure is None else FAILED


def _made(folder: Path) -> None:
    """Have the folder there before the search, which is long. Raises `Trouble`."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Trouble(f"--save: {folder}: {error.strerror or error}") from None
    if not os.access(folder, os.W_OK | os.X_OK):
        raise Trouble(f"--save: {folder}: nothing can be written into it")


def _written(asked: Asked, report: "FuzzReport", kept: Path | None) -> bytes:
    failure, spent = report.failure, report.spent
    return encode(
        FuzzSummary(
            subject=shown_command(asked),
            protocol=asked.protocol,
            ok=failure is None,
            seed=report.seed,
            ledgers=report.ledgers,
            per_second=report.rate,
            subject_s=spent.subject,
            generation_s=spent.generation,
            kit_s=spent.kit,
            failure=None if failure is None else _smallest(failure),
            saved=None if kept is None else visible(str(kept)),
        )
    )


def _smallest(failure: "Failure") -> SmallestLedger:
    reply = failure.reply
    listed, unlisted = shown_differences(failure.differences)
    return SmallestLedger(
        outcome=failure.outcome,
        rule=failure.broken.rule,
        says=failure.broken.says,
        run=failure.run,
        ledger=failure.ledger.decode("utf-8", "backslashreplace"),
        expected=json_text(failure.expected),
        actual=json_text(reply.answer) if isinstance(reply, Answered) else None,
        message=None if isinstance(reply, Answered) else whole(_told(reply)),
        differences=listed,
        unlisted=unlisted,
        flaky=failure.flaky,
        found_at=failure.found_at,
    )


def _lines(asked: Asked, report: "FuzzReport", kept: Path | None) -> Iterator[Line]:
    failure = report.failure
    command = visible(join(asked.command))
    if failure is None:
        yield (command, "bold"), (" was right on every ledger", "green")
    else:
        yield from _failure_lines(failure)
        if kept is not None:
            yield _row("saved", visible(str(kept)))
        yield ()
        yield (command, "bold"), (" does not conform", _BAD)
    yield _row("ledgers", f"{report.ledgers:,}, {report.rate:,.0f} a second")
    spent = report.spent
    yield _row(
        "time",
        f"subject {spent.subject:.1f} s, generation {spent.generation:.1f} s, the kit {report.kit_ms:.2f} ms a ledger",
    )
    yield _row("seed", f"{report.seed}; the same one gives the same ledgers")


def _failure_lines(failure: "Failure") -> Iterator[Line]:
    outcome = failure.outcome.value.replace("_", " ")
    yield (f"The smallest ledger found on which it is {outcome}", "bold"), (f", asked for run {failure.run}:", "")
    yield ()
    lines = failure.ledger.decode("utf-8", "backslashreplace").split("\n")
    for line in lines[:_LEDGER_LINES]:
        yield ((visible(line), ""),)
    if len(lines) > _LEDGER_LINES:
        yield ((f"and {several(len(lines) - _LEDGER_LINES, 'line')} more; --save writes it whole", _DIM),)
    yield _row("expected", visible(shown(failure.expected)))
    reply = failure.reply
    yield _row("found", visible(shown(reply.answer) if isinstance(reply, Answered) else _told(reply)))
    if isinstance(reply, Crashed) and reply.stderr.strip():
        yield _row("stderr", visible(reply.stderr.strip()))
    yield ()
    listed, unlisted = shown_differences(failure.differences)
    yield from difference_lines(listed, unlisted)
    yield _row("rule", visible(f"{failure.broken.rule}: {failure.broken.says}"))
    if failure.flaky:
        yield _row("flaky", "asked again it did otherwise: it keeps something from one ledger to the next, or guesses")
    yield _row("found at", f"ledger {failure.found_at:,}; {failure.shrink_asks:,} more to make it smaller")


def _told(reply: Reply) -> str:
    match reply:
        case Rejected(message=message):
            return f"refused: {message}"
        case Crashed(how=how):
            return how
        case Answered():
            return ""
        case _:
            return f"no whole answer within {reply.after_ms:,} ms"


def _row(label: str, text: str) -> Line:
    return (f"   {label.ljust(10)}", _DIM), (text, "")
