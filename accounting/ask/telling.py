"""When a reader is told during one answer: a pure schedule, stepped by whoever has the clock. Spec: asks.md 1.8.

The first piece is told at once and the pieces after it at most every `REFRESH_INTERVAL_MS`; the last of a burst is
told when that has passed, not forgotten. While a question is in flight a heartbeat tells too, so that its seconds are
counted.
"""

from accounting.ask.refresh import HEARTBEAT_MS, REFRESH_INTERVAL_MS, should_refresh


class Telling:
    """The schedule of one answer. All times are milliseconds of one monotonic clock."""

    def __init__(self, now: int) -> None:
        self._last: int | None = None
        self._pending = False
        self._beat = now + HEARTBEAT_MS

    def wrote(self, now: int) -> bool:
        """Something was written: whether to tell now."""
        self._pending = True
        return self._refresh(now)

    def due(self) -> int:
        """When to step next, unless something is written before."""
        if self._pending and self._last is not None:
            return min(self._beat, self._last + REFRESH_INTERVAL_MS)
        return self._beat

    def step(self, now: int) -> bool:
        """Whether to tell now: the end of a burst has waited long enough, or it is time for a heartbeat."""
        told = self._refresh(now)
        if now < self._beat:
            return told
        # Beats that were missed are not made up for.
        self._beat += (now - self._beat) // HEARTBEAT_MS * HEARTBEAT_MS + HEARTBEAT_MS
        return True

    def _refresh(self, now: int) -> bool:
        if not should_refresh(last_at=self._last, pending=self._pending, final=False, now=now):
            return False
        self._last, self._pending = now, False
        return True
