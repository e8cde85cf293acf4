"""A ledger on disk, read record by record. Spec: ledger.md 7, rounds.md 0."""

import os
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from accounting.ledger.pick import CROSSING, every, owner, pick
from accounting.ledger.problem import Place, Problem
from accounting.ledger.record import LineReader
from accounting.ledger.scan import WHOLE, Rest, scan
from accounting.ledger.segments import Block, Segment, blocks, segments
from wire.record.envelope import Record
from wire.scalars import RunId

if TYPE_CHECKING:
    from accounting.ledger.following import Follower
    from accounting.ledger.index import Index


def _ignore(_: Problem) -> None:
    """What becomes of problems when nobody asks for them."""


class Ledger:
    """A directory of segments, or one file of lines. Nothing is read before it is asked for, or held after.

    `name` is what problems call a single file, where that is not its path. `index` is a directory for indexes, made
    when it is missing: with it, reading one run costs that run, and gives the same (docs/index.md). It does nothing
    without the extra `ledger`.

    Raises `accounting.ledger.NotALedgerError` for a directory without segments, `OSError` when the path cannot be read,
    `ValueError` for an index inside the ledger.
    """

    def __init__(
        self, path: str | os.PathLike[str], *, name: str | None = None, index: str | os.PathLike[str] | None = None
    ) -> None:
        self.path = Path(path)
        self.segments: tuple[Segment, ...] = segments(self.path, name)
        self._index_file = None if index is None else _index_file(Path(index), self.path)
        self._index: Index | None = None
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

    @property
    def indexing(self) -> bool:
        """Whether the read under way is extending the index just now; safe to ask from another thread."""
        index = self._index
        return index is not None and index.building

    def records(
        self, run: RunId | None = None, report: Callable[[Problem], None] = _ignore
    ) -> Iterator[tuple[Record, Place]]:
        """The records in file order, each with its place; problems go to `report` as they are met.

        With `run`: that run's records, and those of other runs that its answer can take something from; the
        payloads of the rest are not decoded.
        """
        reader = LineReader(report)
        for line, place in self._lines(report) if run is None else self._lines_of(run, report):
            record = reader.read(line, place)
            if record is not None and (run is None or record.run == run or record.kind in CROSSING):
                yield record, place

    def follow(
        self, run: RunId | None = None, report: Callable[[Problem], None] = _ignore, *, from_now: bool = False
    ) -> "Follower":
        """The records as `records` gives them, and then each new one as its line becomes whole: docs/following.md.

        With `from_now`, only those whose line is not whole yet. What cannot be read, and what a writer cut away again
        with the records that are void by that, goes to `report`; following goes on.

        Raises `NotALedgerError` or `OSError` with `from_now` when the ledger is gone. Spec: ledger.md 7.
        """
        # Nobody else here needs asyncio, which takes longer to import than all the rest.
        from accounting.ledger.following import Follower

        return Follower(self.path, self.segments[0].name, run, report, from_now=from_now)

    def run_ids(self, report: Callable[[Problem], None] = _ignore) -> dict[RunId, int]:
        """The runs that have lines here and how many each, in the order in which they first appear.

        Lines that open in canonical spelling are counted by that and not read any further; problems of the others go
        to `report`.
        """
        reader, silent = LineReader(report), LineReader(_ignore)
        lines: dict[RunId, int] = {}
        with self._opened_index() as index:
            for segment, file in self._files():
                found, rest = ({}, WHOLE) if index is None else index.runs(file, segment, reader)
                left = Rest(offset=rest.offset, number=rest.number)
                for line, place in scan(file, segment, every, report, left):
                    run = owner(line)
                    if run is None:
                        # What has been told already is not told again.
                        record = (reader if place.offset >= rest.since else silent).read(line, place)
                        run = None if record is None else record.run
                    if run is not None:
                        found[run] = found.get(run, 0) + 1
                for run, count in found.items():
                    lines[run] = lines.get(run, 0) + count
        return lines

    def blocks(self, first: int = 0) -> Iterator[tuple[Segment, Block, int]]:
        """The segments' bytes in blocks of whole lines, then each one's tail; with each its first line's number.

        `first` is the index of the segment to begin with.
        """
        for segment, file in self._files(first):
            number = 1
            for block in blocks(file):
                yield segment, block, number
                number += block.content.count(b"\n")

    def _lines(self, report: Callable[[Problem], None]) -> Iterator[tuple[bytes, Place]]:
        for segment, file in self._files():
            yield from scan(file, segment, every, report)

    def _lines_of(self, run: RunId, report: Callable[[Problem], None]) -> Iterator[tuple[bytes, Place]]:
        with self._opened_index() as index:
            for segment, file in self._files():
                rest = WHOLE if index is None else (yield from index.lines_of(file, segment, run))
                yield from scan(file, segment, partial(pick, run=run), report, rest)

    def _files(self, first: int = 0) -> Iterator[tuple[Segment, BinaryIO]]:
        """The segments, each with its file, open while it is at hand."""
        self._passed = sum(segment.path.stat().st_size for segment in self.segments[:first])
        for segment in self.segments[first:]:
            with segment.path.open("rb", buffering=0) as file:
                self._open = file
                yield segment, file
                self._passed += os.fstat(file.fileno()).st_size
                self._open = None

    @contextmanager
    def _opened_index(self) -> "Generator[Index | None]":
        if self._index_file is None:
            yield None
            return
        from accounting.ledger.index import Index

        with Index(self._index_file) as self._index:
            yield self._index


def _index_file(directory: Path, ledger: Path) -> Path | None:
    try:
        from accounting.ledger.index import index_file
    except ImportError:  # BLAKE3 comes with the extra `ledger`, and not every Python has SQLite
        return None
    return index_file(directory, ledger)
