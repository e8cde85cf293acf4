"""Parsing threads: total over any bytes, monotonic over prefixes, and everything passed over is told."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from accounting.ask import DROPPING, TRIMMED, parse, trim
from accounting.ask import ThreadProblemCode as Code
from accounting.ledger.problem import LISTED
from tests.accounting.ask.threads import AT, chunk, end, events, files, meta, question, spelled
from wire.ask import AskEvent


@pytest.mark.invariant("A3")
@given(st.binary(max_size=60) | files())
def test_any_bytes_parse_and_what_is_dropped_is_counted(data: bytes) -> None:
    read = parse(data)
    lines = data.split(b"\n")
    blank = sum(not trim(line.decode(errors="replace")) for line in lines)
    assert len(read.events) + read.dropped + blank == len(lines)
    assert sum(read.counts.values()) == len(read.problems)
    for problem in read.problems:
        assert data[: problem.offset].count(b"\n") == problem.line - 1
        assert problem.offset == 0 or data[problem.offset - 1 : problem.offset] == b"\n"
        assert problem.found.isprintable()
    assert read.torn == any(problem.code is Code.torn_tail for problem in read.problems)
    assert not (read.torn and data.endswith(b"\n"))


@given(files())
def test_torn_is_an_unterminated_tail_that_is_no_json(data: bytes) -> None:
    """Told by another JSON reader."""
    tail = data.split(b"\n")[-1].decode(errors="replace")

    def is_json() -> bool:
        try:
            json.loads(tail, parse_constant=lambda _: 1 / 0)
        except (ValueError, ZeroDivisionError):
            return False
        except RecursionError:  # the one deep line of the pool is JSON
            return True
        return True

    assert parse(data).torn == bool(trim(tail) and not is_json())


@given(events())
def test_what_is_written_is_read(some: list[AskEvent]) -> None:
    read = parse(spelled(some))
    assert read.events == tuple(some)
    assert (read.torn, read.problems, read.counts) == (False, (), {})


@pytest.mark.invariant("A2")
@given(events(), st.data())
def test_a_prefix_of_a_thread_is_a_prefix_of_its_events(some: list[AskEvent], data: st.DataObject) -> None:
    whole = spelled(some)
    cut = data.draw(st.integers(0, len(whole)))
    read = parse(whole[:cut])
    # The record whose newline alone is missing is whole.
    count = whole[:cut].count(b"\n") + (whole[cut : cut + 1] == b"\n" and not whole[:cut].endswith(b"\n") and cut > 0)
    assert read.events == tuple(some[:count])
    assert read.dropped == read.torn


@given(files(), st.data())
def test_a_prefix_of_any_bytes_differs_in_the_last_line_alone(whole: bytes, data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(whole)))
    lines = whole[:cut].count(b"\n")
    before = parse(b"".join(line + b"\n" for line in whole.split(b"\n")[:lines])).events
    assert parse(whole[:cut]).events[: len(before)] == before
    assert parse(whole).events[: len(before)] == before
    assert len(parse(whole[:cut]).events) <= len(before) + 1


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ('{"t":"end"', Code.not_json),
        ("\x00", Code.not_json),
        ("NaN", Code.not_json),
        ("17", Code.not_an_event),
        ('{"t":null}', Code.not_an_event),
        ('{"t":"mood"}', Code.unknown_event),
        ('{"t":"end","seq":0,"at":"' + AT + '"}', Code.bad_field),
        ('{"t":"end","seq":1}', Code.bad_field),
        ('{"t":"chunk","seq":1.0,"text":"a"}', Code.bad_field),
        ('{"t":"chunk","seq":1e0,"text":"a"}', Code.bad_field),
        ('{"t":"end","seq":1,"at":"soon"}', Code.bad_time),
        ('{"t":"meta","runId":"x","startedAt":"","provider":""}', Code.bad_time),
        ('{"t":"question","seq":1,"at":"' + AT + '","focus":[],"text":"a?"}', Code.bad_focus),
        (r'{"t":"chunk","seq":1,"text":"\udc00"}', Code.lone_surrogate),
        (r'{"t":"chunk","seq":1,"text":"a","x":"\udc00"}', Code.lone_surrogate),
    ],
)
def test_each_oddity_has_a_code_and_a_place(line: str, code: Code) -> None:
    first = spelled([meta()])
    read = parse(first + line.encode() + b"\n" + spelled([end(3)]))
    [problem] = read.problems
    assert (problem.code, problem.line, problem.offset) == (code, 2, len(first))
    assert read.counts == {code: 1}
    assert read.dropped == (code in DROPPING)
    assert len(read.events) == 3 - read.dropped
    assert not read.torn


def test_bytes_that_are_no_utf_8_are_told_even_where_nobody_reads_them() -> None:
    read = parse(b'{"t":"chunk","seq":1,"text":"a","x":"\xff"}\n')
    assert read.events == (chunk(1, "a"),)
    assert [problem.found for problem in read.problems] == ["byte 0xff at byte 37 of the line"]


def test_a_time_of_another_form_is_kept_as_it_is() -> None:
    [event] = parse(b'{"t":"question","seq":1,"at":"noon","focus":"x","text":"a?"}').events
    assert event == structs.replace(question(1, "a?", "x"), at="noon")


def test_a_long_file_of_something_else_lists_some_and_counts_all() -> None:
    read = parse(b"x\n" * (LISTED + 5))
    assert len(read.problems) == LISTED
    assert read.counts == {Code.not_json: LISTED + 5}
    assert read.dropped == LISTED + 5


def test_trimming_is_by_the_set_that_the_page_lists() -> None:
    listed = (
        "\t\n\v\f\r \u00a0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000\ufeff"
    )
    assert set(TRIMMED) == set(listed)
    assert trim(listed + "a b" + listed) == "a b"
    assert trim("\x1c\x85a\x1f") == "\x1c\x85a\x1f"
