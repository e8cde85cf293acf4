"""Following, look by look: cases worked out by hand."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from accounting.conformance.strategies import RUNS
from accounting.ledger import Place, Problem
from accounting.ledger.following import tail, trails
from accounting.ledger.segments import BLOCK
from tests.accounting.ledger.following.model import Looks, Writer, standing
from tests.compare import asked
from tests.lines import canonical
from wire.scalars import NIL_RUN as NIL

TEXT = "ß\u2028\U0001f600"


def whole(seq: int, text: str = "", **more: object) -> bytes:
    """A line with its newline."""
    record = {"v": 2, "run": RUNS[0], "seq": seq, "t": 5, "kind": "model_called", "data": {"text": text}}
    return canonical(record | more) + b"\n"


def append(path: Path, piece: bytes) -> None:
    with path.open("ab") as file:
        file.write(piece)


def segment(folder: Path, first: int) -> Path:
    return folder / f"ledger-{first:020d}.jsonl"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "one.jsonl"
    path.write_bytes(whole(0) + whole(1))
    return path


# Held back.


def test_a_line_that_comes_byte_by_byte_is_handed_out_with_its_newline(file: Path) -> None:
    looks = Looks(file)
    looks.look()
    line = whole(2, TEXT)
    for at in range(len(line)):
        assert looks.view.seqs() == [0, 1]
        append(file, line[at : at + 1])
        looks.look()
    assert looks.view.seqs() == [0, 1, 2]
    place, record = looks.view.items[-1]
    assert place == Place(segment=str(file), line=3, offset=len(whole(0) + whole(1)))
    assert not isinstance(record, Problem)
    assert record.data == {"text": TEXT}


def test_zeros_at_the_end_are_no_content_and_are_written_over(file: Path) -> None:
    size = file.stat().st_size
    with file.open("r+b") as opened:
        opened.truncate(size + 3 * BLOCK)
        looks = Looks(file)
        for seq in range(2, 6):
            looks.look()
            line = whole(seq)
            opened.seek(size)
            opened.write(line[:-5])
            opened.flush()
            looks.look()
            opened.write(line[-5:])
            opened.flush()
            size += len(line)
            assert looks.view.seqs() == list(range(seq))
    looks.look()
    assert looks.view.items == standing(file)
    assert looks.look() == []


def test_space_set_aside_is_looked_through_once(file: Path) -> None:
    size = file.stat().st_size
    with file.open("r+b") as opened:
        opened.truncate(64 << 20)
        looks = Looks(file)
        assert sum(found is None for found in looks.tail.look()) > 1000
        opened.seek(size)
        opened.write(whole(2))
        opened.flush()
        reads = [found for found in looks.tail.look() if found is None]
    assert len(reads) < 5


@pytest.mark.parametrize("more", [250, 500])
def test_lines_may_be_written_over_zeros_that_were_just_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: int
) -> None:
    monkeypatch.setattr(tail, "BLOCK", 100)
    path = tmp_path / "one.jsonl"
    path.write_bytes(bytes(250))
    looks = Looks(path)
    looks.look()
    lines = whole(0, "x" * 30) + whole(1, "x" * (more - 225)) + whole(2)
    first = len(whole(0, "x" * 30))
    assert 200 < first < 250
    with path.open("r+b", buffering=0) as file:
        file.write(lines[:120])
        looking = looks.tail.look()
        assert [next(looking) for _ in range(3)] == [None] * 3  # all 250 bytes
        file.write(lines[120 : first + more])
        for found in looking:
            if found is not None:
                looks.view.take(*found)
        file.write(lines[first + more :])
    looks.look()
    assert looks.view.items == standing(path)


def test_a_line_of_many_blocks_comes_in_pieces(file: Path) -> None:
    looks = Looks(file)
    line = whole(2, "y" * 10 * BLOCK)
    for start in range(0, len(line), 50_000):
        assert looks.look() == []
        append(file, line[start : start + 50_000])
    append(file, whole(3))
    looks.look()
    assert looks.view.items == standing(file)
    assert looks.view.seqs() == [0, 1, 2, 3]


# Cut away.


def test_a_torn_tail_is_cut_and_told(file: Path) -> None:
    looks = Looks(file)
    size = file.stat().st_size
    append(file, whole(2)[:50])
    looks.look()
    os.truncate(file, size)
    append(file, whole(2, run=NIL, kind="log_truncated"))
    [problem] = looks.look()
    assert (problem.code, problem.place) == ("truncated", Place(segment=str(file), line=3, offset=size))
    assert problem.seq is None
    assert problem.expected == "the bytes that were read here"
    assert problem.found == "50 of them gone or changed; no record was handed out from them"
    assert looks.view.seqs() == [0, 1, 2]


def test_records_of_a_failed_group_are_void(file: Path) -> None:
    looks = Looks(file)
    size = file.stat().st_size
    append(file, whole(2) + whole(3) + b"junk\n" + whole(5) + whole(6)[:9])
    gone = file.stat().st_size - size
    looks.look()
    os.truncate(file, size)
    # Longer than before, and nothing in its length tells.
    append(file, b"".join(whole(seq, "another") for seq in range(2, 9)))
    [problem] = looks.look()
    assert problem.seq == 2
    assert problem.place == Place(segment=str(file), line=3, offset=size)
    assert problem.found == f"{gone} of them gone or changed; void: 3 records handed out, seq 2 to 3, 5"
    assert looks.view.seqs() == list(range(9))
    assert looks.view.items == standing(file)


def test_a_group_that_is_written_again_as_it_was_stands(file: Path) -> None:
    looks = Looks(file)
    size = file.stat().st_size
    append(file, whole(2) + whole(3))
    looks.look()
    os.truncate(file, size)
    append(file, whole(2) + whole(3))
    assert looks.look() == []
    os.truncate(file, size)
    append(file, whole(2) + whole(3, "other"))
    [problem] = looks.look()
    assert problem.seq == 3
    assert looks.view.seqs() == [0, 1, 2, 3]


def test_a_line_changed_before_others_that_stand_is_noticed_though_the_chain_does_not_tell(file: Path) -> None:
    looks = Looks(file)
    append(file, whole(2, "a") + whole(3))
    looks.look()
    os.truncate(file, len(whole(0) + whole(1)))
    append(file, whole(2, "b") + whole(3))
    [problem] = looks.look()
    assert problem.seq == 2


def test_a_cut_in_the_middle_of_a_look_is_noticed_before_the_next_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tail, "BLOCK", 2 * len(whole(0)))
    path = tmp_path / "one.jsonl"
    path.write_bytes(b"".join(map(whole, range(9))))
    looks = Looks(path)
    looking = looks.tail.look()
    for _ in range(2):
        found = next(looking)
        assert found is not None
        looks.view.take(*found)
    os.truncate(path, len(whole(0)))
    append(path, b"".join(whole(seq, "longer than before") for seq in range(1, 9)))
    for found in looking:
        if found is not None:
            looks.view.take(*found)
    assert [problem.seq for problem in looks.view.withdrawn] == [1]
    assert looks.view.items == standing(path)


@pytest.mark.parametrize("where", ["beginning", "end"])
def test_of_a_very_long_line_the_beginning_and_the_end_are_looked_at(file: Path, where: str) -> None:
    looks = Looks(file)
    size = file.stat().st_size
    middle = "y" * 5 * BLOCK
    append(file, whole(2, "a" + middle + "a"))
    looks.look()
    os.truncate(file, size)
    append(file, whole(2, "b" + middle + "a" if where == "beginning" else "a" + middle + "b"))
    [problem] = looks.look()
    assert problem.seq == 2
    assert looks.look() == []


def test_space_set_aside_does_not_shorten_the_memory(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trails, "REACH", 1000)
    size = file.stat().st_size
    os.truncate(file, 5000)
    looks = Looks(file)
    with file.open("r+b") as opened:
        opened.seek(size)
        for seq in range(2, 7):
            opened.write(whole(seq))
            opened.flush()
            looks.look()
        opened.seek(-2 * len(whole(5)), os.SEEK_CUR)
        opened.write(whole(5, "b") + whole(6, "b"))
    [problem] = looks.look()
    assert problem.seq == 5
    assert looks.view.items == standing(file)


def test_a_group_over_several_segments_is_cut_back(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    writer.group(b"\0\0\0")
    looks = Looks(tmp_path)
    looks.look()
    size = segment(tmp_path, 0).stat().st_size
    append(segment(tmp_path, 0), whole(3) + whole(4))
    append(segment(tmp_path, 5), whole(5))
    append(segment(tmp_path, 6), whole(6)[:20])
    looks.look()
    assert looks.view.seqs() == [0, 1, 2, 3, 4, 5]
    segment(tmp_path, 6).unlink()
    segment(tmp_path, 5).unlink()
    os.truncate(segment(tmp_path, 0), size)
    # The next group rolls at the same line, and the file may well have the same inode.
    append(segment(tmp_path, 0), whole(3, "b") + whole(4, "b"))
    append(segment(tmp_path, 5), whole(5) + whole(6))
    [problem] = looks.look()
    assert problem.seq == 3
    assert problem.place == Place(segment=str(segment(tmp_path, 0)), line=4, offset=size)
    assert looks.view.items == standing(tmp_path)


def test_a_newer_segment_that_goes_again_before_it_has_a_line_is_nothing(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    writer.group(b"\0\0")
    looks = Looks(tmp_path)
    looks.look()
    segment(tmp_path, 2).touch()
    assert looks.look() == []
    segment(tmp_path, 2).unlink()
    append(segment(tmp_path, 0), whole(2))
    assert looks.look() == []
    assert looks.view.seqs() == [0, 1, 2]


def test_a_torn_tail_in_an_older_segment_is_told_once(tmp_path: Path) -> None:
    append(segment(tmp_path, 0), whole(0) + b"torn")
    looks = Looks(tmp_path)
    looks.look()
    append(segment(tmp_path, 1), b"")
    looks.look()
    append(segment(tmp_path, 1), whole(1))
    looks.look()
    assert looks.view.items == standing(tmp_path)
    assert [getattr(item, "code", None) for _, item in looks.view.items] == [None, "torn-tail", None]


def test_a_file_put_in_place_of_another_goes_on_where_it_agrees(file: Path, tmp_path: Path) -> None:
    looks = Looks(file)
    looks.look()
    other = tmp_path / "other"
    other.write_bytes(file.read_bytes() + whole(2))
    other.replace(file)
    assert looks.look() == []
    assert looks.view.seqs() == [0, 1, 2]
    other.write_bytes(whole(0) + whole(1, "other"))
    other.replace(file)
    [problem] = looks.look()
    assert (problem.seq, problem.place and problem.place.line) == (1, 2)
    other.write_bytes(whole(7))
    other.replace(file)
    [problem] = looks.look()
    assert (problem.seq, problem.place and problem.place.line) == (0, 1)
    assert looks.view.items == standing(file)


def test_another_ledger_altogether_is_begun_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trails, "REACH", 300)
    for first in range(5):
        append(segment(tmp_path, first), whole(first))
    looks = Looks(tmp_path)
    looks.look()
    for first in range(5):
        segment(tmp_path, first).write_bytes(whole(first, "other"))
    [problem] = looks.look()
    assert problem.seq == 0
    assert problem.place == Place(segment=str(segment(tmp_path, 0)), line=1, offset=0)
    assert problem.expected == "the ledger that was read"
    assert problem.found == "another one; every record handed out is void"
    assert looks.view.items == standing(tmp_path)


def test_only_what_was_handed_out_is_void(tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    path.write_bytes(whole(0))
    looks = Looks(path, asked(RUNS[0]))
    append(path, b"".join(whole(seq, run=RUNS[seq % 2], kind="tool_result") for seq in range(1, 90)))
    looks.look()
    os.truncate(path, len(whole(0)))
    [problem] = looks.look()
    assert problem.seq == 2
    assert problem.found.endswith("44 records handed out, seq 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, "
                                  "30, 32, 34, 36, 38, 40, and 24 more stretches")  # fmt: skip


# From now on.


def test_from_now_is_the_moment_of_the_call(file: Path) -> None:
    append(file, b'{"v":2,')
    looks = Looks(file, from_now=True)
    append(file, b"}\n" + whole(3))
    looks.look()
    assert looks.view.seqs() == [3]
    assert [place.line for place, _ in looks.view.items] == [3, 4]


def test_from_now_begins_before_zeros(file: Path) -> None:
    size = file.stat().st_size
    os.truncate(file, 2 * BLOCK)
    looks = Looks(file, from_now=True)
    with file.open("r+b") as opened:
        opened.seek(size)
        opened.write(whole(2))
    looks.look()
    assert looks.view.seqs() == [2]


def test_from_now_what_takes_the_place_of_older_lines_is_new(file: Path) -> None:
    looks = Looks(file, from_now=True)
    looks.look()
    os.truncate(file, len(whole(0)))
    append(file, whole(1, "new"))
    [problem] = looks.look()
    assert problem.seq is None
    assert [(place.line, place.offset) for place, _ in looks.view.items] == [(2, len(whole(0)))]


# Not there.


def test_a_ledger_that_is_gone_is_told_once_and_comes_back(tmp_path: Path) -> None:
    folder = tmp_path / "ledger"
    folder.mkdir()
    append(segment(folder, 0), whole(0))
    looks = Looks(folder)
    looks.look()
    kept = shutil.move(folder, tmp_path / "elsewhere")
    for _ in range(3):
        assert looks.look() == []
    [problem] = looks.view.unreadable
    assert problem.place == Place(segment=str(segment(folder, 0)), line=2, offset=len(whole(0)))
    assert str(folder) in problem.found
    folder.mkdir()
    looks.look()
    looks.look()
    assert len(looks.view.unreadable) == 2
    assert "no ledger-" in looks.view.unreadable[1].found
    folder.rmdir()
    append(segment(Path(kept), 0), whole(1))
    shutil.move(kept, folder)
    assert looks.look() == []
    assert looks.view.seqs() == [0, 1]
    shutil.rmtree(folder)
    looks.look()
    assert len(looks.view.unreadable) == 3


@pytest.mark.parametrize("what", ["a link to nothing", "a directory"])
def test_a_segment_that_cannot_be_read_is_told_and_waited_for(tmp_path: Path, what: str) -> None:
    append(segment(tmp_path, 0), whole(0) + b"torn")
    looks = Looks(tmp_path)
    odd = segment(tmp_path, 1)
    odd.symlink_to("nowhere") if what == "a link to nothing" else odd.mkdir()
    looks.look()
    looks.look()
    assert looks.view.seqs() == [0]
    [problem] = looks.view.unreadable
    assert str(odd) in problem.found
    odd.unlink() if odd.is_symlink() else odd.rmdir()
    append(odd, whole(1))
    looks.look()
    assert looks.view.items == standing(tmp_path)
    assert len(looks.view.items) == 3


# At length.


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is read from /proc")
def test_memory_does_not_grow_with_the_ledger(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    other = whole(1, "x" * 4000, run=RUNS[1])
    with path.open("wb") as file:
        file.write(whole(0))
        for _ in range(100):
            file.write(other * 300)
        file.write(b"torn")
        file.seek(100_000_000, os.SEEK_CUR)
        file.write(b"\n" + whole(2))
        file.truncate(file.tell() + (64 << 20))
    done = subprocess.run([sys.executable, "-c", PEAK, str(path), RUNS[0]], check=True, capture_output=True, text=True)
    assert int(done.stdout) < 80


PEAK = """
import sys
from accounting.ledger import Ledger
with Ledger(sys.argv[1]).follow(sys.argv[2]) as following:
    assert [next(following)[0].seq for _ in range(2)] == [0, 2]
peak = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(int(peak) // 1024)
"""


def test_following_begins_with_what_records_gives(golden: Path) -> None:
    for name in ("golden-p0", "golden-s1"):
        looks = Looks(next(golden.glob(name + "*")))
        looks.look()
        assert looks.view.items == standing(looks.path)
        assert len(looks.view.items) > 3
