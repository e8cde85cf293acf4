"""What holding a subject to the cases came to: each case, and the whole in figures. Page: docs/conformance.md."""

from enum import StrEnum
from typing import Literal

from msgspec import Struct

from accounting.conformance.comparing import What
from wire.scalars import U64, RunId


class Outcome(StrEnum):
    """What the subject did with one case."""

    passed = "passed"
    """It answered as expected."""
    wrong = "wrong"
    """It answered, and the answer differs."""
    rejected = "rejected"
    """It said that it will not have the ledger. No case asks for that."""
    crashed = "crashed"
    """It died, or what it wrote is no reply."""
    timed_out = "timed_out"
    """It gave no whole answer in time."""
    not_run = "not_run"
    """It was not asked: too many cases before this one had no answer in time, or the subject does not start."""


class ShownDifference(Struct, frozen=True, kw_only=True):
    """One place where an answer is not what it should be."""

    path: str
    """Where: `turns[1].calls[0].answered`; empty for the answer as a whole."""
    what: What
    """In what way."""
    expected: str | None
    """What should be there, as JSON text; null for nothing. A long text is cut, and says so."""
    actual: str | None
    """What is there, as JSON text; null for nothing. A long text is cut, and says so."""


class CaseReport(Struct, frozen=True, kw_only=True):
    """One case."""

    id: str
    """The case's id, the name of its folder."""
    rule: str
    """What it is about: `rounds.md 3.3`, `I6`, `ledger.md 8 chain-break`."""
    about: str
    """The same in one sentence."""
    run: RunId | None
    """The run that was asked for; null for a checker."""
    outcome: Outcome
    """What the subject did."""
    expected_failure: str | None
    """Why it is expected to fail; null when it is expected to pass."""
    took_us: U64 | None
    """Microseconds from asking to the answer being there; null without an answer."""
    differences: tuple[ShownDifference, ...]
    """Where a wrong answer differs, the first of them; empty otherwise."""
    unlisted: U64
    """Differences that are counted here and not listed."""
    message: str | None
    """What the subject said when it rejected the ledger, or how it failed; null when it answered."""
    stderr: str | None
    """The end of what it wrote to standard error when it crashed; null when that is nothing."""

    @property
    def ok(self) -> bool:
        """Whether it is as expected: passed, or failed where that is expected."""
        return self.outcome is not Outcome.not_run and (
            (self.outcome is Outcome.passed) == (self.expected_failure is None)
        )


class Totals(Struct, frozen=True, kw_only=True):
    """How many cases came out how. A case is counted once: an expected failure is not among `wrong` and the others."""

    cases: U64
    """Cases chosen."""
    passed: U64
    """Passed, and expected to."""
    wrong: U64
    """Answered, and the answer differs."""
    rejected: U64
    """Refused."""
    crashed: U64
    """Broke the contract."""
    timed_out: U64
    """Gave no answer in time."""
    not_run: U64
    """Not asked."""
    expected_failures: U64
    """Failed, as expected."""
    unexpected_passes: U64
    """Passed, and expected to fail: their lines have to go from the list."""


class ConformReport(Struct, frozen=True, kw_only=True):
    """One subject held to the cases."""

    subject: tuple[str, ...]
    """The program and its arguments."""
    name: str | None
    """What it calls itself; null when it did not say, as in a program that is run once for each case."""
    version: str | None
    """Its version; null likewise."""
    of: Literal["fold", "checker"]
    """What it was held to be."""
    protocol: Literal["once", "lines"]
    """Whether it is run once for each case, or stays and speaks JSON lines."""
    spec: str
    """The version of the specification that the cases are about."""
    ok: bool
    """Whether every case came out as expected, and the subject left as it should."""
    took_us: U64
    """Microseconds for all of it."""
    totals: Totals
    """The whole in figures."""
    leaving: str | None
    """What a subject that stays did in the end, where it has to exit with 0 and say nothing more; null if so."""
    cases: tuple[CaseReport, ...]
    """Every case that was chosen, in the order in which they were asked."""


def totals(cases: tuple[CaseReport, ...]) -> Totals:
    """The figures of these cases."""
    unexpected = sum(case.outcome is Outcome.passed and not case.ok for case in cases)
    failed = dict.fromkeys(Outcome, 0)
    for case in cases:
        failed[case.outcome] += case.expected_failure is None or case.outcome is Outcome.not_run
    return Totals(
        cases=len(cases),
        passed=failed[Outcome.passed],
        wrong=failed[Outcome.wrong],
        rejected=failed[Outcome.rejected],
        crashed=failed[Outcome.crashed],
        timed_out=failed[Outcome.timed_out],
        not_run=failed[Outcome.not_run],
        expected_failures=sum(case.ok and case.expected_failure is not None for case in cases),
        unexpected_passes=unexpected,
    )
