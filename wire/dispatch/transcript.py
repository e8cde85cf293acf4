"""A row of an agent's own session file by what it does, and the summary of such a file. Spec: dispatch.md 2.4.

Both dialects of WorkBuddy, and the lines of Claude Code, come to the same five forms.
"""

from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from wire.scalars import I64, U64, AbsolutePath, Json, TimeMs


class TranscriptSaid(Struct, frozen=True, kw_only=True, tag_field="row", tag="said", rename="camel"):
    """Something was said."""

    id: str | None = None
    """The row's own id; null when it has none."""
    parent_id: str | None = None
    """The row before it in the conversation; null for the first, and when it does not say."""
    t: TimeMs | None = None
    """When, UTC milliseconds; null when the row does not say."""
    role: str
    """`user` or `assistant`, as the row has it; the former is not always a person."""
    text: str
    """What."""
    status: str | None = None
    """`completed` when the message is whole, as the row has it; null when it does not say."""


class TranscriptThought(Struct, frozen=True, kw_only=True, tag_field="row", tag="thought", rename="camel"):
    """The model thought something."""

    id: str | None = None
    """The row's own id; null when it has none."""
    parent_id: str | None = None
    """The row before it in the conversation; null for the first, and when it does not say."""
    t: TimeMs | None = None
    """When, UTC milliseconds; null when the row does not say."""
    text: str
    """What."""


class TranscriptCall(Struct, frozen=True, kw_only=True, tag_field="row", tag="call", rename="camel"):
    """The model called a tool."""

    id: str | None = None
    """The row's own id; null when it has none."""
    parent_id: str | None = None
    """The row before it in the conversation; null for the first, and when it does not say."""
    t: TimeMs | None = None
    """When, UTC milliseconds; null when the row does not say."""
    call_id: str | None = None
    """By which its result names it; null when the row does not say."""
    name: str | None = None
    """The tool; null when the row does not say."""
    input: Json = None
    """The arguments: an object, or the text that they were sent as; null when there are none."""


class TranscriptResult(Struct, frozen=True, kw_only=True, tag_field="row", tag="result", rename="camel"):
    """A tool answered."""

    id: str | None = None
    """The row's own id; null when it has none."""
    parent_id: str | None = None
    """The row before it in the conversation; null for the first, and when it does not say."""
    t: TimeMs | None = None
    """When, UTC milliseconds; null when the row does not say."""
    call_id: str | None = None
    """The call; null when the row does not say."""
    text: str
    """The answer's text."""
    is_error: bool
    """Whether the row says that it failed."""
    exit_code: I64 | None = None
    """A command's exit code; null when the row does not say."""


class TranscriptMeta(Struct, frozen=True, kw_only=True, tag_field="row", tag="meta", rename="camel"):
    """A row beside the conversation."""

    id: str | None = None
    """The row's own id; null when it has none."""
    parent_id: str | None = None
    """The row before it; null for the first, and when it does not say."""
    t: TimeMs | None = None
    """When, UTC milliseconds; null when the row does not say."""
    kind: str
    """Its type, and its subtype after a `/` where it has one."""


TranscriptRow: TypeAlias = TranscriptSaid | TranscriptThought | TranscriptCall | TranscriptResult | TranscriptMeta
"""What a row does, tagged by `row`. A row that does several things gives several."""


class TranscriptState(StrEnum):
    """How a transcript ends."""

    completed = "completed"
    """Its last word is a whole message of the model, and no call is without a result."""
    failed = "failed"
    """It ends in an interruption, or in an error that ended the round."""
    open = "open"
    """Something is still to come: a result of a call, or a word of the model."""
    unknown = "unknown"
    """What was read of it does not tell."""


class TranscriptSummary(Struct, frozen=True, kw_only=True, rename="camel"):
    """A transcript in a few words, from its beginning and its end. Spec: dispatch.md 2.4."""

    path: AbsolutePath
    """The file."""
    size: U64
    """Its bytes, when it was read."""
    bytes_read: U64
    """How many of them were read."""
    truncated: bool
    """Whether the middle was left out: then every count here is at least, not exactly, that."""
    modified_at: TimeMs
    """When it was last written, UTC milliseconds, as the file system says."""
    session_id: str | None = None
    """The session that its rows name; null when none does."""
    cwd: str | None = None
    """The directory that its first row with one names: the file's place does not tell; null when none does."""
    title: str | None = None
    """The last title that a row gives it; null when none does."""
    first_prompt: str | None = None
    """The first that a person said; null when that was not read."""
    last_text: str | None = None
    """The last that the model said; null when that was not read."""
    began_at: TimeMs | None = None
    """The first time in it, UTC milliseconds; null when none was read."""
    ended_at: TimeMs | None = None
    """The last time in it, UTC milliseconds; null when none was read."""
    state: TranscriptState
    """How it ends."""
    state_at: TimeMs | None = None
    """The time of the row that makes it `completed` or `failed`; null when that has none, and otherwise."""
    state_offset: U64 | None = None
    """Where the line of that row begins, in bytes from the beginning of the file; null when there is none."""
    reason: str | None = None
    """Why it failed, in a word; null unless it did."""
    rows: U64
    """Rows that were read."""
    unreadable: U64
    """Lines that are no rows, among those that were read whole."""
    user_messages: U64
    """Messages to the model."""
    assistant_messages: U64
    """Messages of the model."""
    tool_calls: U64
    """Tool calls."""
    tool_errors: U64
    """Results of tools that say that they failed."""
    waiting_calls: U64
    """Calls without a result: running, or waiting for leave."""


class SessionListed(Struct, frozen=True, kw_only=True, rename="camel"):
    """One session in a list."""

    profile: str
    """The profile of the agent whose session it is."""
    session_id: str
    """The agent's own id of it: its file's name."""
    project: str
    """The directory of the agent's that it lies in, by name."""
    live: bool | None = None
    """Whether a process is at it; null where the agent does not tell."""
    summary: TranscriptSummary
    """What it holds."""


class SessionList(Struct, frozen=True, kw_only=True):
    """Sessions that agents keep on this machine, the last written first."""

    sessions: tuple[SessionListed, ...]
    """Those that were asked for."""
    found: U64
    """How many there are in all."""
    notes: tuple[str, ...]
    """What could not be listed, and why."""
