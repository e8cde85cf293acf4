"""Generated ledgers against a subject, and the smallest one on which it is wrong. Page: docs/strategies.md.

The search is hypothesis's own, and so is the shrinking: for one seed and one subject that answers alike each time, both
come out the same. It needs hypothesis: `pip install 'rounds[conformance]'`.
"""

from collections.abc import Callable
from contextlib import suppress
from random import Random
from time import perf_counter
from typing import Final

from hypothesis import Phase, Verbosity, find, settings
from hypothesis.errors import NoSuchExample
from msgspec import Struct

from accounting.conformance.blame import TOTAL, blame
from accounting.conformance.comparing import Difference, differences
from accounting.conformance.finds import Failure, FuzzReport, Spent
from accounting.conformance.reference import reference_answer
from accounting.conformance.report import Outcome
from accounting.conformance.strategies import RUNS, SealedLedger, asked_ledgers
from accounting.conformance.subject import Answered, Crashed, Rejected, Reply, Subject, TimedOut
from wire.scalars import JsonObject, RunId

SHRINK_ASKS: Final = 3_000
"""The most ledgers that a subject is asked while one is made smaller."""
SHRINK_TIMEOUTS: Final = 8
"""How often a subject may run out of time meanwhile."""
SHRINK_SECONDS: Final = 60.0
"""Seconds after which a ledger stays as small as it has become."""
ASKED_AGAIN: Final = 2
"""How often a subject is asked the smallest ledger again, to see that it fails each time."""


def fuzz(subject: Subject, *, examples: int, seed: int, progress: Callable[[int], None] | None = None) -> FuzzReport:
    """Ask a subject for generated ledgers until it fails one, and make that one as small as can be.

    A wrong answer is a failure, and so are a rejection, a crash and a time-out. `progress` is told after each ledger
    how many there were. The subject is not closed.

    Raises what the subject raises, `NoSubjectError` when it cannot be started; `ValueError` for less than one example.
    """
    if examples < 1:
        raise ValueError(f"{examples} examples: ask for one or more")
    search = _Search(subject, progress)
    # The plainest ledger first: a subject that does nothing right is shown that one.
    failed = search.fails((SealedLedger(content=b"", records=()), RUNS[0]))
    # It has been started for that, which is in nobody's figures.
    search.took = search.subject_took
    begun = perf_counter() - search.took
    if not failed and examples > 1:
        with suppress(NoSuchExample, _Enough):
            find(_EXAMPLES, search.fails, settings=_quiet(examples - 1), random=Random(seed))  # noqa: S311
    if search.raised is not None:
        raise search.raised
    took = (search.found or perf_counter()) - begun
    spent = Spent(
        subject=search.subject_took,
        generation=max(took - search.took, 0.0),
        kit=max(search.took - search.subject_took, 0.0),
    )
    return FuzzReport(seed=seed, ledgers=search.asked, spent=spent, failure=search.failure())


_Example = tuple[SealedLedger, RunId]
_EXAMPLES: Final = asked_ledgers(sound=False)


def _quiet(examples: int) -> settings:
    return settings(
        max_examples=examples,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink),
        verbosity=Verbosity.quiet,
    )


class _Enough(BaseException):
    """Shrinking has used up what it may; not an `Exception`, for hypothesis would take that for a failure."""


class _Verdict(Struct, frozen=True):
    outcome: Outcome
    expected: JsonObject
    reply: Reply
    differences: tuple[Difference, ...]


def _alike(one: _Verdict, other: _Verdict) -> bool:
    """Whether a subject did the same twice. How it words a refusal is its own affair."""
    if isinstance(one.reply, Answered) and isinstance(other.reply, Answered):
        return not differences(one.reply.answer, other.reply.answer)
    return one.outcome is other.outcome


class _Search:
    """What is asked of a subject, first until it fails and then to make that smaller."""

    def __init__(self, subject: Subject, progress: Callable[[int], None] | None) -> None:
        self.subject = subject
        self.progress = progress
        self.asked = 0
        self.took = self.subject_took = 0.0
        self.raised: Exception | None = None
        self.found: float | None = None
        self._first: Outcome | None = None
        self._known: dict[tuple[bytes, RunId], _Verdict | None] = {}
        self._shrink_asks = self._timeouts = 0

    def fails(self, example: _Example) -> bool:
        """Whether the subject fails on it, once one has failed, in the same way."""
        if self.raised is not None:
            return False
        try:
            return self._search(example) if self._first is None else self._shrink(example, self._first)
        except Exception as error:  # noqa: BLE001 - hypothesis would take it for a failure, and shrink that
            self.raised = error
            return False

    def failure(self) -> Failure | None:
        """The smallest failure."""
        failing = [(*key, verdict) for key, verdict in self._known.items() if verdict is not None]
        if not failing:
            return None
        # Of those with as few lines the last: shrinking goes on to plainer values, which need not be shorter.
        ledger, run, verdict = min(reversed(failing), key=lambda one: one[0].count(b"\n"))
        again = 1 if verdict.outcome is Outcome.timed_out else ASKED_AGAIN
        flaky = any(not _alike(verdict, self._judge(ledger, run)) for _ in range(again))
        return Failure(
            outcome=verdict.outcome,
            ledger=ledger,
            run=run,
            expected=verdict.expected,
            reply=verdict.reply,
            differences=verdict.differences,
            broken=blame(verdict.differences, ledger, run) if verdict.differences else TOTAL,
            flaky=flaky,
            found_at=self.asked,
            shrink_asks=self._shrink_asks,
        )

    def _search(self, example: _Example) -> bool:
        begun = perf_counter()
        self.asked += 1
        verdict = self._judge(example[0].content, example[1])
        self.took += perf_counter() - begun
        if self.progress is not None:
            self.progress(self.asked)
        if verdict.outcome is Outcome.passed:
            return False
        self.found, self._first = perf_counter(), verdict.outcome
        self._known[example[0].content, example[1]] = verdict
        return True

    def _shrink(self, example: _Example, first: Outcome) -> bool:
        key = (example[0].content, example[1])
        if key in self._known:
            return self._known[key] is not None
        assert self.found is not None
        spent = perf_counter() - self.found > SHRINK_SECONDS
        if spent or self._shrink_asks >= SHRINK_ASKS or self._timeouts >= SHRINK_TIMEOUTS:
            raise _Enough
        self._shrink_asks += 1
        verdict = self._judge(*key)
        self._timeouts += verdict.outcome is Outcome.timed_out
        self._known[key] = verdict if verdict.outcome is first else None
        return verdict.outcome is first

    def _judge(self, ledger: bytes, run: RunId) -> _Verdict:
        expected = reference_answer(ledger, run)
        begun = perf_counter()
        reply = self.subject.fold(ledger, run)
        took = perf_counter() - begun
        if self._first is None:
            self.subject_took += min(reply.took_us / 1e6, took) if isinstance(reply, Answered) else took
        found: tuple[Difference, ...] = ()
        match reply:
            case Answered():
                found = differences(expected, reply.answer)
                outcome = Outcome.wrong if found else Outcome.passed
            case Rejected():
                outcome = Outcome.rejected
            case Crashed():
                outcome = Outcome.crashed
            case TimedOut():
                outcome = Outcome.timed_out
        return _Verdict(outcome, expected, reply, found)
