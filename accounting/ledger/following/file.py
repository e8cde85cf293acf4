"""Small reads in a file of a ledger that somebody else is writing."""

from bisect import bisect_left
from os import SEEK_END
from typing import BinaryIO
from zlib import crc32

from accounting.ledger.segments import BLOCK, Segment


class Opened:
    """The file that is being read; one at a time."""

    def __init__(self) -> None:
        self._file: BinaryIO | None = None

    def __call__(self, segment: Segment) -> BinaryIO:
        """The segment's file, opened unless it is. Another one has to be closed before."""
        if self._file is None:
            self._file = segment.path.open("rb", buffering=0)
        return self._file

    def close(self) -> None:
        """Close it, if there is one. The next reading opens it again."""
        file, self._file = self._file, None
        if file is not None:
            file.close()


def checksum(file: BinaryIO, start: int, end: int) -> int:
    """Of all the bytes, or of the first and last ones where there are many: two small reads however long a line is."""
    # A line's `seq`, `prev` and `t` are among its first bytes.
    file.seek(start)
    if end - start <= 2 * BLOCK:
        return crc32(file.read(end - start))
    first = crc32(file.read(BLOCK))
    file.seek(end - BLOCK)
    return crc32(file.read(BLOCK), first)


def all_zeros(file: BinaryIO, start: int, end: int) -> bool:
    """Whether nothing but zeros is there."""
    file.seek(start)
    return not any(file.read(min(BLOCK, end - at)).strip(b"\0") for at in range(start, end, BLOCK))


def content_size(file: BinaryIO) -> int:
    """The size of a file without the zeros at its end; perhaps less where there are zeros in its midst."""

    def is_zero(offset: int) -> bool:
        file.seek(offset)
        return file.read(1) == b"\0"

    size = file.seek(0, SEEK_END)
    return bisect_left(range(size), x=True, key=is_zero) if size and is_zero(size - 1) else size


def end_of_lines(file: BinaryIO) -> int:
    """Where the last whole line ends."""
    at = file.seek(0, SEEK_END)
    while at:
        start = max(0, at - BLOCK)
        file.seek(start)
        if end := file.read(at - start).rfind(b"\n") + 1:
            return start + end
        at = start
    return 0
