"""What a row of a session file does: said, thought, called, answered, or beside it all. Spec: dispatch.md 2.4.

Pure. Both dialects of WorkBuddy and the lines of Claude Code come to the same five forms; a row that does several
things gives several, and one that is empty gives none. What Claude Code writes of a sub-agent into the same file is
beside the conversation, as `assistant/sidechain`.
"""

import re
from collections.abc import Iterator
from io import BytesIO
from typing import Final

from msgspec import Struct

from accounting.dispatch.transcripts.either import CLAUDE, EitherRow, is_row
from accounting.foreign.claude_code.message import answer_text, exit_code, is_answer, is_call, texts_of
from accounting.foreign.claude_code.rows import Block, Message
from accounting.foreign.fidelity import DamageCode, Fidelity
from accounting.foreign.rows import Rows
from accounting.foreign.times import time_ms
from accounting.foreign.workbuddy.deeds import Answered, Called, Left, Meta, Said, Thought, deeds
from accounting.ledger.problem import Place
from wire.dispatch import (
    TranscriptCall,
    TranscriptMeta,
    TranscriptResult,
    TranscriptRow,
    TranscriptSaid,
    TranscriptThought,
)
from wire.scalars import TimeMs, i64

COMPLETED: Final = "completed"
"""The status of a message that is whole."""
_WHOLE: Final = frozenset(("end_turn", "stop_sequence"))
_BESIDE: Final = re.compile(r"(?:timestamp|cwd|version|gitBranch|costUSD|durationMs|requestId)$|.*[uU]sage\b").match
"""Fields that a row can lack without doing something else: when and where it was written, and what it cost."""
_LOST: Final = frozenset((DamageCode.not_json, DamageCode.not_a_row, DamageCode.torn_tail))


class Held(Struct, frozen=True):
    """A row that a line holds."""

    row: EitherRow
    """The row."""
    misread: bool
    """Whether a field that tells what it does has a type that it cannot have, and was read as absent."""


class Line(Struct, frozen=True):
    """One line of a session file."""

    offset: int
    """Where it begins in the file, in bytes."""
    rows: tuple[Held, ...]
    """The rows that it holds: one, as a rule; several where they were glued together."""
    lost: bool
    """Whether it, or a part of it, is no row."""
    ended: bool
    """Whether it has its newline. One that lacks it, and does not read, is still being written or was cut."""


class _Losses(Fidelity):
    """Sees what does not read, and keeps nothing of it."""

    lines = 0
    fields = 0

    def damaged(self, place: Place, code: DamageCode, detail: str = "") -> None:  # noqa: ARG002 - only counted
        self.lines += code in _LOST
        self.fields += code is DamageCode.bad_field and _BESIDE(detail) is None


def read_lines(data: bytes, offset: int = 0) -> Iterator[Line]:
    """The lines of a stretch of a session file that begins with a line, `offset` bytes into the file.

    Blank ones are left out. Never raises.
    """
    losses = _Losses("")
    reading = Rows("", EitherRow, losses, is_row)
    for line in BytesIO(data):
        if not line.isspace():
            losses.lines = losses.fields = 0
            rows: list[Held] = []
            for row, _ in reading.lines(BytesIO(line)):
                rows.append(Held(row, misread=losses.fields > 0))
                losses.fields = 0
            yield Line(offset, tuple(rows), not rows or losses.lines > 0, line.endswith(b"\n"))
        offset += len(line)


def time_of(row: EitherRow) -> TimeMs | None:
    """When a row was written; `None` when it does not say."""
    return time_ms(row.timestamp)


def is_whole(stop_reason: str | None) -> bool:
    """Whether a model that stopped so had said all that it wanted to."""
    return stop_reason in _WHOLE


def rows_of(row: EitherRow) -> tuple[TranscriptRow, ...]:
    """What a row does, in order."""
    return tuple(_claude(row) if row.type in CLAUDE else _workbuddy(row))


def _workbuddy(row: EitherRow) -> Iterator[TranscriptRow]:
    own, parent, t = row.id or row.uuid, row.parent_id or row.parent_uuid, time_of(row)
    for deed in deeds(row.workbuddy()):
        match deed:
            case Said():
                yield TranscriptSaid(id=own, parent_id=parent, t=t, role=deed.role, text=deed.text, status=row.status)
            case Thought():
                yield TranscriptThought(id=own, parent_id=parent, t=t, text=deed.text)
            case Called():
                yield TranscriptCall(id=own, parent_id=parent, t=t, call_id=deed.id, name=deed.name, input=deed.given)
            case Answered():
                yield TranscriptResult(
                    id=own,
                    parent_id=parent,
                    t=t,
                    call_id=deed.id,
                    text=deed.text,
                    is_error=deed.failed,
                    exit_code=i64(deed.exit_code),
                )
            case Left() | Meta():
                kind = "system" if row.type == "system" and row.subtype is None else deed.kind
                yield TranscriptMeta(id=own, parent_id=parent, t=t, kind=kind)


def _claude(row: EitherRow) -> Iterator[TranscriptRow]:
    own, parent, t, kind = row.uuid, row.parent_uuid, time_of(row), str(row.type)
    if row.is_sidechain:
        yield TranscriptMeta(id=own, parent_id=parent, t=t, kind=f"{kind}/sidechain")
    elif kind == "attachment":
        queued = queued_prompt(row)
        if queued is None:
            word = None if row.attachment is None else row.attachment.type
            yield TranscriptMeta(id=own, parent_id=parent, t=t, kind=kind if word is None else f"{kind}/{word}")
        else:
            yield TranscriptSaid(id=own, parent_id=parent, t=t, role="user", text=queued)
    elif kind == "progress":
        yield TranscriptMeta(id=own, parent_id=parent, t=t, kind=kind)
    else:
        message = row.message if isinstance(row.message, Message) else Message(content=row.message)
        status = COMPLETED if kind == "assistant" and is_whole(message.stop_reason) else None
        for block in (message.content,) if isinstance(message.content, str) else message.content or ():
            if isinstance(block, str):
                yield TranscriptSaid(id=own, parent_id=parent, t=t, role=kind, text=block, status=status)
            else:
                yield _block(row, block, kind, status)


def _block(row: EitherRow, block: Block, kind: str, status: str | None) -> TranscriptRow:
    own, parent, t = row.uuid, row.parent_uuid, time_of(row)
    if block.type == "text" and block.text is not None:
        return TranscriptSaid(id=own, parent_id=parent, t=t, role=kind, text=block.text, status=status)
    if block.type == "thinking" and block.thinking is not None:
        return TranscriptThought(id=own, parent_id=parent, t=t, text=block.thinking)
    if is_call(block):
        return TranscriptCall(id=own, parent_id=parent, t=t, call_id=block.id, name=block.name, input=block.input)
    if is_answer(block):
        text, _ = answer_text(block.content)
        failed = block.is_error is True
        return TranscriptResult(
            id=own,
            parent_id=parent,
            t=t,
            call_id=block.tool_use_id,
            text=text,
            is_error=failed,
            exit_code=exit_code(text) if failed else None,
        )
    return TranscriptMeta(id=own, parent_id=parent, t=t, kind=f"{kind}/{block.type}")


def queued_prompt(row: EitherRow) -> str | None:
    """What was put in while the model was at work, and never becomes a line of its own; `None` in any other row."""
    attached = row.attachment
    if row.type != "attachment" or attached is None or attached.type != "queued_command":
        return None
    return "\n".join(texts_of(attached.prompt)) or None
