"""A line of a pi session file, as much of it as is used. Spec: foreign.md 3.6.

Every field has a default, so that a field of a wrong type costs that field. What is not named here is not decoded.
"""

from decimal import Decimal
from typing import Final, TypeAlias

from msgspec import UNSET, Struct, UnsetType

from accounting.foreign.free_json import AnyJson
from wire.scalars import JsonObject


class Part(Struct, frozen=True, kw_only=True, gc=False, rename="camel"):
    """A piece of a message: text, reasoning, a tool call, or something that is not carried."""

    type: str | None = None
    text: str | None = None
    thinking: str | None = None
    thinking_signature: str | None = None
    id: str | None = None
    name: str | None = None
    arguments: AnyJson = None


Content: TypeAlias = str | tuple[Part | str, ...] | Part | None


class Cost(Struct, frozen=True, kw_only=True):
    """What a request cost in US dollars: the decimal number as it is spelled."""

    total: Decimal | None = None


class Usage(Struct, frozen=True, kw_only=True, rename="camel"):
    """Token counts of one request, the parts of the prompt apart."""

    input: int | None = None
    output: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    cost: Cost | None = None


class Message(Struct, frozen=True, kw_only=True, rename="camel"):
    """The message that an entry carries: the fields of all roles."""

    role: str | None = None
    content: Content = None
    timestamp: int | str | None = None
    # Of a reply:
    model: str | None = None
    usage: Usage | None = None
    stop_reason: str | None = None
    error_message: str | None = None
    # Of a tool's result:
    tool_call_id: str | None = None
    tool_name: str | None = None
    is_error: bool | None = None
    # Of a command that the person typed:
    command: str | None = None
    output: str | None = None
    exclude_from_context: bool | None = None
    # Of a summary:
    summary: str | None = None


class Entry(Struct, frozen=True, kw_only=True, rename="camel"):
    """One line."""

    type: str | None = None
    id: str | None = None
    parent_id: str | UnsetType | None = UNSET
    timestamp: str | int | None = None
    message: Message | None = None
    # Of the first line:
    version: int | None = None
    cwd: str | None = None
    branched_from: str | None = None
    parent_session: str | None = None
    # Of single kinds of entry:
    provider: str | None = None
    thinking_level: str | None = None
    name: str | None = None
    summary: str | None = None
    tokens_before: int | None = None
    content: Content = None


ROLES: Final = frozenset(
    (
        "user",
        "assistant",
        "toolResult",
        "bashExecution",
        "custom",
        "hookMessage",
        "branchSummary",
        "compactionSummary",
    )
)
"""The roles of messages."""
ENTRIES: Final = frozenset(
    (
        "compaction",
        "branch_summary",
        "model_change",
        "thinking_level_change",
        "session_info",
        "label",
        "custom",
        "custom_message",
    )
)
"""The kinds of entry that are no message."""


def is_row(value: JsonObject) -> bool:
    """Whether an object found in a damaged line is a line of its own."""
    kind = value.get("type")
    if kind == "message":
        message = value.get("message")
        role = message.get("role") if isinstance(message, dict) else None
        return isinstance(role, str) and role in ROLES
    if kind == "session":
        return "id" in value and ("cwd" in value or "version" in value)
    return isinstance(kind, str) and kind in ENTRIES and "timestamp" in value


def sureness(value: JsonObject) -> float:
    """How surely a row is of a pi session file, from 0 to 1."""
    if not is_row(value) or "sessionId" in value or "createdAt" in value or "uuid" in value:
        return 0.0
    if "timestamp" not in value:
        return 0.3
    return 1.0 if value["type"] in ("session", "message") or "parentId" in value else 0.8
