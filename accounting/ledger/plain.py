"""Payloads as a writer may write them: 64-bit integers, no floats, 126 containers deep at most. Spec: ledger.md 1."""

from functools import reduce
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

from msgspec import Meta

from accounting.ledger.parse import DEEPEST_WRITTEN
from wire.scalars import I64_MIN, U64_MAX, Json, JsonObject

_SHALLOW: Final = 6

if TYPE_CHECKING:
    Shallow: TypeAlias = JsonObject
else:
    _Scalar = bool | str | Annotated[int, Meta(ge=I64_MIN, le=-I64_MIN - 1)] | None
    _Value = reduce(lambda value, _: _Scalar | list[value] | dict[str, value], range(_SHALLOW), _Scalar)
    Shallow = dict[str, _Value]
    """Nearly every payload: proven plain while it is decoded, at no cost. What does not fit may still be plain."""


def plain(data: JsonObject) -> bool:
    """Whether a payload without floats nests no deeper than a writer may, and its integers fit 64 bits."""
    level: list[JsonObject | list[Json]] = [data]
    for _ in range(DEEPEST_WRITTEN):
        deeper: list[Any] = []
        for container in level:
            for value in container.values() if isinstance(container, dict) else container:
                if isinstance(value, dict | list):
                    deeper.append(value)
                elif type(value) is int and not I64_MIN <= value <= U64_MAX:
                    return False
        if not deeper:
            return True
        level = deeper
    return False
