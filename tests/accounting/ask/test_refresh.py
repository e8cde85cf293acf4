"""When readers are told, by the table of asks.md 1.8."""

import pytest

from accounting.ask import should_refresh


@pytest.mark.parametrize(
    ("last_at", "pending", "final", "now", "expected"),
    [
        (None, False, False, 0, False),
        (None, True, False, 0, True),
        (1000, True, False, 1149, False),
        (1000, True, False, 1150, True),
        (1000, False, True, 1000, True),
        (1000, False, False, 9000, False),
        (None, False, True, 0, True),
        (0, True, False, 149, False),
    ],
)
def test_refresh(last_at: int | None, pending: bool, final: bool, now: int, expected: bool) -> None:
    assert should_refresh(last_at=last_at, pending=pending, final=final, now=now) is expected
