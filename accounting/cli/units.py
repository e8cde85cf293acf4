"""Figures with their units, in words short enough for a line."""

from datetime import UTC, datetime, timedelta
from typing import Final

from wire.scalars import TimeMs, UsdMicros

UNKNOWN: Final = "unknown"
"""What stands for a figure that nobody reported."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_FINE_US: Final = 10_000
"""Microseconds below which a duration is told in microseconds."""


def took(microseconds: int) -> str:
    """A duration measured in microseconds: `9,999 µs`, from 10 ms on in whole milliseconds, never rounded up."""
    return f"{microseconds:,} µs" if microseconds < _FINE_US else lasted(microseconds // 1000)


def lasted(milliseconds: int) -> str:
    """A duration in milliseconds: `3,240 ms`."""
    return f"{milliseconds:,} ms"


def per_second(amount: int, milliseconds: int) -> str | None:
    """How much per second, without its unit; `None` where no time passed."""
    if milliseconds <= 0:
        return None
    rate = amount * 1000 / milliseconds
    return f"{rate:,.0f}" if rate >= 10 else f"{rate:.1f}"


def dollars(micros: UsdMicros) -> str:
    """Millionths of a dollar: `$0.0123`, `$1.204517`; at least four decimals, and all that there are."""
    whole, part = divmod(micros, 1_000_000)
    decimals = f"{part:06}"
    return f"${whole:,}.{decimals[:4]}{decimals[4:].rstrip('0')}"


def several(count: int, noun: str, plural: str | None = None) -> str:
    """A count and its noun: `1 line`, `3 lines`, `2 replies`."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def iso(t: TimeMs) -> str:
    """A time in ISO 8601, to the second; milliseconds as they are where no calendar reaches; of none `UNKNOWN`."""
    if not t:
        return UNKNOWN
    at = _moment(t)
    return f"{t} ms" if at is None else f"{at:%Y-%m-%dT%H:%M:%SZ}"


def date(t: TimeMs) -> str:
    """Day and time of day: `2025-10-26 07:58:00 UTC`; `UNKNOWN` of 0, which stands for a time not recorded."""
    if not t:
        return UNKNOWN
    at = _moment(t)
    return f"{t} ms" if at is None else f"{at:%Y-%m-%d %H:%M:%S} UTC"


def clock(t: TimeMs, day: TimeMs) -> str:
    """Time of day, with the date where it is not the day of `day`; `UNKNOWN` of none."""
    if not t:
        return UNKNOWN
    at, reference = _moment(t), _moment(day)
    if at is None or reference is None or at.date() != reference.date():
        return date(t)
    return f"{at:%H:%M:%S}"


def _moment(t: TimeMs) -> datetime | None:
    try:
        return _EPOCH + timedelta(milliseconds=t)
    except OverflowError:
        return None
