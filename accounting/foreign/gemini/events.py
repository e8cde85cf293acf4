"""An event of `gemini --output-format stream-json`. Spec: foreign.md 3.4, at its end."""

from typing import Final

from msgspec import Struct

from accounting.foreign.free_json import AnyJson
from wire.scalars import JsonObject


class Trouble(Struct, frozen=True, kw_only=True):
    """What went wrong."""

    type: str | None = None
    message: str | None = None


class Stats(Struct, frozen=True, kw_only=True):
    """The sums over the session: `input_tokens` includes `cached`, `total_tokens` the reasoning."""

    total_tokens: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached: int | None = None
    duration_ms: int | None = None


class Event(Struct, frozen=True, kw_only=True):
    """One event of whichever type."""

    type: str | None = None
    timestamp: str | int | None = None
    session_id: str | None = None
    model: str | None = None
    role: str | None = None
    content: AnyJson = None
    delta: bool | None = None
    tool_name: str | None = None
    tool_id: str | None = None
    parameters: AnyJson = None
    status: str | None = None
    output: AnyJson = None
    error: Trouble | str | None = None
    severity: str | None = None
    message: str | None = None
    stats: Stats | None = None


UNSURE: Final = 0.2
"""How surely a message without a time is such an event: other agents' messages look the same."""
_OWN: Final[dict[str, tuple[str, ...]]] = {
    "init": ("session_id", "model"),
    "tool_use": ("tool_name", "tool_id"),
    "tool_result": ("tool_id", "status"),
    "result": ("status", "stats"),
    "message": ("role", "content"),
    "error": ("severity", "message"),
}


def is_event(value: JsonObject) -> bool:
    """Whether an object can be an event of its own."""
    kind = value.get("type")
    return isinstance(kind, str) and any(key in value for key in _OWN.get(kind, ()))


def sureness(value: JsonObject) -> float:
    """How surely an object is such an event, from 0 to 1."""
    kind = value.get("type")
    if not isinstance(kind, str) or not all(key in value for key in _OWN.get(kind, ("",))):
        return 0.0
    if kind in ("message", "error"):
        if not isinstance(value.get("content", ""), str) or "id" in value:
            return 0.0
        return 0.5 if "timestamp" in value else UNSURE
    return 0.0 if "subtype" in value or "uuid" in value else 1.0
