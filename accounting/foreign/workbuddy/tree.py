"""Which turns are on the live branch, and where the person went back. Spec: dispatch.md 2.4, history.

Rows form a tree by `parentId`, in which parallel calls follow one another. The live branch runs from the last row of
the conversation up to a root; the summary that a compaction leaves is a root.
"""

from collections.abc import Sequence

from msgspec import Struct

from accounting.foreign.outline import Compaction, Rewind
from accounting.ledger.problem import Place
from wire.scalars import TimeMs


class Tree:
    """The tree, row by row in file order."""

    def __init__(self) -> None:
        self._parents: dict[str, str | None] = {}
        self._turn_of: dict[str, int] = {}
        self._leaf: str | None = None

    def add(self, own: str | None, parent: str | None, turn: int | None, *, leaf: bool) -> None:
        """The next row; `turn` when it is of a model request, `leaf` when the conversation can end in it."""
        if own is None or own in self._parents:
            return
        self._parents[own] = parent
        if turn is not None:
            self._turn_of[own] = turn
        if leaf:
            self._leaf = own

    def live(self, turns: int) -> list[bool | None]:
        """Of each turn whether it is on the live branch; `None` where the rows do not tell."""
        lives: list[bool | None] = [None] * turns
        # A root is rare; where most rows name no row before them, there is no tree to speak of.
        if self._leaf is None or sum(parent is None for parent in self._parents.values()) * 2 > len(self._parents):
            return lives
        branch: set[str] = set()
        at: str | None = self._leaf
        while at is not None and at in self._parents and at not in branch:
            branch.add(at)
            at = self._parents[at]
        for own, turn in self._turn_of.items():
            if own in branch:
                lives[turn - 1] = True
            elif at is None and lives[turn - 1] is None:  # a root was reached, and not a row that is lost
                lives[turn - 1] = False
        return lives


class Begun(Struct, frozen=True):
    """Where a turn begins."""

    place: Place
    t: TimeMs | None


def rewinds(
    begun: Sequence[Begun], live: Sequence[bool | None], compactions: Sequence[Compaction]
) -> tuple[Rewind, ...]:
    """Where the person went back: each stretch of turns off the live branch that no compaction accounts for."""
    compacted = max((compaction.after for compaction in compactions), default=0)
    found: list[Rewind] = []
    stretch: list[int] = []
    for number, (turn, is_live) in enumerate(zip(begun, live, strict=True), 1):
        if is_live is False and number > compacted:
            stretch.append(number)
        elif stretch:
            found.append(Rewind(place=turn.place, t=turn.t, turns=tuple(stretch)))
            stretch = []
    if stretch:
        found.append(Rewind(place=begun[-1].place, t=begun[-1].t, turns=tuple(stretch)))
    return tuple(found)
