"""Sessions as texts: a list of them, one as turns, and what was archived of one.

What a session says is indented: only what this program knows stands at the margin.
"""

from collections.abc import Iterator
from typing import Final

from accounting.tools.clip import first_line, indented, one_line
from accounting.tools.moment import moment
from wire import Call, Note, RoundsAnswer, Turn
from wire.answer.note import (
    Arrived,
    AwaitingReply,
    Checkpointed,
    Discarded,
    NewerNote,
    Refused,
    Unreadable,
    Waiting,
)
from wire.dispatch import ArchiveManifest, SessionList, SessionListed

_PATH: Final = 1000


def sessions_text(answer: SessionList) -> str:
    """A session in a few lines each."""
    head = f"{len(answer.sessions):,} of {answer.found:,} sessions"
    each = (line for one in answer.sessions for line in _session(one))
    return "\n".join((head, *each, *(f"note: {note}" for note in answer.notes)))


def rounds_text(answer: RoundsAnswer) -> str:
    """The turns of a session, and how it began and ended."""
    return "\n".join(_rounds(answer))


def manifest_text(manifest: ArchiveManifest) -> str:
    """What was archived, and from where."""
    grew = "; it has grown since, which is not in the copy" if manifest.source_grew else ""
    beside = f", and {len(manifest.subagents):,} files of sub-agents" if manifest.subagents else ""
    return (
        f"session {manifest.session_id} is archived under {manifest.project}\n"
        f"in {one_line(manifest.dir, _PATH)}\n"
        f"{manifest.copy.size:,} bytes, SHA-256 {manifest.copy.sha256}{beside}\n"
        f"copied from {one_line(manifest.source.path, _PATH)}{grew}"
    )


def _session(one: SessionListed) -> Iterator[str]:
    summary = one.summary
    least = "at least " if summary.truncated else ""
    live = ", a process is at it" if one.live else ""
    yield f"{one.session_id} of {one.profile}: {summary.state}{live}"
    yield f"  {one_line(summary.cwd or one.project, _PATH)}, last written {moment(summary.modified_at)}"
    yield f"  {least}{summary.user_messages:,} messages to it, {summary.tool_calls:,} tool calls"
    for what, text in (("title", summary.title), ("asked", summary.first_prompt), ("said", summary.last_text)):
        if text:
            yield f"  {what}: {first_line(text)}"


def _rounds(answer: RoundsAnswer) -> Iterator[str]:
    yield f"session {answer.run}"
    if answer.opening is not None and answer.opening.task.strip():
        yield "asked:"
        yield indented(answer.opening.task)
    if not answer.turns:
        yield "no turns here"
    elif answer.turns[0].number > 1:
        first = answer.turns[0].number
        yield f"turns before {first} are left out; `before`: {first} reads them"
    for turn in answer.turns:
        yield from _turn(turn)
    if answer.closing is not None:
        yield f"ended: {one_line(answer.closing.completion)}"


def _turn(turn: Turn) -> Iterator[str]:
    model = "" if turn.model is None else f", {one_line(turn.model)}"
    at = f", {moment(turn.t)}" if turn.t else ""  # an agent that does not tell times is read as at zero
    yield f"turn {turn.number}{model}{at}"
    for note in turn.notes:
        yield indented(f"note: {_note(note)}")
    if turn.said is not None:
        yield indented(turn.said)
    for call in turn.calls:
        yield from _call(call)


def _call(call: Call) -> Iterator[str]:
    yield f"  {one_line(call.tool)}{'' if call.subject is None else f' {first_line(call.subject)}'}: {call.outcome}"
    if call.output is not None and call.output.head:
        yield indented(indented(call.output.head))
        if call.output.cut:
            yield f"    and {call.output.cut:,} lines more"


def _note(note: Note) -> str:
    match note.variant:
        case Refused(error=error):
            return f"refused: {error.action} {error.subject} ({error.code}); {error.recovery}"
        case Checkpointed(oid=oid):
            return f"checkpointed {oid}"
        case Waiting(answered=answered):
            return (
                "waiting for a person's approval"
                if answered is None
                else "a person answered what it asked approval for"
            )
        case Arrived(by=by, from_=sender, said=said):
            return f"from {sender or by}: {said or 'no text'}"
        case AwaitingReply(on=on, ended=ended):
            return f"awaiting a reply of {on}" if ended is None else f"awaited a reply of {on}: {ended.by}"
        case Discarded(count=count):
            return f"{count:,} files were discarded"
        case Unreadable(cause=cause):
            return f"a line could not be read: {cause}"
        case NewerNote() as newer:
            return f"{newer.key}, a note of a newer version"
