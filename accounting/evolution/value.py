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
    """Whether JSON takes two values without parts for equal: `1` is `1.0`, and `true` is no number."""
    return type_of(one) == type_of(other) and bool(one == other)


def as_object(value: Json) -> dict[str, Json] | None:
    """The value, when it is an object."""
    held: dict[str, Json] = value
    return held if isinstance(value, dict) else None


def as_list(value: Json) -> list[Json] | None:
    """The value, when it is a list."""
    several: list[Json] = value
    return several if isinstance(value, list) else None
