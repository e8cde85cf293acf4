"""Whole lines lost, doubled, moved, slipped in, exchanged: found once, at the first line that is not where it was.

The place is worked out from the edit alone. Lines are counted from 0 over all files, as they stand after the edit.
"""

from pathlib import Path

import pytest

from accounting.ledger import verify
from accounting.ledger.canonical import line_hash
from accounting.ledger.segments import segment_name
from tests.accounting.ledger.checking.build import (
    BARE,
    RUN,
    SMALL,
    STARTS,
    content,
    faults,
    lines_of,
    rewrite,
    split,
    store,
)
from tests.compare import Plain
from tests.lines import canonical
from wire import Severity

SIZE = len(SMALL)
PAIRS = [(first, second) for first in range(SIZE) for second in range(first + 1, SIZE)]
STRANGERS = lines_of(*[{"kind": "document_written", "t": at} for at in range(SIZE + 2)])


def told(path: Path, lines: list[bytes]) -> list[tuple[int, str]]:
    """The faults of a file of these lines: the line of each, from 0, and the rule."""
    verification = verify(rewrite(path / "file.jsonl", content(lines)))
    found = [(finding.line - 1, finding.code) for finding in verification if finding.severity is Severity.fault]
    assert verification.summary.sound == (found[0][0] if found else len(lines))
    return found


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


def test_two_pieces_of_damage_apart_are_two(tmp_path: Path) -> None:
    lines = lines_of(*[BARE] * 12)
    assert told(tmp_path, [*lines[:2], *lines[3:7], *lines[8:]]) == [(2, "chain-break"), (6, "chain-break")]
    assert told(tmp_path, [*lines[:2], b"x", *lines[3:7], b"y", *lines[8:]]) == [(2, "not-a-line"), (7, "not-a-line")]
    doubled = [*lines[:4], lines[3], *lines[4:7], lines[6], *lines[7:]]
    assert told(tmp_path, doubled) == [(4, "chain-break"), (8, "chain-break")]
    # Two neighbours, each written twice, are the same bytes as the two of them slipped in between.
    assert told(tmp_path, [*lines[:4], lines[3], lines[4], lines[4], *lines[5:]]) == [(4, "chain-break")]


def on(lines: list[bytes], **fields: object) -> list[bytes]:
    """The lines and one more, which goes on from the last one as it is."""
    prev = line_hash(lines[-1]) if lines else "0" * 64
    record: Plain = {"v": 2, "run": RUN, "seq": len(lines), "t": 1000, "kind": "went_back", "data": {}, "prev": prev}
    return [*lines, canonical(record | fields)]


def test_a_fault_excuses_no_other(tmp_path: Path) -> None:
    """What follows a fault may go on in several ways, and is held to them."""
    float_: Plain = {"data": {"a": 1.5}}
    two = on([SMALL[0]], **float_)
    assert told(tmp_path, on(on(two, seq=7), seq=8)) == [(1, "float"), (2, "seq-gap")]
    after_junk = on([SMALL[0], b"oops"], **float_)
    assert told(tmp_path, on(after_junk)) == [(1, "not-a-line"), (2, "float")]
    assert told(tmp_path, on(after_junk, seq=9)) == [(1, "not-a-line"), (2, "float"), (3, "seq-gap")]
    # What has no number that reads may be followed by any; what has one, by that or by none that is before it.
    assert told(tmp_path, on([SMALL[0], b"oops"], seq=9)) == [(1, "not-a-line")]
    ahead = [*SMALL[:5], canonical({"v": 3, "run": RUN, "seq": 5, "t": 1, "kind": "dug", "data": {}})]
    assert told(tmp_path, [*ahead, STRANGERS[7]]) == [(5, "version-ahead")]
    assert told(tmp_path, [*ahead, STRANGERS[2]]) == [(5, "version-ahead"), (6, "chain-break")]
    # The line before the fault is known, and so is the number after it.
    assert told(tmp_path, [*SMALL[:3], STRANGERS[7], on(SMALL[:3], seq=4)[3]]) == [(3, "chain-break"), (4, "seq-gap")]
    # A number that would have gone on over a fault long past.
    gap = on(on(SMALL[:2], seq=9), seq=10)
    for seq in (2, 3, 9):
        assert told(tmp_path, on(gap, seq=seq)) == [(2, "seq-gap"), (4, "seq-gap")]
    # The line that did go on from the one at fault, once more.
    lines = on(on(on(two)))
    assert told(tmp_path, [*lines, lines[2]]) == [(1, "float"), (5, "chain-break")]


def test_strangers_that_do_not_hang_together_are_told_one_by_one(tmp_path: Path) -> None:
    lines = [*SMALL[:3], STRANGERS[2], STRANGERS[7], *SMALL[3:]]
    assert told(tmp_path, lines) == [(3, "chain-break"), (4, "chain-break")]
    [_, second] = faults(tmp_path / "file.jsonl")
    assert second.expected == f"prev {line_hash(STRANGERS[2])}, seq 3"
    assert second.found == f"prev {line_hash(STRANGERS[6])}, seq 7"


def test_a_cut_from_within_one_prev_to_within_another(tmp_path: Path) -> None:
    """What is left is spelled as a line has to be, and stands in its place; its `prev` names nothing."""
    lines = lines_of(*[BARE] * 6)
    data = content(lines)
    for first in range(6):
        for after in range(first + 1, 6):
            start = len(content(lines[:first])) + lines[first].index(b'"prev":"') + 8
            end = len(content(lines[:after])) + lines[after].index(b'"prev":"') + 8
            for at in range(1, 64):
                left = data[: start + at] + data[end + at :]
                assert told(tmp_path, left.split(b"\n")[:-1]) == [(first, "chain-break")], (first, after, at)


def test_a_line_that_moved_further_than_is_remembered_is_told_again(tmp_path: Path) -> None:
    lines = lines_of(*[BARE] * 150)
    assert told(tmp_path, [lines[0], *lines[2:], lines[1]]) == [(1, "chain-break")]
    # Strangers in between, each an end that no line goes on from.
    for count, again in ((63, False), (64, True)):
        strangers = [STRANGERS[2].replace(b'"t":2', b'"t":%d' % at) for at in range(count)]
        apart = [line for at in range(count) for line in (strangers[at], lines[2 + at])]
        found = told(tmp_path, [lines[0], *apart, *lines[2 + count :], lines[1]])
        expected = [*range(1, 2 * count, 2), *([149 + count] if again else [])]
        assert found == [(at, "chain-break") for at in expected]
