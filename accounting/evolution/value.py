"""JSON values as schemas hold them: of which type one is, which two are equal, what is in it."""

from typing import Any, Final, TypeAlias

Json: TypeAlias = Any
"""A JSON value."""

TYPES: Final = ("null", "boolean", "number", "string", "array", "object")
"""The JSON types. An integer is a number."""
_BY_TYPE: Final = {bool: "boolean", int: "number", float: "number", str: "string", list: "array", dict: "object"}


def type_of(value: Json) -> str:
    """The JSON type of a value."""
    return "null" if value is None else _BY_TYPE[type(value)]


def same(one: Json, other: Json) -> bool:
    """Whether JSON takes two values for equal, in all their parts: `1` is `1.0`, and `true` is no number."""
    if type_of(one) != type_of(other):
        return False
    held, several = as_object(one), as_list(one)
    if held is not None:
        return held.keys() == other.keys() and all(same(held[key], other[key]) for key in held)
    if several is not None:
        return len(several) == len(other) and all(map(same, several, other))
    return bool(one == other)


def as_object(value: Json) -> dict[str, Json] | None:
    """The value, when it is an object."""
    held: dict[str, Json] = value
    return held if isinstance(value, dict) else None


def as_list(value: Json) -> list[Json] | None:
    """The value, when it is a list."""
    several: list[Json] = value
    return several if isinstance(value, list) else None
