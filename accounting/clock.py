"""The time that records, locks and journals are given. Spec: asks.md 1.3."""

import time
from datetime import UTC, datetime, timedelta
from typing import Final, cast

from wire.scalars import IsoTime, TimeMs

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def system_clock() -> TimeMs:
    """UTC milliseconds, now."""
    return time.time_ns() // 1_000_000


def stamp(now: TimeMs) -> IsoTime:
    """UTC milliseconds as a record's time: three digits of a second and a `Z`."""
    at = (_EPOCH + timedelta(milliseconds=now)).isoformat(timespec="milliseconds")
    return cast("IsoTime", at.replace("+00:00", "Z"))
