"""Cases asked one after the other: what each reply comes to, and the figures."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accounting.conformance.baseline import BaselineError, read_baseline
from accounting.conformance.cases import About, CheckCase, ExpectedFault, FoldCase
from accounting.conformance.report import CaseReport, Outcome, totals
from accounting.conformance.runner import GIVE_UP, LISTED, SHOWN, run_cases, run_check_cases
from accounting.conformance.subject import Answered, Crashed, LongLived, Rejected, Reply, TimedOut
from tests.accounting.conformance.fakes import RUN, lines
from wire import encode
from wire.scalars import RunId

ANSWER: dict[str, Any] = {"run": RUN, "turns": [], "worktree": None}
OUTCOMES: dict[str, tuple[Reply, Outcome]] = {
    "pass": (Answered(answer={"turns": [], "run": RUN}, took_us=7), Outcome.passed),
    "wrong": (Answered(answer={"run": RUN, "turns": [], "worktree": "x"}, took_us=7), Outcome.wrong),
    "no answer": (Answered(answer=[], took_us=7), Outcome.wrong),
    "reject": (Rejected(message="no"), Outcome.rejected),
    "crash": (Crashed(how="died", stderr=""), Outcome.crashed),
    "late": (TimedOut(after_ms=5), Outcome.timed_out),
}


def about(name: str) -> About:
    return About(id=name, rule="rounds.md 3.1", text="First. Second.")


def fold_case(name: str) -> FoldCase:
    return FoldCase(folder=Path(name), about=about(name), ledger=b"", run=RUN, expected=dict(ANSWER))


class Told:
    """A subject that replies as it was told to."""

    def __init__(self, replies: list[Reply]) -> None:
        self.replies: Iterator[Reply] = iter(replies)

    def fold(self, ledger: bytes, run: RunId) -> Reply:
        return next(self.replies)

    def check(self, ledger: bytes) -> Reply:
        return next(self.replies)

    def close(self) -> None:
        pass


def ran(replies: list[Reply], expected_failures: dict[str, str] | None = None) -> tuple[CaseReport, ...]:
    cases = [fold_case(f"c{index}") for index in range(len(replies))]
    return tuple(run_cases(Told(replies), cases, expected_failures or {}))


@settings(max_examples=100)
@given(st.lists(st.tuples(st.sampled_from(sorted(OUTCOMES)), st.booleans()), max_size=12))
def test_every_case_is_counted_once(told: list[tuple[str, bool]]) -> None:
    known = {f"c{index}": "known" for index, (_, expected) in enumerate(told) if expected}
    found = ran([OUTCOMES[word][0] for word, _ in told], known)
    figures = totals(found)
    assert [case.id for case in found] == [f"c{index}" for index in range(len(told))]
    assert (
        figures.cases
        == len(told)
        == sum(getattr(figures, field) for field in figures.__struct_fields__ if field != "cases")
    )
    late = 0
    for case, (word, expected) in zip(found, told, strict=True):
        if late >= GIVE_UP:
            assert (case.outcome, case.ok) == (Outcome.not_run, False)
            continue
        late = late + 1 if word == "late" and not expected else 0
        assert case.outcome is OUTCOMES[word][1]
        assert case.ok == ((word == "pass") != expected)
        assert bool(case.differences) == (case.outcome is Outcome.wrong)
    encode(found)


def test_a_subject_that_hangs_is_given_up() -> None:
    found = ran([TimedOut(after_ms=1)] * (GIVE_UP + 3))
    assert [case.outcome for case in found] == [Outcome.timed_out] * GIVE_UP + [Outcome.not_run] * 3
    assert totals(found).not_run == 3
    # What was not asked has not failed as expected.
    found = ran([TimedOut(after_ms=1)] * (GIVE_UP + 3), {f"c{GIVE_UP}": "slow"})
    assert (totals(found).not_run, totals(found).expected_failures) == (3, 0)
    assert not found[GIVE_UP].ok
    known = {f"c{index}": "slow" for index in range(GIVE_UP + 3)}
    found = ran([TimedOut(after_ms=1)] * (GIVE_UP + 3), known)
    assert [case.outcome for case in found] == [Outcome.timed_out] * (GIVE_UP + 3)


def test_a_subject_that_cannot_start_is_given_up() -> None:
    subject = LongLived(lines("no-start"))
    try:
        found = list(run_cases(subject, [fold_case(f"c{index}") for index in range(6)], {"c5": "known"}))
    finally:
        subject.close()
    assert [case.outcome for case in found] == [Outcome.crashed] * 3 + [Outcome.not_run] * 3
    assert [case.stderr is None for case in found] == [False] * 3 + [True] * 3
    assert "no start" in str(found[3].message)
    assert not found[5].ok


def test_a_report_is_bounded_and_can_be_written() -> None:
    [found] = ran([Answered(answer={**ANSWER, "worktree": "\ud800" * 2000, "turns": list(range(500))}, took_us=1)])
    assert len(found.differences) == LISTED
    assert found.unlisted == 501 - LISTED
    [found] = ran([Answered(answer={**ANSWER, "worktree": "\ud800" * 2000}, took_us=1)])
    [one] = found.differences
    assert one.expected is None
    assert one.actual is not None
    assert len(one.actual) < SHOWN + 50
    assert one.actual.startswith('"\\ud800')
    assert b"more characters" in encode(found)


FAULT = {"code": "float", "line": 2}


@pytest.mark.parametrize(
    ("faults", "findings", "outcome"),
    [
        ([], [], Outcome.passed),
        ([FAULT], [FAULT], Outcome.passed),
        ([FAULT], [{**FAULT, "more": 1}], Outcome.passed),
        ([FAULT], [{"code": "payload-shape", "line": 1}, FAULT, {"code": "tool-name", "line": 3}], Outcome.passed),
        ([FAULT, {"code": "seq-gap", "line": 3}], [{"code": "seq-gap", "line": 3}, FAULT], Outcome.passed),
        ([FAULT], [], Outcome.wrong),
        ([], [FAULT], Outcome.wrong),
        ([FAULT], [FAULT, FAULT], Outcome.wrong),
        ([FAULT], [{"code": "float", "line": 3}], Outcome.wrong),
        ([FAULT], [{"code": "made-up", "line": 2}], Outcome.wrong),
        ([], [{"code": "float", "line": True}], Outcome.crashed),
        ([], [{"code": "float", "line": -1}], Outcome.crashed),
        ([], [{"code": "float", "line": 2**64}], Outcome.crashed),
        ([FAULT], [{"code": "float", "line": 2**64 - 1}], Outcome.wrong),
        ([], [{"code": "float"}], Outcome.crashed),
        ([], ["float"], Outcome.crashed),
        ([], None, Outcome.crashed),
    ],
)
def test_findings(faults: list[dict[str, Any]], findings: Any, outcome: Outcome) -> None:
    expected = tuple(ExpectedFault(code=one["code"], line=one["line"]) for one in faults)
    case = CheckCase(folder=Path("c"), about=about("c"), ledger=b"", conforms=not faults, faults=expected)
    [found] = run_check_cases(Told([Answered(answer={"findings": findings}, took_us=1)]), [case], {})
    assert found.outcome is outcome
    assert found.run is None


def test_expected_failures(tmp_path: Path) -> None:
    file = tmp_path / "known.txt"
    file.write_text("# ours\n\n  a  the writer's fault, see #3 \nb\n", "utf-8")
    with pytest.raises(BaselineError, match=r"known.txt:4: b: say after the id why"):
        read_baseline(file, {"a", "b"})
    file.write_text("# ours\n\n  a  the writer's fault, see #3 \nb words\r\nc\t tabbed  words\n", "utf-8")
    assert read_baseline(file, {"a", "b", "c"}) == {
        "a": "the writer's fault, see #3",
        "b": "words",
        "c": "tabbed  words",
    }
    file.write_bytes(b"\xef\xbb\xbfa words\n")
    assert read_baseline(file, {"a"}) == {"a": "words"}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"a\n", "known.txt:1: a: say after the id why"),
        (b"a x\na y\n", "known.txt:2: a: is in the list already"),
        (b"\nz x\n", "known.txt:2: z: there is no such case"),
        (b"\xff", "not UTF-8 at byte 0"),
    ],
)
def test_expected_failures_that_cannot_be_used(text: bytes, why: str, tmp_path: Path) -> None:
    file = tmp_path / "known.txt"
    file.write_bytes(text)
    with pytest.raises(BaselineError, match=why):
        read_baseline(file, {"a"})
