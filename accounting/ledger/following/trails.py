"""What was read across the segments of a ledger, and where it stopped standing. Spec: ledger.md 7.

A group of lines that failed may reach over several segments: the newer ones are removed and the oldest is cut back.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from accounting.ledger.following.file import content_size
from accounting.ledger.following.trail import CHECKED, Gone, Trail
from accounting.ledger.problem import Place, Problem, ProblemCode
from accounting.ledger.segments import Segment
from wire.scalars import Seq

REACH: Final = 64 << 20
"""How many bytes of the newest lines are remembered, to tell whether they still stand, beside all of the segment at
hand. What was cut further back than that is taken for another ledger."""
_NAMED: Final = 20
"""How many stretches of `seq` a problem names."""


class Trails:
    """A trail for each segment, oldest first. Those out of reach are let go."""

    def __init__(self) -> None:
        self._trails: list[Trail] = []
        self._let_go = False
        self._gone: list[Gone] = []
        # Segment, line and `seq` of the first record that was handed out.
        self._first: tuple[str, int, Seq] | None = None

    @property
    def newest(self) -> Trail | None:
        """The one that is being read."""
        return self._trails[-1] if self._trails else None

    def enter(self, segment: Segment, *, first: bool) -> Trail:
        """Begin with a segment; `first` says that no older one is there."""
        if not self._trails:
            self._let_go = not first
        while sum(one.end for one in self._trails[1:]) >= REACH:
            del self._trails[0]
            self._let_go = True
        trail = Trail(segment)
        self._trails.append(trail)
        return trail

    def hand_out(self, line: int, seq: Seq) -> None:
        """Note that the record in that line, by number, of the segment at hand is handed out."""
        trail = self._trails[-1]
        trail.hand_out(line, seq)
        if self._first is None:
            self._first = trail.segment.name, line, seq

    def settle(self, listed: Sequence[Segment]) -> Problem | None:
        """Go back to the last line that stands, and say what fell. Raises `OSError` when a segment cannot be read."""
        while self._trails:
            trail = self._trails[-1]
            if _is_listed(trail, listed):
                with trail.segment.path.open("rb", buffering=0) as file:
                    self._gone.append(trail.cut(file))
                # A segment that has just been begun stands when the one before it does.
                if trail.end >= CHECKED or len(self._trails) == 1 or _stands(self._trails[-2], listed):
                    break
            self._gone.append(trail.cut(None))
            self._trails.pop()
        # Kept until here, also when a read fails between: it is told once all of it is known.
        gone, self._gone = self._gone, []
        size = sum(one.size for one in gone)
        if not size:
            return None
        at = self._trails[-1] if self._trails else Trail(listed[0])
        # Whether whatever was before all that is remembered has fallen too, nobody can say.
        nothing_left = not at.end and len(self._trails) < 2 and any(one.lines for one in gone)
        if any(one.more for one in gone) or (self._let_go and nothing_left):
            return self._begin_again(listed[0])
        if self._first is not None and self._first[:2] > (at.segment.name, at.lines):
            self._first = None
        seqs = [seq for one in reversed(gone) for seq in one.seqs]
        return Problem(
            code=ProblemCode.truncated,
            place=Place(segment=at.segment.name, line=at.lines + 1, offset=at.end),
            seq=seqs[0] if seqs else None,
            expected="the bytes that were read here",
            found=f"{size} of them gone or changed; {_void(seqs)}",
        )

    def _begin_again(self, first: Segment) -> Problem:
        """Nothing that is remembered stands, and what was before it is not remembered: it is another ledger."""
        seq = None if self._first is None else self._first[2]
        self._first = None
        self._trails.clear()
        self._let_go = False
        return Problem(
            code=ProblemCode.truncated,
            place=Place(segment=first.name, line=1, offset=0),
            seq=seq,
            expected="the ledger that was read",
            found=f"another one; {'no record was handed out' if seq is None else 'every record handed out is void'}",
        )


def reach(segment: Segment, listed: Sequence[Segment]) -> int | None:
    """From which offset in the segment on lines are remembered; `None` when none are."""
    after = 0
    for later in reversed(listed):
        if after >= REACH:
            break
        with suppress(OSError), later.path.open("rb", buffering=0) as file:  # whoever reads it tells
            after += content_size(file)
        if later.name == segment.name:
            return max(0, after - REACH)
    return None


def _is_listed(trail: Trail, listed: Sequence[Segment]) -> bool:
    return any(segment.name == trail.segment.name for segment in reversed(listed))


def _stands(trail: Trail, listed: Sequence[Segment]) -> bool:
    if not _is_listed(trail, listed):
        return False
    with trail.segment.path.open("rb", buffering=0) as file:
        return trail.stands(file)


def _void(seqs: Sequence[int]) -> str:
    """Which records are void, in words."""
    if not seqs:
        return "no record was handed out from them"
    stretches: list[list[int]] = []
    for seq in seqs:
        if stretches and seq == stretches[-1][1] + 1:
            stretches[-1][1] = seq
        else:
            stretches.append([seq, seq])
    told = [str(low) if low == high else f"{low} to {high}" for low, high in stretches[:_NAMED]]
    more = f", and {len(stretches) - _NAMED} more stretches" if len(stretches) > _NAMED else ""
    return f"void: {len(seqs)} records handed out, seq {', '.join(told)}{more}"
