"""Two answers compared: what a JSON value comes to when absent is null, and where two of them differ. rounds.md 1, 2.

Absent equals null in objects, key order is free, integers are exact (`1` is neither `1.0` nor `true`), text is exact,
and the `cause` of an `unreadable` note counts up to its colon.
"""

import json
import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Final

from msgspec import Struct

from wire.scalars import Json, JsonObject

_plain_key: Final = re.compile(r"\A[A-Za-z_][A-Za-z0-9_]*\Z").match


class What(StrEnum):
    """In what way a place differs."""

    differs = "differs"
    """Both have something there, and it is not the same."""
    missing = "missing"
    """The answer has nothing where something belongs."""
    unexpected = "unexpected"
    """The answer has something where nothing belongs."""


class Difference(Struct, frozen=True, kw_only=True):
    """One place where an answer is not what it should be."""

    path: str
    """Where: `turns[1].calls[0].answered`; empty for the answer as a whole."""
    what: What
    """In what way."""
    expected: Json
    """What should be there; `None` for nothing."""
    actual: Json
    """What is there; `None` for nothing."""


def normal(answer: Json) -> Json:
    """The value with nulls left out of its objects, and causes cut after their colon: equal answers come to equal ones.

    Python's `==` is not enough to compare two of them, since there `1 == 1.0 == True`: `differences` does.
    """
    if isinstance(answer, dict):
        found = {key: normal(value) for key, value in answer.items() if value is not None}
        unreadable = found.get("unreadable")
        if isinstance(unreadable, dict) and isinstance(cause := unreadable.get("cause"), str):
            found["unreadable"] = {**unreadable, "cause": _up_to_colon(cause)}
        return found
    if isinstance(answer, list):
        return [normal(item) for item in answer]
    return answer


def differences(expected: Json, actual: Json) -> tuple[Difference, ...]:
    """Every place where the two differ, in the order of `expected`; what only `actual` has comes after its siblings."""
    return tuple(_compare("", normal(expected), normal(actual)))


def _up_to_colon(cause: str) -> str:
    kind, colon, _ = cause.partition(":")
    return kind + colon


def _compare(path: str, expected: Json, actual: Json) -> Iterator[Difference]:
    if isinstance(expected, dict) and isinstance(actual, dict):
        yield from _compare_objects(path, expected, actual)
    elif isinstance(expected, list) and isinstance(actual, list):
        yield from _compare_lists(path, expected, actual)
    elif type(expected) is not type(actual) or expected != actual:
        yield Difference(path=path, what=What.differs, expected=expected, actual=actual)


def _compare_objects(path: str, expected: JsonObject, actual: JsonObject) -> Iterator[Difference]:
    for key, value in expected.items():
        where = _inside(path, key)
        if key in actual:
            yield from _compare(where, value, actual[key])
        else:
            yield Difference(path=where, what=What.missing, expected=value, actual=None)
    for key, value in actual.items():
        if key not in expected:
            yield Difference(path=_inside(path, key), what=What.unexpected, expected=None, actual=value)


def _compare_lists(path: str, expected: list[Json], actual: list[Json]) -> Iterator[Difference]:
    for index, (one, other) in enumerate(zip(expected, actual, strict=False)):
        yield from _compare(f"{path}[{index}]", one, other)
    shared = min(len(expected), len(actual))
    for index, value in enumerate(expected[shared:], shared):
        yield Difference(path=f"{path}[{index}]", what=What.missing, expected=value, actual=None)
    for index, value in enumerate(actual[shared:], shared):
        yield Difference(path=f"{path}[{index}]", what=What.unexpected, expected=None, actual=value)


def _inside(path: str, key: str) -> str:
    name = key if _plain_key(key) else json.dumps(key)
    return f"{path}.{name}" if path else name
