"""One object out of bytes that hold nothing else: a file of the storage tree, or a column of the database."""

from typing import TypeVar

from msgspec import DecodeError, Struct, json

from accounting.foreign.fidelity import DamageCode, Fidelity
from accounting.foreign.objects import IsRow
from accounting.foreign.rows import Rows
from accounting.ledger.problem import Place

T = TypeVar("T", bound=Struct)


def decoded(data: bytes, shape: type[T], fidelity: Fidelity, place: Place, is_row: IsRow) -> T | None:
    """The object, damage contained and told of `place`; `None` when none reads.

    `is_row` keeps what stands inside a torn object from being taken for the object.
    """
    try:
        row = json.decode(data, type=shape)
    except (DecodeError, RecursionError, UnicodeDecodeError):
        found = list(Rows(place.segment, shape, fidelity, is_row).line(data, place.line, place.offset, last=True))
        if not data.strip():
            fidelity.damaged(place, DamageCode.torn_tail, "empty")
        return found[0][0] if found else None
    fidelity.rows += 1
    return row
