"""What becomes of one ledger that a subject was asked, and the words for what it did instead of answering."""

import signal
from time import perf_counter
from typing import Final, TypeAlias

from msgspec import Struct

from wire.scalars import Json

_SHOWN: Final = 200


class Answered(Struct, frozen=True, kw_only=True):
    """The subject answered."""

    answer: Json
    """The JSON as it was written: big integers whole, floats as floats. Of a checker, an object with `findings`."""
    took_us: int
    """Microseconds from asking to the answer being there."""


class Rejected(Struct, frozen=True, kw_only=True):
    """The subject said that it will not have this ledger."""

    message: str
    """Why, in its own words: its reply, or the end of its standard error."""


class Crashed(Struct, frozen=True, kw_only=True):
    """The subject broke the contract: it died, or what it wrote is no reply."""

    how: str
    """What it did."""
    stderr: str
    """The end of what it wrote to standard error; empty when nothing."""


class TimedOut(Struct, frozen=True, kw_only=True):
    """The subject gave no whole answer in time."""

    after_ms: int
    """Milliseconds that it had."""


Reply: TypeAlias = Answered | Rejected | Crashed | TimedOut
"""What became of one ledger."""


def exit_words(code: int | None) -> str:
    """How a process ended: by its exit code, negative for a signal; `None` when it goes on without its output."""
    if code is None:
        return "closed its standard output"
    if code >= 0:
        return f"exited with {code}"
    try:
        return f"was killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"was killed by signal {-code}"


def flooded(limit: int) -> str:
    """That it wrote more than is read."""
    return f"wrote more than {limit:,} bytes to standard output"


def quoted(text: bytes) -> str:
    """The beginning of what it wrote, in quotes."""
    short = text[:_SHOWN].decode("utf-8", "replace")
    return repr(short) + (" and more" if len(text) > _SHOWN else "")


def microseconds(begun: float) -> int:
    """Microseconds since a reading of `perf_counter`."""
    return int((perf_counter() - begun) * 1_000_000)
