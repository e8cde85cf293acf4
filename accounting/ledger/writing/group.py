"""Drafts to lines: numbered, chained, in canonical bytes. Spec: ledger.md 1."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct, json, structs

from accounting.ledger.canonical import line_hash
from accounting.ledger.writing.check_draft import check_draft
from accounting.ledger.writing.draft import Draft
from accounting.ledger.writing.errors import AppendError
from wire.record.envelope import EventRecord
from wire.scalars import U64_MAX, B3Hash, Seq, TimeMs

# The fields of the Struct stand in canonical order, and the payload is copied as the bytes it is.
_encode: Final = json.Encoder().encode


class Group(Struct, frozen=True, kw_only=True):
    """Lines that are stored together or not at all."""

    records: tuple[EventRecord, ...]
    """What they record."""
    lines: tuple[bytes, ...]
    """Their bytes, each with its newline."""
    next_seq: Seq
    """The `seq` of the line after them."""
    prev: B3Hash
    """The `prev` of the line after them."""


def group(drafts: Sequence[Draft], seq: Seq, prev: B3Hash, now: TimeMs) -> Group:
    """The lines of the drafts, where the first has this `seq` and `prev`.

    Raises `DraftError` when any of them is refused, `AppendError` when there is no number left for them.
    """
    unplaced = [check_draft(draft, index, now) for index, draft in enumerate(drafts)]
    if seq + len(unplaced) - 1 > U64_MAX:
        raise AppendError(
            f"the numbering of a ledger ends at {U64_MAX}, and the next line would be {seq}: begin another"
        )
    records: list[EventRecord] = []
    lines: list[bytes] = []
    for number, record in enumerate(unplaced, seq):
        placed = structs.replace(record, seq=number, prev=prev)
        line = _encode(placed)
        records.append(placed)
        lines.append(line + b"\n")
        prev = line_hash(line)
    return Group(records=tuple(records), lines=tuple(lines), next_seq=seq + len(lines), prev=prev)
