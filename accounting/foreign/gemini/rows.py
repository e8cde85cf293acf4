"""A row of a Gemini CLI session: a message, what the session says of itself, or a change. Spec: foreign.md 3.4.

Every field has a default, so that a field of a wrong type costs that field. What is not named here is not decoded.
"""

from typing import Final

from msgspec import Struct, field

from accounting.foreign.free_json import AnyJson
from wire.scalars import JsonObject


class Thought(Struct, frozen=True, kw_only=True, gc=False):
    """A piece of reasoning: a heading and a text."""

    subject: str | None = None
    description: str | None = None


class Tokens(Struct, frozen=True, kw_only=True, gc=False):
    """Token counts of one request: `input` includes `cached`; `output` leaves out `thoughts`."""

    input: int | None = None
    output: int | None = None
    cached: int | None = None
    thoughts: int | None = None
    tool: int | None = None
    total: int | None = None


class ToolCall(Struct, frozen=True, kw_only=True, rename="camel"):
    """A tool call with its state and, inside it, its result."""

    id: str | None = None
    name: str | None = None
    args: AnyJson = None
    result: AnyJson = None
    status: str | None = None
    timestamp: str | int | None = None
    agent_id: str | None = None
    result_display: AnyJson = None


class Meta(Struct, frozen=True, kw_only=True, rename="camel"):
    """What a session says of itself; of a change (`$set`) the parts that change."""

    session_id: str | None = None
    project_hash: str | None = None
    start_time: str | int | None = None
    kind: str | None = None
    summary: str | None = None
    messages: "tuple[Row, ...] | None" = None


class Row(Meta, frozen=True, kw_only=True, rename="camel"):
    """A line of a JSONL session, or a message of a document."""

    changed: Meta | None = field(default=None, name="$set")
    rewind_to: AnyJson = field(default=None, name="$rewindTo")
    id: str | None = None
    type: str | None = None
    role: str | None = None
    timestamp: str | int | None = None
    content: AnyJson = None
    display_content: AnyJson = None
    thoughts: tuple[Thought | str, ...] | None = None
    tokens: Tokens | None = None
    model: str | None = None
    tool_calls: tuple[ToolCall, ...] | None = None

    @property
    def word(self) -> str | None:
        """Who wrote the message, in the CLI's own words; `None` for a row that is no message."""
        word = self.type if self.type is not None else self.role
        return None if word is None else ALIASES.get(word, word)


ALIASES: Final = {"model": "gemini", "assistant": "gemini"}
"""Words that other tools' files have for `gemini`."""
SAID: Final = frozenset(("user", "gemini", "model", "assistant", "info", "error", "warning"))
"""Words that a message bears as its type."""


def is_row(value: JsonObject) -> bool:
    """Whether an object found in a damaged text is a row of its own, and not a part of one."""
    if "$set" in value or "$rewindTo" in value or _is_meta(value):
        return True
    return _word(value) in SAID and ("content" in value or "toolCalls" in value) and ("id" in value or "type" in value)


def sureness(value: JsonObject) -> float:
    """How surely an object is a row of a session file or a whole session, from 0 to 1."""
    messages = value.get("messages")
    if isinstance(messages, list):
        known = [message for message in messages if isinstance(message, dict)]
        own = max(map(_message, known), default=0.0)
        if "projectHash" in value and ("sessionId" in value or "startTime" in value):
            return 1.0
        return own if "sessionId" in value and ("startTime" in value or "lastUpdated" in value) else own * 0.5
    if _is_meta(value) or isinstance(value.get("$set"), dict) or "$rewindTo" in value:
        return 1.0
    return _message(value)


def _is_meta(value: JsonObject) -> bool:
    return "sessionId" in value and "projectHash" in value and "type" not in value


def _message(value: JsonObject) -> float:
    if "sessionId" in value or "uuid" in value or "message" in value or "parentId" in value:
        return 0.0
    word = _word(value)
    if word not in SAID or not ("content" in value or "toolCalls" in value):
        return 0.0
    if value.get("type") in ("gemini", "model"):
        return 1.0
    if "toolCalls" in value or "thoughts" in value:
        return 0.9
    return 0.6 if "id" in value and "timestamp" in value and "type" in value else 0.2


def _word(value: JsonObject) -> str | None:
    word = value.get("type", value.get("role"))
    return word if isinstance(word, str) else None
