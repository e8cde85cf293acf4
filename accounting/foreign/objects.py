"""JSON objects found in damaged text: glued to one another, behind a torn one, or inside a broken array.

The slow road, taken only where quick decoding failed. Nothing here raises on what the text holds.
"""

import re
from collections.abc import Callable, Iterator
from json import JSONDecodeError, JSONDecoder, dumps, loads
from typing import Final, NamedTuple, cast

from accounting.ledger.parse import NotJsonError, parse
from wire.scalars import Json, JsonObject

_scan = JSONDecoder(strict=False).raw_decode  # control characters inside strings do no harm to a reading
_begin = re.compile(r'\{\s*["}]').search
_filler = re.compile(r"[\s,\[\]\x00\ufeff]*").match
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_TRIES: Final = 200
"""Failed attempts at most: each may cost the length of the text, and a torn row fails as often as it nests deep."""

IsRow = Callable[[JsonObject], bool]
"""Whether an object can be a row of its own, rather than a part of one: what keeps a piece of a torn row from being
taken for a row."""


def any_object(_: JsonObject) -> bool:
    """Every object can be a row."""
    return True


class Found(NamedTuple):
    """An object and the stretch of text it stands on."""

    value: JsonObject
    start: int
    end: int


def objects_in(text: str, is_row: IsRow = any_object, most: int | None = None) -> Iterator[Found]:
    """The objects of a text in order.

    What stands between them is passed over. Where no object can be read, reading goes on at the next place where one
    begins that is a row and that is followed by nothing, by another, or by a comma or bracket.
    """
    at, given, failed = 0, 0, 0
    damaged = False
    while most is None or given < most:
        filler = _filler(text, at)
        at = filler.end() if filler is not None else at
        if at >= len(text):
            return
        read = _object(text, at, deep=not damaged) if text[at] == "{" else None
        if read is not None:
            if not damaged or is_row(read[0]):
                given += 1
                damaged = False
                yield Found(read[0], at, read[1])
            at = read[1]  # past a part of a torn row as well: no row stands inside it
            continue
        damaged = True
        failed += 1
        following = _begin(text, at + 1)
        if following is None or failed > _TRIES:
            return
        at = following.start()


def _object(text: str, at: int, *, deep: bool) -> tuple[JsonObject, int] | None:
    try:
        value, end = cast("tuple[Json, int]", _scan(text, at))
    except (JSONDecodeError, ValueError):  # a number of too many digits is a plain ValueError
        return None
    except RecursionError:
        return _deep(text, at) if deep else None  # that parser is slow
    return (value, end) if isinstance(value, dict) else None


def _deep(text: str, at: int) -> tuple[JsonObject, int] | None:
    """An object too deep for the standard parser, when nothing follows it."""
    try:
        value, _ = parse(text[at:])
    except NotJsonError:
        return None
    return (value, len(text)) if isinstance(value, dict) else None


def repaired(value: JsonObject) -> JsonObject:
    """The object with every lone surrogate as U+FFFD; as it is when it nests too deep for that."""
    try:
        text, halves = without_surrogates(dumps(value, ensure_ascii=False))
        return cast("JsonObject", loads(text)) if halves else value
    except (RecursionError, ValueError):
        return value


def without_surrogates(text: str) -> tuple[str, int]:
    """The text with every lone surrogate as U+FFFD, and how many there were."""
    return _SURROGATE.subn("\ufffd", text)
