"""The lines of one segment, found by going through its bytes. Spec: ledger.md 7."""

from collections.abc import Callable, Iterator
from typing import BinaryIO, Final

from msgspec import Struct

from accounting.ledger.pick import Choice
from accounting.ledger.problem import Place, Problem, torn_tail
from accounting.ledger.segments import BLOCK, Block, Segment, blocks


class Rest(Struct, frozen=True, kw_only=True, gc=False):
    """What of a segment is to be gone through: nearly always all of it."""

    offset: int = 0
    """Byte offset of the first line to look at."""
    number: int = 1
    """Its number."""
    since: int = 0
    """Lines that begin before this offset have been handed out already."""


WHOLE: Final = Rest()
"""All of it."""


def scan(
    file: BinaryIO,
    segment: Segment,
    choose: Callable[[bytes], Choice],
    report: Callable[[Problem], None],
    rest: Rest = WHOLE,
) -> Iterator[tuple[bytes, Place]]:
    """The chosen lines of an open segment, without their newlines; what an older one ends in is reported."""
    number, since = rest.number, rest.since
    for block in rest_of(file, rest.offset):
        if not block.whole:
            if not segment.newest:
                place = Place(segment=segment.name, line=number, offset=block.offset)
                report(torn_tail(place, block.size))
            return
        chosen, count = choose(block.content)
        for index, start, end in chosen:
            offset = block.offset + start
            if offset >= since:
                yield block.content[start:end], Place(segment=segment.name, line=number + index, offset=offset)
        number += count


def rest_of(file: BinaryIO, start: int) -> Iterator[Block]:
    """The blocks of a file from the line that begins at `start` on."""
    # Read from a boundary as when all of it is read: where that cuts a run of zeros is part of what is told of it.
    boundary = start - start % BLOCK
    file.seek(boundary)
    if not start:
        yield from blocks(file)
        return
    for block in blocks(file):
        offset = boundary + block.offset
        before = max(start - offset, 0)
        if before < block.size:
            content = block.content[before:]
            yield Block(offset=offset + before, content=content, size=block.size - before, whole=block.whole)
