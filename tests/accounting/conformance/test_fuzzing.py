"""The search: mistakes planted in a fold are found, shrink to a handful of lines, and are told by their rule."""

from collections.abc import Callable
from pathlib import Path
from time import sleep

import pytest
from msgspec.structs import replace

from accounting.conformance.blame import TOTAL
from accounting.conformance.cases import read_fold_case
from accounting.conformance.comparing import differences
from accounting.conformance.finds import FuzzReport, save
from accounting.conformance.fuzzing import SHRINK_TIMEOUTS, fuzz
from accounting.conformance.reference import reference_answer
from accounting.conformance.report import Outcome
from accounting.conformance.subject import Answered, Rejected, Reply, TimedOut
from tests.accounting.conformance.planted import BUGS, Planted, folded, planted
from wire.scalars import RunId

QUICKLY = (
    "pairs results by position",
    "the latest awaiting call is answered",
    "a second answer overwrites",
    "a null error is a success",
    "lines of output split on splitlines",
    "zero for what is absent",
    "records in order of time",
    "replies by count",
    "notes that do not read are dropped",
    "the last run_started opens",
)
"""Mistakes that every run of the tests looks for; `make soak` looks for all of them."""


def found(name: str, seed: int, examples: int = 4000) -> FuzzReport:
    with planted(name):
        return fuzz(Planted(), examples=examples, seed=seed)


def holds(name: str, seed: int, examples: int = 4000) -> None:
    _, _, rules, most = BUGS[name]
    report = found(name, seed, examples)
    failure = report.failure
    assert failure is not None, "not found"
    assert failure.outcome in (Outcome.wrong, Outcome.crashed)
    assert failure.ledger.count(b"\n") + (not failure.ledger.endswith(b"\n")) <= most, failure.ledger.decode()
    assert not rules or failure.broken.rule in rules, failure
    assert not failure.flaky
    assert failure.found_at == report.ledgers
    with planted(name):
        assert differences(reference_answer(failure.ledger, failure.run), folded(failure.ledger, failure.run))


@pytest.mark.parametrize("name", QUICKLY)
def test_a_mistake_shrinks_to_a_handful_of_lines(name: str) -> None:
    holds(name, seed=1)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", BUGS)
def test_every_mistake_is_found(name: str, seed: int) -> None:
    holds(name, seed, examples=20_000)


@pytest.mark.invariant("K4")
def test_the_same_seed_finds_the_same() -> None:
    first, second = (found("replies by count", 3).failure for _ in range(2))
    assert first is not None
    assert second is not None
    assert (first.ledger, first.run, first.found_at) == (second.ledger, second.run, second.found_at)


def test_a_fold_without_a_mistake_has_no_failure() -> None:
    told: list[int] = []
    report = fuzz(Planted(), examples=100, seed=4, progress=told.append)
    assert report.failure is None
    assert report.ledgers == 100
    assert told == list(range(1, 101))
    assert report.rate > 0
    assert min(report.spent.subject, report.spent.generation, report.spent.kit) > 0


class Odd(Planted):
    """Does something else on ledgers that hold some word."""

    def __init__(self, word: bytes, reply: Callable[[], Reply]) -> None:
        super().__init__()
        self.word, self.reply = word, reply
        self.odd = 0

    def fold(self, ledger: bytes, run: RunId) -> Reply:
        if self.word not in ledger:
            return super().fold(ledger, run)
        self.odd += 1
        return self.reply()


def test_a_rejection_is_a_failure_and_shrinks() -> None:
    failure = fuzz(Odd(b'"tool_result"', lambda: Rejected(message="no")), examples=300, seed=1).failure
    assert failure is not None
    assert (failure.outcome, failure.broken, failure.differences) == (Outcome.rejected, TOTAL, ())
    assert failure.ledger.count(b"\n") == 1


def test_a_crash_is_a_failure_and_shrinks() -> None:
    def dies(_: bytes, __: str) -> object:
        raise RecursionError

    failure = fuzz(Planted(dies), examples=300, seed=1).failure
    assert failure is not None
    assert (failure.outcome, failure.ledger, failure.found_at) == (Outcome.crashed, b"", 1)


@pytest.mark.invariant("K5")
def test_a_subject_that_hangs_is_not_asked_for_ever() -> None:
    subject = Odd(b'"tool_called"', lambda: TimedOut(after_ms=10_000))
    failure = fuzz(subject, examples=300, seed=1).failure
    assert failure is not None
    assert failure.outcome is Outcome.timed_out
    # The first, those while it is made smaller, and once more in the end.
    assert subject.odd <= 1 + SHRINK_TIMEOUTS + 1


@pytest.mark.invariant("K5")
def test_what_does_not_happen_again_is_flaky() -> None:
    class Once(Planted):
        done = False

        def fold(self, ledger: bytes, run: RunId) -> Reply:
            if self.done or b'"model_called"' not in ledger:
                return super().fold(ledger, run)
            self.done = True
            return Rejected(message="only once")

    failure = fuzz(Once(), examples=300, seed=1).failure
    assert failure is not None
    assert failure.flaky
    assert failure.reply == Rejected(message="only once")


@pytest.mark.invariant("K5")
def test_what_is_wrong_in_another_way_when_asked_again_is_flaky() -> None:
    class Counting(Planted):
        asked = 0

        def fold(self, ledger: bytes, run: RunId) -> Reply:
            reply = super().fold(ledger, run)
            if b'"model_called"' not in ledger or not isinstance(reply, Answered) or not isinstance(reply.answer, dict):
                return reply
            self.asked += 1
            return Answered(answer={**reply.answer, "asked": self.asked}, took_us=reply.took_us)

    failure = fuzz(Counting(), examples=300, seed=1).failure
    assert failure is not None
    assert failure.outcome is Outcome.wrong
    assert failure.flaky


def test_starting_the_subject_is_not_in_the_figures() -> None:
    class SlowToStart(Planted):
        started = False

        def fold(self, ledger: bytes, run: RunId) -> Reply:
            if not self.started:
                sleep(2)
            self.started = True
            return super().fold(ledger, run)

    report = fuzz(SlowToStart(), examples=20, seed=1)
    assert report.spent.kit < 2
    assert min(report.spent.subject, report.spent.generation, report.spent.kit) > 0


def test_what_the_subject_raises_at_once_is_raised() -> None:
    class Missing(Planted):
        def fold(self, ledger: bytes, run: RunId) -> Reply:
            raise OSError("no such program")

    with pytest.raises(OSError, match="no such program"):
        fuzz(Missing(), examples=1, seed=1)


def test_what_ends_the_search_from_outside_does() -> None:
    class Ended(BaseException):
        pass

    def ends() -> Reply:
        raise Ended

    with pytest.raises(Ended):
        fuzz(Odd(b"tool_called", ends), examples=100, seed=1)


def test_what_the_subject_raises_is_raised() -> None:
    class Broken(Planted):
        def fold(self, ledger: bytes, run: RunId) -> Reply:
            if b"tool_called" in ledger:
                raise OSError("no such program")
            return super().fold(ledger, run)

    with pytest.raises(OSError, match="no such program"):
        fuzz(Broken(), examples=100, seed=1)


def test_less_than_one_example_is_refused() -> None:
    with pytest.raises(ValueError, match="0 examples"):
        fuzz(Planted(), examples=0, seed=1)


def test_what_is_saved_is_a_case(tmp_path: Path) -> None:
    failure = found("replies by count", 2).failure
    assert failure is not None
    case = read_fold_case(save(failure, tmp_path, seed=2))
    assert (case.ledger, case.run, case.expected) == (failure.ledger, failure.run, failure.expected)
    assert case.about.generated
    assert case.about.rule == failure.broken.rule
    assert case.id == f"fuzz-2-{failure.found_at}"


def test_what_is_saved_does_not_replace_another_find(tmp_path: Path) -> None:
    failure = found("replies by count", 2).failure
    assert failure is not None
    first = save(failure, tmp_path, seed=2)
    (first / "about.md").write_text(f"# {first.name}\n\nRule: mine\n\nChecked by eye.\n", "utf-8")
    assert save(failure, tmp_path, seed=2) == first
    assert read_fold_case(first).about.rule == "mine"
    other = replace(failure, ledger=b"\n" + failure.ledger)
    again = [save(other, tmp_path, seed=2) for _ in range(2)]
    assert again == [tmp_path / f"{first.name}-2"] * 2
    assert read_fold_case(first).ledger == failure.ledger
    assert read_fold_case(again[0]).ledger == other.ledger
    (tmp_path / f"{first.name}-3").write_bytes(b"")
    third = replace(failure, ledger=b"\n\n" + failure.ledger)
    assert save(third, tmp_path, seed=2).name == f"{first.name}-4"
