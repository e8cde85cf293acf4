"""Opening: the whole is proven, a torn tail is cut and told, zeros are cut without a word, damage is refused."""

import json
from io import FileIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounting.ledger import check
from accounting.ledger.writing import AppendError, LedgerWriter, UnprovenLedgerError, storing
from tests.accounting.ledger.writing.places import FIRST, marks, place, stored, whole
from tests.accounting.ledger.writing.plain import WHEN, lines, noted, notice
from tests.accounting.ledger.writing.systems import QUICK, Watched
from wire.error import ErrorCode

SECOND = "ledger-00000000000000000002.jsonl"
TWO = lines([noted("a"), noted("b")])
FOUR = lines([noted("a"), noted("b"), noted("c"), noted("d")])


def ledger(folder: Path, **files: bytes) -> Path:
    """A ledger of these files."""
    directory = folder / "ledger"
    directory.mkdir()
    for name, content in files.items():
        (directory / name).write_bytes(content)
    return directory


def opened(directory: Path) -> None:
    LedgerWriter(directory, now=lambda: WHEN, system=QUICK).close()


TAILS = (
    st.binary(min_size=1, max_size=40)
    .map(lambda tail: tail.replace(b"\n", b"x"))
    .filter(lambda tail: tail.strip(b"\0"))
)


@pytest.mark.invariant("W6")
@given(st.integers(0, 3), TAILS, st.sampled_from([0, 1, 100, 70_000]))
def test_a_torn_tail_is_cut_and_told(before: int, tail: bytes, zeros: int) -> None:
    written = [noted(str(index)) for index in range(before)]
    with place() as directory:
        directory.mkdir()
        (directory / FIRST).write_bytes(b"".join(lines(written)) + tail + b"\0" * zeros)
        with LedgerWriter(directory, now=lambda: WHEN, system=QUICK) as writer:
            writer.append(noted("next"))
        dropped = len(tail.rstrip(b"\0"))
        assert whole(directory) == b"".join(lines([*written, notice(dropped), noted("next")]))
        after = whole(directory)
        opened(directory)
        assert whole(directory) == after  # told once


@pytest.mark.invariant("W6")
@pytest.mark.parametrize("zeros", [1, 4096, 1 << 20])
@pytest.mark.parametrize("before", [0, 2])
def test_zeros_at_the_end_are_cut_without_a_word(tmp_path: Path, zeros: int, before: int) -> None:
    directory = ledger(tmp_path, **{FIRST: b"".join(TWO[:before]) + b"\0" * zeros})
    opened(directory)
    assert stored(directory) == {FIRST: b"".join(TWO[:before])}


@pytest.mark.invariant("W6")
def test_a_torn_tail_with_a_hole_is_told_in_all_its_bytes(tmp_path: Path) -> None:
    tail = b'{"v":2' + b"\0" * 300_000 + b"}"
    directory = ledger(tmp_path, **{FIRST: b"".join(TWO) + tail})
    opened(directory)
    assert whole(directory) == b"".join(lines([noted("a"), noted("b"), notice(len(tail))]))


def test_a_torn_tail_after_a_roll(tmp_path: Path) -> None:
    directory = ledger(tmp_path, **{FIRST: b"".join(TWO), SECOND: FOUR[2][:50]})
    opened(directory)
    spelled = lines([noted("a"), noted("b"), notice(50)])
    assert stored(directory) == {FIRST: b"".join(TWO), SECOND: spelled[2]}


def test_an_empty_newest_segment_is_used(tmp_path: Path) -> None:
    directory = ledger(tmp_path, **{FIRST: b"".join(TWO), SECOND: b""})
    with LedgerWriter(directory, now=lambda: WHEN, system=QUICK) as writer:
        writer.append(noted("c"), noted("d"))
    assert stored(directory) == {FIRST: b"".join(TWO), SECOND: b"".join(FOUR[2:])}


@pytest.mark.parametrize("content", [b"", b"\0" * 9, b"torn"])
@pytest.mark.parametrize("seq", [1, 3, 10**19])
def test_an_empty_newest_segment_of_another_name_is_refused(tmp_path: Path, seq: int, content: bytes) -> None:
    name = f"ledger-{seq:020}.jsonl"
    directory = ledger(tmp_path, **{FIRST: b"".join(TWO), name: content})
    error = refused(directory)
    assert (error.finding.code, error.finding.expected, error.finding.found) == ("segment-name", SECOND, name)


def test_a_first_segment_of_another_name_is_refused_when_empty(tmp_path: Path) -> None:
    assert refused(ledger(tmp_path, **{SECOND: b""})).finding.expected == FIRST


@pytest.mark.parametrize(("seq", "taken"), [(0, True), (1, True), (2, False), (10**19, False)])
def test_a_newest_segment_that_would_come_after_the_next_one(tmp_path: Path, seq: int, taken: bool) -> None:
    name = f"ledger-{seq:020}.jsonl"
    directory = ledger(tmp_path, **{name: b"".join(TWO)})
    if taken:
        opened(directory)
        assert stored(directory) == {name: b"".join(TWO)}
    else:
        finding = refused(directory).finding
        assert (finding.code, finding.found) == ("segment-name", name)
        assert SECOND in finding.expected


def test_a_fault_while_opening_tells_the_file(tmp_path: Path) -> None:
    class Stiff(Watched):
        def truncate(self, file: FileIO, size: int) -> None:
            raise OSError(5, "Input/output error")

    directory = ledger(tmp_path, **{FIRST: b"".join(TWO) + b"torn"})
    with pytest.raises(OSError, match=f"Input/output error.*{FIRST}"):
        LedgerWriter(directory, system=Stiff())
    assert whole(directory) == b"".join(TWO) + b"torn"


def refused(directory: Path) -> UnprovenLedgerError:
    """Refused with nothing changed; the error names the place and the ways out."""
    (directory.parent / "ledger.lock").touch()
    before = marks(directory.parent)
    with pytest.raises(UnprovenLedgerError) as caught:
        LedgerWriter(directory, system=QUICK)
    assert marks(directory.parent) == before
    error, finding = caught.value, caught.value.finding
    ahead = finding.code == "version-ahead"
    assert error.code is (ErrorCode.E_LOG_VERSION_UNSUPPORTED if ahead else ErrorCode.E_HISTORY_UNPROVEN)
    for part in (
        f"{finding.segment}:{finding.line} (byte {finding.offset}): {finding.code}",
        finding.expected,
        finding.found,
        finding.advice,
        "Nothing was changed",
        f"`rounds check {directory}`",
        "`rounds repair`",
    ):
        assert part in str(error)
    return error


DAMAGE = {
    "bytes in the middle": (FOUR[0] + b"rubbish\n" + FOUR[1], "not-a-line", 2),
    "zeros in the middle": (FOUR[0] + b"\0" * 100 + FOUR[1], "not-a-line", 2),
    "a changed line": (FOUR[0].replace(b'"a"', b'"A"') + FOUR[1], "chain-break", 2),
    "two writers": (FOUR[0] + FOUR[1] + lines([noted("a"), noted("z")])[1], "chain-break", 3),
    "a missing line": (FOUR[0] + FOUR[2], "chain-break", 2),
    "no first line": (FOUR[1], "chain-break", 1),
    "a newer version": (FOUR[0].replace(b'"v":2', b'"v":3'), "version-ahead", 1),
    "white space": (FOUR[0].replace(b'"v":2', b'"v": 2'), "not-canonical", 1),
    "an empty line": (FOUR[0] + b"\n", "not-a-line", 2),
}


@pytest.mark.invariant("W5")
@pytest.mark.parametrize("name", DAMAGE)
@pytest.mark.parametrize("tail", [b"", b"torn", b"\0" * 50])
def test_damage_is_refused_and_never_cut(tmp_path: Path, name: str, tail: bytes) -> None:
    content, code, line = DAMAGE[name]
    error = refused(ledger(tmp_path, **{FIRST: content + tail}))
    assert (error.finding.code, error.finding.line) == (code, line)
    assert error.finding.segment == str(tmp_path / "ledger" / FIRST)


def test_an_older_segment_without_its_end_is_refused(tmp_path: Path) -> None:
    error = refused(ledger(tmp_path, **{FIRST: b"".join(TWO)[:-1], SECOND: b"".join(FOUR[2:])}))
    assert error.finding.code == "unended-segment"


def test_every_line_of_a_golden_ledger_is_taken(golden: Path, tmp_path: Path) -> None:
    for name in ("golden-p0", "golden-s1"):
        directory = tmp_path / name
        directory.mkdir()
        for file in sorted((golden / name).glob("**/ledger-*.jsonl")):
            (directory / file.name).write_bytes(file.read_bytes())
        before = whole(directory)
        with LedgerWriter(directory, system=QUICK) as writer:
            (record,) = writer.append(noted("next"))
        assert record.seq == before.count(b"\n") > 0
        assert whole(directory).startswith(before)
        assert check(directory).conforms


@pytest.mark.parametrize("name", ["ledger-ahead", "ledger-unknown-key"])
def test_golden_ledgers_that_must_be_refused(golden: Path, tmp_path: Path, name: str) -> None:
    files = {file.name: file.read_bytes() for file in (golden / name).glob("**/ledger-*.jsonl")}
    assert files
    refused(ledger(tmp_path, **files))


def test_what_stands_beside_the_segments_is_left_alone(tmp_path: Path) -> None:
    directory = ledger(tmp_path, **{FIRST: b"".join(TWO), "notes.txt": b"x", "ledger-1.jsonl": b"y"})
    opened(directory)
    assert stored(directory) == {FIRST: b"".join(TWO), "notes.txt": b"x", "ledger-1.jsonl": b"y"}


def test_no_room_to_say_what_was_cut(tmp_path: Path) -> None:
    class Full(Watched):
        def write(self, file: FileIO, data: memoryview) -> int:
            raise OSError(28, "No space left on device")

    directory = ledger(tmp_path, **{FIRST: b"".join(TWO) + b"torn"})
    with pytest.raises(AppendError, match="No space left on device") as caught:
        LedgerWriter(directory, system=Full())
    assert caught.value.__notes__ == [
        "4 bytes of a line that was never finished were cut off before, and no line says so"
    ]
    assert whole(directory) == b"".join(TWO)
    opened(directory)
    assert whole(directory) == b"".join(TWO)


def test_what_opening_does_to_the_disk(tmp_path: Path) -> None:
    # What a writer that died left behind is durable before anything is built on it, and so is every name.
    steps = ["barrier", "sync_directory", "sync_directory"]

    def taken() -> list[str]:
        system = Watched()
        LedgerWriter(tmp_path / "ledger", system=system).close()
        return system.steps

    assert taken() == ["make_directory", "create", *steps]
    assert taken() == ["open", *steps]
    (tmp_path / "ledger" / FIRST).write_bytes(b"\0")
    assert taken() == ["open", "truncate", *steps]
    (tmp_path / "ledger" / FIRST).write_bytes(b"x")
    assert taken() == ["open", "truncate", *steps, "write", "barrier"]


def test_what_appending_does_to_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storing, "SEGMENT_LIMIT", len(TWO[0] + TWO[1]))
    system = Watched()
    with LedgerWriter(tmp_path / "ledger", system=system) as writer:
        system.steps.clear()
        writer.append(noted("a"), noted("b"))
        assert system.steps == ["write", "barrier"]
        system.steps.clear()
        writer.append(*map(noted, "cdefg"))
        rolled = ["barrier", "create", "sync_directory", "write"]
        assert system.steps == [*rolled, *rolled, *rolled, "barrier"]
    assert json.loads(stored(tmp_path / "ledger")[SECOND].splitlines()[0])["seq"] == 2
