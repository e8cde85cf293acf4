"""Lines read where the index says they stand, each proven to be the line meant."""

from collections.abc import Callable, Generator
from itertools import chain
from typing import BinaryIO
from zlib import crc32

from msgspec import Struct

from accounting.ledger.index.state import PLACE
from accounting.ledger.problem import Place
from accounting.ledger.scan import Rest
from accounting.ledger.segments import Segment


class Known(Struct, frozen=True, kw_only=True, gc=False):
    """The lines of a segment that the index knows to be somebody's business."""

    end: int
    """Byte offset of what is not indexed."""
    lines: int
    """Lines before that."""
    places: tuple[tuple[bytes, ...], ...]
    """Their places, packed as `PLACE`: part by part in file order, within a part in several lots."""


def indexed_lines(file: BinaryIO, segment: Segment, known: Known) -> Generator[tuple[bytes, Place], None, Rest]:
    """The known lines in file order, without their newlines; what is left to be scanned is returned.

    That is all of the segment as soon as one line is not there any more: those that came before it stand.
    """
    since = 0
    for lots in known.places:
        for offset, length, number, crc in sorted(chain.from_iterable(map(PLACE.iter_unpack, lots))):
            line = _line_at(file, offset, length)
            if line is None or crc32(line) != crc:
                return Rest(since=since)
            yield line, Place(segment=segment.name, line=number, offset=offset)
            since = offset + 1
    return Rest(offset=known.end, number=known.lines + 1, since=known.end)


def _line_at(file: BinaryIO, offset: int, length: int) -> bytes | None:
    """The line that begins at an offset and is so long; `None` when none does."""
    before = min(offset, 1)
    file.seek(offset - before)
    found = file.read(before + length + 1)
    if len(found) != before + length + 1 or not found.endswith(b"\n") or (before and not found.startswith(b"\n")):
        return None
    return found[before:-1]


def each_line(lines: Generator[tuple[bytes, Place], None, Rest], take: Callable[[bytes, Place], object]) -> Rest:
    """Hand every line on; what is left to be scanned comes back."""
    while True:
        try:
            line, place = next(lines)
        except StopIteration as end:
            rest: Rest = end.value
            return rest
        take(line, place)
