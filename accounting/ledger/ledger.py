"""A ledger on disk, read record by record. Spec: ledger.md 7, rounds.md 0."""

import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO

from accounting.ledger.pick import CROSSING, Choice, every, owner, pick
from accounting.ledger.problem import Place, Problem, ProblemCode
from accounting.ledger.record import LineReader
from accounting.ledger.segments import Block, Segment, blocks, segments
from wire.record.envelope import Record
from wire.scalars import RunId


def _ignore(_: Problem) -> None:
    """What becomes of problems when nobody asks for them."""


class Ledger:
    """A directory of segments, or one file of lines. Nothing is read before it is asked for, or held after.

    `name` is what problems call a single file, where that is not its path.

    Raises `accounting.ledger.NotALedgerError` for a directory without segments, `OSError` when the path cannot be read.
    """

    def __init__(self, path: str | os.PathLike[str], *, name: str | None = None) -> None:
        self.path = Path(path)
        self.segments: tuple[Segment, ...] = segments(self.path, name)
        self._open: BinaryIO | None = None
        self._passed = 0

    @property
    def size(self) -> int:
        """Bytes in all segments, now."""
        return sum(segment.path.stat().st_size for segment in self.segments)

    @property
    def position(self) -> int:
        """Bytes the read under way has taken in so far; safe to ask from another thread."""
        file = self._open
        try:
            return self._passed + (0 if file is None else os.lseek(file.fileno(), 0, os.SEEK_CUR))
        except (ValueError, OSError):  # closed between the two
            return self._passed

    def records(
        self, run: RunId | None = None, report: Callable[[Problem], None] = _ignore
    ) -> Iterator[tuple[Record, Place]]:
        """The records in file order, each with its place; problems go to `report` as they are met.

        With `run`: that run's records, and those of other runs that its answer can take something from; the
        payloads of the rest are not decoded.
        """
        reader = LineReader(report)
        for line, place in self._lines(every if run is None else partial(pick, run=run), report):
            record = reader.read(line, place)
            if record is not None and (run is None or record.run == run or record.kind in CROSSING):
                yield record, place

    def run_ids(self, report: Callable[[Problem], None] = _ignore) -> dict[RunId, int]:
        """The runs that have lines here and how many each, in the order in which they first appear.

        Lines that open in canonical spelling are counted by that and not read any further; problems of the others go
        to `report`.
        """
        reader = LineReader(report)
        lines: dict[RunId, int] = {}
        for line, place in self._lines(every, report):
            run = owner(line)
            if run is None and (record := reader.read(line, place)) is not None:
                run = record.run
            if run is not None:
                lines[run] = lines.get(run, 0) + 1
        return lines

    def blocks(self, first: int = 0) -> Iterator[tuple[Segment, Block, int]]:
        """The segments' bytes in blocks of whole lines, then each one's tail; with each its first line's number.

        `first` is the index of the segment to begin with.
        """
        self._passed = sum(segment.path.stat().st_size for segment in self.segments[:first])
        for segment in self.segments[first:]:
            with segment.path.open("rb", buffering=0) as file:
                self._open = file
                number = 1
                for block in blocks(file):
                    yield segment, block, number
                    number += block.content.count(b"\n")
                self._passed += os.fstat(file.fileno()).st_size
                self._open = None

    def _lines(
        self, choose: Callable[[bytes], Choice], report: Callable[[Problem], None]
    ) -> Iterator[tuple[bytes, Place]]:
        """The chosen lines of every segment, without their newlines; what an older segment ends in is reported."""
        for segment, block, number in self.blocks():
            if block.whole:
                for index, start, end in choose(block.content)[0]:
                    place = Place(segment=segment.name, line=number + index, offset=block.offset + start)
                    yield block.content[start:end], place
            elif not segment.newest:
                report(_torn(segment, block, number))


def _torn(segment: Segment, block: Block, number: int) -> Problem:
    return Problem(
        code=ProblemCode.torn_tail,
        place=Place(segment=segment.name, line=number, offset=block.offset),
        expected="a newline at the end of every segment but the newest",
        found=f"{len(block.content)} bytes after the last newline",
    )
