"""A writer of ledgers that succeeds and fails in every way, and a view that believes what a follower says."""

from collections.abc import Callable
from pathlib import Path

from accounting.conformance.strategies import RUNS
from accounting.ledger import Ledger, Place, Problem, ProblemCode
from accounting.ledger.canonical import GENESIS, line_hash
from accounting.ledger.following.tail import Tail
from tests.compare import Plain
from tests.lines import canonical
from wire import Record
from wire.scalars import NIL_RUN as NIL
from wire.scalars import RunId

KINDS = ("model_called", "signal_enqueued", "approval_resolved", "tool_result")
Item = tuple[Place, Record | Problem]
Spot = tuple[str, int]


def spot(place: Place) -> Spot:
    return place.segment, place.offset


class View:
    """What was handed out or reported and not withdrawn since, in order: what a careful client would believe."""

    def __init__(self) -> None:
        self.items: list[Item] = []
        self.withdrawn: list[Problem] = []
        self.unreadable: list[Problem] = []

    def take(self, record: Record, place: Place) -> None:
        self.items.append((place, record))

    def report(self, problem: Problem) -> None:
        if problem.code == ProblemCode.unreadable:
            self.unreadable.append(problem)
            return
        assert problem.place is not None
        if problem.code != ProblemCode.truncated:
            self.items.append((problem.place, problem))
            return
        first = spot(problem.place)
        void = [item.seq for place, item in self.items if isinstance(item, Record) and spot(place) >= first]
        self.items = [(place, item) for place, item in self.items if spot(place) < first]
        self.withdrawn.append(problem)
        assert problem.seq == (void[0] if void else None)
        assert f"{len(void)} records" in problem.found or not void or "every record" in problem.found

    def seqs(self) -> list[int]:
        return [item.seq for _, item in self.items if isinstance(item, Record)]


class Looks:
    """A tail that is asked look by look."""

    def __init__(self, path: Path, run: RunId | None = None, *, from_now: bool = False) -> None:
        self.path = path
        self.view = View()
        name = Ledger(path).segments[0].name
        self.tail = Tail(path, name, run, self.view.report, from_now=from_now)

    def look(self) -> list[Problem]:
        """Look once; what was withdrawn by it."""
        self.view.withdrawn = []
        for found in self.tail.look():
            if found is not None:
                self.view.take(*found)
        return self.view.withdrawn


def standing(path: Path, run: RunId | None = None) -> list[Item]:
    """What reading the ledger anew gives."""
    view = View()
    for record, place in Ledger(path).records(run, view.report):
        view.take(record, place)
    return view.items


def contents(folder: Path) -> dict[str, bytes]:
    """The bytes of every segment, without the zeros at its end."""
    return {str(path): path.read_bytes().rstrip(b"\0") for path in sorted(folder.iterdir())}


def fallen(before: dict[str, bytes], now: dict[str, bytes]) -> Spot | None:
    """Where what was read stopped standing; `None` when all of it stands."""
    last: Spot = (next(iter(now)), 0)
    for name, old in before.items():
        if name not in now:
            return last if any(before[later] for later in before if later >= name) else None
        if not now[name].startswith(old):
            same = next(
                (at for at, pair in enumerate(zip(old, now[name], strict=False)) if pair[0] != pair[1]), 1 << 30
            )
            return name, old[: min(same, len(now[name]))].rfind(b"\n") + 1
        last = name, old.rfind(b"\n") + 1
    return None


class Writer:
    """Writes as writers of ledgers do, and fails as they do; `look` is called in between."""

    def __init__(self, folder: Path, *, single: bool = False) -> None:
        self.folder = folder
        self.single = single
        self.look: Callable[[], object] = lambda: None
        self.contents: dict[str, bytes] = {}
        self.seq = 0
        self.count = 0
        self.prev: str = GENESIS
        self.roll()

    @property
    def newest(self) -> Path:
        return self.folder / max(self.contents)

    def roll(self) -> None:
        name = f"ledger-{self.seq:020d}.jsonl"
        self.contents[name] = b""
        (self.folder / name).touch()

    def line(self, variety: int = 0, kind: str | None = None) -> bytes:
        """The next line; one of seventeen is no record."""
        self.count += 1
        record: Plain = {
            "v": 2,
            "run": (*RUNS, NIL)[variety % 4],
            "seq": self.seq,
            "prev": self.prev,
            "t": 5,
            "kind": kind or KINDS[variety // 4 % len(KINDS)],
            "data": {"n": self.count, "text": "éß\u2028\U0001f600"[: variety % 5] * (variety % 13)},
        }
        line = b"junk %d" % self.count if variety % 17 == 16 else canonical(record)
        self.prev, self.seq = line_hash(line), self.seq + 1
        return line + b"\n"

    def put(self, piece: bytes) -> None:
        """Write where the content ends, over zeros if there are any."""
        with self.newest.open("r+b") as file:
            file.seek(len(self.contents[self.newest.name]))
            file.write(piece)
        self.contents[self.newest.name] += piece

    def cut(self, name: str, size: int) -> None:
        with (self.folder / name).open("r+b") as file:
            file.truncate(size)
        self.contents[name] = self.contents[name][:size]

    def group(self, varieties: bytes, pieces: bytes = b"", rolls: int = 0, stop: int = 1 << 30) -> None:
        """Append lines, each in pieces with looks in between; `stop` is how many bytes of them get through."""
        for index, variety in enumerate(varieties):
            if rolls >> index & 1 and not self.single and self.contents[self.newest.name]:
                self.roll()
                if rolls & 128:
                    self.look()
            before = self.prev, self.seq
            line = self.line(variety)[:stop]
            stop -= len(line)
            if not line.endswith(b"\n"):
                self.prev, self.seq = before
            cuts = sorted({byte * len(line) // 256 for byte in pieces} | {len(line)})
            for start, end in zip([0, *cuts], cuts, strict=False):
                self.put(line[start:end])
                if end < len(line):
                    self.look()
            if not stop:
                break

    def failed(self, varieties: bytes, pieces: bytes, rolls: int, stop: int, seen: int) -> None:
        """A group that did not get through and is cut away again, and perhaps written once more as it was."""
        before, count, prev, seq = dict(self.contents), self.count, self.prev, self.seq
        self.group(varieties, pieces, rolls, stop)
        if seen & 1:
            self.look()
        for name in sorted(self.contents.keys() - before.keys(), reverse=True):
            (self.folder / name).unlink()
            del self.contents[name]
            if seen & 2:
                self.look()
        self.cut(max(before), len(before[max(before)]))
        self.prev, self.seq = prev, seq
        if seen & 4:
            self.look()
        if seen & 8:
            self.count = count
            self.group(varieties, rolls=rolls)

    def crashed(self, varieties: bytes, pieces: bytes, rolls: int, stop: int, seen: int) -> None:
        """A writer that died within a line; the next one cuts the torn tail and says so."""
        self.group(varieties, pieces, rolls, stop)
        if seen & 1:
            self.look()
        self.cut(self.newest.name, self.contents[self.newest.name].rfind(b"\n") + 1)
        if seen & 2:
            self.look()
        self.put(self.line(3, "log_truncated"))

    def abandoned(self, varieties: bytes) -> None:
        """Damage: a segment left with an unfinished line, and another one begun all the same."""
        if not self.single and self.contents[self.newest.name]:
            self.put(self.line()[:40])
            self.roll()
            self.group(varieties)

    def zeros(self, count: int) -> None:
        size = max(self.newest.stat().st_size, len(self.contents[self.newest.name]) + count)
        with self.newest.open("r+b") as file:
            file.truncate(size)

    def perform(self, operation: bytes) -> None:
        """An operation is a string of bytes, one for each choice."""
        what, rolls, seen, many, size, *rest = operation
        varieties, pieces = bytes(rest[:4])[: 1 + many % 4], bytes(rest[4:])[: many // 4 % 4]
        rolls = rolls if rolls >= 128 else 0
        match what % 8:
            case 0 | 1:
                self.group(varieties, pieces, rolls)
            case 2 | 3:
                self.failed(varieties, pieces, rolls, 1 + size * 4, seen)
            case 4:
                self.crashed(varieties, pieces, rolls, 1 + size * 4, seen)
            case 5:
                self.abandoned(varieties) if seen & 1 else self.cut(
                    self.newest.name, len(self.contents[self.newest.name])
                )
            case 6:
                self.zeros(size)
            case _:
                self.look()
