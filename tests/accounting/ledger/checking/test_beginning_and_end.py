"""A check that begins later, and one that knows where the ledger should end."""

from pathlib import Path
from typing import Any

import pytest

from accounting.ledger import verify
from accounting.ledger.canonical import line_hash
from accounting.ledger.segments import segment_name
from tests.accounting.ledger.checking.build import (
    BARE,
    OTHER,
    RUN,
    SMALL,
    STARTS,
    content,
    lines_of,
    rewrite,
    split,
    store,
)
from tests.compare import Plain
from wire import Finding

LINES = lines_of(*[BARE] * 9)
FILES = split(LINES, 3, 6)
ENDS = [line_hash(line) for line in LINES]


def told(path: Path, **options: Any) -> list[tuple[str, str, int, int, int | None, str, str]]:
    """What is found: rule, file, line, offset, seq, expected, found."""
    return [
        (one.code, Path(one.segment).name, one.line, one.offset, one.seq, one.expected, one.found)
        for one in verify(path, **options)
    ]


def short(found: list[Finding]) -> list[tuple[str, int | None]]:
    return [(one.code, one.seq) for one in found]


@pytest.mark.parametrize("first", range(9))
def test_a_check_begins_at_any_line(tmp_path: Path, first: int) -> None:
    whole = rewrite(tmp_path / "whole", content(LINES))
    apart = store(tmp_path / "apart", FILES)
    for path, segments in ((whole, 1), (apart, 3 - first // 3)):
        verification = verify(path, from_seq=first, expect_last=ENDS[8])
        assert list(verification) == []
        summary = verification.summary
        assert (summary.first_seq, summary.last_seq, summary.last_hash) == (first, 8, ENDS[8])
        assert (summary.lines, summary.sound, summary.segments) == (9 - first, 9 - first, segments)
        assert summary.bytes == sum(len(data) for data in [*FILES.values()][3 - segments if path is apart else 0 :])


def test_a_segment_alone_is_checked_from_its_first_line(tmp_path: Path) -> None:
    folder = store(tmp_path / "apart", FILES)
    assert told(folder / segment_name(3), from_seq=3) == []
    [(rule, _, line, *_)] = told(folder / segment_name(3))
    assert (rule, line) == ("chain-break", 1)


def test_what_is_before_it_is_believed(tmp_path: Path) -> None:
    """All but the line right before it in the same file, whose hash it names."""
    for damaged in (b"oops", b"", LINES[0], LINES[0].replace(b'"t":1000', b'"t":7')):
        for first in range(9):
            for at in range(first):
                lines = [*LINES[:at], damaged, *LINES[at + 1 :]]
                found = told(store(tmp_path / "ledger", split(lines, 3, 6)), from_seq=first)
                seen = lines != LINES and at == first - 1 and first % 3 > 0
                expected = [("chain-break", segment_name(first // 3 * 3), first % 3 + 1)] if seen else []
                assert [one[:3] for one in found] == expected, (damaged, first, at)


def test_it_begins_at_the_first_number_that_is_not_below(tmp_path: Path) -> None:
    """A line further up that claims such a number is taken for it, and is out of place."""
    lines = [*LINES[:4], LINES[8], *LINES[5:]]
    found = told(store(tmp_path / "ledger", split(lines, 3, 6)), from_seq=5)
    assert [one[:3] for one in found] == [
        ("chain-break", segment_name(3), 2), ("time-backwards", segment_name(3), 3)
    ]  # fmt: skip


def test_the_line_it_begins_at_is_missing(tmp_path: Path) -> None:
    path = rewrite(tmp_path / "whole", content([*LINES[:4], *LINES[5:]]))
    at = len(content(LINES[:4]))
    assert told(path, from_seq=4) == [("chain-break", "whole", 5, at, 5, f"prev {ENDS[3]}", ENDS[4])]
    # Nothing is read before a segment's first line.
    folder = store(tmp_path / "apart", FILES | {segment_name(3): content(LINES[4:6])})
    assert told(folder, from_seq=3) == [
        ("seq-gap", segment_name(3), 1, 0, 4, "seq 3", "seq 4"),
        ("segment-name", segment_name(3), 1, 0, 4, segment_name(4), segment_name(3)),
    ]


def test_it_begins_beyond_the_end(tmp_path: Path) -> None:
    gap = ("seq-gap", "f", 10, len(content(LINES)), None, "seq 9", "the ledger's end")
    path = rewrite(tmp_path / "f", content(LINES))
    verification = verify(path, from_seq=9)
    assert [one.code for one in verification] == ["seq-gap"]
    summary = verification.summary
    assert (summary.lines, summary.sound, summary.first_seq, summary.last_seq, summary.last_hash) == (
        0,
        0,
        None,
        None,
        None,
    )
    assert told(path, from_seq=9) == [gap]
    end = ("other-end", "f", 10, len(content(LINES)), None, "a last line of seq 8", "no line")
    assert told(path, from_seq=9, expect_last=8) == [gap, end]
    torn = rewrite(tmp_path / "f", content(LINES) + b"{")
    tail = ("torn-tail", "f", 10, len(content(LINES)), None, "a newline at the end", "1 bytes after the last newline")
    assert told(torn, from_seq=9) == [tail, gap]
    assert told(rewrite(tmp_path / "e", b""), from_seq=1) == [("seq-gap", "e", 1, 0, None, "seq 1", "the ledger's end")]
    folder = store(tmp_path / "begun", {segment_name(0): content(LINES), segment_name(9): b""})
    assert told(folder, from_seq=9) == [("seq-gap", segment_name(9), 1, 0, None, "seq 9", "the ledger's end")]
    folder = store(tmp_path / "apart", FILES)
    assert told(folder, from_seq=2**64 - 1) == [
        ("seq-gap", segment_name(6), 4, len(content(LINES[6:])), None, f"seq {2**64 - 1}", "the ledger's end")
    ]


def test_a_tail_before_the_first_line_is_believed_too(tmp_path: Path) -> None:
    """Asked for a line that an older segment should have had: what that one ends in tells nothing of the next."""
    files = FILES | {segment_name(3): content(LINES[3:5]) + LINES[5][:40]}
    verification = verify(store(tmp_path / "apart", files), from_seq=5)
    assert short(list(verification)) == [("seq-gap", 6)]
    assert verification.summary.sound == 0
    files = FILES | {segment_name(3): content(LINES[3:5]) + LINES[5]}
    assert short(list(verify(store(tmp_path / "apart", files), from_seq=5))) == [("seq-gap", 6)]


def test_numbers_are_found_in_any_spelling(tmp_path: Path) -> None:
    """Lines before the first one may be spelled in any way, or be none."""
    lines = [
        b" " + LINES[0],
        b'{"seq":"2"}',
        b'{"seq":2.0}',
        b'{"seq":-5}',
        b"[5]",
        b'{"seq":18446744073709551616}',
        *LINES[2:],
    ]
    assert [one[:3] for one in told(rewrite(tmp_path / "a", content(lines)), from_seq=2)] == [("chain-break", "a", 7)]
    assert told(rewrite(tmp_path / "a", content(lines)), from_seq=3) == []
    spelled = LINES[4].replace(b'"seq"', b'"\\u0073eq" ')
    found = told(rewrite(tmp_path / "a", content([*LINES[:4], spelled, *LINES[5:]])), from_seq=4)
    assert [one[:3] for one in found] == [("not-canonical", "a", 5)]


def test_its_prev_is_believed_and_still_has_to_be_a_hash(tmp_path: Path) -> None:
    changed = LINES[3].replace(ENDS[2].encode(), b"x")
    found = told(store(tmp_path / "apart", split([*LINES[:3], changed, *LINES[4:]], 3, 6)), from_seq=3)
    assert found == [("envelope-field", segment_name(3), 1, 0, 3, "`prev`: 64 lower-case hex digits", '"x"')]


def test_numbers_end(tmp_path: Path) -> None:
    """The last number there is has no successor."""
    last = LINES[0].replace(b'"seq":0', b'"seq":18446744073709551615')
    after = LINES[0].replace(b'"seq":0', b'"seq":18446744073709551616').replace(b"0" * 64, line_hash(last).encode())
    path = rewrite(tmp_path / "a", content([last, after]))
    found = told(path, from_seq=2**64 - 1)
    assert [one[:3] for one in found] == [("not-a-line", "a", 2)]
    assert told(rewrite(path, content([last])), from_seq=2**64 - 1) == []


def test_runs_under_way_may_have_done_anything(tmp_path: Path) -> None:
    answer: Plain = {"kind": "tool_result", "data": {"tool_use_id": "c", "name": "dig", "result": {}}}
    call: Plain = {"kind": "tool_called", "data": {"id": "c", "name": "dig", "args": {}}}
    reply: Plain = {"kind": "model_returned", "data": {"message": {}, "calls": 0}}
    started: Plain = {"kind": "run_started", "run": OTHER}
    lines = lines_of({"t": 9000}, answer, reply, call, call, answer, answer, answer, started, answer | {"run": OTHER})
    path = rewrite(tmp_path / "a", content(lines))
    whole = ["time-backwards", "result-for-no-call", "returned-without-attempt", "call-reused", "second-result"]
    assert [one.code for one in verify(path)] == [*whole[1:2], whole[0], *whole[2:], "result-for-no-call"]
    assert [(one.code, one.seq) for one in verify(path, from_seq=1)] == [("result-for-no-call", 9)]


def test_the_beginning_is_where_a_check_begins(tmp_path: Path) -> None:
    path = rewrite(tmp_path / "a", content([LINES[1]]))
    assert told(path) == told(path, from_seq=0) == told(path, from_seq=None)
    assert [one[0] for one in told(path)] == ["chain-break"]


# The end.


def test_the_end_is_as_expected(tmp_path: Path) -> None:
    folder = store(tmp_path / "small", split(SMALL, *STARTS))
    plain = told(folder)
    assert told(folder, expect_last=7) == told(folder, expect_last=line_hash(SMALL[7])) == plain
    for cut in range(1, 8):
        shorter = store(tmp_path / str(cut), split(SMALL[:cut], *(start for start in STARTS if start <= cut)))
        assert [one[0] for one in told(shorter, expect_last=7)][-1] == "other-end"
        assert [one[0] for one in told(shorter, expect_last=line_hash(SMALL[7]))][-1] == "other-end"


def test_a_change_inside_the_last_line(tmp_path: Path) -> None:
    changed = LINES[8].replace(b'"t":1008', b'"t":1009')
    path = rewrite(tmp_path / "a", content([*LINES[:8], changed]))
    assert told(path) == told(path, expect_last=8) == []
    assert [one[0] for one in told(path, expect_last=ENDS[8])] == ["other-end"]


def test_the_last_line_does_not_read(tmp_path: Path) -> None:
    path = rewrite(tmp_path / "a", content([*LINES[:8], b"oops"]))
    at = len(content(LINES[:8]))
    assert told(path, expect_last=8)[1:] == [
        ("other-end", "a", 9, at, None, "a last line of seq 8", "seq that does not read")
    ]
    assert told(path, expect_last=ENDS[8])[1:] == [
        ("other-end", "a", 9, at, None, f"a last line of hash {ENDS[8]}", f"hash {line_hash(b'oops')}")
    ]
    assert [one[0] for one in told(path, expect_last=line_hash(b"oops"))] == ["not-a-line"]


def test_the_end_is_the_last_line_whatever_follows(tmp_path: Path) -> None:
    """A torn line and room set aside are behind the end; a line of an older segment without its newline is the end."""
    path = rewrite(tmp_path / "a", content(LINES) + b"{" + b"\0" * 9)
    assert [one[0] for one in told(path, expect_last=ENDS[8])] == ["torn-tail"]
    assert [one[:4] for one in told(path, expect_last=7)] == [
        ("torn-tail", "a", 10, len(content(LINES))), ("other-end", "a", 10, len(content(LINES)))
    ]  # fmt: skip
    unended = {segment_name(0): content(LINES[:8]) + LINES[8], segment_name(9): b""}
    verification = verify(store(tmp_path / "ledger", unended), expect_last=ENDS[8])
    assert [one.code for one in verification] == ["unended-segment"]
    summary = verification.summary
    assert (summary.lines, summary.sound, summary.last_seq, summary.last_hash) == (8, 8, None, ENDS[8])


def test_a_run_is_named_where_it_reads(tmp_path: Path) -> None:
    lines = [*LINES[:2], LINES[2].replace(b"went_back", b"went_on"), LINES[3].replace(RUN.encode(), b"nobody")]
    found = list(verify(rewrite(tmp_path / "a", content(lines))))
    assert [(one.code, one.run) for one in found] == [("unknown-kind", RUN), ("envelope-field", None)]
