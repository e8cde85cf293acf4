"""JSON read exactly as it is written, and refused where two readers could read two things."""

import json
from collections import Counter
from typing import cast

from wire.scalars import Json, JsonObject


def exact_json(text: bytes) -> Json:
    """The value of a JSON text as it is written: big integers whole. A UTF-8 mark at its beginning is no JSON.

    Raises `ValueError` for what is no JSON, and for what readers would take differently: a key twice, `NaN`, nesting
    too deep to read, a number too long to read.
    """
    try:
        return cast("Json", json.loads(text.decode(), object_pairs_hook=_object, parse_constant=_no_constant))
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 at byte {error.start}") from None
    except RecursionError:
        raise ValueError("it nests too deep to be read") from None


def _object(pairs: list[tuple[str, Json]]) -> JsonObject:
    found = dict(pairs)
    if len(found) != len(pairs):
        [(twice, _), *_] = Counter(key for key, _ in pairs).most_common(1)
        raise ValueError(f"the key {twice!r} stands twice in one object")
    return found


def _no_constant(word: str) -> Json:
    raise ValueError(f"{word} is no JSON")
