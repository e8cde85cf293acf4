"""How a session ended, and what it cost, as its `result` states it. Pure. Spec: foreign.md 3.2."""

from accounting.foreign.claude_code.message import is_interruption
from accounting.foreign.claude_stream.rows import Event
from accounting.foreign.outline import Stop
from wire.scalars import UsdMicros


def completion(event: Event, stops: list[Stop]) -> str | None:
    """How the session ended, in our words; `None` when it failed, for which there is none."""
    word = event.subtype
    if word is not None and word.startswith("error_max_"):
        return "limit"
    if event.is_error or word == "error_during_execution":
        return "cancelled" if _is_interrupted(event, stops) else None
    return "done" if word in (None, "success") else None


def told_of(event: Event) -> str | None:
    """What a `result` says went wrong; `None` when it says nothing."""
    if event.result:
        return event.result
    errors = event.errors if isinstance(event.errors, list) else [event.errors]
    return "\n".join(error for error in errors if isinstance(error, str)) or None


def _is_interrupted(event: Event, stops: list[Stop]) -> bool:
    if (event.terminal_reason or "").startswith("aborted"):
        return True
    said = told_of(event) or ""
    return any(map(is_interruption, said.split("\n"))) or any(stop.call is None for stop in stops[-1:])


def micros_of(usd: float | None) -> UsdMicros | None:
    """Dollars as millionths of one; `None` when they are no such sum."""
    if usd is None or not 0 <= usd < 2**40:
        return None
    return round(usd * 1_000_000)
