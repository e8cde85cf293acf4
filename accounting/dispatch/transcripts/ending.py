"""How a transcript ends, told row by row. Pure. Spec: dispatch.md 2.4; spec-notes say what counts as an end."""

from typing import Final

from accounting.dispatch.transcripts.either import EitherRow
from accounting.dispatch.transcripts.rows import time_of
from accounting.dispatch.transcripts.turns import Read, Turn
from wire.dispatch import TranscriptCall, TranscriptResult, TranscriptState
from wire.scalars import TimeMs

_STATES: Final = {
    Turn.asked: TranscriptState.open,
    Turn.answered: TranscriptState.open,
    Turn.going_on: TranscriptState.open,
    Turn.whole: TranscriptState.completed,
    Turn.failed: TranscriptState.failed,
}
"""What a turn that comes last makes of the end; any other leaves it unknown."""
DECIDED: Final = (TranscriptState.completed, TranscriptState.failed)
"""The ends at which nothing is to come."""


class Ending:
    """The end, as far as the rows that were told go."""

    def __init__(self) -> None:
        self.session: str | int | None = None
        """The session that the last row which decides names."""
        self._waiting: Final[set[str]] = set()
        self._nameless = 0
        self._metered: Final[set[str]] = set()
        self._last = Read(rows=(), turn=Turn.nobody)
        self._t: TimeMs | None = None
        self._offset: int | None = None
        self._lost = False

    def take(self, row: EitherRow, read: Read, offset: int) -> None:
        """The next row, in a line that begins at this offset."""
        for done in read.rows:
            if isinstance(done, TranscriptCall):
                self._call(done.call_id)
            elif isinstance(done, TranscriptResult):
                self._answer(done.call_id)
        if read.request is not None and read.is_metered:
            self._metered.add(read.request)
        if read.turn is Turn.strange:
            self.lose()
        if read.turn in (Turn.nobody, Turn.strange):
            return
        if read.turn is Turn.failed:  # nothing answers those calls any more
            self._waiting.clear()
            self._nameless = 0
        self._last, self._t, self._offset, self.session = read, time_of(row), offset, row.session_id
        self._lost = False

    def lose(self) -> None:
        """Something that does not read stands here: it may have been anything, so an end before it is none."""
        self._lost = True

    def state(self) -> TranscriptState:
        """How the transcript ends."""
        if self._lost:
            return TranscriptState.unknown
        if self.waiting:
            return TranscriptState.open
        if self._last.turn is Turn.whole and self._is_cut():
            return TranscriptState.unknown
        return _STATES.get(self._last.turn, TranscriptState.unknown)

    @property
    def waiting(self) -> int:
        """How many calls have no result after them. One without an id is answered by a result without one."""
        return len(self._waiting) + self._nameless

    def decided_at(self) -> TimeMs | None:
        """The time of the row that completes it, or in which it failed; `None` when that has none, and otherwise."""
        return self._t if self.state() in DECIDED else None

    def decided_by(self) -> int | None:
        """Where the line of that row begins; `None` when there is none."""
        return self._offset if self.state() in DECIDED else None

    def failure(self) -> str | None:
        """Why it failed, in a word; `None` unless it did."""
        return self._last.reason if self.state() is TranscriptState.failed else None

    def _is_cut(self) -> bool:
        """Whether the last request has no row that says what it cost, and others have: more of it was to come."""
        request = self._last.request
        return request is not None and bool(self._metered) and request not in self._metered

    def _call(self, own: str | None) -> None:
        if own is None:
            self._nameless += 1
        else:
            self._waiting.add(own)

    def _answer(self, own: str | None) -> None:
        if own is None:
            self._nameless = max(self._nameless - 1, 0)
        else:
            self._waiting.discard(own)
