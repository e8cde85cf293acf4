"""What a ledger holds now that it did not hold before: one look at a time. Spec: ledger.md 7, rounds.md 0."""

import os
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias

from accounting.ledger.following.file import Opened, all_zeros, checksum, end_of_lines
from accounting.ledger.following.trail import Trail
from accounting.ledger.following.trails import Trails, reach
from accounting.ledger.pick import CROSSING, every, pick
from accounting.ledger.problem import Place, Problem, ProblemCode, torn_tail
from accounting.ledger.record import LineReader, Report
from accounting.ledger.segments import BLOCK, NotALedgerError, Segment, segments
from wire.record.envelope import Record
from wire.scalars import RunId

Found: TypeAlias = tuple[Record, Place] | None
"""A record; or nothing, after a small read, so that whoever asked can see to something else."""


class _UnreadableError(Exception):
    """The ledger cannot be read now."""


class _GoneError(Exception):
    """A segment that was listed is there no more."""


class Tail:
    """The growing end of a ledger. Nothing here waits or watches.

    `name` is what problems call a single file.

    Raises `OSError` and `NotALedgerError` with `from_now`, which reads where the ledger ends.
    """

    def __init__(self, path: Path, name: str, run: RunId | None, report: Report, *, from_now: bool) -> None:
        self._path: Final = path
        self._name: Final = name
        self._run: Final = run
        self._report: Final = report
        self._choose: Final = every if run is None else partial(pick, run=run)
        self._reader: Final = LineReader(report)
        self._trails: Final = Trails()
        self._trouble = ""
        self.opened: Final = Opened()
        # Lines that begin before this were there when only new ones were asked for.
        self._since: tuple[str, int] = self._now() if from_now else ("", 0)

    def look(self) -> Iterator[Found]:
        """What came since the last look, in file order. It has to be exhausted before the next one.

        What was cut away since then, and what cannot be read, goes to `report`; nothing is raised.
        """
        settled = False
        while not settled:
            try:
                with _readable(listing=True):
                    listed = segments(self._path, self._name)
                with _readable():
                    fallen = self._trails.settle(listed)
                if fallen is not None and fallen.place is not None:
                    # What comes here now is new, however old the ledger.
                    self._since = min(self._since, (fallen.place.segment, fallen.place.offset))
                    self._report(fallen)
                settled = yield from self._read(listed)
                self._trouble = ""
            except _GoneError:
                pass
            except _UnreadableError as error:
                settled = True
                self._tell_unreadable(str(error))
            self.opened.close()
            if not settled:
                yield None

    def _read(self, listed: Sequence[Segment]) -> Generator[Found, None, bool]:
        """Read to the end of what is listed. False when what was read before no longer stands."""
        trail = self._trails.newest
        if trail is None:
            # Of what is left out, as much is read as could still be cut away.
            first = next(one for one in listed if one.name >= self._since[0] or reach(one, listed) is not None)
            trail = self._trails.enter(first, first=first is listed[0])
        while (yield from self._read_segment(trail, listed)):
            following = next((segment for segment in listed if segment.name > trail.segment.name), None)
            if following is None:
                return True
            # It was listed before this one was read to its end: whatever was to come here has come.
            self.opened.close()
            with _readable():
                self.opened(following)
            if trail.held and (trail.segment.name, trail.end) >= self._since:
                self._report(torn_tail(self._here(), trail.held))
            trail = self._trails.enter(following, first=False)
        return False

    def _read_segment(self, trail: Trail, listed: Sequence[Segment]) -> Generator[Found, None, bool]:
        """Read a segment to its end. False when what was read of it before no longer stands."""
        kept = reach(trail.segment, listed)
        at = trail.end + trail.held
        while True:
            chunk = self._chunk(trail, at)
            if chunk is None:
                return False
            if not chunk:
                return True
            number, offset = trail.lines + 1, trail.end
            newline = chunk.find(b"\n") + 1
            if not newline:
                at = self._unfinished(trail, chunk, at)
                yield None
                continue
            if at + newline - offset > BLOCK:
                lines = self._long_line(trail, at + newline)
                if lines is None:
                    return False
                yield from self._records(trail, lines, self._choose(lines)[0], number, offset)
            elif at == offset:
                lines = chunk[: chunk.rfind(b"\n") + 1]
                chosen, count = self._choose(lines)
                if kept is None or offset + len(lines) < kept:
                    trail.pass_by(lines, count)
                else:
                    trail.add(lines)
                yield from self._records(trail, lines, chosen, number, offset)
            at = trail.end
            yield None

    def _chunk(self, trail: Trail, at: int) -> bytes | None:
        """The bytes from `at`, some of them; `None` when what was read before no longer stands."""
        with _readable():
            file = self.opened(trail.segment)
            file.seek(at)
            chunk = file.read(BLOCK)
            # After reading, not before: what came with lines that stand belongs after them.
            return chunk if trail.stands(file) else None

    def _unfinished(self, trail: Trail, chunk: bytes, at: int) -> int:
        """Note that no line ends in these bytes from `at`; where to read next."""
        content = len(chunk.rstrip(b"\0"))
        end, held = at + len(chunk), trail.end + trail.held
        if content:
            with _readable():
                file = self.opened(trail.segment)
                if not all_zeros(file, held, at):  # any more: a line was begun where there were zeros
                    trail.blank = 0
                    return held
                trail.hold(file, at + content - trail.end)
        elif end < trail.blank:
            return trail.blank
        if content < len(chunk):
            trail.blank = end
        return end

    def _long_line(self, trail: Trail, end: int) -> bytes | None:
        """The line after the whole ones, up to `end`; `None` when it is no longer what it was while it was read.

        Of each long run of zeros one is kept: it is no line anyway.
        """
        pieces: list[bytes] = []
        with _readable():
            file = self.opened(trail.segment)
            before = checksum(file, trail.end, end)
            file.seek(trail.end)
            for at in range(trail.end, end, BLOCK):
                piece = file.read(min(BLOCK, end - at))
                if piece.strip(b"\0"):
                    pieces.append(piece)
                elif not pieces or pieces[-1] != b"\0":
                    pieces.append(b"\0")
            line = b"".join(pieces)
            if line.find(b"\n") != len(line) - 1 or checksum(file, trail.end, end) != before:
                return None
        trail.add_long(end - trail.end, before)
        return line

    def _records(
        self, trail: Trail, content: bytes, chosen: Sequence[tuple[int, int, int]], number: int, offset: int
    ) -> Iterator[tuple[Record, Place]]:
        """The records in whole lines just added to the trail; the first has that number and begins at `offset`."""
        name = trail.segment.name
        old = self._since[1] if name == self._since[0] else 0
        if name < self._since[0]:
            return
        for index, start, stop in chosen:
            if offset + start < old:
                continue
            place = Place(segment=name, line=number + index, offset=offset + start)
            record = self._reader.read(content[start:stop], place)
            if record is not None and (self._run is None or record.run == self._run or record.kind in CROSSING):
                self._trails.hand_out(place.line, record.seq)
                yield record, place

    def _now(self) -> tuple[str, int]:
        """The newest segment, and where its last whole line ends."""
        newest = segments(self._path, self._name)[-1]
        with newest.path.open("rb", buffering=0) as file:
            return newest.name, end_of_lines(file)

    def _tell_unreadable(self, found: str) -> None:
        if found != self._trouble:
            self._trouble = found
            expected = "a ledger that can be read; it is tried again"
            self._report(Problem(code=ProblemCode.unreadable, place=self._here(), expected=expected, found=found))

    def _here(self) -> Place:
        """Where reading goes on."""
        trail = self._trails.newest
        if trail is None:
            return Place(segment=self._name, line=1, offset=0)
        return Place(segment=trail.segment.name, line=trail.lines + 1, offset=trail.end)


@contextmanager
def _readable(*, listing: bool = False) -> Generator[None]:
    # Around our own reads alone: an error of whoever the records or problems go to is not ours to take.
    try:
        yield
    except FileNotFoundError as error:
        if listing or os.path.lexists(error.filename):
            raise _UnreadableError(str(error)) from error
        raise _GoneError from error
    except (OSError, NotALedgerError) as error:
        raise _UnreadableError(str(error)) from error
