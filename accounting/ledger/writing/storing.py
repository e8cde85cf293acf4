"""A group of lines on disk, whole, or nothing of it. Spec: ledger.md 7."""

import errno
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from io import FileIO
from pathlib import Path

from msgspec import Struct

from accounting.ledger.segments import SEGMENT_LIMIT, segment_name
from accounting.ledger.writing.errors import AppendError, WriterUnusableError
from accounting.ledger.writing.group import Group
from accounting.ledger.writing.system import System
from wire.scalars import B3Hash, Seq


class Tip(Struct, frozen=True, kw_only=True):
    """Where a ledger ends: all that is before it is on the disk itself."""

    path: Path
    """The newest segment."""
    file: FileIO
    """The same, open to append to."""
    size: int
    """Its bytes."""
    next_seq: Seq
    """The `seq` of the next line."""
    prev: B3Hash
    """The `prev` of the next line."""


class _Begun(Struct, kw_only=True):
    """A segment that the group under way has begun."""

    path: Path
    file: FileIO | None = None


class _State(Struct, frozen=True, kw_only=True):
    """What is stored, and what of a group under way may have to be taken back: replaced as one, never half."""

    tip: Tip
    begun: list[_Begun] | None
    """The segments that the group under way has begun, in order; `None` when no group is under way."""


class Store:
    """Appends groups at a tip, and takes back what failed."""

    def __init__(self, tip: Tip, system: System) -> None:
        self._state = _State(tip=tip, begun=None)
        self._system = system

    @property
    def tip(self) -> Tip:
        """Where the ledger ends; a group under way is past that."""
        return self._state.tip

    @property
    def midway(self) -> bool:
        """Whether part of a group may be on disk: while one is written, and for good once it cannot be taken back."""
        return self._state.begun is not None

    @property
    def untouched(self) -> bool:
        """Whether the newest segment is as this writer left it."""
        stat = os.fstat(self.tip.file.fileno())
        return stat.st_size == self.tip.size and stat.st_nlink > 0

    def add(self, group: Group) -> None:
        """Put a group on the disk.

        Raises `AppendError` when that failed and nothing is left of it, `WriterUnusableError` when it could not be
        taken back either.
        """
        before = self.tip
        begun: list[_Begun] = []
        try:
            self._state = _State(tip=before, begun=begun)
            # The group counts from this assignment on: an interruption before it takes all back, one after it nothing.
            self._state = _State(tip=self._written(group, begun), begun=None)
        except BaseException as error:
            if self.midway:
                self._take_back_after(error, len(group.lines))
            raise
        for file in (before.file, *(segment.file for segment in begun)):
            if file is not None and file is not self.tip.file:
                with suppress(OSError):  # its bytes are on the disk
                    file.close()

    def take_back(self) -> None:
        """Cut back to where the group under way began, durably. Raises `OSError`."""
        tip, begun = self._state.tip, self._state.begun
        # The newest first, and each for good: no crash may leave a segment whose predecessor is gone or cut.
        while begun:
            if begun[-1].file is not None:
                begun[-1].file.close()
            self._system.remove(begun[-1].path)
            self._system.sync_directory(tip.path.parent)
            begun.pop()
        self._system.truncate(tip.file, tip.size)
        self._system.barrier(tip.file)
        self._state = _State(tip=tip, begun=None)

    def close(self) -> None:
        """Let go of the files. A group that could not be taken back is given one more try."""
        try:
            if self.midway:
                with suppress(OSError):
                    self.take_back()
        finally:
            for file in (self.tip.file, *(segment.file for segment in self._state.begun or ())):
                if file is not None:
                    file.close()

    def _take_back_after(self, error: BaseException, lines: int) -> None:
        """Take back the group that failed so, and raise what the caller is to know of it, if it is not `error`."""
        place = f"{self.tip.path} (byte {self.tip.size})"
        try:
            self.take_back()
        except OSError as failure:
            why = str(error) or type(error).__name__
            sorry = (
                f"{place}: a group of {lines} lines failed ({why}) and could not be cut off again ({failure}): "
                "this writer writes no more. Mend the disk, close the writer, and open the ledger again"
            )
            if not isinstance(error, OSError):
                error.add_note(sorry)
                return
            raise WriterUnusableError(sorry) from error
        if isinstance(error, OSError):
            raise AppendError(
                f"{place}: {error}: nothing of the group of {lines} lines was kept. "
                "The ledger is as it was before, and this writer can go on once the cause is mended"
            ) from error

    def _written(self, group: Group, begun: list[_Begun]) -> Tip:
        path, file, size = self.tip.path, self.tip.file, self.tip.size
        for first, lines in _by_segment(group.lines, size):
            if first is not None:
                # What the old segment holds is durable before there is a new one.
                self._system.barrier(file)
                path = self.tip.path.with_name(segment_name(self.tip.next_seq + first))
                file, size = self._begin(path, begun), 0
            content = b"".join(lines)
            self._write(file, content)
            size += len(content)
        self._system.barrier(file)
        return Tip(path=path, file=file, size=size, next_seq=group.next_seq, prev=group.prev)

    def _begin(self, path: Path, begun: list[_Begun]) -> FileIO:
        segment = _Begun(path=path)
        begun.append(segment)  # known before it is there, so that an interruption leaves none behind
        try:
            segment.file = self._system.create(path)
        except FileExistsError:
            begun.pop()  # not this writer's to remove
            raise
        self._system.sync_directory(path.parent)
        return segment.file

    def _write(self, file: FileIO, content: bytes) -> None:
        rest = memoryview(content)
        while rest:
            taken = self._system.write(file, rest)
            if not taken:
                raise OSError(errno.EIO, "the system takes no bytes", str(file.name))
            rest = rest[taken:]


def _by_segment(lines: Sequence[bytes], size: int) -> Iterator[tuple[int | None, Sequence[bytes]]]:
    """The lines for the segment at hand, of which there are `size` bytes, then those for each new one.

    With the latter stands the index of their first line.
    """
    start, first = 0, None
    for index, line in enumerate(lines):
        if size and size + len(line) > SEGMENT_LIMIT:
            yield first, lines[start:index]
            start = first = index
            size = 0
        size += len(line)
    yield first, lines[start:]
