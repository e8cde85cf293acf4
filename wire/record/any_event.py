"""A ledger line of any kind: for checking and carrying ledgers that newer writers wrote to. Spec: ledger.md 1, 3."""

from typing import Annotated, Final

from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from wire.record.envelope import EventRecord
from wire.record.kinds import Kind
from wire.scalars import U32_MAX, Address, B3Hash, KindWord, RunId, Seq, TimeMs

_KNOWN: Final = {kind.value: kind for kind in Kind}


class AnyEvent(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """One ledger line of any kind: the envelope of an `EventRecord`, and a kind that this schema need not know.

    The payload stays as its bytes. `known` is the line as code takes it: an `EventRecord`, whose payload
    `wire.payload` reads. Spec: ledger.md 1, 3.
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
    kind: KindWord
    """What the line records; the words of `Kind`, and any other. A checker wants `ig` on a line of another."""
    data: Raw
    """The payload: a JSON object of the kind's own shape; of a kind that is not in `Kind`, any JSON object."""
    ig: bool = False
    """A reader that does not know `kind` may skip the line. Written only when true; absent is false."""

    def __post_init__(self) -> None:
        if bytes(memoryview(self.data)[:1]) != b"{":
            raise ValueError("`data` is a JSON object")

    @property
    def known(self) -> EventRecord | None:
        """The line as a record of the closed set; `None` when this build does not know its kind."""
        kind = _KNOWN.get(self.kind)
        if kind is None:
            return None
        return EventRecord(
            v=self.v,
            run=self.run,
            seq=self.seq,
            prev=self.prev,
            t=self.t,
            who=self.who,
            addr=self.addr,
            kind=kind,
            data=self.data,
            ig=self.ig,
        )
