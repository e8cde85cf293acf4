"""When a reader is told: the schedule, stepped. Spec: asks.md 1.8."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from accounting.ask import HEARTBEAT_MS, REFRESH_INTERVAL_MS
from accounting.ask.telling import Telling


def test_a_burst() -> None:
    telling = Telling(0)
    assert telling.wrote(10)
    assert not telling.wrote(20)
    assert telling.due() == 160
    assert not telling.step(159)
    assert telling.step(160)
    assert telling.due() == 1000
    assert telling.step(1000)
    assert telling.due() == 2000


def test_beats_that_were_missed_are_not_made_up_for() -> None:
    telling = Telling(0)
    assert telling.step(5400)
    assert telling.due() == 6000
    assert not telling.step(5999)


@given(st.lists(st.tuples(st.integers(0, 400), st.booleans()), max_size=60))
def test_nothing_is_forgotten_and_nobody_is_overrun(moves: list[tuple[int, bool]]) -> None:
    """Time passes and things are written; whoever steps when it is due tells within an interval of every write."""
    now, told, written = 0, list[int](), list[int]()
    telling = Telling(0)
    for wait, write in moves:
        until = now + wait
        while telling.due() <= until:
            now = telling.due()
            if telling.step(now):
                told.append(now)
        now = until
        if write:
            written.append(now)
            if telling.wrote(now):
                told.append(now)
    end = now + HEARTBEAT_MS
    while telling.due() <= end:
        if telling.step(due := telling.due()):
            told.append(due)
    for one in written:
        assert any(one <= at <= one + REFRESH_INTERVAL_MS for at in told)
    beats = range(HEARTBEAT_MS, end + 1, HEARTBEAT_MS)
    assert {*beats} <= {*told}
    bursts = [at for at in told if at not in beats]
    assert all(other - one >= REFRESH_INTERVAL_MS for one, other in pairwise(bursts))
