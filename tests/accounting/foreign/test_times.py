"""Times of other agents as UTC milliseconds."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounting.foreign.times import integer_ms, iso_ms, time_ms, whole_us

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@given(st.integers(31_536_000_000, 7_258_118_400_000), st.integers(-14 * 60, 14 * 60))
def test_a_moment_reads_alike_in_every_spelling(ms: int, offset: int) -> None:
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms)
    there = moment.astimezone(timezone(timedelta(minutes=offset)))
    assert iso_ms(there.isoformat(timespec="milliseconds")) == ms
    assert iso_ms(there.isoformat(timespec="microseconds")) == ms
    zulu = moment.replace(tzinfo=None).isoformat(timespec="milliseconds")
    assert iso_ms(zulu + "Z") == iso_ms(zulu) == iso_ms(zulu.replace("T", " ") + "z") == ms


@given(json_values)
def test_whatever_stands_there_reads_or_is_absent(value: object) -> None:
    for read in (iso_ms, integer_ms, time_ms, whole_us):
        found = read(value)  # type: ignore[arg-type]
        assert found is None or (type(found) is int and found >= 0)


@pytest.mark.parametrize(
    ("spelled", "ms"),
    [
        ("2026-03-01T08:00:00Z", 1_772_352_000_000),
        ("2026-03-01T08:00:00.5Z", 1_772_352_000_500),
        ("2026-03-01T09:00:00.123456+01:00", 1_772_352_000_123),
        ("2026-03-01T09:00+0100", 1_772_352_000_000),
        ("2026-03-01T08:00:60Z", 1_772_352_060_000),
        ("1969-12-31T23:59:59.000Z", None),
        ("2026-02-30T08:00:00.000Z", None),
        ("2026-03-01T25:00:00.000Z", None),
        ("2026-03-01", None),
        ("yesterday", None),
        ("", None),
        ("2026-03-01T08:00:00.000Z ", 1_772_352_000_000),
        ("２026-03-01T08:00:00.000Z", None),
    ],
)
def test_spellings(spelled: str, ms: int | None) -> None:
    assert iso_ms(spelled) == ms


def test_seconds_are_not_taken_for_milliseconds() -> None:
    assert integer_ms(1_705_315_200) is None
    assert integer_ms(1_705_315_200_000) == 1_705_315_200_000
    assert integer_ms(True) is None
    assert time_ms("2026-03-01T08:00:00Z") == time_ms(1_772_352_000_000)


def test_durations_are_whole_microseconds() -> None:
    assert whole_us(12) == 12_000
    assert whole_us(0.0125) == 12  # half to even, as Python rounds
    assert whole_us(-1) is None
    assert whole_us(float("nan")) is None
