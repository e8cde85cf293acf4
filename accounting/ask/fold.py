"""What a thread's events amount to: the next number, the open question, the completed turns, the whole as it is seen.

Spec: asks.md 1.0, 1.5. One engine takes event after event; it is keyed by `seq`, so only the order of the records of
one question among themselves matters. The last `end`, `aborted` or `error` of a question says how it stands, for the
history that a model is given and for what a person sees alike.
"""

from collections.abc import Iterable
from typing import Final, Self, assert_never

from msgspec import Struct, field

from accounting.ask.trim import trim
from wire.ask import (
    AskAborted,
    AskChunk,
    AskEnd,
    AskError,
    AskEvent,
    AskMeta,
    AskQuestion,
    AskSeq,
    AskShown,
    AskState,
    AskTurn,
)

REPLAYED_TURNS: Final = 8
"""How many completed turns a model is given with the next question."""
_FOCUS_SHOWN: Final = 8


class _Question(Struct):
    """All the records of one `seq`."""

    asked: list[AskQuestion] = field(default_factory=list[AskQuestion])
    pieces: list[str] = field(default_factory=list[str])
    settled: AskEnd | AskAborted | AskError | None = None

    def answer(self) -> str:
        return trim("".join(self.pieces))


class AskFold:
    """A thread folded, event by event; each method answers for the events so far."""

    def __init__(self) -> None:
        self._questions: dict[AskSeq, _Question] = {}
        self._latest = 0

    @classmethod
    def of(cls, events: Iterable[AskEvent]) -> Self:
        """The fold of the events, in file order."""
        fold = cls()
        for event in events:
            fold.add(event)
        return fold

    def add(self, event: AskEvent) -> None:
        """Take in the next event of the file."""
        if isinstance(event, AskMeta):
            return
        question = self._questions.setdefault(event.seq, _Question())
        match event:
            case AskQuestion():
                question.asked.append(event)
                self._latest = max(self._latest, event.seq)
            case AskChunk():
                question.pieces.append(event.text)
            case AskEnd() | AskAborted() | AskError():
                question.settled = event
            case _:
                assert_never(event)

    def next_seq(self) -> int:
        """The number of the next question: one above the highest asked; gaps stay gaps, answers claim no number."""
        return self._latest + 1

    def in_flight(self) -> AskSeq | None:
        """The highest question, while nothing has settled it; `None` otherwise, whatever older ones wait for."""
        if not self._latest or self._questions[self._latest].settled is not None:
            return None
        return self._latest

    def completed_turns(self, max_turns: int | None = REPLAYED_TURNS) -> tuple[AskTurn, ...]:
        """The questions whose answers are complete and not blank, by rising `seq`: the last `max_turns` of them.

        0 is none of them, `None` all. Of a question asked twice the later text counts. Raises `ValueError` for a
        negative bound.
        """
        if max_turns is not None and max_turns < 0:
            raise ValueError(f"max_turns is {max_turns}: pass 0 or more, or None for all turns")
        turns: list[AskTurn] = []
        for seq in sorted(self._questions, reverse=True):
            if len(turns) == max_turns:
                break
            question = self._questions[seq]
            if question.asked and isinstance(question.settled, AskEnd) and (answer := question.answer()):
                turns.append(AskTurn(question=question.asked[-1].text, answer=answer))
        return tuple(reversed(turns))

    def shown(self) -> tuple[AskShown, ...]:
        """Every question record by rising `seq`, with what is there of its answer; one asked twice is there twice."""
        shown: list[AskShown] = []
        before: str | None = None
        for seq in sorted(self._questions):
            question = self._questions[seq]
            answer = question.answer() if question.asked else ""
            for asked in question.asked:
                focus = asked.focus or None
                shown.append(
                    AskShown(
                        seq=seq,
                        at=asked.at,
                        re=focus[:_FOCUS_SHOWN] if focus is not None and focus != before else None,
                        question=asked.text,
                        state=_state(question.settled, answer),
                        text=answer,
                        message=_message(question.settled),
                    )
                )
                before = focus
        return tuple(shown)


def _state(settled: AskEnd | AskAborted | AskError | None, answer: str) -> AskState:
    match settled:
        case None:
            return AskState.answering if answer else AskState.waiting
        case AskEnd():
            return AskState.answered
        case AskAborted():
            return AskState.cancelled
        case AskError():
            return AskState.failed
        case _:
            assert_never(settled)


def _message(settled: AskEnd | AskAborted | AskError | None) -> str | None:
    return settled.message if isinstance(settled, AskError) and trim(settled.message) else None


def next_seq(events: Iterable[AskEvent]) -> int:
    """The number of the next question of a thread; 1 when there is none yet."""
    return AskFold.of(events).next_seq()


def in_flight(events: Iterable[AskEvent]) -> AskSeq | None:
    """The question that a thread is about to have answered, `None` when there is none."""
    return AskFold.of(events).in_flight()


def completed_turns(events: Iterable[AskEvent], max_turns: int | None = REPLAYED_TURNS) -> tuple[AskTurn, ...]:
    """A thread's turns for the next prompt; see `AskFold.completed_turns`."""
    return AskFold.of(events).completed_turns(max_turns)


def shown(events: Iterable[AskEvent]) -> tuple[AskShown, ...]:
    """A thread's questions as a person sees them; see `AskFold.shown`."""
    return AskFold.of(events).shown()
