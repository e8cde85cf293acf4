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
    if word == "error_during_execution":
        return "cancelled"
    if event.is_error:
        interrupted = is_interruption(event.result or "") or any(stop.call is None for stop in stops[-1:])
        return "cancelled" if interrupted else None
    return "done" if word in (None, "success") else None


def micros_of(usd: float | None) -> UsdMicros | None:
    """Dollars as millionths of one; `None` when they are no such sum."""
    if usd is None or not 0 <= usd < 2**40:
        return None
    return round(usd * 1_000_000)
