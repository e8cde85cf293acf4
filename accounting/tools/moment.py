"""A moment in a text."""

from accounting.clock import stamp
from wire.scalars import TimeMs


def moment(t: TimeMs) -> str:
    """UTC milliseconds as a time; as they are where no calendar reaches."""
    try:
        return stamp(t)
    except OverflowError:
        return f"{t} ms"
