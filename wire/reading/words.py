"""Reading one word of a closed set. Spec: rounds.md, law "each field reads on its own"."""

from enum import StrEnum
from typing import TypeVar

from wire.scalars import Json

W = TypeVar("W", bound=StrEnum)


def word(value: Json, words: type[W]) -> W | None:
    """The member of a closed set that the value spells, else `None`."""
    try:
        return words(value) if isinstance(value, str) else None
    except ValueError:
        return None
