"""Where a proven ledger goes on, and what a writer is told when it does not prove."""

from pathlib import Path

import pytest

from accounting.ledger import NotALedgerError, check, verify
from accounting.ledger.canonical import GENESIS, line_hash
from accounting.ledger.checking import End, FaultError, proven_end
from accounting.ledger.segments import segment_name
from tests.accounting.ledger.checking import naive
from tests.accounting.ledger.checking.build import BARE, SMALL, STARTS, content, lines_of, rewrite, split, store

LINES = lines_of(*[BARE] * 4)
WHOLE = content(LINES)
LAST = line_hash(LINES[3])


@pytest.mark.parametrize(
    ("tail", "torn"),
    [(b"", 0), (b"\0", 0), (b"\0" * 200_000, 0), (b'{"v"', 4), (b'{"v"' + b"\0" * 200_000, 4), (b"\0\0{", 3)],
)
def test_whole_lines_are_counted_and_what_is_torn(tmp_path: Path, tail: bytes, torn: int) -> None:
    end = End(next_seq=4, prev=LAST, size=len(WHOLE), torn=torn)
    assert proven_end(rewrite(tmp_path / "file", WHOLE + tail)) == end
    files = split(LINES, 2)
    files[segment_name(2)] += tail
    end = End(next_seq=4, prev=LAST, size=len(content(LINES[2:])), torn=torn)
    assert proven_end(store(tmp_path / "ledger", files)) == end
    # A newest segment that no line has been written to yet.
    files = {segment_name(0): WHOLE, segment_name(4): tail}
    assert proven_end(store(tmp_path / "new", files)) == End(next_seq=4, prev=LAST, size=0, torn=torn)


def test_a_ledger_of_nothing(tmp_path: Path) -> None:
    nothing = End(next_seq=0, prev=GENESIS, size=0, torn=0)
    assert proven_end(tmp_path) == nothing
    assert proven_end(rewrite(tmp_path / "file", b"")) == nothing
    assert proven_end(store(tmp_path / "ledger", {segment_name(0): b"\0\0"})) == nothing
    with pytest.raises(FileNotFoundError):
        proven_end(tmp_path / "gone")
    with pytest.raises(FileNotFoundError):
        verify(tmp_path / "gone")
    (tmp_path / "none").mkdir()
    for ask in (verify, check):
        with pytest.raises(NotALedgerError):
            ask(tmp_path / "none")


def test_other_files_are_no_part_of_a_ledger(tmp_path: Path) -> None:
    files = split(SMALL, *STARTS) | {"ledger-3.jsonl": b"x\n", segment_name(3) + ".bak": b"x\n", "notes": b"x\n"}
    assert proven_end(store(tmp_path / "ledger", files)).next_seq == len(SMALL)


def test_what_is_no_fault_stops_nobody(tmp_path: Path) -> None:
    """Warnings and notes are for who reads a report."""
    lines = lines_of({"t": 5}, {"kind": "worktree_opened", "t": 4}, {"kind": "dug", "ig": True}, {"kind": "run_frozen"})
    path = store(tmp_path / "ledger", {segment_name(7): content(lines) + b"{"})
    assert {one.code for one in verify(path)} == {
        "segment-name", "payload-shape", "time-backwards", "kind-skipped", "torn-tail"
    }  # fmt: skip
    assert proven_end(path).next_seq == 4


def test_the_first_fault_is_told(tmp_path: Path) -> None:
    lines = [*SMALL[:4], *SMALL[5:], b"oops"]
    path = store(tmp_path / "ledger", split(lines, *STARTS))
    with pytest.raises(FaultError) as raised:
        proven_end(path)
    finding = raised.value.finding
    assert (finding.code, finding.line, finding.offset) == ("chain-break", 3, len(content(SMALL[2:4])))
    assert str(raised.value).startswith(
        f"{path}/{segment_name(2)}:3 (byte {finding.offset}): chain-break: expected prev "
    )
    assert str(raised.value).endswith(f". {finding.advice}")


def test_real_ledgers(golden: Path) -> None:
    """Two that a writer could go on with, and two that it has to refuse."""
    rules = {"golden-p0": None, "golden-s1": None, "ledger-ahead": "version-ahead", "ledger-unknown-key": "unknown-key"}
    for name, rule in rules.items():
        files = [path.read_bytes() for path in sorted((golden / name).glob("ledger-*.jsonl"))]
        wanted = naive.read(files)
        if rule is None:
            assert isinstance(wanted, naive.End)
            assert proven_end(golden / name).next_seq == wanted.seq
            continue
        with pytest.raises(FaultError) as raised:
            proven_end(golden / name)
        assert raised.value.finding.code == rule
        assert isinstance(wanted, naive.Fault)
        assert (wanted.line, wanted.step) == (raised.value.finding.line, naive.step_of(rule))
