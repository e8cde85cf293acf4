"""A time of a thread or of a lock as a number that can be reckoned with. Spec: asks.md 1.3, 1.5, 1.6."""

import re
from datetime import UTC, datetime, timedelta
from typing import Final

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)
_is_time = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:[0-9]{2})"
).fullmatch


def moment(text: str) -> int | None:
    """UTC milliseconds of an ISO 8601 date and time with its zone, rounded down; `None` for any other text.

    Wider than IsoTime, which is what we write: a time of another precision or zone is still a time.
    """
    if _is_time(text) is None:
        return None
    try:
        return (datetime.fromisoformat(text) - _EPOCH) // _MILLISECOND
    except ValueError:  # the thirtieth of February
        return None
