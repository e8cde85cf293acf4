"""JSON read exactly as it is written, and refused where two readers could read two things."""

import json
from collections import Counter
from collections.abc import Collection
from typing import Final, cast

from wire.scalars import Json, JsonObject

DEEPEST: Final = 64
"""The most objects and lists that may stand one inside the other: some eight do in the answers to the cases."""


def exact_json(text: bytes) -> Json:
    """The value of a JSON text as it is written: big integers whole. A UTF-8 mark at its beginning is no JSON.

    Raises `ValueError` for what is no JSON, and for what readers would take differently: a key twice, `NaN`, more
    than `DEEPEST` levels, a number too long to read.
    """
    try:
        value = cast("Json", json.loads(text.decode(), object_pairs_hook=_object, parse_constant=_no_constant))
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 at byte {error.start}") from None
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    if not _is_shallow(value):
        raise ValueError(_TOO_DEEP)
    return value


_TOO_DEEP: Final = f"it nests deeper than {DEEPEST} levels"


def _is_shallow(value: Json) -> bool:
    """Whether it can be walked by whoever calls himself for each level."""
    level = [value]
    for _ in range(DEEPEST + 1):
        level = [inner for one in level for inner in _inside(one)]
        if not level:
            return True
    return False


def _inside(value: Json) -> Collection[Json]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _object(pairs: list[tuple[str, Json]]) -> JsonObject:
    found = dict(pairs)
    if len(found) != len(pairs):
        [(twice, _), *_] = Counter(key for key, _ in pairs).most_common(1)
        raise ValueError(f"the key {twice!r} stands twice in one object")
    return found


def _no_constant(word: str) -> Json:
    raise ValueError(f"{word} is no JSON")
