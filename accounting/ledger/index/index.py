"""The index of one ledger, opened for one read: brought up to date segment by segment, as the read comes to them."""

import os
from collections.abc import Callable, Generator
from hashlib import blake2b
from pathlib import Path
from time import time_ns
from types import TracebackType
from typing import BinaryIO, Final, Self, TypeVar

from blake3 import blake3

from accounting.ledger.index.build import PART_LINES, build
from accounting.ledger.index.lines import Known, each_line, indexed_lines
from accounting.ledger.index.state import DamagedError, Stat, State, counted_runs, full, owned, short
from accounting.ledger.index.store import Store, UnavailableError
from accounting.ledger.index.trust import content_hash, settled, stat_of
from accounting.ledger.pick import owner
from accounting.ledger.problem import Place
from accounting.ledger.record import LineReader
from accounting.ledger.scan import WHOLE, Rest
from accounting.ledger.segments import Segment
from wire.scalars import RunId, run_id

MANY: Final = 64
"""Times a segment may be continued before its parts are made anew, as one."""
_TRIES: Final = 3
"""How often a state is looked at again that another process has changed meanwhile."""
T = TypeVar("T")


def index_file(directory: Path, ledger: Path) -> Path:
    """The file that a directory keeps for a ledger's index. Raises `ValueError` for a directory inside the ledger."""
    home, path = directory.resolve(), ledger.resolve()
    if home.is_relative_to(path):
        raise ValueError(f"{directory}: inside the ledger {ledger}; name a directory for the index that is not")
    return home / f"{blake2b(os.fsencode(path), digest_size=16).hexdigest()}.sqlite3"


class Index:
    """An index file, opened when it is first asked. It never raises: what it is of no use for is left to be scanned."""

    def __init__(self, file: Path) -> None:
        self.building = False
        """Whether lines are being indexed; safe to ask from another thread."""
        self._file = file
        self._store: Store | None = None
        self._usable = self._writable = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._close()

    def lines_of(self, file: BinaryIO, segment: Segment, run: RunId) -> Generator[tuple[bytes, Place], None, Rest]:
        """The lines of an open segment that can matter to a run, in file order; what is to be scanned is returned."""
        if run_id(run) is None:
            return WHOLE
        wanted = short(run)

        def known(store: Store, state: State) -> Known:
            places: list[tuple[bytes, ...]] = []
            for part in state.parts:
                found = owned(part, wanted)
                own = b"" if found is None or not any(found.seal) else store.places(segment.path.name, part, found)
                places.append((own, part.crossing, part.odd))
            return Known(end=state.end, lines=state.lines, places=tuple(places))

        lines = self._asked(file, segment, known)
        if lines is None:
            return WHOLE
        rest = yield from indexed_lines(file, segment, lines)
        if rest.offset != lines.end:
            self._distrust()
        return rest

    def runs(self, file: BinaryIO, segment: Segment, reader: LineReader) -> tuple[dict[RunId, int], Rest]:
        """How many lines each run of an open segment has, as `Ledger.run_ids` counts them, and what is to be scanned.

        Lines that it reports are read with `reader`.
        """

        def taken(_: Store, state: State) -> tuple[dict[RunId, int], Known]:
            runs: dict[bytes, int] = {}
            for part in state.parts:
                for run, lines in counted_runs(part):
                    runs[run] = runs.get(run, 0) + lines
            return {full(run): lines for run, lines in runs.items()}, Known(
                end=state.end, lines=state.lines, places=tuple((part.odd,) for part in state.parts)
            )

        found = self._asked(file, segment, taken)
        if found is None:
            return {}, WHOLE
        runs, odd = found
        rest = each_line(indexed_lines(file, segment, odd), lambda line, place: owner(line) or reader.read(line, place))
        if rest.offset == odd.end:
            return runs, rest
        self._distrust()
        return {}, rest

    def _distrust(self) -> None:
        """Begin anew: what the index said did not hold."""
        self._close()
        try:
            self._file.unlink(missing_ok=True)
        except OSError:
            self._usable = False

    def _asked(self, file: BinaryIO, segment: Segment, take: Callable[[Store, State], T]) -> T | None:
        for _ in range(2):
            if not self._usable:
                break
            try:
                if self._store is None:
                    self._store = Store(self._file)
                return self._taken(self._store, file, segment.path.name, take)
            except DamagedError:
                self._distrust()
            except (UnavailableError, OSError):
                self._usable = False
            finally:
                self.building = False
        self._usable = False
        self._close()
        return None

    def _taken(self, store: Store, file: BinaryIO, name: str, take: Callable[[Store, State], T]) -> T | None:
        asked = time_ns()
        stat = stat_of(file)
        proven: bytes | None = None
        for _ in range(_TRIES):
            with store.reading():
                state = store.state(name)
                if state is not None and (state.stat == stat or state.digest == proven):
                    return take(store, state)
            proven = self._brought_up(store, file, name, state, stat if settled(stat, asked) else None)
            if proven is None:
                break
        return None

    def _brought_up(
        self, store: Store, file: BinaryIO, name: str, state: State | None, stat: Stat | None
    ) -> bytes | None:
        """Prove a state by the file's content and carry it on, where the store can be written.

        The digest of what is stored now comes back; `None` when there is nothing to go by.
        """
        hashed = content_hash(file, 0 if state is None else state.end)
        if state is not None and hashed.digest() != state.digest:
            raise DamagedError("a segment that is another one now")
        if not self._writable:
            return None if state is None else state.digest
        self.building = True
        try:
            with store.writing():
                if store.state(name) != state:
                    return b""  # another process was quicker: see what it made of it
                if state is not None and len(state.parts) > MANY + state.lines // PART_LINES:
                    store.forget(name)
                    state, hashed = None, blake3()
                return build(store, name, file, state, stat, hashed).digest
        except UnavailableError:
            self._writable = False
            return None if state is None else state.digest
        finally:
            self.building = False

    def _close(self) -> None:
        if self._store is not None:
            self._store.close()
            self._store = None
