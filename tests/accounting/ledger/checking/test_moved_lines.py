"""Whole lines lost, doubled, moved, slipped in, exchanged: found once, at the first line that is not where it was.

The place is worked out from the edit alone. Lines are counted from 0 over all files, as they stand after the edit.
"""

from pathlib import Path

import pytest

from accounting.ledger.canonical import line_hash
from accounting.ledger.segments import segment_name
from tests.accounting.ledger.checking.build import (
    BARE,
    RUN,
    SMALL,
    STARTS,
    STRANGERS,
    faults,
    lines_of,
    split,
    store,
    told,
)
from tests.lines import canonical

SIZE = len(SMALL)
PAIRS = [(first, second) for first in range(SIZE) for second in range(first + 1, SIZE)]


def test_nothing_is_wrong_with_it(tmp_path: Path) -> None:
    assert told(tmp_path, SMALL) == []


def test_lines_lost(tmp_path: Path) -> None:
    """What is lost from the end no chain can see; what is lost elsewhere is told by the first line after it."""
    for first in range(SIZE):
        for end in range(first + 1, SIZE + 1):
            expected = [] if end == SIZE else [(first, "chain-break")]
            assert told(tmp_path, SMALL[:first] + SMALL[end:]) == expected


def test_lines_doubled(tmp_path: Path) -> None:
    """The copies are told as one, be they right behind the originals, further on, or before them."""
    for first in range(SIZE):
        for end in range(first + 1, SIZE + 1):
            for at in range(SIZE + 1):
                lines = SMALL[:at] + SMALL[first:end] + SMALL[at:]
                # Up to where the copies differ from what stands there anyhow they are the originals.
                where = at
                while where < SIZE and lines[where] == SMALL[where]:
                    where += 1
                assert told(tmp_path, lines) == [(where, "chain-break")], (first, end, at)


@pytest.mark.invariant("C1")
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_two_lines_exchanged(tmp_path: Path, first: int, second: int) -> None:
    lines = [*SMALL]
    lines[first], lines[second] = lines[second], lines[first]
    assert told(tmp_path, lines) == [(first, "chain-break")]


def test_lines_moved(tmp_path: Path) -> None:
    for first in range(SIZE):
        for end in range(first + 1, SIZE + 1):
            rest = SMALL[:first] + SMALL[end:]
            for at in range(len(rest) + 1):
                if at != first:
                    lines = rest[:at] + SMALL[first:end] + rest[at:]
                    assert told(tmp_path, lines) == [(min(first, at), "chain-break")], (first, end, at)


@pytest.mark.invariant("C1")
def test_strangers_slipped_in(tmp_path: Path) -> None:
    """Lines of another ledger, one or more in a row, whatever their numbers are."""
    for at in range(1, SIZE + 1):
        for first in range(SIZE + 2):
            for end in range(first + 1, SIZE + 3):
                lines = SMALL[:at] + STRANGERS[first:end] + SMALL[at:]
                assert told(tmp_path, lines) == [(at, "chain-break")], (at, first, end)


def test_strangers_in_front(tmp_path: Path) -> None:
    """Where they begin as a ledger does, they are the ledger, and what was here first is the stranger."""
    for first in range(SIZE + 1):
        expected = [(SIZE + 2 if first == 0 else 0, "chain-break")]
        assert told(tmp_path, STRANGERS[first:] + SMALL) == expected


def test_strangers_in_place_of_lines(tmp_path: Path) -> None:
    """Several are told where they begin and where they end: what they stand for is gone, and nothing bridges that."""
    for first in range(1, SIZE):
        for end in range(first + 1, SIZE + 1):
            lines = SMALL[:first] + STRANGERS[first:end] + SMALL[end:]
            expected = [first, end] if first + 1 < end < SIZE else [first]
            assert told(tmp_path, lines) == [(at, "chain-break") for at in expected]


def test_a_line_that_was_written_again_from_a_changed_record(tmp_path: Path) -> None:
    """In its place and with the right `prev`, so only the line after it can tell; behind the last one there is none."""
    for at in range(SIZE):
        prev = line_hash(SMALL[at - 1]) if at else "0" * 64
        forged = canonical({"v": 2, "run": RUN, "seq": at, "prev": prev, "t": 1, "kind": "went_back", "data": {}})
        expected = [(at + 1, "chain-break")] if at < SIZE - 1 else []
        assert told(tmp_path, [*SMALL[:at], forged, *SMALL[at + 1 :]]) == expected
        # A second writer that began where the first was: two lines claim the same `prev`.
        if at < SIZE:
            assert told(tmp_path, [*SMALL[:at], forged, *SMALL[at:]]) == [(at + 1, "chain-break")]


def test_two_writers_taking_turns(tmp_path: Path) -> None:
    """Both threads go on, and neither is told again."""
    ours = lines_of(*[BARE] * 3, *[{"t": 1}] * 4)
    theirs = lines_of(*[BARE] * 3, *[{"t": 2}] * 4)
    mixed = [line for pair in zip(ours[3:], theirs[3:], strict=True) for line in pair]
    assert told(tmp_path, ours[:3] + mixed) == [(4, "chain-break")]


def test_lines_that_are_none(tmp_path: Path) -> None:
    """Any number of them in a row, in place of lines or between them."""
    for junk in ([b""], [b"\0\0\0"], [b"oops", b"", b"[]", b'{"v":1}', b"{", b"\xff"]):
        for at in range(SIZE + 1):
            for skipped in range(SIZE - at + 1):
                lines = SMALL[:at] + junk + SMALL[at + skipped :]
                assert told(tmp_path, lines) == [(at, "not-a-line")], (junk, at, skipped)


def test_newlines_lost(tmp_path: Path) -> None:
    for first, second in PAIRS:
        lines = [*SMALL[:first], b"".join(SMALL[first : second + 1]), *SMALL[second + 1 :]]
        assert told(tmp_path, lines) == [(first, "not-a-line")]


def test_a_fault_of_each_sort_in_each_line(tmp_path: Path) -> None:
    """The line after it may rest on the line as it was, or as it is."""
    for at in range(SIZE):
        record = {"v": 2, "run": RUN, "seq": at, "prev": line_hash(SMALL[at - 1]) if at else "0" * 64, "t": 1000}
        record |= {"kind": "went_back", "data": {}}
        changes = (
            ({"v": 3}, "version-ahead"), ({"v": 0}, "not-a-version"), ({"prev": "f" * 64}, "chain-break"),
            ({"seq": at + 1}, "seq-gap"), ({"seq": at + 50}, "seq-gap"), ({"seq": 2**64 - 1}, "seq-gap"),
            ({"kind": "new"}, "unknown-kind"), ({"data": {"a": 1.5}}, "float"), ({"seq": "x"}, "not-a-line"),
        )  # fmt: skip
        for change, code in changes:
            changed = canonical(record | change)
            assert told(tmp_path, [*SMALL[:at], changed, *SMALL[at + 1 :]]) == [(at, code)], code
            if code == "seq-gap":
                continue
            rest = lines_of(*[BARE] * SIZE)[: at + 1]
            on = [*rest[:at]]
            on.append(canonical(record | {"prev": line_hash(on[-1]) if on else "0" * 64} | change))
            for seq in range(at + 1, SIZE):
                on.append(canonical(record | {"seq": seq, "prev": line_hash(on[-1])}))
            assert told(tmp_path, on) == [(at, code)], code


# Whole files.


def test_files_exchanged(tmp_path: Path) -> None:
    files = split(SMALL, *STARTS)
    names = [*files]
    for first, second in ((0, 1), (0, 2), (1, 2)):
        exchanged = files | {names[first]: files[names[second]], names[second]: files[names[first]]}
        found = faults(store(tmp_path / "ledger", exchanged))
        # What stands between the two rests on lines that come later only: it is told as well.
        assert [(one.segment, one.line, one.code) for one in found] == [
            (str(tmp_path / "ledger" / name), 1, "chain-break") for name in names[first:second]
        ]


def test_a_file_missing(tmp_path: Path) -> None:
    files = split(SMALL, *STARTS)
    for at, name in enumerate(files):
        folder = store(tmp_path / name, {other: data for other, data in files.items() if other != name})
        found = faults(folder)
        after = [*files][at + 1 :][:1]
        assert [(one.segment, one.line, one.code) for one in found] == [
            (str(folder / next_one), 1, "chain-break") for next_one in after
        ]


def test_a_file_emptied(tmp_path: Path) -> None:
    files = split(SMALL, *STARTS)
    for at, name in enumerate(files):
        folder = store(tmp_path / name, files | {name: b""})
        after = [*files][at + 1 :][:1]
        assert [(one.segment, one.line, one.code) for one in faults(folder)] == [
            (str(folder / next_one), 1, "chain-break") for next_one in after
        ]


def test_a_file_doubled(tmp_path: Path) -> None:
    files = split(SMALL, *STARTS)
    for name, data in files.items():
        folder = store(tmp_path / name, files | {segment_name(SIZE): data})
        [only] = faults(folder)
        assert (only.segment, only.line, only.code) == (str(folder / segment_name(SIZE)), 1, "chain-break")
