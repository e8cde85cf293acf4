"""A thread as rows, worked out by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounting.ask import body, drawn, moment, shown, waited_s
from tests.accounting.ask.threads import AT, AT_MS, aborted, chunk, end, error, question
from wire.ask import AskEvent

THREAD: list[AskEvent] = [
    question(1, "Which port?\nAnd why?", "session-alpha"),
    chunk(1, "8080\n\nsee cfg.py\n"),
    end(1),
    question(2, "Both?", "session-alpha"),
    chunk(2, "one "),
    aborted(2),
    question(3, "Else?", "other-session"),
]
ROWS = (
    "you · re: session-",
    "  Which port?",
    "  And why?",
    "",
    "gmux",
    "  8080",
    "",
    "  see cfg.py",
    "",
    "you",
    "  Both?",
    "",
    "gmux",
    "  one",
    "  (cancelled)",
    "",
    "you · re: other-se",
    "  Else?",
    "",
    "gmux",
    "  thinking… 61s   (esc to cancel)",
)


def test_rows() -> None:
    assert drawn(shown(THREAD), AT_MS + 61_999) == ROWS
    assert drawn(shown(THREAD), AT_MS + 61_999, speaker="rounds")[4] == "rounds"
    assert drawn((), AT_MS) == ()


@given(st.integers(0, 30))
def test_the_last_rows(last: int) -> None:
    assert drawn(shown(THREAD), AT_MS + 61_999, last=last) == ROWS[max(0, len(ROWS) - last) :]


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


_times = st.from_regex(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(Z|[+-][0-9]{2}:[0-9]{2})", fullmatch=True)


@given(st.text() | _times)
def test_any_text_is_a_moment_or_none(text: str) -> None:
    found = moment(text)
    assert found is None or isinstance(found, int)
