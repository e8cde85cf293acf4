"""Repair: the longest prefix that verifies, all that still reads, what is left; and an original that nobody touched."""

import os
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import json

from accounting.conformance.strategies import RUNS
from accounting.ledger import Ledger, check
from accounting.ledger.repair import LEDGER, LEFT_OVER, REPORT, SALVAGED, RepairError, RepairReport, repair
from accounting.ledger.segments import segment_name
from tests import lines

RECORDS = [
    {"v": 2, "run": RUNS[seq % 2], "t": seq, "kind": "session_named", "data": {"name": f"line {seq} {'x' * seq}"}}
    for seq in range(8)
]
LINES = lines.chained(RECORDS)
WHOLE = b"".join(line + b"\n" for line in LINES)


def stored(folder: Path, *contents: bytes, firsts: tuple[int, ...] = (0,)) -> Path:
    folder.mkdir()
    for first, content in zip(firsts, contents, strict=True):
        (folder / segment_name(first)).write_bytes(content)
    return folder


def parts(into: Path) -> tuple[list[bytes], bytes, bytes]:
    """The prefix's segments, the salvaged records, what was left over."""
    prefix = [path.read_bytes() for path in sorted((into / LEDGER).iterdir())]
    return prefix, (into / SALVAGED).read_bytes(), (into / LEFT_OVER).read_bytes()


def test_a_sound_ledger_is_copied_byte_for_byte(tmp_path: Path) -> None:
    first, second = b"".join(line + b"\n" for line in LINES[:3]), b"".join(line + b"\n" for line in LINES[3:])
    ledger = stored(tmp_path / "a", first, second + b"\0" * 100, firsts=(0, 3))
    report = repair(ledger, tmp_path / "b" / "c")
    assert parts(tmp_path / "b" / "c") == ([first, second], b"", b"")
    assert report.fault is None
    assert (report.lines, report.bytes, report.last_seq) == (8, len(WHOLE), 7)
    assert (report.records, report.salvaged, report.left, report.left_over) == (0, (), 0, ())
    assert report.last_hash == check(ledger).summary.last_hash
    assert json.decode((tmp_path / "b" / "c" / REPORT).read_bytes(), type=RepairReport) == report


def test_a_second_record_on_a_torn_line_is_salvaged(tmp_path: Path) -> None:
    torn = LINES[3][:80]
    damaged = b"\n".join([*LINES[:3], torn + LINES[4], *LINES[5:]]) + b"\n"
    report = repair(lines.write(tmp_path / "a.jsonl", [damaged], end=b""), tmp_path / "b")
    prefix, salvaged, left = parts(tmp_path / "b")
    assert prefix == [b"".join(line + b"\n" for line in LINES[:3])]
    assert salvaged == b"".join(line + b"\n" for line in LINES[4:])
    assert left == torn
    assert report.fault is not None
    assert (report.fault.code, report.fault.line, report.fault.offset) == ("not-a-line", 4, len(prefix[0]))
    [piece] = report.salvaged
    assert (piece.line, piece.offset, piece.length) == (4, len(prefix[0]) + 80, len(salvaged))
    assert (piece.first_seq, piece.last_seq) == (4, 7)


def test_records_glued_without_a_newline_get_one_each(tmp_path: Path) -> None:
    report = repair(lines.write(tmp_path / "a", [LINES[0], LINES[1] + LINES[2] + b"}" + LINES[3]]), tmp_path / "b")
    prefix, salvaged, left = parts(tmp_path / "b")
    assert prefix == [LINES[0] + b"\n"]
    assert salvaged == b"".join(line + b"\n" for line in LINES[1:4])
    assert left == b"}"
    assert (report.records, report.left) == (3, 1)


def test_a_whole_record_without_its_newline_is_salvaged_and_a_torn_one_left(tmp_path: Path) -> None:
    repair(lines.write(tmp_path / "a", [LINES[0] + b"\n" + LINES[1]], end=b""), tmp_path / "b")
    assert parts(tmp_path / "b") == ([LINES[0] + b"\n"], LINES[1] + b"\n", b"")
    repair(lines.write(tmp_path / "a", [LINES[0] + b"\n" + LINES[1][:-1]], end=b""), tmp_path / "c")
    assert parts(tmp_path / "c") == ([LINES[0] + b"\n"], b"", LINES[1][:-1])


def test_a_ledger_that_is_damaged_at_once_has_no_prefix(tmp_path: Path) -> None:
    report = repair(lines.write(tmp_path / "a", LINES[1:]), tmp_path / "b")
    assert parts(tmp_path / "b") == ([], b"".join(line + b"\n" for line in LINES[1:]), b"")
    assert (report.lines, report.bytes, report.last_seq, report.last_hash) == (0, 0, None, None)


def test_a_long_run_of_zeros_within_a_line_is_kept_as_one(tmp_path: Path) -> None:
    repair(lines.write(tmp_path / "a", [LINES[0], b"\0" * 300_000 + LINES[1], LINES[2]]), tmp_path / "b")
    prefix, salvaged, left = parts(tmp_path / "b")
    assert (prefix, salvaged) == ([LINES[0] + b"\n"], LINES[1] + b"\n" + LINES[2] + b"\n")
    assert left.strip(b"\0") == b""


@pytest.mark.parametrize("into", ["a", "a/b", "."])
def test_a_folder_within_the_ledger_or_around_it_is_refused(into: str, tmp_path: Path) -> None:
    ledger = stored(tmp_path / "a", WHOLE)
    with pytest.raises(RepairError):
        repair(ledger, tmp_path / into)
    assert [path.name for path in tmp_path.rglob("*")] == ["a", segment_name(0)]


def test_a_folder_with_something_in_it_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "mine").write_text("kept")
    with pytest.raises(RepairError, match="no empty folder"):
        repair(stored(tmp_path / "a", WHOLE), tmp_path / "b")
    assert [path.name for path in (tmp_path / "b").iterdir()] == ["mine"]


def test_a_full_disk_is_told_as_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(RepairError, match="cannot be written: No space left on device"):
        repair(stored(tmp_path / "a", WHOLE), tmp_path / "b")


def reunited(report: RepairReport, into: Path, names: list[str]) -> dict[str, bytes]:
    """Every segment of the original, put together again from the parts."""
    prefix = sorted((into / LEDGER).iterdir())
    whole = dict.fromkeys(names, b"")
    for path, name in zip(prefix, names, strict=False):
        whole[name] = path.read_bytes()
    files = [(into / name).read_bytes() for name in (SALVAGED, LEFT_OVER)]
    pieces = sorted(
        [(piece, 0) for piece in report.salvaged] + [(piece, 1) for piece in report.left_over],
        key=lambda item: (names.index(item[0].segment), item[0].offset),
    )
    for piece, of in pieces:
        assert len(whole[piece.segment]) == piece.offset
        taken = 0
        while taken < piece.length:
            # A record that had no newline was given one.
            rest = files[of]
            step = piece.length - taken if of else min(piece.length - taken, rest.index(b"\n") + 1)
            whole[piece.segment] += rest[:step]
            taken += step
            files[of] = rest[step:].removeprefix(b"\n") if not of and not rest[:step].endswith(b"\n") else rest[step:]
    assert files == [b"", b""]
    return whole


@pytest.mark.invariant("C5")
@given(st.randoms(use_true_random=False), st.integers(1, 3))
def test_every_byte_goes_to_one_place_and_the_original_stays(random: Random, times: int) -> None:
    contents = [b"".join(line + b"\n" for line in LINES[:5]), b"".join(line + b"\n" for line in LINES[5:])]
    for _ in range(times):
        which = random.randrange(2)
        contents[which] = lines.damage(contents[which], random)
    with TemporaryDirectory() as name:
        ledger, into = stored(Path(name, "a"), *contents, firsts=(0, 5)), Path(name, "b")
        segments = [segment.path for segment in Ledger(ledger).segments]
        before = [path.stat() for path in segments]
        report = repair(ledger, into)
        assert [path.read_bytes() for path in segments] == contents
        assert [path.stat().st_mtime_ns for path in segments] == [stat.st_mtime_ns for stat in before]

        if report.lines:
            proven = check(into / LEDGER)
            assert proven.conforms
            assert (proven.summary.lines, proven.summary.bytes) == (report.lines, report.bytes)
        salvaged = (into / SALVAGED).read_bytes()
        read, _ = lines.read(into / SALVAGED)
        assert len(read) == salvaged.count(b"\n") == report.records
        whole = reunited(report, into, [str(path) for path in segments])
        assert [content.rstrip(b"\0") for content in whole.values()] == [c.rstrip(b"\0") for c in contents]
        # Whatever a view reads of the original is in the prefix or among the salvaged.
        seen, _ = lines.read(ledger)
        kept = list(Ledger(into / LEDGER).records()) if report.lines else []
        have = [record for record, _ in (*kept, *read)]
        assert [record for record, _ in seen if record not in have] == []
