"""A thread's events with the line that each stands on, and what is odd about the others. Spec: asks.md 1.4."""

from typing import Final

from msgspec import Struct

from accounting.ask.parse import ThreadProblemCode, parse
from accounting.ask.trim import trim
from accounting.foreign.fidelity import DamageCode, Fidelity
from accounting.ledger.problem import Place
from wire.ask import AskEvent

_DAMAGE: Final = {
    ThreadProblemCode.torn_tail: (DamageCode.torn_tail, ""),
    ThreadProblemCode.not_json: (DamageCode.not_json, ""),
    ThreadProblemCode.not_an_event: (DamageCode.not_a_row, ""),
    ThreadProblemCode.bad_field: (DamageCode.bad_field, ""),
    ThreadProblemCode.bad_time: (DamageCode.bad_time, ""),
    ThreadProblemCode.bad_focus: (DamageCode.bad_field, "focus"),
    ThreadProblemCode.lone_surrogate: (DamageCode.lone_surrogate, ""),
    ThreadProblemCode.bad_utf8: (DamageCode.bad_utf8, ""),
}


class Placed(Struct, frozen=True, gc=False):
    """An event, and where it stands."""

    event: AskEvent
    """The event."""
    place: Place
    """Its line."""


def placed_events(data: bytes, file: str, fidelity: Fidelity) -> list[Placed]:
    """The events, and where each stands; what is odd about a line goes to the report."""
    whole = parse(data)
    sound = None if whole.counts else iter(whole.events)
    placed: list[Placed] = []
    lines = data.split(b"\n")
    offset = 0
    for number, line in enumerate(lines, 1):
        if line and not line.isspace():
            place = Place(segment=file, line=number, offset=offset)
            if sound is None:
                placed += _of_line(line, place, fidelity, last=number == len(lines))
            elif line.startswith(b"{") or trim(line.decode()):  # each line is an event, or blank
                placed.append(Placed(next(sound), place))
        offset += len(line) + 1
    fidelity.rows = len(placed)
    return placed


def _of_line(line: bytes, place: Place, fidelity: Fidelity, *, last: bool) -> list[Placed]:
    """The event of a line, where it is one; what is odd about it goes to the report."""
    parsed = parse(line)
    for problem in parsed.problems:
        code = problem.code
        if code is ThreadProblemCode.unknown_event:
            fidelity.unknown(place, problem.found.removeprefix("`t` is "))
            continue
        if code is ThreadProblemCode.torn_tail and not last:
            code = ThreadProblemCode.not_json
        fidelity.damaged(place, *_DAMAGE[code])
    return [Placed(event, place) for event in parsed.events]
