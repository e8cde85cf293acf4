"""A line of what `codex exec --json` writes, as much of it as is used. Spec: foreign.md 3.3.

Every field has a default, so that a field of a wrong type costs that field.
"""

from typing import Final

from msgspec import Struct

from accounting.foreign.codex.rows import Content, Counts
from accounting.foreign.free_json import AnyJson
from wire.scalars import JsonObject

TYPES: Final = frozenset(
    (
        "thread.started",
        "session.created",
        "turn.started",
        "turn.completed",
        "turn.failed",
        "item.started",
        "item.updated",
        "item.completed",
        "error",
    )
)
"""The types of a line that are known."""


class Told(Struct, frozen=True, kw_only=True):
    """An error."""

    message: str | None = None


class Result(Struct, frozen=True, kw_only=True):
    """What an MCP tool gave back."""

    content: Content | None = None
    structured_content: AnyJson = None


class Item(Struct, frozen=True, kw_only=True):
    """An item of whichever type: the fields of all of them."""

    id: str | None = None
    type: str | None = None
    item_type: str | None = None
    text: str | None = None
    command: AnyJson = None
    aggregated_output: str | None = None
    exit_code: int | None = None
    status: str | None = None
    changes: AnyJson = None
    server: str | None = None
    tool: str | None = None
    arguments: AnyJson = None
    result: Result | str | None = None
    error: Told | str | None = None
    query: str | None = None
    items: AnyJson = None
    message: str | None = None


class Event(Struct, frozen=True, kw_only=True):
    """A line of the stream."""

    type: str | None = None
    timestamp: str | int | float | None = None
    thread_id: str | None = None
    session_id: str | None = None
    item: Item | None = None
    usage: Counts | None = None
    error: Told | str | None = None
    message: str | None = None


def is_row(value: JsonObject) -> bool:
    """Whether an object found in a damaged line is a line of its own."""
    return sureness(value) > 0


def sureness(value: JsonObject) -> float:
    """How surely a row is of such a stream, from 0 to 1."""
    word = value.get("type")
    if not isinstance(word, str) or word not in TYPES:
        return 0.0
    if word == "error":
        return 0.5 if set(value) <= {"type", "message"} else 0.0
    if word in ("thread.started", "session.created"):
        return 1.0 if "thread_id" in value or "session_id" in value else 0.0
    if word.startswith("item."):
        return 1.0 if isinstance(value.get("item"), dict) else 0.5
    return 1.0


def kind_of(value: JsonObject) -> str:
    """The kind of a line in the report."""
    item = value.get("item")
    word = item.get("type", item.get("item_type")) if isinstance(item, dict) else None
    kind = value.get("type")
    known = kind if isinstance(kind, str) else "?"
    return f"{known}/{word}" if isinstance(word, str) else known
