"""How a check goes on after a fault: one piece of damage is one finding, and excuses no other."""

from pathlib import Path

from accounting.ledger.canonical import line_hash
from tests.accounting.ledger.checking.build import BARE, RUN, SMALL, STRANGERS, content, faults, lines_of, told
from tests.compare import Plain
from tests.lines import canonical


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
    unnumbered = [*SMALL[:4], b"oops", ahead[5]]
    assert told(tmp_path, [*unnumbered, STRANGERS[2]]) == [(4, "not-a-line"), (5, "version-ahead")]
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
