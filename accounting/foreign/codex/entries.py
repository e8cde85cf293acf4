"""A line of a rollout taken apart once, for all that look at it: what it is, when it was written, what it says."""

from msgspec import Struct

from accounting.foreign.codex.rows import ENVELOPES, ITEMS, Item, Line
from accounting.foreign.codex.voices import Spoken, spoken
from accounting.foreign.times import time_ms
from accounting.ledger.problem import Place
from wire.scalars import TimeMs


class Entry(Struct, frozen=True, gc=False):
    """A line."""

    envelope: str
    """The type of its envelope; of a bare line the type that it would have."""
    item: Item | None
    """What is in it; `None` when that does not read."""
    kind: str
    """Its kind in the report."""
    t: TimeMs | None
    """Its time; `None` when it has none that reads."""
    is_bad_time: bool
    """Whether it has a time that does not read."""
    place: Place
    said: Spoken | None
    """What it says; `None` for a line of another kind."""


def entry_of(line: Line, place: Place) -> Entry:
    """Take a line apart."""
    envelope, item = unwrapped(line)
    t = time_ms(line.timestamp)
    return Entry(
        envelope,
        item,
        kind_of(envelope, None if item is None else item.type) or line.record_type or "?",
        t,
        t is None and line.timestamp is not None,
        place,
        None if item is None else spoken(envelope, item),
    )


def kind_of(envelope: str, word: str | None) -> str:
    """The kind of a row in the report."""
    return f"{envelope}/{word}" if envelope and word else envelope or word or ""


def unwrapped(line: Line) -> tuple[str, Item | None]:
    """The type of the envelope and what is in it."""
    if line.payload is not None:
        return line.type or "", line.payload
    if line.type is None:
        is_head = line.id is not None and line.timestamp is not None
        return "session_meta" if is_head else "", line
    if line.type in ENVELOPES:
        return line.type, None
    return "response_item" if line.type in ITEMS else "", line
