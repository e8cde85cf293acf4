"""The requests of one run, as its records come, and the time that goes to each."""

from hashlib import blake2b
from typing import Final

from accounting.foreign.fidelity import Standing
from accounting.foreign.metered import Request
from accounting.foreign.outline import TurnStanding
from wire.reading import text, used
from wire.record.envelope import Record
from wire.record.kinds import Kind
from wire.scalars import RunId, TimeMs, u64

IDLE_MS: Final = 5 * 60_000
"""Milliseconds between two records of a run from which on nobody was at work: active time leaves such a gap out."""
LEDGER: Final = "ledger"
"""What stands for the agent where a run was written by no reader."""


class MeteredRun:
    """The requests of one run, as its records come."""

    def __init__(self, run: RunId, agent: str, *, stream: bool = False) -> None:
        self.turns = 0
        self.stream: Final = stream
        """Whether it is told as a stream printed it, and not as the agent kept it."""
        self._run = run
        self._agent = agent
        self._open: tuple[bytes, bool, Request] | None = None
        self._latest: TimeMs | None = None
        self._before: tuple[int, int] = (0, 0)
        self._same: dict[TimeMs, int] = {}

    def feed(self, record: Record, standing: TurnStanding | None) -> tuple[bytes, bool, Request] | None:
        """Take in a record; the request before comes back when it opens the next one."""
        done = None
        self._pass(record.t)
        if record.kind == Kind.model_called:
            done = self._open
            self._open = self._called(record, standing)
            self.turns += 1
        elif record.kind == Kind.model_returned and self._open is not None:
            request = self._open[2]
            request.used = used(record.data.get("usage"))
            request.spent = u64(record.data.get("billed_usd_micros"))
        return done

    def end(self) -> tuple[bytes, bool, Request] | None:
        """The last request."""
        return self._open

    def _called(self, record: Record, standing: TurnStanding | None) -> tuple[bytes, bool, Request]:
        wall, active = self._before
        self._before = 0, 0
        nth = self._same[record.t] = self._same.get(record.t, 0) + 1
        copied = standing is not None and standing.copied_from is not None
        request = Request(
            rank=(copied, not record.t, record.t, self._run, self.turns, self._agent == LEDGER, self._agent),
            run=self._run,
            agent=self._agent,
            model=text(record.data.get("model")) or None,
            t=record.t,
            standing=Standing.exact if standing is None else standing.figures,
            wall_ms=wall,
            active_ms=active,
        )
        if standing is None or standing.key is None:
            return _digest(self._run, str(record.t), str(nth)), True, request
        return _digest(standing.key), False, request

    def _pass(self, t: TimeMs) -> None:
        """Time goes on to `t`: that belongs to the request under way, and before the first one to that."""
        if self._latest is None or not self._latest:
            self._latest = t
            return
        gap = t - self._latest
        if gap <= 0:  # a clock that was set back, or a line that was written late
            return
        self._latest = t
        active = gap if gap < IDLE_MS else 0
        if self._open is None:
            self._before = self._before[0] + gap, self._before[1] + active
        else:
            self._open[2].wall_ms += gap
            self._open[2].active_ms += active


def _digest(*parts: str) -> bytes:
    return blake2b("\0".join(parts).encode(errors="replace"), digest_size=16).digest()
