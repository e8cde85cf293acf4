"""In which order sessions are written into a ledger: by time, and each after the one that started it.

It depends on what the sources hold alone, not on the order in which they are given.
"""

from collections.abc import Iterable, Iterator
from heapq import heapify, heappop, heappush
from pathlib import Path

from msgspec import Struct

from accounting.foreign import read_source
from accounting.foreign.import_report import Unread
from accounting.foreign.session import Session, Source
from wire.scalars import RunId, TimeMs


class Head(Struct, frozen=True, kw_only=True):
    """What the order of a source depends on."""

    source: Source
    """The source itself."""
    runs: tuple[RunId, ...]
    """The runs of its sessions."""
    parents: tuple[RunId, ...]
    """The runs that started them, as far as they are known."""
    rank: tuple[TimeMs, int, str, str]
    """What it is sorted by: when it began, and then whatever tells it from the others."""
    stream: bool = False
    """Whether it is what agents printed: then it comes after the files that they keep of the same runs."""


class UnreadableError(Exception):
    """A source cannot be read."""

    def __init__(self, path: Path, error: OSError) -> None:
        super().__init__(str(error))
        self.unread = Unread(path=str(error.filename or path), why=error.strerror or str(error))


def sessions_of(source: Source, *, audit: bool = False) -> Iterator[Session]:
    """The sessions of a source; `audit` as for `read`. Raises `UnreadableError`."""
    try:
        yield from read_source(source, audit=True) if audit else read_source(source)
    except OSError as error:
        raise UnreadableError(source.path, error) from error


def heads_of(sources: Iterable[Source]) -> tuple[list[Head], list[Unread]]:
    """What the order depends on, of each source once, and the sources that cannot be read."""
    heads: dict[str, Head] = {}
    unread: list[Unread] = []
    for source in sources:
        where = f"{source.path}\0{source.within or ''}"
        if where in heads:
            continue
        first, records, stream = None, 0, False
        runs: list[RunId] = []
        parents: list[RunId] = []
        try:
            for session in sessions_of(source):
                runs.append(session.run)
                parents.extend(() if session.parent is None else (session.parent,))
                records += len(session.records)
                stream = stream or session.stream
                if first is None and session.records:
                    first = session.records[0].t
        except UnreadableError as error:
            unread.append(error.unread)
            continue
        # Of two copies of a session the longer one comes first, and the shorter then adds nothing.
        rank = (first or 0, -records, source.agent, where)
        heads[where] = Head(source=source, runs=tuple(runs), parents=tuple(parents), rank=rank, stream=stream)
    return list(heads.values()), unread


def in_order(heads: list[Head]) -> Iterator[Head]:
    """The sources in order of time, but each after those that hold what started it, and a stream after its file."""
    at_hand = {run for head in heads for run in head.runs}
    kept = {run for head in heads if not head.stream for run in head.runs}
    waiting = {head.rank: {run for run in head.parents if run in at_hand and run not in head.runs} for head in heads}
    for head in heads:
        if head.stream:
            waiting[head.rank].update(kept.intersection(head.runs))
    followers: dict[RunId, list[Head]] = {}
    for head in heads:
        for run in waiting[head.rank]:
            followers.setdefault(run, []).append(head)
    left = {head.rank: head for head in heads}
    ready = [head.rank for head in heads if not waiting[head.rank]]
    heapify(ready)
    while left:
        # Sessions that started each other in a circle: the oldest goes first.
        rank = heappop(ready) if ready else min(left)
        if rank not in left:
            continue
        head = left.pop(rank)
        yield head
        for run in head.runs:
            for follower in followers.pop(run, ()):
                waiting[follower.rank].discard(run)
                if not waiting[follower.rank]:
                    heappush(ready, follower.rank)
