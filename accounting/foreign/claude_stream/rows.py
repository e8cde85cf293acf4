"""An event of what `claude -p --output-format stream-json` writes, as much of it as is used. Spec: foreign.md 3.2.

Messages are those of the session files, and so are their Structs. Every field has a default, so that a field of a
wrong type costs that field.
"""

from typing import Final

from msgspec import Raw, Struct, field

from accounting.foreign.claude_code.rows import Message, Twin, Usage
from accounting.foreign.free_json import AnyJson
from wire.scalars import JsonObject


class Denial(Struct, frozen=True, kw_only=True, gc=False):
    """A tool that was not let run."""

    tool_use_id: str | None = None


class Compacted(Struct, frozen=True, kw_only=True, gc=False):
    """What a `compact_boundary` says of a compaction."""

    trigger: str | None = None
    pre_tokens: int | None = None
    post_tokens: int | None = None
    duration_ms: int | float | None = None


class Event(Struct, frozen=True, kw_only=True, gc=False):
    """An event of whichever type: the fields of all of them."""

    type: str | None = None
    subtype: str | None = None
    uuid: str | None = None
    session_id: str | None = None
    parent_tool_use_id: str | None = None
    timestamp: str | int | float | None = None
    # Of `assistant` and `user`:
    message: Message | str | None = None
    request_id: str | None = None
    error: AnyJson = None
    tool_use_result: Twin | str | list[Raw] | None = None
    is_synthetic: bool | None = field(default=None, name="isSynthetic")
    # Of `system`:
    cwd: str | None = None
    version: str | None = field(default=None, name="claude_code_version")
    compact_metadata: Compacted | None = None
    error_status: int | None = None
    retry_delay_ms: int | float | None = None
    # Of `result`:
    is_error: bool | None = None
    result: str | None = None
    errors: AnyJson = None
    total_cost_usd: int | float | None = None
    cost_usd: int | float | None = None
    duration_ms: int | float | None = None
    duration_api_ms: int | float | None = None
    num_turns: int | None = None
    usage: Usage | None = None
    permission_denials: tuple[Denial, ...] | None = None
    terminal_reason: str | None = None


SPOKEN: Final = frozenset(("assistant", "user"))
"""The types of event that carry a message."""
ASIDE: Final = frozenset(
    (
        "stream_event",
        "rate_limit_event",
        "tool_progress",
        "tool_use_summary",
        "conversation_reset",
        "auth_status",
        "control_request",
        "control_response",
        "control_cancel_request",
        "keep_alive",
    )
)
"""The types that are known and tell nothing that is not told again."""
_RESULT: Final = ("subtype", "is_error", "total_cost_usd", "cost_usd", "duration_ms", "num_turns")


def is_row(value: JsonObject) -> bool:
    """Whether an object found in a damaged line is an event of its own."""
    word = value.get("type")
    if not isinstance(word, str):
        return False
    if word in SPOKEN:
        return "message" in value
    if word == "result":
        return any(key in value for key in _RESULT)
    return (word == "system" and "subtype" in value) or (word in ASIDE and "session_id" in value)


def kind_of(value: JsonObject) -> str:
    """What an event is called in a report."""
    word, subtype = value.get("type"), value.get("subtype")
    if word == "system":
        return f"system/{subtype}"
    return word if isinstance(word, str) else "(no type)"


def sureness(value: JsonObject) -> float:
    """How surely an object is an event of such a stream, from 0 to 1."""
    if not is_row(value) or "sessionId" in value or "parentUuid" in value or "stats" in value:
        return 0.0
    if value.get("type") in SPOKEN:
        message = value.get("message")
        if isinstance(message, dict) and "parts" in message:
            return 0.0
        return 1.0 if "session_id" in value or "parent_tool_use_id" in value else 0.5
    return 1.0
