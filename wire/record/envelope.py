"""The envelope: what stands around every payload. Spec: ledger.md 1, rounds.md 0."""

from typing import Annotated, Final

from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from wire.record.kinds import TIMED, Kind
from wire.scalars import U32_MAX, Address, B3Hash, JsonObject, RunId, Seq, TimeMs

NEWEST_VERSION: Final = 2
"""The newest version of the log format that this build knows."""


class EventRecord(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """One ledger line, held to the closed set of kinds; fields stand in canonical order. Spec: ledger.md 1.

    The payload stays as its bytes until `wire.payload` reads it as its kind's Struct. A view, which must also
    survive lines that this refuses, uses `Record`.
    """

    v: Annotated[int, Meta(ge=1, le=U32_MAX)]
    """Version of the log format that wrote the line."""
    run: RunId
    """Whose line it is; the nil uuid is the city itself."""
    seq: Seq
    """Position in the whole ledger: 0, 1, 2 ... with no gap, across runs and segments."""
    prev: B3Hash
    """BLAKE3 of the previous line's canonical bytes without the newline; 64 zeros on line 0."""
    t: TimeMs
    """UTC milliseconds. Not monotonic: order is `seq`."""
    who: str
    """The author: `city`, `person`, or a resident. Free text on read."""
    addr: Address | UnsetType = UNSET
    """Where; omitted when absent, never null."""
    kind: Kind
    """What the line records."""
    data: Raw
    """The payload: a JSON object of the kind's own shape."""
    ig: bool = False
    """A reader that does not know `kind` may skip the line. Written only when true; absent is false."""

    def __post_init__(self) -> None:
        if bytes(memoryview(self.data)[:1]) != b"{":
            raise ValueError("`data` is a JSON object")


class Record(Struct, frozen=True, kw_only=True, gc=False):
    """What a view needs of one line, its payload as the JSON object it is. Spec: rounds.md 0.

    `data` is not to be changed by whoever receives it.
    """

    v: int
    """Version of the log format; one beyond the newest known is read as the newest known."""
    run: RunId
    """Whose line it is."""
    seq: Seq
    """Position in the whole ledger."""
    t: TimeMs
    """UTC milliseconds."""
    kind: str
    """What the line records; any word."""
    data: JsonObject
    """The payload."""


def moment(record: Record) -> TimeMs | None:
    """When the record's own event happened, in UTC milliseconds; `None` is "not measured". Spec: ledger.md 2."""
    return record.t if record.v >= 2 and record.kind in TIMED else None
