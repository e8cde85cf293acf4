"""Texts and JSON values that look for trouble: line breaks, white space, the edges of integers, odd keys."""

from collections.abc import Iterator
from functools import cache
from typing import Any, TypeAlias, cast

from hypothesis import strategies as st

from wire.scalars import Json, JsonObject

Pool: TypeAlias = tuple[Any, ...]
"""Choices, the plainest first. A function in a pool stands for what its strategy draws."""

# fmt: off
INTS: Pool = (
    0, 1, 12, -1, 2**32 - 1, 2**32, 2**53 - 1, 2**53, 2**53 + 1, 2**63 - 1, 2**63, 2**63 + 1, 2**64 - 1,
    2**64, -(2**53) - 1, -(2**63), -(2**63) - 1, 10**30,
)
FLOATS: Pool = (0.5, 1.0, -0.0, 1e3, 1e16, 5e-324, 1e300, 2.0**64)
LONG: Pool = ("l\n" * 12 + "\r", "l\n" * 13, "\r\n" * 12 + "z")
STRINGS: Pool = (
    "", "a", "two\nlines", "\n", " ", "\r", "\r\n", "a\r", "a\r\n", "a\r\r\n", "\na", "a\n\n", '"\\/', "null",
    "1", "\x1c", "\x1c\n\x1f", "\x85\u2028\u3000", "a\x85b\u2028c\vd", "\u200b", "\ufeff", "\x00\x1f\x7f",
    "ünï \U0001f600", *LONG, "l\n" * 11 + "l", "l\n" * 12, "\n" * 40,
)
PIECES: Pool = (
    "a", "\n", "\r\n", "\r", "b c", '"', "\\", "/", "\n\n\n\n", "\n" * 12, "é", "\U0001f600", "\x00",
    "x" * 300, "\x07", "\b", "\x7f", "\uffff", "e\u0301",
    *" \t\v\f\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2003\u2028\u2029\u202f\u205f\u3000", "\u200b", "\u2060",
    "\ufeff",
)
# In keys, U+FFFF comes before U+10000 by UTF-8 and after it by UTF-16.
KEYS: Pool = (
    "a", "b", "", "B", "aa", "é", "\uffff", "\U00010000", "a\nb", '"', "text", "id", "\x00", "\u2028",
    "10", "9",
)
# fmt: on


def chosen(pool: Pool, byte: int) -> Any:
    """What a byte means where a pool is spread over its whole range."""
    return pool[byte * len(pool) // 256]


def _spell(raw: bytes) -> str:
    text: str = chosen(STRINGS, raw[0] * 2) if raw[0] < 128 else "".join(chosen(PIECES, byte) for byte in raw[1:])
    return text


def _grown(raw: Iterator[int], scalars: Pool) -> Json:
    byte = next(raw, 0)
    if byte < 176:
        return cast("Json", scalars[byte * len(scalars) // 176])
    parts = range(next(raw, 0) % 4)
    if byte < 192:
        return "".join(chosen(PIECES, next(raw, 0)) for _ in parts)
    if byte < 224:
        return [_grown(raw, scalars) for _ in parts]
    return {chosen(KEYS, next(raw, 0)): _grown(raw, scalars) for _ in parts}


@cache
def texts() -> st.SearchStrategy[str]:
    """Strings, most of them chosen for their line breaks and white space."""
    return st.binary(min_size=1, max_size=16).map(_spell)


@cache
def json_values(*, floats: bool = False) -> st.SearchStrategy[Json]:
    """Any JSON value."""
    scalars = _scalars(floats=floats)
    return _RAW.map(lambda raw: _grown(iter(raw), scalars))


@cache
def json_objects(*, floats: bool = False) -> st.SearchStrategy[JsonObject]:
    """Any JSON object."""
    scalars = _scalars(floats=floats)
    return _RAW.map(lambda raw: cast("JsonObject", _grown(iter(b"\xff" + raw), scalars)))


_RAW = st.binary(min_size=12, max_size=40)


def _scalars(*, floats: bool) -> Pool:
    return (None, True, False, *INTS, *STRINGS, *(FLOATS if floats else ()))
