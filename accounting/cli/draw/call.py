"""A tool call: how it came out, what it was, how long it took, what it gave. Spec: rounds.md 5."""

from collections.abc import Iterator
from typing import Final

from rich.text import Text

from accounting.cli.draw.lines import DIM, cropped, indented, safe, single, spread, width_of
from accounting.cli.draw.output import draw_arguments, draw_output
from accounting.cli.units import clock, lasted, took
from wire.answer.rounds import Call, Outcome, Timing
from wire.record.tool import AttachUserBrowserEffect, ConnectorEffect, Effect, RenderDiff, WriteEffect
from wire.scalars import RunId, TimeMs

MARKS: Final = {Outcome.answered: ("✓", "green"), Outcome.failed: ("✗", DIM), Outcome.waiting: ("…", "cyan")}
"""What stands before a call, and its style. A failed call is a quiet fact."""
_INDENT: Final = 2


def draw_call(call: Call, day: TimeMs, width: int, started: RunId | None = None) -> Iterator[Text]:
    """The call; `day` is a time on the day whose date goes without saying, `started` the sub-agent that it started."""
    mark, style = MARKS[call.outcome]
    name = Text()
    name.append(f"{mark} ", style)
    # A name never takes the room in which the subject can still be told apart.
    name.append_text(cropped(single(call.tool), width - _INDENT if call.subject is None else width * 2 // 3, "bold"))
    if call.subject is not None:
        name.append("  ")
        name.append_text(cropped(single(call.subject), width - width_of(name)))
    yield from spread(name, list(_facts(call, day)), width, _INDENT)
    inner = width - 2 * _INDENT
    if started is not None:
        yield indented(cropped(f"sub-agent {started}", inner, DIM), 2 * _INDENT, "  ↳")
    # Without a subject the arguments are all that tells one call from another; a letter is its arguments.
    if call.arguments is not None and call.arguments.head != "{}" and (call.subject is None or call.render == "signal"):
        yield from (indented(row, 2 * _INDENT, "  ›") for row in draw_arguments(call.arguments, inner))
    diff = call.render.diff if isinstance(call.render, RenderDiff) else None
    for place in () if diff is None else diff.locations:
        if place != call.subject:
            yield indented(cropped(f"± {safe(place)}", inner, "bold"), 2 * _INDENT, "  │")
    yield from (indented(row, 2 * _INDENT, "  │") for row in draw_output(call, inner, diff=diff is not None))


def _facts(call: Call, day: TimeMs) -> Iterator[Text]:
    if call.landing is not None:
        yield Text(f"→ {call.landing}")
    if call.exit_code is not None:
        yield Text(f"exit {call.exit_code}", "" if call.exit_code else DIM)
    if call.effect is not None:
        yield Text(effect(call.effect), DIM)
    if call.outcome is Outcome.waiting:
        yield Text(f"waiting since {clock(call.called, day)}" if call.called else "waiting", "cyan")
    elif (length := duration(call)) is not None:
        yield Text(length, DIM)


def duration(call: Call) -> str | None:
    """How long the call took, as far as that was measured; `None` when it was not."""
    if call.answered is None:
        return None
    if call.took_us is not None:
        return took(call.took_us)
    # Both times are of the wall clock, which may have been set back in between.
    if call.timing is Timing.measured and call.answered >= call.called:
        return lasted(call.answered - call.called)
    return None


def effect(registered: Effect) -> str:
    """What the tool was registered to do, in a word or two."""
    if isinstance(registered, str):
        return registered
    match registered.variant:
        case WriteEffect(domain=domain):
            return f"write {single(domain)}"
        case ConnectorEffect(label=label):
            return f"connector {single(label)}"
        case AttachUserBrowserEffect(address=None):
            return "browser"
        case AttachUserBrowserEffect(address=address):
            return f"browser {single(str(address))}"
