"""A note on one line. Spec: rounds.md 1 (Note), 5."""

from rich.text import Text

from accounting.cli.draw.lines import DIM, cropped, single
from accounting.cli.units import clock, several
from wire.answer.note import (
    Arrived,
    AwaitingReply,
    Checkpointed,
    Discarded,
    Finished,
    NewerNote,
    Note,
    Refused,
    ReplyEnd,
    Speaker,
    Stopped,
    Unreadable,
    Waiting,
)
from wire.error import ErrorShape
from wire.scalars import TimeMs


def draw_note(note: Note, day: TimeMs, width: int) -> Text:
    """The note; `day` is a time on the day whose date goes without saying."""
    mark, words, style = _words(note, day)
    line = Text()
    line.append(f"{mark} ", DIM)
    line.append_text(cropped(words, width - 2, style))
    return line


def _words(note: Note, day: TimeMs) -> tuple[str, str, str]:
    match note.variant:
        case Refused(error=error):
            return "⊘", f"refused: {'; '.join(failure(error))}", ""
        case Checkpointed(oid=oid):
            return "◆", f"checkpoint {oid}", DIM
        case Waiting(t=t, answered=answered):
            if answered is None:
                return "…", f"waiting for approval since {clock(t, day)}", "cyan"
            return "·", f"approval asked {clock(t, day)}, answered {clock(answered, day)}", DIM
        case Arrived() as arrived:
            return "←", _arrived(arrived, day), ""
        case AwaitingReply() as awaiting:
            return _awaiting(awaiting, day)
        case Discarded(count=count):
            return "−", f"{several(count, 'file')} discarded", DIM
        case Unreadable(cause=cause):
            return "!", f"unreadable: {single(cause)}", ""
        case NewerNote() as newer:
            return "?", f"a note this version does not know: {single(newer.key)}", DIM


def failure(error: ErrorShape) -> tuple[str, ...]:
    """A failure in safe lines: what failed on what, by which rule it was denied, and what to do."""
    lines = [f"{error.code} {single(error.action)} {single(error.subject)}".rstrip()]
    if error.gate:
        lines.append(f"{single(error.gate.rule)}: {single(error.gate.violation)}")
    if error.recovery:
        lines.append(single(error.recovery))
    if error.nearby:
        lines.append(f"near: {', '.join(map(single, error.nearby))}")
    return tuple(lines)


def _arrived(arrived: Arrived, day: TimeMs) -> str:
    if arrived.by is Speaker.resident:
        sender = "a letter" if arrived.from_ is None else single(arrived.from_)
    else:
        sender = f"the {arrived.by}" if arrived.by is Speaker.city else arrived.by.value
    kind = "" if arrived.kind is None else f" ({arrived.kind})"
    line = f"{clock(arrived.t, day)} {sender}{kind}" if arrived.t else f"{sender}{kind}"
    match None if arrived.handback is None else arrived.handback.variant:
        case Finished(verified_by=verified_by):
            line += f", finished, verified by {single(verified_by)}"
        case Stopped(because=because):
            line += f", stopped: {single(because)}"
        case None:
            pass
    return f"{line}: {single(arrived.said)}" if arrived.said else line


def _awaiting(awaiting: AwaitingReply, day: TimeMs) -> tuple[str, str, str]:
    whose = f"a reply from {single(awaiting.on)}"
    since = clock(awaiting.t, day)
    if awaiting.ended is None:
        return "…", f"waiting for {whose} since {since}, until {clock(awaiting.until, day)}", "cyan"
    at = clock(awaiting.ended.t, day)
    how = {
        ReplyEnd.reply: f"it came {at}",
        ReplyEnd.timeout: f"none came by {at}",
        ReplyEnd.left: f"the other one left {at}",
    }[awaiting.ended.by]
    return "·", f"waited for {whose} from {since} on: {how}", DIM
