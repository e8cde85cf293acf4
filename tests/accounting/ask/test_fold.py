"""The fold of a thread: what it depends on, and that a completed turn stays while writers follow the lock."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accounting.ask import completed_turns, in_flight, next_seq, replay, shown
from tests.accounting.ask.threads import TEXTS, aborted, chunk, end, error, events, question
from wire.ask import AskEvent, AskMeta, AskTurn


def _all(some: list[AskEvent]) -> tuple[object, ...]:
    return next_seq(some), in_flight(some), completed_turns(some, None), completed_turns(some), shown(some)


@pytest.mark.invariant("A1")
@settings(max_examples=50)
@given(events(), st.data())
def test_only_the_order_within_a_number_matters(some: list[AskEvent], data: st.DataObject) -> None:
    numbers = [0 if isinstance(event, AskMeta) else event.seq for event in some]
    waiting = {number: iter([e for e, n in zip(some, numbers, strict=True) if n == number]) for number in numbers}
    other = [next(waiting[number]) for number in data.draw(st.permutations(numbers))]
    assert _all(other) == _all(some)


@given(events(), st.integers(0, 5))
def test_a_bound_keeps_the_last_of_all(some: list[AskEvent], bound: int) -> None:
    every = completed_turns(some, None)
    assert completed_turns(some, bound) == every[max(0, len(every) - bound) :]


@pytest.mark.invariant("A5")
@given(events())
def test_history_and_display_agree(some: list[AskEvent]) -> None:
    """A turn is what is shown as answered with a text; of a question shown twice, the last."""
    answered = {one.seq: one for one in shown(some) if one.state == "answered" and one.text}
    assert completed_turns(some, None) == tuple(
        AskTurn(question=one.question, answer=one.text) for one in answered.values()
    )


def test_a_negative_bound_is_refused() -> None:
    with pytest.raises(ValueError, match=r"max_turns is -1: pass 0 or more, or None"):
        completed_turns([], -1)


def test_replay_is_two_lines_a_turn_and_a_blank_one() -> None:
    turns = completed_turns([question(1, "a?"), chunk(1, "A"), end(1), question(2, "b?"), chunk(2, "B\nb"), end(2)])
    assert replay(turns) == "Developer: a?\nYou: A\n\nDeveloper: b?\nYou: B\nb\n\n"
    assert replay(()) == ""


class _Writers:
    """Sender, worker and canceller of one thread, a step at a time, as asks.md 1.0, 1.6 and 1.9 have them.

    A worker may die at any moment, and a sender may come between the two halves of cancelling. Each removes only a lock
    that it knows. The canceller looks at the thread once the worker is dead, which is what the property rests on.
    """

    def __init__(self) -> None:
        self.events: list[AskEvent] = []
        self.lock: int | None = None
        self.working: int | None = None
        self.looked: tuple[int | None, int | None] = (None, None)

    def send(self, text: str) -> None:
        if self.lock is not None and self.working is not None:
            return
        # Not locked, or locked for a worker that is gone: a stale lock is taken over.
        seq = next_seq(self.events)
        self.events.append(question(seq, text))
        self.lock = self.working = seq

    def piece(self, text: str) -> None:
        if self.working is not None:
            self.events.append(chunk(self.working, text))

    def finish(self, text: str) -> None:
        if self.working is not None:
            self.events.append(error(self.working, text) if text in ("", " ") else end(self.working))
            self.lock = self.working = None

    def die(self, text: str) -> None:
        self.working = None

    def look(self, text: str) -> None:
        self.working = None  # killed first
        self.looked = in_flight(self.events), self.lock

    def cancel(self, text: str) -> None:
        seq, lock = self.looked
        if seq is not None:
            self.events.append(aborted(seq))
        if self.lock == lock:
            self.lock = None
        self.looked = (None, None)


USUAL = (_Writers.send, _Writers.piece, _Writers.finish)
STEPS = (*USUAL, *USUAL, _Writers.look, _Writers.cancel, _Writers.die)


@pytest.mark.invariant("A4")
@given(st.lists(st.tuples(st.sampled_from(STEPS), st.sampled_from(TEXTS)), min_size=20, max_size=60))
def test_a_completed_turn_never_vanishes_or_changes_under_the_lock(
    steps: list[tuple[Callable[[_Writers, str], None], str]],
) -> None:
    writers = _Writers()
    before: tuple[AskTurn, ...] = ()
    for step, text in steps:
        step(writers, text)
        after = completed_turns(writers.events, None)
        assert after[: len(before)] == before
        assert len(after) <= len(before) + 1
        before = after
