"""What is written is what an independent builder of lines gives, in the segments that ledger.md 7 asks for."""

import os
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from accounting.ledger import Ledger, check
from accounting.ledger.writing import AppendError, Draft, LedgerWriter, WriterUnusableError, storing
from accounting.ledger.writing.storing import Tip
from tests.accounting.ledger.writing.drafts import groups
from tests.accounting.ledger.writing.places import FIRST, place, stored, whole
from tests.accounting.ledger.writing.plain import WHEN, clock, encoded, in_segments, lines, noted
from tests.accounting.ledger.writing.systems import QUICK
from wire import Kind
from wire.scalars import NIL_RUN, U64_MAX, address

PLAIN = len(lines([noted("0")])[0])
"""Bytes of a plain line."""


def assert_sound(directory: Path) -> None:
    """No fault, and nothing that a writer could have known better."""
    report = check(directory)
    said = {count.code for count in report.summary.counts}
    assert report.conforms, report.findings
    assert not said & {"payload-shape", "segment-name", "torn-tail"}, report.findings


@pytest.mark.invariant("W4")
@given(groups())
def test_lines_are_those_of_an_independent_builder(given_groups: list[list[Draft]]) -> None:
    before = [(repr(draft), list(draft.data)) for group in given_groups for draft in group]
    with place() as directory:
        with LedgerWriter(directory, now=clock, system=QUICK) as writer:
            records = [writer.append(*group) for group in given_groups]
        expected = lines(draft for group in given_groups for draft in group)
        assert stored(directory) == {FIRST: b"".join(expected)}
        assert encoded(record for group in records for record in group) == expected
        assert_sound(directory)
    assert [[record.kind for record in group] for group in records] == [
        [draft.kind for draft in group] for group in given_groups
    ]
    assert all(isinstance(record.kind, Kind) for group in records for record in group if not record.ig)
    # The drafts are as they were, the order of their keys included.
    assert [(repr(draft), list(draft.data)) for group in given_groups for draft in group] == before


@pytest.mark.invariant("W7")
@given(
    st.lists(st.lists(st.integers(0, 400), max_size=6), max_size=4),
    st.integers(200, 1200),
    st.booleans(),
)
@example([[0, 0], [0]], 2 * PLAIN, False)  # exactly full
@example([[0, 0], [0]], 2 * PLAIN - 1, False)  # one byte short
@example([[400], [0], [400, 400]], 200, True)  # longer than a segment
def test_segments_roll_at_the_limit(sizes: list[list[int]], limit: int, reopened: bool) -> None:
    given_groups = [[noted("0", size) for size in group] for group in sizes]
    with place() as directory, pytest.MonkeyPatch.context() as patch:
        patch.setattr(storing, "SEGMENT_LIMIT", limit)
        writer = LedgerWriter(directory, now=clock, system=QUICK)
        for group in given_groups:
            if reopened:
                writer.close()
                writer = LedgerWriter(directory, now=clock, system=QUICK)
            writer.append(*group)
        writer.close()
        assert stored(directory) == in_segments(lines(draft for group in given_groups for draft in group), limit)
        assert_sound(directory)


@pytest.mark.invariant("W7")
def test_the_limit_is_that_of_the_specification() -> None:
    limit = 64 * 1024 * 1024
    rest = limit - sum(map(len, lines([noted("a"), noted("b")])))
    with place() as directory:
        with LedgerWriter(directory, system=QUICK) as writer:
            writer.append(noted("a"), noted("b", rest), noted("c"))
        sizes = {path.name: path.stat().st_size for path in directory.iterdir()}
    assert sizes == {FIRST: limit, "ledger-00000000000000000002.jsonl": PLAIN}


def test_golden_lines(tmp_path: Path) -> None:
    # Worked out by hand from ledger.md 1; the hash is of the first line as it stands here.
    with LedgerWriter(tmp_path / "ledger", now=lambda: 7, system=QUICK) as writer:
        writer.append(
            Draft(run=NIL_RUN, who="city", kind="city_initialized", data={"b": 1, "a": '\x7f\u2028/\x1f"\\\n'}),
            Draft(
                run=NIL_RUN,
                who="hall/desk",
                kind="brand_new",
                data={"\U00010000": [], "\uffff": {}, "Z": None},
                addr=address("hall"),
                t=0,
                ig=True,
            ),
        )
    assert (tmp_path / "ledger" / FIRST).read_bytes().decode() == (
        '{"v":2,"run":"00000000-0000-0000-0000-000000000000","seq":0,'
        '"prev":"0000000000000000000000000000000000000000000000000000000000000000","t":7,"who":"city",'
        '"kind":"city_initialized","data":{"a":"\x7f\u2028/\\u001f\\"\\\\\\n","b":1}}\n'
        '{"v":2,"run":"00000000-0000-0000-0000-000000000000","seq":1,'
        '"prev":"32e16753aca83f2724237ed6a091e17f8e49d31eef536ce0fc95442b30045473","t":0,"who":"hall/desk","addr":"hall",'
        '"kind":"brand_new","data":{"Z":null,"\uffff":{},"\U00010000":[]},"ig":true}\n'
    )


def test_a_group_takes_the_clock_once(tmp_path: Path) -> None:
    times = iter(range(WHEN, WHEN + 10))
    with LedgerWriter(tmp_path / "ledger", now=lambda: next(times), system=QUICK) as writer:
        first = writer.append(noted("a"), noted("b"))
        second = writer.append(noted("c"))
    assert [record.t for record in (*first, *second)] == [WHEN, WHEN, WHEN + 1]


def test_no_drafts_no_lines(tmp_path: Path) -> None:
    with LedgerWriter(tmp_path / "ledger", system=QUICK) as writer:
        assert writer.append() == ()
    assert stored(tmp_path / "ledger") == {FIRST: b""}


def test_a_writer_goes_on_where_another_ended(tmp_path: Path) -> None:
    written = [noted(str(index)) for index in range(6)]
    for index in range(0, 6, 2):
        with LedgerWriter(tmp_path / "ledger", now=clock, system=QUICK) as writer:
            records = writer.append(*written[index : index + 2])
        assert [record.seq for record in records] == [index, index + 1]
    assert whole(tmp_path / "ledger") == b"".join(lines(written))


def test_the_system_clock_and_the_real_disk(tmp_path: Path) -> None:
    writer = LedgerWriter(str(tmp_path / "ledger"))
    (record,) = writer.append(noted("a"))
    writer.close()
    writer.close()
    assert 1_700_000_000_000 < record.t < 10_000_000_000_000
    assert [read.seq for read, _ in Ledger(tmp_path / "ledger").records()] == [0]


def test_the_directory_that_holds_ledgers_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere"):
        LedgerWriter(tmp_path / "nowhere" / "ledger")
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_no_ledger_to_write(tmp_path: Path) -> None:
    (tmp_path / "ledger").write_bytes(b"".join(lines([noted("a")])))
    with pytest.raises(NotADirectoryError, match="ledger"):
        LedgerWriter(tmp_path / "ledger")
    assert (tmp_path / "ledger").read_bytes() == b"".join(lines([noted("a")]))


def test_numbers_end_at_u64(tmp_path: Path) -> None:
    with LedgerWriter(tmp_path / "ledger", now=clock, system=QUICK) as writer:
        tip = writer._store.tip  # pyright: ignore[reportPrivateUsage]
        writer._store._state = storing._State(  # pyright: ignore[reportPrivateUsage]
            tip=Tip(path=tip.path, file=tip.file, size=tip.size, next_seq=U64_MAX, prev=tip.prev), begun=None
        )
        with pytest.raises(AppendError, match=str(U64_MAX)):
            writer.append(noted("a"), noted("b"))
        assert [record.seq for record in writer.append(noted("a"))] == [U64_MAX]
        with pytest.raises(AppendError, match=str(U64_MAX)):
            writer.append(noted("b"))
    assert whole(tmp_path / "ledger").count(b"\n") == 1


def test_a_closed_writer(tmp_path: Path) -> None:
    with LedgerWriter(tmp_path / "ledger", system=QUICK) as writer:
        writer.append(noted("a"))
    for group in ((noted("b"),), ()):
        with pytest.raises(WriterUnusableError, match="closed"):
            writer.append(*group)


def test_what_others_did_to_the_segment_is_seen(tmp_path: Path) -> None:
    with LedgerWriter(tmp_path / "ledger", system=QUICK) as writer:
        writer.append(noted("a"))
        with (tmp_path / "ledger" / FIRST).open("ab") as file:
            file.write(b"{")
        before = whole(tmp_path / "ledger")
        with pytest.raises(WriterUnusableError, match="something else wrote to it"):
            writer.append(noted("b"))
    assert whole(tmp_path / "ledger") == before
    with LedgerWriter(tmp_path / "ledger", system=QUICK) as writer:
        (tmp_path / "ledger" / FIRST).unlink()
        with pytest.raises(WriterUnusableError, match="removed it"):
            writer.append(noted("b"))


def test_files_can_be_read_by_whom_the_mask_lets(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        with LedgerWriter(tmp_path / "ledger", system=QUICK) as writer:
            writer.append(noted("a"))
    finally:
        os.umask(before)
    assert (tmp_path / "ledger" / FIRST).stat().st_mode & 0o777 == 0o640
