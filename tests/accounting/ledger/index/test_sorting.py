"""What an index says of a small segment, worked out by hand."""

from pathlib import Path
from zlib import crc32

from accounting.ledger.index.build import build
from accounting.ledger.index.state import PLACE, State, counted_runs, full, owned, short
from accounting.ledger.index.store import Store
from accounting.ledger.index.trust import content_hash, stat_of
from tests.accounting.ledger.index.world import ASKED
from tests.compare import Plain
from tests.lines import canonical, write
from wire.scalars import NIL_RUN as NIL

A, B, NOBODY, ABSENT = ASKED


def line(run: str, kind: str = "went_back", **more: object) -> bytes:
    plain: Plain = {"v": 2, "run": run, "seq": 0, "t": 5, "kind": kind, "data": {}}
    return canonical(plain | more)


LINES = (
    line(B),
    b'{ "v":2,"run":"%s","seq":0,"t":5,"kind":"x","data":{}}' % A.encode(),
    line(A, "signal_enqueued"),
    b"junk",
    line(A, data={"x": 1.5}),
    line(B)[:-1] + b',"newer":{}}',
    line(NIL, "approval_resolved", v=1),
    b'{ "v":2,"run":"%s","seq":0,"t":5,"kind":"x","data":{"x":1.5}}' % A.encode(),
    line(B)[:9] + line(A),
    line(A)[:-1] + b',"run":"%s","x":{}}' % B.encode(),
)


def test_lines_by_whose_business_they_are(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", LINES, b"\n")
    size = path.stat().st_size
    with path.open("ab") as grown:
        grown.write(line(A))
    store = Store(tmp_path / "index.sqlite3")
    with path.open("rb", buffering=0) as file:
        stat = stat_of(file)
        with store.writing():
            state = build(store, path.name, file, None, stat, content_hash(file, 0))
        assert state.digest == content_hash(file, size).digest()
    [part] = state.parts
    assert state == State(stat=stat, end=size, lines=len(LINES), digest=state.digest, parts=(part,))
    starts = [sum(len(one) + 1 for one in LINES[:index]) for index in range(len(LINES))]

    def places(*numbers: int) -> bytes:
        lines = ((starts[number - 1], LINES[number - 1], number) for number in numbers)
        return b"".join(PLACE.pack(start, len(one), number, crc32(one)) for start, one, number in lines)

    def own(run: str) -> bytes:
        found = owned(part, short(run.encode()))
        assert found is not None
        return store.places(path.name, part, found)

    with store.reading():
        assert store.state(path.name) == state
        assert own(B) == places(1, 6, 10)
        # What the float does to line 5, and the repeated `run` to line 10, is A's affair.
        assert own(A) == places(2, 5, 10)
    assert part.crossing == places(3, 7)
    assert part.odd == places(4, 8, 9)
    # The nil run has a line, though none that is its business alone.
    nil = owned(part, short(NOBODY))
    assert nil is not None
    assert (nil.lines, nil.first, any(nil.seal)) == (1, 7, False)
    assert owned(part, short(ABSENT)) is None
    # As they open, so they are counted: the line named twice is A's.
    assert [(full(run), lines) for run, lines in counted_runs(part)] == [(B, 2), (A, 5), (NIL, 1)]
    store.close()


def test_what_is_carried_on(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", LINES[:4])
    store = Store(tmp_path / "index.sqlite3")
    with path.open("rb", buffering=0) as file, store.writing():
        first = build(store, path.name, file, None, None, content_hash(file, 0))
        write(path, LINES)
        second = build(store, path.name, file, first, None, content_hash(file, first.end))
        assert second.digest == content_hash(file, path.stat().st_size).digest()
        # Nothing new, nothing written.
        assert build(store, path.name, file, second, None, content_hash(file, second.end)) == second
    assert second.lines == len(LINES)
    assert second.parts[0] == first.parts[0]
    assert [part.start for part in second.parts] == [0, first.end]
    assert [number for *_, number, _ in PLACE.iter_unpack(second.parts[1].odd)] == [8, 9]
    store.close()
