"""The lines of a segment sorted by whose business they are, as `Ledger.records` and `Ledger.run_ids` see them."""

from collections import defaultdict
from typing import BinaryIO, Final
from zlib import crc32

from blake3 import blake3
from msgspec import Struct

from accounting.ledger.index.state import PLACE, SEAL, Owned, Part, Stat, State, packed, seal, short
from accounting.ledger.index.store import Store
from accounting.ledger.pick import CROSSING, every, owner, pick, runs_named
from accounting.ledger.problem import Place, Problem
from accounting.ledger.record import LineReader
from accounting.ledger.scan import rest_of
from accounting.ledger.segments import Block

PART_LINES: Final = 1 << 15
"""Lines after which a part is written: what bounds the memory. A segment of 64 MiB seldom has more."""
_ELSEWHERE: Final = Place(segment="", line=0, offset=0)


def build(store: Store, segment: str, file: BinaryIO, before: State | None, stat: Stat | None, hashed: blake3) -> State:
    """Index the whole lines that follow what was indexed before, and keep them in the store.

    `hashed` is the hash of what was indexed before; `stat` becomes the state's.
    """
    end, lines, parts = (0, 0, ()) if before is None else (before.end, before.lines, before.parts)
    new: list[Part] = []
    sorting = _Sorting(end, lines)
    for block in rest_of(file, end):
        if not block.whole:
            break
        if block.size > len(block.content):
            break  # a hole, of which a block leaves out most: it is left to scanning, and all that follows it
        sorting.take(block)
        hashed.update(block.content)
        end = block.offset + block.size
        if sorting.lines >= lines + PART_LINES:
            new.append(sorting.put(store, segment))
            lines = sorting.lines
            sorting = _Sorting(end, lines)
    if sorting.lines > lines:
        new.append(sorting.put(store, segment))
    state = State(stat=stat, end=end, lines=sorting.lines, digest=hashed.digest(), parts=(*parts, *new))
    if state != before:
        store.put_state(segment, state)
    return state


class _Count(Struct):
    """How many lines a run has, and the number of the first."""

    first: int
    lines: int = 0


class _Sorting:
    """One part being made: lines after the first `lines`, which end at `start`."""

    def __init__(self, start: int, lines: int) -> None:
        self.start = start
        self.lines = lines
        """Lines of the segment so far."""
        self._own: defaultdict[bytes, bytearray] = defaultdict(bytearray)
        self._counts: dict[bytes, _Count] = {}
        self._crossing = bytearray()
        self._odd = bytearray()
        self._problems: list[Problem] = []
        self._reader = LineReader(self._problems.append)

    def take(self, block: Block) -> None:
        """Sort the lines of a block."""
        content, pack = block.content, PLACE.pack
        everybodys = {index for index, _, _ in pick(content, None)[0]}
        chosen, count = every(content)
        for index, start, end in chosen:
            line = content[start:end]
            number = self.lines + index + 1
            place = pack(block.offset + start, end - start, number, crc32(line))
            if index in everybodys:
                self._read(line, number, place)
                continue
            runs = runs_named(line)
            self._count(runs[0], number)
            for run in set(runs) if len(runs) > 1 else runs:
                self._own[run] += place
        self.lines += count

    def _read(self, line: bytes, number: int, place: bytes) -> None:
        """Sort a line by what it holds: read without a problem, it is nobody else's business unless it crosses."""
        record = self._reader.read(line, _ELSEWHERE)
        if self._problems:
            self._problems.clear()
            self._odd += place
        elif record is not None:
            (self._crossing if record.kind in CROSSING else self._own[record.run.encode()]).extend(place)
        run = owner(line) or (None if record is None else record.run)
        if run is not None:
            self._count(run.encode(), number)

    def _count(self, run: bytes, number: int) -> None:
        counted = self._counts.get(run)
        if counted is None:
            counted = self._counts[run] = _Count(number)
        counted.lines += 1

    def put(self, store: Store, segment: str) -> Part:
        """Keep the places in the store; what has to be known of them comes back."""
        owners: list[Owned] = []
        rows: list[tuple[bytes, bytes]] = []
        for id_ in sorted({*self._own, *self._counts}):
            run, places, counted = short(id_), bytes(self._own.get(id_, b"")), self._counts.get(id_, _Count(0))
            sealed = seal(places) if places else bytes(SEAL)
            owners.append(Owned(run=run, lines=counted.lines, first=counted.first, seal=sealed))
            if places:
                rows.append((run, places))
        store.put_places(segment, self.start, rows)
        return Part(start=self.start, owners=packed(owners), crossing=bytes(self._crossing), odd=bytes(self._odd))
