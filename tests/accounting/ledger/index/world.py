"""A ledger that all sorts of things happen to, an index beside it, and what reading it with and without that gives."""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

from accounting.conformance.strategies import RUNS
from accounting.ledger import Ledger, Place, Problem
from accounting.ledger.index import index_file
from tests.compare import Plain, asked
from tests.lines import another_spelling, canonical, damage
from wire import Record
from wire.scalars import RunId

ABSENT = asked("0ddddddd-0000-4000-8000-00000000000d")
ASKED = (*map(asked, RUNS), ABSENT)

Read = tuple[list[tuple[Record, Place]], list[Problem]]
Counts = tuple[list[tuple[RunId, int]], list[Problem]]


def read(path: Path, run: RunId, index: Path | None = None) -> Read:
    """What reading one run gives."""
    problems: list[Problem] = []
    return list(Ledger(path, index=index).records(run, problems.append)), problems


def count(path: Path, index: Path | None = None) -> Counts:
    """What looking for runs gives."""
    problems: list[Problem] = []
    return [*Ledger(path, index=index).run_ids(problems.append).items()], problems


def same(path: Path, index: Path, runs: tuple[RunId, ...] = ASKED) -> None:
    """An index changes nothing."""
    for run in runs:
        assert read(path, run, index) == read(path, run)
    assert count(path, index) == count(path)


def spelled(record: Plain, random: Random) -> bytes:
    """A record's line: canonical mostly, or in any other state that a line can be in."""
    line = canonical(record)
    choice = random.random()
    if choice < 0.6:
        return line
    if choice < 0.75:
        return another_spelling(record, random)
    if choice < 0.85:
        return damage(line, random)
    other = random.choice(ASKED).encode()
    at = random.randrange(len(line))
    return random.choice(
        (
            # Glued behind a torn line; named twice, in two spellings; no id at all; of a kind that crosses; nothing.
            line[:at] + line,
            line[:at] + canonical(record | {"run": other.decode()}),
            line[:-1] + b',"run":"' + other + b'","x":{}}',
            line[:-1] + b',"run" :\t"' + other + b'","x":{"run":"' + other + b'"}}',
            line[:-1] + b',"r\\u0075n":"' + other + b'","x":{}}',
            line[:-1] + b',"kind":"signal_enqueued","x":{}}',
            line.replace(b'"run":"0', b'"run":"A', 1),
            line.replace(b'"data":{', b'"data":{"run":"' + other + b'",', 1),
            line.replace(b'"data":{', b'"data":{"zzz":1.5,', 1),
            line + b"\r",
            line + b"\0" * random.choice((1, 70_000, 200_000)),
            b"",
            b"\0" * 140_000,
        )
    )


class World:
    """A ledger's directory, and the index of it."""

    def __init__(self, folder: Path, records: list[Plain], random: Random, *, trusting: bool) -> None:
        self.ledger, self.index = folder / "ledger", folder / "index"
        self.ledger.mkdir()
        self.random = random
        self.trusting = trusting
        """Whether stats are believed: every change then has to show in them."""
        self._left = iter(records)
        self.write(self.segment(0), b"".join(self.lines(4)))

    def segment(self, first: int) -> Path:
        return self.ledger / f"ledger-{first:020d}.jsonl"

    @property
    def segments(self) -> list[Path]:
        return sorted(self.ledger.iterdir())

    @property
    def file(self) -> Path:
        return index_file(self.index, self.ledger)

    def lines(self, most: int) -> Iterator[bytes]:
        for record, _ in zip(self._left, range(self.random.randint(0, most)), strict=False):
            yield spelled(record, self.random) + b"\n"

    def write(self, path: Path, content: bytes, mode: str = "wb") -> None:
        """Write, so that it shows in the stat where stats are believed: clocks count in steps."""
        before = path.stat() if path.exists() else None
        with path.open(mode) as file:
            if mode == "r+b":
                file.seek(self.random.randint(0, before.st_size) if before else 0)
            file.write(content)
        while self.trusting and before and path.stat().st_ctime_ns == before.st_ctime_ns:
            os.utime(path)

    # What can happen to a ledger.

    def grow(self) -> None:
        tail = self.random.choice((b"", b"", b'{"v":2,"ru', b"\0" * 100, b"\0" * 70_000))
        self.write(self.segments[-1], b"".join(self.lines(4)) + tail, "ab")

    def roll(self) -> None:
        self.write(self.segment(len(self.segments) * 10), b"".join(self.lines(4)))

    def cut(self) -> None:
        path = self.random.choice(self.segments)
        content = path.read_bytes()
        self.write(path, content[: self.random.randint(0, len(content))])

    def edit(self) -> None:
        """In place: of the same size, and as if nothing had been written."""
        path = self.random.choice(self.segments)
        before = path.stat()
        if before.st_size > 40:
            content = path.read_bytes()
            at = self.random.randrange(before.st_size - 36)
            piece = self.random.choice((b"\n", b"x", b'"', *(run.encode() for run in ASKED)))
            self.write(path, content[:at] + piece + content[at + len(piece) :])
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    def replace(self) -> None:
        """By another file."""
        path = self.random.choice(self.segments)
        new = self.ledger / "new"
        lines = path.read_bytes().splitlines(keepends=True)
        self.random.shuffle(lines)
        new.write_bytes(b"".join(lines))
        new.replace(path)

    def remove(self) -> None:
        if len(self.segments) > 1:
            self.segments[-1].unlink()

    # What can happen to an index.

    def lose(self) -> None:
        self.file.unlink(missing_ok=True)

    def spoil(self) -> None:
        """Damage at one place, of any sort."""
        if self.file.exists():
            self.file.write_bytes(damage(self.file.read_bytes(), self.random))

    def swap(self) -> None:
        """The index of another ledger in place of this one's."""
        other = World(self._below("other"), [], self.random, trusting=self.trusting)
        for segment in self.segments:
            content = segment.read_bytes().splitlines(keepends=True)
            (other.ledger / segment.name).write_bytes(b"".join(self.random.sample(content, len(content))))
        read(other.ledger, ASKED[0], other.index)
        self.file.parent.mkdir(exist_ok=True)
        other.file.replace(self.file)

    def tamper(self) -> None:
        """Rows gone or altered behind its back."""
        if not self.file.exists():
            return
        statement = self.random.choice(
            (
                "DELETE FROM places WHERE start = 0",
                "DELETE FROM segments",
                "DELETE FROM places",
                "UPDATE places SET places = substr(places, 29)",
                "UPDATE places SET places = zeroblob(length(places))",
                "UPDATE places SET places = 7",
                "UPDATE segments SET state = NULL",
                "UPDATE segments SET state = substr(state, 1, length(state) - 1)",
                "UPDATE segments SET state = 'text'",
                "UPDATE segments SET name = 'x'",
                "DROP TABLE places",
                "ALTER TABLE segments RENAME TO others",
                "PRAGMA user_version = 0",
                "PRAGMA user_version = 99",
                "PRAGMA application_id = 0",
            )
        )
        with closing(sqlite3.connect(self.file, isolation_level=None)) as database:
            try:
                database.execute(statement)
            except sqlite3.Error:
                self.lose()

    def _below(self, name: str) -> Path:
        folder = self.ledger.parent / f"{name}-{self.random.getrandbits(60)}"
        folder.mkdir()
        return folder


EVENTS: tuple[Callable[[World], Any], ...] = (
    *[World.grow] * 5,
    *[World.roll] * 2,
    *[World.edit] * 2,
    World.cut,
    World.replace,
    World.remove,
    World.lose,
    World.spoil,
    World.swap,
    World.tamper,
)
