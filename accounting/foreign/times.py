"""Times as other agents write them, as UTC milliseconds. What does not read is `None`; nothing is guessed."""

import re
from datetime import UTC, datetime, timedelta, timezone
from typing import Final

from wire.scalars import Json, TimeMs, u64

_ISO: Final = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt _](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9})\d*)?)?\s*([Zz]|[+-]\d\d(?::?\d\d)?)?", re.ASCII
).fullmatch
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_DAY_MS: Final = 86_400_000
_MILLISECOND: Final = timedelta(milliseconds=1)
_YEAR_2100_MS: Final = 4_102_444_800_000
_YEAR_2001_MS: Final = 978_307_200_000
_fromiso = datetime.fromisoformat


def iso_ms(value: Json) -> TimeMs | None:
    """An ISO 8601 time as UTC ms: with `Z`, with an offset, or without a zone (then UTC, as every agent here means it).

    Parts of a millisecond are cut off. `None` for anything else, and for what no calendar has.
    """
    if type(value) is not str:
        return None
    if len(value) == 24 and value[23] == "Z":
        try:
            since = _fromiso(value) - _EPOCH
            ms = since.days * _DAY_MS + since.seconds * 1000 + since.microseconds // 1000
            return ms if ms >= 0 and value[10] == "T" else None
        except (ValueError, TypeError):
            return None
    match = _ISO(value.strip())
    if match is None:
        return None
    year, month, day, hour, minute, second, fraction, zone = match.groups()
    try:
        moment = datetime(
            int(year), int(month), int(day), int(hour), int(minute), min(int(second or 0), 59), tzinfo=_zone(zone)
        )
    except ValueError:
        return None
    ms = (moment - _EPOCH) // _MILLISECOND + int((fraction or "0").ljust(3, "0")[:3])
    if second == "60":  # a leap second
        ms += 1000
    return u64(ms)


def _zone(spelled: str | None) -> timezone:
    if spelled is None or spelled in "Zz":
        return UTC
    hours, minutes = int(spelled[1:3]), int(spelled[3:].removeprefix(":") or 0)
    offset = timedelta(hours=hours, minutes=minutes)
    return timezone(-offset if spelled[0] == "-" else offset)


def integer_ms(value: Json) -> TimeMs | None:
    """An integer of milliseconds since 1970, as it is; `None` when it is no such count, or lies before 2001.

    An integer of seconds is not taken for one: 1,715,315,200 would be a day in 1970.
    """
    ms = u64(value)
    return ms if ms is not None and _YEAR_2001_MS <= ms < _YEAR_2100_MS else None


def time_ms(value: Json) -> TimeMs | None:
    """A time spelled either way: ISO text, or an integer of milliseconds."""
    return iso_ms(value) if type(value) is str else integer_ms(value)


def whole_us(milliseconds: Json) -> int | None:
    """A measured duration in ms, whole or with a fraction, as whole microseconds; `None` when it is none."""
    if type(milliseconds) is int:
        return u64(milliseconds * 1000)
    if type(milliseconds) is float and 0 <= milliseconds < 2**50:
        return round(milliseconds * 1000)
    return None
