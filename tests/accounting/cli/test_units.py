"""Figures and their units. Spec: rounds.md 5."""

import pytest

from accounting.cli.units import clock, date, dollars, iso, lasted, per_second, several, took

DAY = 1_761_465_480_000  # 2025-10-26 07:58:00 UTC


@pytest.mark.parametrize(
    ("microseconds", "told"),
    [
        (0, "0 µs"),
        (7, "7 µs"),
        (9_999, "9,999 µs"),
        (10_000, "10 ms"),
        (10_999, "10 ms"),
        (999_999, "999 ms"),
        (1_000_000, "1,000 ms"),
        (59_999_999, "59,999 ms"),
        (2**64 - 1, "18,446,744,073,709,551 ms"),
    ],
)
def test_a_measured_duration(microseconds: int, told: str) -> None:
    assert took(microseconds) == told


@pytest.mark.parametrize(("milliseconds", "told"), [(0, "0 ms"), (9, "9 ms"), (999, "999 ms"), (61_000, "61,000 ms")])
def test_a_difference_of_two_times_is_never_told_in_microseconds(milliseconds: int, told: str) -> None:
    assert lasted(milliseconds) == told


@pytest.mark.parametrize(
    ("micros", "told"),
    [
        (0, "$0.0000"),
        (1, "$0.000001"),
        (12_300, "$0.0123"),
        (12_340, "$0.01234"),
        (1_204_517, "$1.204517"),
        (1_234_000_000, "$1,234.0000"),
    ],
)
def test_dollars(micros: int, told: str) -> None:
    assert dollars(micros) == told


@pytest.mark.parametrize(
    ("amount", "milliseconds", "told"),
    [
        (100, 0, None),
        (100, -5, None),
        (100, 1000, "100"),
        (99, 10_000, "9.9"),
        (10, 1000, "10"),
        (5_000, 1, "5,000,000"),
    ],
)
def test_a_rate(amount: int, milliseconds: int, told: str | None) -> None:
    assert per_second(amount, milliseconds) == told


def test_times() -> None:
    assert iso(DAY) == "2025-10-26T07:58:00Z"
    assert date(DAY + 999) == "2025-10-26 07:58:00 UTC"
    assert clock(DAY, DAY) == "07:58:00"
    assert clock(DAY + 86_400_000, DAY) == "2025-10-27 07:58:00 UTC"


def test_a_time_that_no_calendar_reaches() -> None:
    assert iso(2**64 - 1) == "18446744073709551615 ms"
    assert clock(2**64 - 1, DAY) == clock(2**64 - 1, 2**64 - 1) == "18446744073709551615 ms"
    assert iso(253_402_300_799_999) == "9999-12-31T23:59:59Z"
    assert iso(253_402_300_800_000) == "253402300800000 ms"


def test_several() -> None:
    assert [several(0, "line"), several(1, "line"), several(1234, "line"), several(2, "reply", "replies")] == [
        "0 lines",
        "1 line",
        "1,234 lines",
        "2 replies",
    ]
