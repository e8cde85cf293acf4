"""Locks: what their file says and when they may be taken over, by the table of asks.md 1.6."""

from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounting.ask import LOCK_STALE_MS, is_stale, read_lock
from accounting.ask.lock import STARTING_MS, is_unclaimed
from tests.accounting.ask.threads import AT, AT_MS
from wire import encode
from wire.ask import AskLock
from wire.scalars import IsoTime

OWN, DEAD = 500, 501


def _alive(pid: int) -> bool:
    assert pid > 0, "asked about a worker that was never started"
    return pid == OWN


@pytest.mark.parametrize(
    ("pid", "age_ms", "stale"),
    [
        (OWN, 600_000, False),
        (OWN, 600_001, True),
        (0, 1000, False),
        (0, 660_000, True),
        (-4, 1000, False),
        (DEAD, 1000, True),
        (DEAD, 600_001, True),
        (OWN, -60_000, False),
        (DEAD, -60_000, True),
    ],
)
def test_staleness(pid: int, age_ms: int, stale: bool) -> None:
    assert is_stale(AskLock(pid=pid, started_at=AT), AT_MS + age_ms, _alive) is stale


@pytest.mark.parametrize("pid", [OWN, DEAD, 0])
def test_a_lock_without_a_time_is_stale(pid: int) -> None:
    assert is_stale(AskLock(pid=pid, started_at="yesterday-ish"), AT_MS, _alive)


def test_another_age_may_be_asked_for() -> None:
    lock = AskLock(pid=0, started_at=AT)
    assert is_stale(lock, AT_MS + 6, _alive, stale_ms=5)
    assert not is_stale(lock, AT_MS + 5, _alive, stale_ms=5)
    assert LOCK_STALE_MS == 600_000


@pytest.mark.parametrize(
    ("data", "lock"),
    [
        (b'{"pid":500,"startedAt":"x"}', AskLock(pid=500, started_at="x")),
        (b'{"startedAt":"x"}', AskLock(pid=0, started_at="x")),
        (b'{"pid":"500","startedAt":"x"}', AskLock(pid=0, started_at="x")),
        (b'{"pid":true,"startedAt":"x"}', AskLock(pid=0, started_at="x")),
        (b'{"pid":1.5,"startedAt":"x","more":1}\n', AskLock(pid=0, started_at="x")),
        (b'{"pid":500,"startedAt":7}', None),
        (b'{"pid":500}', None),
        (b'{"pid":500,"startedAt":"x', None),
        (b"[]", None),
        (b"", None),
        (b"\x00\xff", None),
    ],
)
def test_what_a_lock_file_says(data: bytes, lock: AskLock | None) -> None:
    assert read_lock(data) == lock


@given(st.integers(0, 2**31), st.text())
def test_what_is_written_is_read(pid: int, text: str) -> None:
    lock = AskLock(pid=pid, started_at=text)
    assert read_lock(encode(lock)) == lock


@given(st.binary(max_size=30))
def test_any_bytes_are_a_lock_or_none(data: bytes) -> None:
    read_lock(data)


def test_a_lock_is_written_as_the_page_has_it() -> None:
    assert encode(AskLock(pid=0, started_at=AT)) == b'{"pid":0,"startedAt":"2026-10-05T09:30:00.000Z"}'


@pytest.mark.parametrize(
    ("pid", "started_at", "after_ms", "expected"),
    [
        (0, AT, STARTING_MS - 1, False),
        (0, AT, STARTING_MS, True),
        (-1, AT, STARTING_MS, True),
        (70, AT, STARTING_MS, False),
        (0, AT, -60_000, False),
        (0, cast("IsoTime", "yesterday-ish"), 0, True),
    ],
)
def test_a_lock_whose_worker_has_not_come(pid: int, started_at: IsoTime, after_ms: int, expected: bool) -> None:
    assert is_unclaimed(AskLock(pid=pid, started_at=started_at), AT_MS + after_ms) is expected
