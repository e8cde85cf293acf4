"""The fold fed live: what a record changed, what stays the same object, what is told beside the answer."""

import pytest

from accounting.ledger import Place, Problem, ProblemCode
from accounting.ledger.problem import LISTED
from accounting.views.rounds import RoundsFold
from accounting.views.rounds.pairings import REACH
from tests.cases.build import (
    NIL,
    OTHER,
    RUN,
    Line,
    called,
    checkpoint,
    consumed,
    enqueued,
    model,
    of,
    on,
    replied,
    requested,
    resolved,
    result,
)
from tests.compare import asked, record
from tests.compare import fold as folded

ASKED = asked(RUN)
HERE = Place(segment="a.jsonl", line=7, offset=99)


def fed(fold: RoundsFold, *lines: Line, first: int = 0) -> list[tuple[int, ...]]:
    """The turns that each line changed; lines without a seq of their own are numbered on."""
    changed: list[tuple[int, ...]] = []
    for index, line in enumerate(lines, first):
        seq = index if line.seq is None else line.seq
        plain = {"v": line.v, "run": line.run, "seq": seq, "t": seq, "kind": line.kind, "data": line.data}
        changed.append(fold.feed(record(plain), HERE).turns)
    return changed


def test_a_record_says_which_turns_it_changed() -> None:
    fold = RoundsFold(ASKED)
    lines = [model(), called("a"), requested("q"), model(), called("b"), result("a", result="x"), resolved("q")]
    assert fed(fold, *lines) == [(1,), (1,), (1,), (2,), (2,), (1,), (1,)]
    assert fed(fold, result("nobody"), resolved("q"), of(OTHER, model()), first=7) == [(), (), ()]


def test_one_resolution_changes_every_turn_that_waits_for_it() -> None:
    fold = RoundsFold(ASKED)
    fed(fold, model(), requested("q"), requested("q"), model(), requested("q"))
    assert fed(fold, resolved("q"), first=5) == [(1, 2)]


def test_turns_that_did_not_change_are_the_same_objects() -> None:
    fold = RoundsFold(ASKED)
    fed(fold, model(), called("a"), model(), called("b"), model())
    before = fold.answer()
    assert fold.answer() is before
    fed(fold, result("b", result="x"), first=5)
    after = fold.answer()
    assert [new is old for new, old in zip(after.turns, before.turns, strict=True)] == [True, False, True]
    assert before.turns[1].calls[0].outcome == "waiting"
    assert after.turns[1].calls[0].outcome == "answered"


def test_a_record_that_changes_nothing_leaves_the_answer_as_it_is() -> None:
    fold = RoundsFold(ASKED)
    fed(fold, model())
    before = fold.answer()
    fed(fold, result("nobody"), of(NIL, model()), Line("went_back", {}), first=1)
    assert fold.answer() is before


def test_seq_that_does_not_rise_is_told_and_taken_in_file_order() -> None:
    fold = RoundsFold(ASKED)
    fed(fold, on(4, model()), on(4, replied()), on(3, called("a")), on(5, called("b")))
    assert [(problem.code, problem.seq) for problem in fold.problems.listed] == [
        (ProblemCode.seq_not_rising, 4),
        (ProblemCode.seq_not_rising, 3),
    ]
    assert fold.problems.listed[1] == Problem(
        code=ProblemCode.seq_not_rising, place=HERE, seq=3, expected="a seq above 4", found="3"
    )
    assert [call.at for call in fold.answer().turns[0].calls] == [3, 5]


def test_lines_of_other_runs_do_not_count_for_rising_seq() -> None:
    fold = RoundsFold(ASKED)
    fed(fold, on(4, model()), of(OTHER, on(9, model())), on(5, replied()))
    assert fold.problems.listed == ()


def test_an_ending_that_cannot_be_read_is_told_with_its_place() -> None:
    fold = RoundsFold(ASKED)
    fed(fold, Line("run_frozen", {"completion": 7}), Line("run_frozen", {"completion": "done"}))
    [problem] = fold.problems.listed
    assert (problem.code, problem.place, problem.seq) == (ProblemCode.closing_unreadable, HERE, 0)
    assert fold.answer().closing is None
    assert fold.outside == {"run_frozen": 2}


def test_problems_past_the_first_thousand_are_counted() -> None:
    fold = RoundsFold(ASKED)
    fed(fold, model(), *(on(0, called("a")) for _ in range(LISTED + 5)))
    assert len(fold.problems.listed) == LISTED
    assert fold.problems.counts == {ProblemCode.seq_not_rising: LISTED + 5}


def test_only_letters_in_reach_are_remembered() -> None:
    fold = RoundsFold(ASKED)
    letters = [of(OTHER, enqueued(f"s{number}")) for number in range(3 * REACH)]
    last = len(letters) - 1
    fed(fold, *letters)
    fed(fold, on(last + 1, model()), *(on(last + 2 + at, consumed(f"s{last - at}")) for at in range(2)), first=last + 1)
    fed(fold, on(last + 9, consumed(f"s{last + 9 - REACH}")), on(last + 10, consumed(f"s{last + 9 - REACH}")))
    sessions = [note.arrived.session for note in fold.answer().turns[0].notes if note.arrived]
    assert sessions == [OTHER, OTHER, OTHER, None]


def test_a_record_says_when_it_changed_the_head() -> None:
    fold = RoundsFold(ASKED)
    lines = [
        (Line("run_started", {}), True),
        (Line("run_started", {}), False),
        (Line("worktree_opened", {"name": "w"}), True),
        (model(), False),
        (checkpoint(), True),
        (checkpoint(), False),
        (Line("run_frozen", {"completion": "done"}), True),
        (Line("went_back", {}), False),
    ]
    for seq, (line, head) in enumerate(lines):
        plain = {"v": 2, "run": RUN, "seq": seq, "t": seq, "kind": line.kind, "data": line.data}
        before = fold.answer()
        changed = fold.feed(record(plain))
        assert changed.head == head
        assert bool(changed) == (fold.answer() != before)


def test_an_answer_says_when_older_records_were_left_out() -> None:
    lines = [model(), replied(), model()]
    records = [
        {"v": 2, "run": RUN, "seq": at, "t": at, "kind": one.kind, "data": one.data} for at, one in enumerate(lines)
    ]
    assert [folded(records, RUN, window).cut for window in (None, 4, 3, 2, 0)] == [False, False, False, True, True]
    with pytest.raises(ValueError, match="window of -1"):
        folded(records, RUN, -1)
