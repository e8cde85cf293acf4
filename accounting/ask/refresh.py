"""When readers are told that a thread grew: at most every so often while chunks come in. Spec: asks.md 1.8."""

from typing import Final

REFRESH_INTERVAL_MS: Final = 150
"""The least time between two tellings during one answer."""
HEARTBEAT_MS: Final = 1000
"""How often readers are told while a question waits, so that they count its seconds."""


def should_refresh(*, last_at: int | None, pending: bool, final: bool, now: int) -> bool:
    """Whether to tell readers at `now`. Both times are milliseconds of one clock; a monotonic one never stalls this.

    `last_at` is when they were told last, `None` when they have not been. `pending` says that something was written
    since, `final` that nothing more will be.
    """
    if final:
        return True
    return pending and (last_at is None or now - last_at >= REFRESH_INTERVAL_MS)
