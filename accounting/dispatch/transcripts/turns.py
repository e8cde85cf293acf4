"""Whose turn a row is, and how it leaves the conversation: what telling the end of a transcript needs to know of it.

Pure. Spec: dispatch.md 2.4; spec-notes say what counts as an end, and why.
"""

from enum import Enum, auto
from typing import Final

from msgspec import Struct, structs

from accounting.dispatch.transcripts.either import CLAUDE, EitherRow
from accounting.dispatch.transcripts.rows import COMPLETED, Held, is_whole, rows_of
from accounting.foreign.claude_code.message import is_interruption
from accounting.foreign.claude_code.rows import STATE, Message
from accounting.foreign.claude_code.words import Voice, voice
from accounting.foreign.workbuddy.counting import counts_of
from accounting.foreign.workbuddy.deeds import speaker
from accounting.foreign.workbuddy.rows import META, SPOKEN, Provider
from accounting.foreign.workbuddy.words import COMMAND, words
from wire.dispatch import (
    TranscriptCall,
    TranscriptMeta,
    TranscriptResult,
    TranscriptRow,
    TranscriptSaid,
    TranscriptThought,
)

INTERRUPTED: Final = "interrupted"
"""Somebody broke in."""
DENIED: Final = "denied"
"""A tool was not let run, and the round ended with that."""
_API_ERROR: Final = "api_error"
_ERROR: Final = "error"
_SYNTHETIC: Final = "<synthetic>"
_MORE: Final = frozenset(("tool_use", "pause_turn"))
_QUEUED: Final = "queued_command"
_PICTURES: Final = frozenset(("image", "image_blob_ref", "input_image"))
_HIDDEN_THOUGHT: Final = "redacted_thinking"


class Turn(Enum):
    """Whose turn a row is."""

    nobody = auto()
    """It is beside the conversation, or put in by the agent itself."""
    asked = auto()
    """The model is told something: it is to answer."""
    answered = auto()
    """A tool answered: the model is to go on."""
    going_on = auto()
    """The model's, and it wants to go on: it thinks or calls."""
    broken = auto()
    """The model's, and the row does not say that it is whole."""
    whole = auto()
    """The model's last word of a round."""
    failed = auto()
    """The round ended in an interruption or an error."""
    strange = auto()
    """What it is, is not known: it may be any of these."""


class Read(Struct, frozen=True, kw_only=True):
    """A row, understood."""

    rows: tuple[TranscriptRow, ...]
    """What it does."""
    turn: Turn
    """Whose turn it is."""
    reason: str | None = None
    """Why the round failed, in a word; `None` unless it did."""
    prompt: str | None = None
    """What a person said, without wrappers, or one agent told another; `None` in other rows."""
    by_person: bool = False
    """Whether a person put in something for the model: words, a picture, a command."""
    is_message: bool = False
    """Whether it is a message of the model, or a part of one."""
    message: str | None = None
    """What tells that message from the model's others; `None` when nothing does."""
    request: str | None = None
    """The request to the model that it is of; `None` where the row does not say."""
    is_metered: bool = False
    """Whether it says what that request cost."""


def read_turn(held: Held) -> Read:
    """Understand a row. One that is misread is not whole: what it lost may have said so."""
    read = _understood(held.row)
    return structs.replace(read, turn=Turn.broken) if held.misread and read.turn is Turn.whole else read


def _understood(row: EitherRow) -> Read:
    if row.type in CLAUDE:
        return _claude(row)
    if row.type in SPOKEN:
        return _workbuddy(row)
    known = row.type in META or row.type in STATE
    return Read(rows=rows_of(row), turn=Turn.nobody if known else Turn.strange)


def _claude(row: EitherRow) -> Read:
    rows = rows_of(row)
    if row.is_sidechain or row.agent_id is not None or row.is_compact_summary or row.type == "progress":
        return Read(rows=rows, turn=Turn.nobody)
    if row.team_name is not None:  # the session's own agent may work on as one of a team
        return Read(rows=rows, turn=Turn.strange)
    if row.type == "attachment":
        kind = None if row.attachment is None else row.attachment.type
        if kind != _QUEUED:
            return Read(rows=rows, turn=Turn.strange if kind is None else Turn.nobody)
    if row.type != "assistant":
        return _told(row, rows, meta=row.is_meta is True)
    message = row.message if isinstance(row.message, Message) else Message(content=row.message)
    if row.is_api_error_message or message.model == _SYNTHETIC:
        if row.is_api_error_message or _text(rows).startswith("API Error"):
            reason = row.error if isinstance(row.error, str) and row.error else _API_ERROR
            return Read(rows=rows, turn=Turn.failed, reason=reason)
        return Read(rows=rows, turn=Turn.nobody)  # written by the agent itself, not by a model
    stop = message.stop_reason
    turn = Turn.whole if is_whole(stop) else Turn.going_on if stop in _MORE else Turn.broken
    return Read(rows=rows, turn=_models(rows, turn), is_message=True, message=message.id or row.uuid)


def _workbuddy(row: EitherRow) -> Read:
    rows, plain = rows_of(row), row.workbuddy()
    provider = row.provider_data or Provider()
    if row.is_compact_summary or provider.is_compacted or provider.is_summary or row.is_sidechain:
        return Read(rows=rows, turn=Turn.nobody)
    if row.type == "function_call_result":
        if provider.skip_run:
            return Read(rows=rows, turn=Turn.failed, reason=DENIED)
        return Read(rows=rows, turn=Turn.answered)
    role = speaker(plain) if row.type == "message" else "assistant"
    if row.type == "message" and provider.skip_run and counts_of(plain) is None:
        return _skipped(rows, role, provider)
    if role == "user":
        meta = row.is_meta is True or provider.is_meta is True or provider.is_compact_internal is True
        return _told(row, rows, meta=meta)
    if role == "system":  # instructions of the agent's own
        return Read(rows=rows, turn=Turn.nobody)
    if role != "assistant":
        return Read(rows=rows, turn=Turn.asked)
    if provider.is_partial_aborted:
        return Read(rows=rows, turn=Turn.failed, reason=INTERRUPTED)
    is_message = row.type == "message"
    turn = Turn.whole if row.status == COMPLETED and is_message else Turn.broken
    return Read(
        rows=rows,
        turn=_models(rows, turn),
        is_message=is_message,
        message=row.id if is_message else None,
        request=provider.message_id,
        is_metered=provider.raw_usage is not None,
    )


def _skipped(rows: tuple[TranscriptRow, ...], role: str, provider: Provider) -> Read:
    """A row that never reached the model: a person broke in, a request failed, or the agent talks to itself."""
    if is_interruption(_text(rows)):
        return Read(rows=rows, turn=Turn.failed, reason=INTERRUPTED)
    if role == "assistant" or provider.error is not None:
        reason = provider.error if isinstance(provider.error, str) and provider.error else _ERROR
        return Read(rows=rows, turn=Turn.failed, reason=reason)
    return Read(rows=rows, turn=Turn.nobody)


def _told(row: EitherRow, rows: tuple[TranscriptRow, ...], *, meta: bool) -> Read:
    """A row that is not the model's: words of a person or of somebody in their place, or answers of tools."""
    text = _text(rows)
    answered = any(isinstance(done, TranscriptResult) for done in rows)
    by_person = voice("", meta=meta, origin=row.origin) is Voice.person
    if not text.strip():  # a picture, or what does not read
        if answered:
            return Read(rows=rows, turn=Turn.answered)
        return Read(rows=rows, turn=Turn.asked, by_person=by_person)
    told = words(text, meta=False)
    if told.voice is Voice.interruption:
        return Read(rows=rows, turn=Turn.failed, reason=INTERRUPTED)
    if told.voice is Voice.agent:
        if told.text.lstrip().startswith(COMMAND):  # some of them are for the model
            return Read(rows=rows, turn=Turn.asked, by_person=by_person)
        # What a command printed, a reminder: nobody has to answer it.
        return Read(rows=rows, turn=Turn.answered if answered else Turn.nobody)
    by_person = told.voice is voice(told.text, meta=meta, origin=row.origin) is Voice.person
    prompt = told.text if by_person or told.spawns else None
    return Read(rows=rows, turn=Turn.asked, prompt=prompt, by_person=by_person)


def _models(rows: tuple[TranscriptRow, ...], turn: Turn) -> Turn:
    """The model's turn, unless what it does last is not to speak, or it does something that is not understood."""
    last: Turn | None = None
    for done in reversed(rows):
        match done:
            case TranscriptSaid():
                last = last or turn
            case TranscriptThought() | TranscriptCall():
                last = last or Turn.going_on
            case TranscriptResult():
                last = last or Turn.answered
            case TranscriptMeta(kind=kind):
                block = kind.rpartition("/")[2]
                if block == _HIDDEN_THOUGHT:
                    last = last or Turn.going_on
                elif block not in _PICTURES:
                    return Turn.broken
    return last or turn


def _text(rows: tuple[TranscriptRow, ...]) -> str:
    return "\n".join(done.text for done in rows if isinstance(done, TranscriptSaid))
