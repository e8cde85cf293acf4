"""A turn: what was asked of which model, at what cost, what came back, and what came of it. Spec: rounds.md 5."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from rich.text import Text

from accounting.cli.draw.call import draw_call
from accounting.cli.draw.lines import DIM, cropped, flow, indented, prose, rule, single, width_of
from accounting.cli.draw.note import draw_note
from accounting.cli.units import UNKNOWN, clock, dollars, lasted, per_second, took
from wire.answer.note import NewerNote, Note
from wire.answer.rounds import Timing, Turn
from wire.scalars import Seq, TimeMs

if TYPE_CHECKING:
    from accounting.cli.draw.beside import Beside

INDENT: Final = 3
_SAID_ROWS: Final = 200
_THOUGHT_ROWS: Final = 3


class Setting(Struct, frozen=True, kw_only=True):
    """What a turn's drawing needs to know of its session."""

    day: TimeMs
    """A time on the day whose date goes without saying."""
    last: int
    """Number of the newest turn."""
    ended: bool
    """Whether the session has an ending."""
    beside: "Beside | None" = None
    """What is beside the answer; `None` for a ledger's session."""


def draw_turn(turn: Turn, setting: Setting, width: int) -> Iterator[Text]:
    """The turn, line by line."""
    day, inner = setting.day, width - INDENT
    head = Text(str(turn.number), "bold")
    if turn.model is not None:
        head.append("  ")
        head.append_text(cropped(single(turn.model), max(inner - width_of(head) - 12, 8), "bold"))
    yield rule(head, Text(clock(turn.t, day) if turn.t else "", DIM), width, "─")
    if replied(turn):
        for facts in (_figures(turn), _pace(turn)):
            yield from _facts(facts, width)
    else:
        yield indented(cropped(_no_reply(turn, setting), inner, "cyan" if _pending(turn, setting) else DIM), INDENT)
    if setting.beside is not None:
        yield from _facts(setting.beside.marks(turn), width)
    if turn.thought:
        yield Text()
        for row in prose(turn.thought, inner - 2, _THOUGHT_ROWS):
            yield indented(Text(row, "dim italic"), INDENT + 2, "   ╎")
    if turn.said:
        yield Text()
        yield from (indented(Text(row), INDENT) for row in prose(turn.said, inner, _SAID_ROWS))
    if turn.calls or turn.notes:
        yield Text()
    for lines in _in_order(turn, setting, inner):
        yield from (indented(line, INDENT) for line in lines)
    if setting.beside is not None:
        yield from (indented(line, INDENT) for line in setting.beside.events(turn, inner))


def _facts(facts: Iterator[str], width: int) -> Iterator[Text]:
    return (indented(line, INDENT) for line in flow((Text(fact, DIM) for fact in facts), width - INDENT))


def replied(turn: Turn) -> bool:
    """Whether anything shows that a reply came."""
    parts = (turn.said, turn.thought, turn.spent, turn.used, turn.stopped, turn.first_at, turn.returned)
    return any(part is not None for part in parts) or bool(turn.calls)


def _pending(turn: Turn, setting: Setting) -> bool:
    return turn.number == setting.last and not setting.ended


def _no_reply(turn: Turn, setting: Setting) -> str:
    if turn.number != setting.last:
        return f"no reply; asked again in turn {turn.number + 1}"
    if setting.ended:
        return "no reply; the session ended"
    return f"no reply yet, waiting since {clock(turn.t, setting.day)}" if turn.t else "no reply yet"


def _figures(turn: Turn) -> Iterator[str]:
    """Tokens and cost."""
    used = turn.used
    if used is None:
        yield f"tokens {UNKNOWN}"
    else:
        parts = (("cached", used.cached), ("written", used.cache_write))
        cache = ", ".join(f"{name} {UNKNOWN if count is None else f'{count:,}'}" for name, count in parts)
        yield f"{used.input:,} in ({cache})"
        yield f"{used.output:,} out"
    yield f"cost {UNKNOWN}" if turn.spent is None else dollars(turn.spent)


def _pace(turn: Turn) -> Iterator[str]:
    """How long the reply took, as far as both ends were measured, and the provider's word for why it ended."""
    used, t = turn.used, turn.t if turn.timing is Timing.measured else None
    if used is not None and used.first_us is not None:
        yield f"first content after {took(used.first_us)}"
    elif (wait := _between(t, turn.first_at)) is not None:
        yield f"first content after {lasted(wait)}"
    if used is not None and used.took_us is not None:
        yield f"reply after {took(used.took_us)}"
    elif (whole := _between(t, turn.returned)) is not None:
        yield f"reply after {lasted(whole)}"
    if used is not None and (streamed := _between(turn.first_at, turn.returned)) is not None:
        rate = per_second(used.output, streamed)
        if rate is not None:
            yield f"{rate} tokens/s"
    if turn.stopped is not None:
        yield f"stopped: {single(turn.stopped)}"


def _between(start: TimeMs | None, end: TimeMs | None) -> int | None:
    # Both are of the wall clock, which may have been set back in between.
    return None if start is None or end is None or end < start else end - start


def _in_order(turn: Turn, setting: Setting, width: int) -> Iterator[Iterator[Text]]:
    """Calls and notes, each drawn, in ledger order."""
    beside = setting.beside
    events: list[tuple[Seq, Iterator[Text]]] = [
        (call.at, draw_call(call, setting.day, width, None if beside is None else beside.started(call.at)))
        for call in turn.calls
    ]
    events += [(_at(note), iter((draw_note(note, setting.day, width),))) for note in turn.notes]
    # A note whose place is not known stands where the notes before it put it: at the end.
    events.sort(key=lambda event: event[0])
    return (lines for _, lines in events)


def _at(note: Note) -> Seq:
    known = note.variant
    return 2**64 if isinstance(known, NewerNote) else known.at
