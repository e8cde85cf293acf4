"""What an index says of one segment, and its bytes: sealed, so that damage to them is noticed."""

from collections.abc import Iterator
from functools import lru_cache
from operator import itemgetter
from struct import Struct as Packing
from typing import Final

from blake3 import blake3
from msgspec import DecodeError, Struct, msgpack

from wire.scalars import RunId, run_id

PLACE: Final = Packing("<QQQI")
"""One line: byte offset, length without the newline, number from 1, CRC-32."""
_OWNER: Final = Packing("<16sQQ16s")
SEAL: Final = 16
"""Bytes of a seal."""


class DamagedError(Exception):
    """What is stored is not what was stored, or is about another ledger: the index has to be begun anew."""


class Stat(Struct, frozen=True, kw_only=True, array_like=True, gc=False):
    """What tells a file from another, and from itself after a change."""

    device: int
    inode: int
    size: int
    modified: int
    """Nanoseconds."""
    changed: int
    """Nanoseconds; unlike `modified` nobody can set it."""


class Owned(Struct, frozen=True, kw_only=True, gc=False):
    """One run in one part."""

    run: bytes
    """The run's id as 16 bytes."""
    lines: int
    """Lines that `Ledger.run_ids` counts for it."""
    first: int
    """Number of the first of them; 0 when there is none."""
    seal: bytes
    """Seal of the places of its lines; zeros when no line is its own."""


class Part(Struct, frozen=True, kw_only=True, array_like=True, gc=False):
    """Consecutive lines of a segment. Places are packed as `PLACE`, in file order."""

    start: int
    """Byte offset of the first line."""
    owners: bytes
    """Every run that has a line here or whose business one is, packed; places of its lines are stored apart."""
    crossing: bytes
    """Places of lines that every run's answer can take something from."""
    odd: bytes
    """Places of lines that are reported to whoever reads the ledger."""


class State(Struct, frozen=True, kw_only=True, array_like=True, gc=False):
    """What is indexed of a segment: whole lines, from its beginning on."""

    stat: Stat | None
    """The file's when it was indexed, if any later change is sure to show in it; else null."""
    end: int
    """Bytes that are indexed."""
    lines: int
    """Lines that are indexed."""
    digest: bytes
    """BLAKE3 of the bytes that are indexed."""
    parts: tuple[Part, ...]
    """In file order."""


_decode: Final = msgpack.Decoder(State).decode


def seal(content: bytes) -> bytes:
    """What tells these bytes from any others."""
    return blake3(content).digest(SEAL)


def sealed(state: State) -> bytes:
    """The state as it is stored."""
    content = msgpack.encode(state)
    return seal(content) + content


def unsealed(stored: object) -> State:
    """A stored state. Raises `DamagedError` when that is not what was stored."""
    if not isinstance(stored, bytes) or seal(content := stored[SEAL:]) != stored[:SEAL]:
        raise DamagedError("a segment's state")
    try:
        return _decode(content)
    except DecodeError as error:
        raise DamagedError("a segment's state") from error


def packed(owners: list[Owned]) -> bytes:
    """The runs of a part as it keeps them."""
    return b"".join(_OWNER.pack(one.run, one.lines, one.first, one.seal) for one in owners)


def counted_runs(part: Part) -> Iterator[tuple[bytes, int]]:
    """The runs of a part that are counted, and how many lines each has, in the order in which they first appear."""
    for run, lines, _, _ in sorted(_OWNER.iter_unpack(part.owners), key=itemgetter(2)):
        if lines:
            yield run, lines


def owned(part: Part, run: bytes) -> Owned | None:
    """One run of a part; `None` when nothing there is its business."""
    at = part.owners.find(run)
    while at != -1 and at % _OWNER.size:
        at = part.owners.find(run, at + 1)
    if at == -1:
        return None
    _, lines, first, places = _OWNER.unpack_from(part.owners, at)
    return Owned(run=run, lines=lines, first=first, seal=places)


def short(run: RunId | bytes) -> bytes:
    """A run's id as 16 bytes."""
    return bytes.fromhex((run if isinstance(run, str) else run.decode()).replace("-", ""))


@lru_cache(maxsize=1 << 14)
def full(run: bytes) -> RunId:
    """The id that was shortened."""
    digits = run.hex()
    id_ = run_id("-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:])))
    assert id_ is not None
    return id_
