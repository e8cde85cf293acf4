"""When an index is believed, and what is done when it is not: each way that a file or an index can change."""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import Any

import pytest

from accounting.ledger import Ledger, ProblemCode
from accounting.ledger import ledger as ledger_module
from accounting.ledger.index import build, index, index_file, lines
from accounting.ledger.index.state import Stat
from accounting.ledger.index.trust import SETTLING, content_hash, settled, stat_of
from accounting.ledger.scan import Rest, scan
from accounting.ledger.segments import BLOCK
from tests.accounting.ledger.index.world import ASKED, Read, count, read, same
from tests.compare import Plain
from tests.lines import canonical, write

A, B, _, ABSENT = ASKED
Later = Callable[[], AbstractContextManager[None]]


def line(run: str, seq: int, **more: Any) -> bytes:
    plain: Plain = {"v": 2, "run": run, "seq": seq, "t": 5, "kind": "model_called", "data": {"model": "m" * 40}}
    return canonical(plain | more)


@pytest.fixture
def at(tmp_path: Path) -> Path:
    """A ledger of six lines, two runs in turn."""
    return write(tmp_path / "ledger.jsonl", [line((A, B)[seq % 2], seq) for seq in range(6)])


@pytest.fixture
def beside(tmp_path: Path) -> Path:
    return tmp_path / "index"


@pytest.fixture
def scanned(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """From which offset on each segment was gone through."""
    offsets: list[int] = []

    def noted(file: Any, segment: Any, choose: Any, report: Any, rest: Rest = Rest()) -> Iterator[Any]:  # noqa: B008
        offsets.append(rest.offset)
        return scan(file, segment, choose, report, rest)

    monkeypatch.setattr(ledger_module, "scan", noted)
    return offsets


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """From which offset on a segment was indexed, each time that one was."""
    offsets: list[int] = []

    def noted(store: Any, segment: Any, file: Any, before: Any, *rest: Any) -> Any:
        offsets.append(0 if before is None else before.end)
        return build.build(store, segment, file, before, *rest)

    monkeypatch.setattr(index, "build", noted)
    return offsets


def edit(path: Path, old: bytes, new: bytes) -> None:
    """In place, of the same size, the time of the change put back."""
    assert len(old) == len(new)
    before = path.stat()
    content = path.read_bytes()
    assert content.count(old) == 1
    with path.open("r+b") as file:
        file.seek(content.index(old))
        file.write(new)
    while path.stat().st_ctime_ns == before.st_ctime_ns:  # the clock goes by steps
        os.utime(path)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    after = path.stat()
    assert (after.st_size, after.st_ino, after.st_mtime_ns) == (before.st_size, before.st_ino, before.st_mtime_ns)


def test_what_is_indexed_is_not_gone_through(at: Path, beside: Path, scanned: list[int], later: Later) -> None:
    size = at.stat().st_size
    with later():
        assert [record.seq for record, _ in read(at, A, beside)[0]] == [0, 2, 4]
        assert [record.seq for record, _ in read(at, B, beside)[0]] == [1, 3, 5]
        assert read(at, ABSENT, beside) == ([], [])
        assert count(at, beside) == ([(A, 3), (B, 3)], [])
    assert scanned == [size] * 4


def test_a_file_left_alone_is_believed_by_its_stat(
    at: Path, beside: Path, built: list[int], later: Later, monkeypatch: pytest.MonkeyPatch
) -> None:
    with later():
        first = read(at, A, beside)

        def never(*_: object) -> None:
            raise AssertionError("its content was looked at")

        monkeypatch.setattr(index, "content_hash", never)
        assert read(at, A, beside) == first
        assert count(at, beside)[0] == [(A, 3), (B, 3)]
    assert built == [0]


def test_a_file_just_changed_is_proven_by_its_content(
    at: Path, beside: Path, scanned: list[int], built: list[int], later: Later
) -> None:
    size = at.stat().st_size
    for _ in range(3):
        read(at, A, beside)
    # It is carried on, by nothing, each time: there is no stat to go by yet.
    assert built == [0, size, size]
    with later():
        read(at, A, beside)
        read(at, A, beside)
    assert built == [0, size, size, size]
    assert scanned == [size] * 5


def test_a_change_in_the_same_tick_of_the_clock_is_seen(
    at: Path, beside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file system whose times stand still: what a stat cannot show."""
    with at.open("rb") as file:
        still = stat_of(file)

    def stat(_: object) -> Stat:
        return still

    monkeypatch.setattr(index, "stat_of", stat)
    read(at, A, beside)
    edit(at, line(B, 3), b"x" * len(line(B, 3)))
    assert [problem.code for problem in read(at, A, beside)[1]] == [ProblemCode.not_json]


def test_an_index_heals_where_stats_never_change(
    at: Path, beside: Path, scanned: list[int], later: Later, monkeypatch: pytest.MonkeyPatch
) -> None:
    with at.open("rb") as file:
        still = stat_of(file)

    def stat(_: object) -> Stat:
        return still

    monkeypatch.setattr(index, "stat_of", stat)
    with later():
        read(at, A, beside)
        edit(at, line(A, 4), line(A, 9))
        for _ in range(2):
            assert [record.seq for record, _ in read(at, A, beside)[0]] == [0, 2, 9]
    size = at.stat().st_size
    assert scanned == [size, 0, size]


def test_another_process_that_is_quicker(at: Path, beside: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the look at what is indexed and the carrying on of it, all of it is made anew."""
    read(at, A, beside)
    with at.open("ab") as file:
        file.write(line(A, 6) + b"\n")

    def never(*_: object) -> None:
        raise AssertionError("begun anew")

    monkeypatch.setattr(index.Index, "_distrust", never)

    def overtaken(file: Any, end: int) -> Any:
        monkeypatch.setattr(index, "content_hash", content_hash)
        with monkeypatch.context() as patch:
            patch.setattr(index, "MANY", -1)
            read(at, B, beside)
        return content_hash(file, end)

    monkeypatch.setattr(index, "content_hash", overtaken)
    assert [record.seq for record, _ in read(at, A, beside)[0]] == [0, 2, 4, 6]
    same(at, beside)


def test_a_stat_is_believed_when_it_is_old_enough() -> None:
    stat = Stat(device=1, inode=1, size=1, modified=5, changed=7)
    assert not settled(stat, 7)
    assert not settled(stat, 7 + SETTLING)
    assert settled(stat, 8 + SETTLING)
    assert not settled(Stat(device=1, inode=1, size=1, modified=9, changed=7), 8 + SETTLING)
    assert not settled(stat, 0)  # a clock that was set back


def test_another_runs_line_edited_in_place(at: Path, beside: Path, later: Later) -> None:
    with later():
        read(at, A, beside)
        edit(at, line(B, 3), b"x" * len(line(B, 3)))
        assert [problem.code for problem in read(at, A, beside)[1]] == [ProblemCode.not_json]
        edit(at, line(B, 5), line(A, 5))
        assert [record.seq for record, _ in read(at, A, beside)[0]] == [0, 2, 4, 5]
        same(at, beside)


def test_another_file_in_its_place(at: Path, beside: Path, later: Later) -> None:
    with later():
        read(at, A, beside)
        other = write(at.parent / "other", [line(A, seq) for seq in range(6)])
        os.utime(other, ns=(at.stat().st_atime_ns, at.stat().st_mtime_ns))
        other.replace(at)
        assert len(read(at, A, beside)[0]) == 6
        same(at, beside)


def test_growth_is_carried_on(at: Path, beside: Path, built: list[int], scanned: list[int]) -> None:
    sizes = [at.stat().st_size]
    read(at, A, beside)
    for seq in range(6, 9):
        with at.open("ab") as file:
            file.write(line(A, seq) + b"\n" + line(B, seq))
        same(at, beside, (A,))
        with at.open("ab") as file:
            file.write(b"\n")
        sizes.append(at.stat().st_size)
        same(at, beside, (A,))
    assert [record.seq for record, _ in read(at, A, beside)[0]] == [0, 2, 4, 6, 7, 8]
    assert sorted({0, *sizes}) == sorted({offset for offset in built if offset in {0, *sizes}})
    assert scanned[-1] == sizes[-1]


def test_a_segment_continued_often_is_made_one_again(
    at: Path, beside: Path, built: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "MANY", 3)
    for seq in range(6, 16):
        with at.open("ab") as file:
            file.write(line(A, seq) + b"\n")
        same(at, beside, (A,))
    assert 1 < built.count(0) < 6
    with closing(sqlite3.connect(index_file(beside, at))) as database:
        [parts] = database.execute("SELECT count(DISTINCT start) FROM places").fetchone()
    assert parts <= 4


@pytest.mark.parametrize("zeros", [1, BLOCK - 1, BLOCK, 3 * BLOCK + 5])
@pytest.mark.parametrize("before", [0, 1, BLOCK - 2, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK])
def test_zeros_in_the_midst(
    tmp_path: Path, beside: Path, later: Later, scanned: list[int], built: list[int], zeros: int, before: int
) -> None:
    """Of a long run of zeros little is kept: which part of it is told as it is without an index."""
    first = line(A, 0)
    room = before - len(first) - 1
    filler = [line(B, 1, data={"x": "y" * (room - len(line(B, 1, data={"x": ""})) - 1)})] if room > 300 else []
    content = b"".join(one + b"\n" for one in (first, *filler))
    last = b"".join(one + b"\n" for one in (line(A, 3), *[line(B, 4, data={"x": "y" * 500})] * 300, line(A, 5)))
    path = tmp_path / "ledger.jsonl"
    path.write_bytes(content + b"t" + b"\0" * zeros + b"x\n")
    with later():
        same(path, beside, (A, B))
        with path.open("ab") as file:
            file.write(last)
        same(path, beside, (A, B))
        # What comes before a hole that is left out stays indexed, or all of it where nothing is left out; so it is when
        # all is indexed at once.
        data = path.read_bytes()
        left_out = any(not data[start : start + BLOCK].strip(b"\0") for start in range(0, len(data), BLOCK))
        for _ in range(2):
            built.clear()
            assert [record.seq for record, _ in read(path, A, beside)[0]] == [0, 3, 5]
            assert built == []
            assert scanned[-1] == (len(content) if left_out else len(data))
            index_file(beside, path).unlink()
            same(path, beside, (A, B))


def between(at: Path, beside: Path, taken: int, change: Callable[[], None]) -> Read:
    """What reading gives when something happens after so many records."""
    problems: list[Any] = []
    records = Ledger(at, index=beside).records(A, problems.append)
    found = [next(records) for _ in range(taken)]
    change()
    return found + list(records), problems


@pytest.mark.invariant("X4")
@pytest.mark.parametrize("taken", [1, 2])
@pytest.mark.parametrize(
    "changed",
    [b"x" * 300, line(A, 4).replace(b'"v"', b'"w"'), line(A, 9), line(B, 4), b"\n" * 300],
    ids=["junk", "no record", "another record", "another run's", "nothing"],
)
def test_a_line_that_changes_while_it_is_read(
    at: Path, beside: Path, later: Later, scanned: list[int], taken: int, changed: bytes
) -> None:
    with later():
        read(at, A, beside)
        whole = read(at, A)
        scanned.clear()
        old = line(A, 4)
        new = changed[: len(old)]
        found, problems = between(at, beside, taken, lambda: edit(at, old, new))
        # What was handed out stands, and everything after it is as it is now.
        expected = read(at, A)
        assert found == whole[0][:taken] + expected[0][taken:]
        assert problems == expected[1]
        assert scanned[0] == 0
        # And the index is made anew.
        same(at, beside)


@pytest.mark.parametrize("where", ["before", "after"])
def test_a_newline_that_goes_while_the_ledger_is_read(at: Path, beside: Path, later: Later, where: str) -> None:
    """The line still stands there, and is no line any more."""
    lines = [line((A, B)[seq % 2], seq) for seq in range(6)]

    def glue() -> None:
        first, second = (lines[1], lines[2]) if where == "before" else (lines[2], lines[3])
        edit(at, first + b"\n" + second, first + b"x" + second)

    with later():
        read(at, A, beside)
        found, problems = between(at, beside, 1, glue)
        assert [record.seq for record, _ in found] == [0, 4]
        assert [problem.code for problem in problems] == [ProblemCode.not_json]
        same(at, beside)


def test_counting_when_what_is_odd_changes_meanwhile(
    at: Path, beside: Path, later: Later, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is told twice, and everything is counted."""
    odd = [b"junk one", b"junk two", line(B, 9).replace(b'{"v":2', b'{ "v":2')]
    write(at, [line(A, 0), odd[0], line(B, 1), odd[1], odd[2]])
    with later():
        before = count(at, beside)

        def edited(file: Any, segment: Any, known: Any) -> Any:
            indexed = lines.indexed_lines(file, segment, known)
            yield next(indexed)
            edit(at, odd[1], b"JUNK TWO")
            return (yield from indexed)

        monkeypatch.setattr(index, "indexed_lines", edited)
        during = count(at, beside)
    assert during == count(at)
    assert during[0] == before[0]
    assert [problem.place for problem in during[1]] == [problem.place for problem in before[1]]
    assert during[1] != before[1]
