"""What was read out of one segment, and how much of it still stands. Spec: ledger.md 7.

A writer whose group of lines failed cuts them away, and may have written others in their place before anybody looks:
the length of the file says nothing then. So each line read leaves where it ends and a checksum of its bytes.
"""

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from typing import BinaryIO, Final
from zlib import crc32

from msgspec import Struct

from accounting.ledger.following.file import checksum
from accounting.ledger.segments import Segment

CHECKED: Final = 1 << 13
"""How many bytes of the newest lines are looked at again. By the chain (ledger.md 1) the last line alone vouches for
all before it; a few more cost nothing, and vouch where a `prev` is not what it should be."""


class Gone(Struct, frozen=True):
    """What was read and no longer stands."""

    size: int
    """How many bytes of the segment."""
    lines: int
    """How many whole lines."""
    seqs: Sequence[int]
    """The `seq` of every record among them that was handed out."""
    more: bool
    """Whether there may be more of them, in lines that are not remembered."""


class Trail:
    """The whole lines read out of a segment, and what stands after them.

    The first ones need not be remembered; they count as standing until all that is remembered has fallen.
    """

    def __init__(self, segment: Segment) -> None:
        self.segment: Final = segment
        self.end = 0
        """Offset after the last whole line."""
        self.lines = 0
        """How many whole lines."""
        self.held = 0
        """Bytes of an unfinished line after them, as far as it was read."""
        self.blank = 0
        """Offset up to which there were only zeros after those."""
        self._held_sum = 0
        self._forgotten = (0, 0)  # lines, and where the last of them ends
        self._ends = array("Q")
        self._sums = array("I")
        self._handed = array("Q")
        self._seqs = array("Q")

    def add(self, block: bytes) -> None:
        """Take in a block of whole lines, none longer than `BLOCK`, and remember each."""
        find, content = block.find, memoryview(block)
        start, before = 0, len(self._ends)
        while end := find(b"\n", start) + 1:
            self._ends.append(self.end + end)
            self._sums.append(crc32(content[start:end]))
            start = end
        self._move(len(self._ends) - before, len(block))

    def add_long(self, size: int, checksum: int) -> None:
        """Take in one line of any length, and remember it."""
        self._ends.append(self.end + size)
        self._sums.append(checksum)
        self._move(1, size)

    def pass_by(self, block: bytes, lines: int) -> None:
        """Take in a block as `add` does, but remember no line but the last."""
        del self._ends[:], self._sums[:], self._handed[:], self._seqs[:]
        start = block.rfind(b"\n", 0, -1) + 1
        self._forgotten = (self.lines + lines - 1, self.end + start)
        self._ends.append(self.end + len(block))
        self._sums.append(crc32(memoryview(block)[start:]))
        self._move(lines, len(block))

    def hand_out(self, line: int, seq: int) -> None:
        """Note that the record in that line, by number, is handed out."""
        self._handed.append(line)
        self._seqs.append(seq)

    def hold(self, file: BinaryIO, size: int) -> None:
        """Note that an unfinished line of `size` bytes stands after the whole ones."""
        self.held = size
        self._held_sum = checksum(file, self.end, self.end + size)

    def stands(self, file: BinaryIO) -> bool:
        """Whether the last line, and the unfinished one after it, are in the file as they were read."""
        return self._line_stands(file, len(self._ends) - 1) and self._held_stands(file)

    def cut(self, file: BinaryIO | None) -> Gone:
        """Go back to the last line that still stands in the file; without a file, to the beginning."""
        size, lines = self.end + self.held, self.lines
        standing = 0 if file is None else self._standing(file)
        seqs: Sequence[int] = ()
        more = False
        if file is None or standing < len(self._ends):
            if not standing:
                more, self._forgotten = self._forgotten != (0, 0), (0, 0)
            self.lines, self.end = self._forgotten[0] + standing, self._start(standing)
            first = bisect_right(self._handed, self.lines)
            seqs = self._seqs[first:]
            del self._ends[standing:], self._sums[standing:], self._handed[first:], self._seqs[first:]
            self.held = self.blank = 0
        elif not self._held_stands(file):
            self.held = self.blank = 0
        return Gone(size=size - self.end - self.held, lines=lines - self.lines, seqs=seqs, more=more)

    def _move(self, lines: int, size: int) -> None:
        self.lines += lines
        self.end += size
        self.held = 0

    def _standing(self, file: BinaryIO) -> int:
        """How many of the lines stand."""
        high = len(self._ends)
        while high:
            low = min(high - 1, bisect_right(self._ends, self._ends[high - 1] - CHECKED))
            fallen = next((index for index in range(low, high) if not self._line_stands(file, index)), high)
            if fallen > low:
                return fallen
            high = low
        return 0

    def _start(self, index: int) -> int:
        return self._ends[index - 1] if index else self._forgotten[1]

    def _line_stands(self, file: BinaryIO, index: int) -> bool:
        return index < 0 or checksum(file, self._start(index), self._ends[index]) == self._sums[index]

    def _held_stands(self, file: BinaryIO) -> bool:
        return not self.held or checksum(file, self.end, self.end + self.held) == self._held_sum
