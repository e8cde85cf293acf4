"""Whether a JSON object is something of OpenCode's, and what. Spec: foreign.md 3.5."""

from accounting.foreign.opencode.rows import FIELDLESS, TOLD, is_native
from wire.scalars import JsonObject


def is_row(value: JsonObject) -> bool:
    """Whether an object found in a damaged text is an event of its own, and not a part of one."""
    return _is_event(value) or isinstance(value.get("event", value.get("payload")), dict) or _is_printed(value)


def is_session(value: JsonObject) -> bool:
    """Whether an object is what a session says of itself."""
    return (
        isinstance(value.get("id"), str)
        and isinstance(value.get("time"), dict)
        and ("projectID" in value or "directory" in value)
        and "role" not in value
        and "messages" not in value
    )


def is_message(value: JsonObject) -> bool:
    """Whether an object is a message without its parts, as the storage tree keeps it."""
    return value.get("role") in ("user", "assistant") and "sessionID" in value and isinstance(value.get("time"), dict)


def sureness(value: JsonObject) -> float:
    """How surely an object is an event, a session or a message of OpenCode, from 0 to 1."""
    inner = value.get("event", value.get("payload"))
    if isinstance(inner, dict):
        return 1.0 if _is_event(inner) else 0.0
    return 1.0 if _is_event(value) or _is_printed(value) or is_session(value) or is_message(value) else 0.0


def is_part(value: JsonObject) -> bool:
    """Whether an object found in a damaged text is a part of a message, and not something inside one."""
    own = value.get("id")
    return _is_known(value) and ("messageID" in value or (isinstance(own, str) and is_native(own)))


def is_data(value: JsonObject) -> bool:
    """Whether an object found in a damaged column is its whole value: a message, or a part, without its ids."""
    return _is_known(value) or value.get("role") in ("user", "assistant")


def _is_event(value: JsonObject) -> bool:
    kind = value.get("type")
    return isinstance(kind, str) and "." in kind and isinstance(value.get("properties"), dict)


def _is_printed(value: JsonObject) -> bool:
    part = value.get("part")
    return isinstance(value.get("sessionID"), str) and isinstance(part, dict) and "messageID" in part


def _is_known(value: JsonObject) -> bool:
    return value.get("type") in (*TOLD, *FIELDLESS)
