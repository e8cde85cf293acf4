"""What OpenCode writes, whichever way it is kept: sessions, messages, parts, and the events around them.

Spec: foreign.md 3.5. Every field has a default, so that a field of a wrong type costs that field. What is not named
here is not decoded.
"""

import re
from typing import Final

from msgspec import Struct, field

from accounting.foreign.free_json import AnyJson
from accounting.foreign.times import time_ms
from wire.scalars import TimeMs

AGENT: Final = "opencode"
"""The reader's name."""
TOLD: Final = frozenset(("text", "reasoning", "tool", "step-start", "step-finish", "subtask", "compaction", "retry"))
"""Kinds of parts that are in the records or the outline."""
FIELDLESS: Final = frozenset(("file", "agent", "patch", "snapshot"))
"""Kinds of parts that our records have no field for."""
_NATIVE: Final = re.compile(r"(?:ses|msg|prt)_[0-9a-f]{12}").match


class Times(Struct, frozen=True, kw_only=True, gc=False):
    """Moments in ms: `created` and `completed` of a message, `start` and `end` of a part."""

    created: AnyJson = None
    completed: AnyJson = None
    start: AnyJson = None
    end: AnyJson = None


class Cache(Struct, frozen=True, kw_only=True, gc=False):
    """Tokens read from the provider's cache and written to it; `input` leaves both out."""

    read: int | None = None
    write: int | None = None


class Tokens(Struct, frozen=True, kw_only=True, gc=False):
    """Token counts of a step, or of a message. `output` leaves out `reasoning`, unless `total` shows otherwise."""

    total: int | None = None
    input: int | None = None
    output: int | None = None
    reasoning: int | None = None
    cache: Cache | None = None


class FailureData(Struct, frozen=True, kw_only=True, rename="camel"):
    """What an error says of itself."""

    message: str | None = None
    status_code: int | None = None
    is_retryable: bool | None = None


class Failure(Struct, frozen=True, kw_only=True):
    """An error by name: of a message, of a session, or of an attempt that was made again."""

    name: str | None = None
    message: str | None = None
    data: FailureData | None = None

    @property
    def text(self) -> str | None:
        """What the person was told; `None` when nothing was recorded."""
        stated = self.message if self.data is None or self.data.message is None else self.data.message
        return stated if stated is not None else self.name


class Revert(Struct, frozen=True, kw_only=True):
    """From where on the person took a session back."""

    message_id: str | None = field(default=None, name="messageID")
    part_id: str | None = field(default=None, name="partID")


class Model(Struct, frozen=True, kw_only=True, gc=False):
    """A model by name."""

    model_id: str | None = field(default=None, name="modelID")
    provider_id: str | None = field(default=None, name="providerID")


class Info(Struct, frozen=True, kw_only=True):
    """A session or a message: what it says of itself. A message has a `role`."""

    id: str | None = None
    session_id: str | None = field(default=None, name="sessionID")
    parent_id: str | None = field(default=None, name="parentID")
    time: Times | None = None
    project_id: str | None = field(default=None, name="projectID")
    directory: str | None = None
    title: str | None = None
    version: str | None = None
    revert: Revert | None = None
    role: str | None = None
    model_id: str | None = field(default=None, name="modelID")
    provider_id: str | None = field(default=None, name="providerID")
    model: Model | None = None
    summary: AnyJson = None
    cost: AnyJson = None
    tokens: Tokens | None = None
    finish: str | None = None
    error: Failure | None = None

    @property
    def created(self) -> TimeMs | None:
        """When it was made; `None` when not recorded, or no such moment."""
        return None if self.time is None else time_ms(self.time.created)

    @property
    def completed(self) -> TimeMs | None:
        """When it was whole; `None` while it is in flight, or for ever after a crash."""
        return None if self.time is None else time_ms(self.time.completed)

    @property
    def named_model(self) -> str | None:
        """The model that a reply is of; `None` when not recorded."""
        return self.model_id if self.model_id is not None or self.model is None else self.model.model_id


class State(Struct, frozen=True, kw_only=True):
    """The state of a tool call, its result inside it."""

    status: str | None = None
    input: AnyJson = None
    raw: str | None = None
    output: AnyJson = None
    error: AnyJson = None
    metadata: AnyJson = None
    time: Times | None = None


class Part(Struct, frozen=True, kw_only=True):
    """A piece of a message."""

    id: str | None = None
    session_id: str | None = field(default=None, name="sessionID")
    message_id: str | None = field(default=None, name="messageID")
    type: str | None = None
    text: str | None = None
    synthetic: bool | None = None
    ignored: bool | None = None
    time: Times | None = None
    call_id: str | None = field(default=None, name="callID")
    tool: str | None = None
    state: State | None = None
    metadata: AnyJson = None
    reason: str | None = None
    cost: AnyJson = None
    tokens: Tokens | None = None
    error: Failure | None = None
    auto: bool | None = None
    prompt: str | None = None

    @property
    def start(self) -> TimeMs | None:
        """When it began to come in; `None` when not recorded."""
        return None if self.time is None else time_ms(self.time.start)

    @property
    def end(self) -> TimeMs | None:
        """When it was whole; `None` when not recorded."""
        return None if self.time is None else time_ms(self.time.end)


class Status(Struct, frozen=True, kw_only=True):
    """What a session is at: `busy`, `idle`, or `retry`."""

    type: str | None = None
    attempt: int | None = None
    message: str | None = None


class Properties(Struct, frozen=True, kw_only=True):
    """What an event is about."""

    session_id: str | None = field(default=None, name="sessionID")
    message_id: str | None = field(default=None, name="messageID")
    part_id: str | None = field(default=None, name="partID")
    info: Info | None = None
    part: Part | None = None
    field: str | None = None
    delta: str | None = None
    status: Status | None = None
    error: Failure | None = None
    time: AnyJson = None


class Event(Struct, frozen=True, kw_only=True):
    """An event as the server sends it."""

    type: str | None = None
    properties: Properties | None = None


class Row(Event, frozen=True, kw_only=True):
    """A line of an event stream: the event itself, or one that stands in a wrapper.

    What `opencode run --format json` prints has the part, or the error, on the line itself.
    """

    timestamp: AnyJson = None
    event: Event | None = None
    payload: Event | None = None
    session_id: str | None = field(default=None, name="sessionID")
    part: Part | None = None
    error: Failure | None = None


def is_native(own: str | None) -> bool:
    """Whether an id is of OpenCode's own making: then ids sort by time."""
    return own is not None and _NATIVE(own) is not None
