"""The newest turns of a session, as many as a model can be given to read at once."""

from typing import Final

import msgspec
from msgspec import structs

from accounting.tools.clip import clipped
from wire import RoundsAnswer, Turn, decode, encode
from wire.scalars import Json

MOST_BYTES: Final = 64 << 10
"""Bytes of JSON that the turns of an answer come to at most."""
_LONGEST_TASK: Final = 4000
_LENGTHS: Final = (16_000, 4000, 1000, 250, 60)
"""Characters to which the texts of a turn that is too long by itself are cut, until it fits."""
_FREE: Final = frozenset(
    ("said", "thought", "head", "subject", "tool", "model", "stopped", "action", "recovery", "cause", "detail")
)
"""The keys of free text in a turn; what stands under others has a form of its own, and is short."""


def newest(answer: RoundsAnswer, turns: int, before: int | None) -> RoundsAnswer:
    """The answer with its newest turns, or the newest before a turn of that number.

    As many as were asked for and come to no more than `MOST_BYTES`. The newest is among them in any case: its long
    texts are cut, and end in `…` then; calls and notes that it has no room for are told of behind what was said.
    """
    there = [turn for turn in answer.turns if before is None or turn.number < before]
    kept: list[Turn] = []
    room = MOST_BYTES
    for turn in reversed(there[-turns:]):
        room -= len(encode(turn))
        if room < 0 and kept:
            break
        kept.insert(0, turn if room >= 0 else _cut(turn))
    opening = answer.opening
    if opening is not None:
        task, goal = clipped(opening.task, _LONGEST_TASK), clipped(opening.goal, _LONGEST_TASK)
        opening = structs.replace(opening, task=task, goal=goal)
    return structs.replace(answer, turns=tuple(kept), opening=opening)


def _cut(turn: Turn) -> Turn:
    """A turn that is too long, cut to what there is room for."""
    whole: Json = msgspec.json.decode(encode(turn))
    cut = turn
    for most in _LENGTHS:
        cut = decode(msgspec.json.encode(_clipped(whole, most)), Turn)
        if len(encode(cut)) <= MOST_BYTES:
            return cut
    calls, notes = cut.calls, cut.notes
    while len(encode(cut)) > MOST_BYTES and (calls or notes):
        calls, notes = calls[: len(calls) // 2], notes[: len(notes) // 2]
        gone = f"… {len(turn.calls) - len(calls):,} calls and {len(turn.notes) - len(notes):,} notes are left out here"
        said = gone if cut.said is None else f"{clipped(turn.said or '', _LENGTHS[-1])} {gone}"
        cut = structs.replace(cut, calls=calls, notes=notes, said=said)
    return cut


def _clipped(value: Json, most: int) -> Json:
    if isinstance(value, list):
        return [_clipped(one, most) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        key: clipped(one, most) if key in _FREE and isinstance(one, str) else _clipped(one, most)
        for key, one in value.items()
    }
