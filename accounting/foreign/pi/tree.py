"""The entries of a pi session as the tree they form: its live branch, and where the person went back. foreign.md 3.6.

An entry names the one before it. The live branch runs from the last entry of the file up to a root.
"""

from typing import Final

from msgspec import UNSET, Struct, UnsetType

from accounting.foreign.outline import Rewind
from accounting.ledger.problem import Place
from wire.scalars import TimeMs


class _Node(Struct):
    parent: str | None
    is_message: bool
    turn: int | None = None


class Tree:
    """The tree, entry by entry in file order."""

    def __init__(self) -> None:
        self.rewinds: Final[list[Rewind]] = []
        self._nodes: dict[str, _Node] = {}
        self._leaf: str | None = None

    def add(
        self, own: str | None, parent: str | UnsetType | None, t: TimeMs | None, place: Place, *, is_message: bool
    ) -> None:
        """The next entry. One without an id, or that does not say what is before it, has no place in the tree."""
        if own is None or parent is UNSET or own in self._nodes:
            return
        if self._leaf is not None and parent != self._leaf and (parent is None or parent in self._nodes):
            self._went_back(parent, t, place)
        self._nodes[own] = _Node(parent, is_message)
        self._leaf = own

    def turn(self, own: str | None, number: int) -> None:
        """An entry is a turn."""
        if own is not None and (node := self._nodes.get(own)) is not None and node.turn is None:
            node.turn = number

    def live(self, turns: int) -> list[bool | None]:
        """Of each turn whether it is on the live branch; `None` where the entries do not tell."""
        branch, whole = self._path(self._leaf)
        off: bool | None = False if whole else None
        lives: list[bool | None] = [None] * turns
        for own, node in self._nodes.items():
            if node.turn is not None:
                lives[node.turn - 1] = True if own in branch else off
        return lives

    def _went_back(self, parent: str | None, t: TimeMs | None, place: Place) -> None:
        kept, _ = self._path(parent)
        left = [self._nodes[own] for own in self._path(self._leaf)[0] if own not in kept]
        if any(node.is_message for node in left):
            turns = sorted(node.turn for node in left if node.turn is not None)
            self.rewinds.append(Rewind(place=place, t=t, turns=tuple(turns)))

    def _path(self, leaf: str | None) -> tuple[set[str], bool]:
        """The entries from one up to a root, and whether a root was reached rather than a line that is lost."""
        path: set[str] = set()
        at = leaf
        while at is not None and at not in path:
            node = self._nodes.get(at)
            if node is None:
                return path, False
            path.add(at)
            at = node.parent
        return path, at is None
