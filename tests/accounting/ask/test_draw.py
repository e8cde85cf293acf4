"""What stands where an answer stands, worked out by hand; and the times that records hold."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from accounting.ask import body, moment, shown, waited_s
from tests.accounting.ask.threads import AT, AT_MS, aborted, chunk, end, error, question
from wire.ask import AskEvent


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        ([], "thinking… 0s   (esc to cancel)"),
        ([chunk(1, " \n")], "thinking… 0s   (esc to cancel)"),
        ([chunk(1, " so far ")], "so far"),
        ([chunk(1, "all"), end(1)], "all"),
        ([end(1)], ""),
        ([aborted(1)], "(cancelled)"),
        ([chunk(1, "half\n"), aborted(1)], "half\n(cancelled)"),
        ([chunk(1, "half"), error(1, "boom\ntry again")], "boom\ntry again"),
        ([chunk(1, "half"), error(1, "")], "the answer failed"),
        ([chunk(1, "half"), end(1), aborted(1)], "half\n(cancelled)"),
        ([aborted(1), chunk(1, "late"), end(1)], "late"),
    ],
)
def test_what_stands_where_the_answer_stands(records: list[AskEvent], expected: str) -> None:
    [one] = shown([question(1), *records])
    assert body(one, AT_MS) == expected


@pytest.mark.parametrize(
    ("at", "after_ms", "seconds"),
    [(AT, 0, 0), (AT, 999, 0), (AT, 1000, 1), (AT, -5000, 0), ("noon", 5000, 0), ("2026-02-30T00:00:00.000Z", 5000, 0)],
)
def test_seconds_waited(at: str, after_ms: int, seconds: int) -> None:
    assert waited_s(at, AT_MS + after_ms) == seconds


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1970-01-01T00:00:00.000Z", 0),
        ("1970-01-01T00:00:01.5Z", 1500),
        ("1970-01-01T01:00:00+01:00", 0),
        ("1970-01-01T00:00Z", 0),
        ("1969-12-31T23:59:59.9995Z", -1),
        ("1970-01-01T00:00:00.000", None),
        ("1970-01-01", None),
        ("1970-01-01T00:00:00.000Z\n", None),
        ("1970-01-01T00:00:00.000+99:00", None),
        ("0000-01-01T00:00:00.000Z", None),
        ("yesterday-ish", None),
        ("", None),
    ],
)
def test_moments(text: str, expected: int | None) -> None:
    assert moment(text) == expected


_two = st.integers(0, 99).map("{:02}".format)
_times = st.builds(
    "{:04}-{}-{}T{}:{}{}{}:{}".format, st.integers(0, 9999), *[_two] * 4, st.sampled_from("+-"), _two, _two
)


@settings(max_examples=25)
@given(_times)
@example("9999-12-31T23:59:59.999-23:59")
@example("0001-01-01T00:00+23:59")
@example("2016-12-31T23:59:60Z")
@example("\ud800")
@example("٢٠٢٦-01-01T00:00Z")
def test_any_text_is_a_moment_or_none(text: str) -> None:
    found = moment(text)
    assert found is None or isinstance(found, int)
