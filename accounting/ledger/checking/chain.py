"""The chain of hashes and the numbering, and how a report goes on after a fault. Spec: ledger.md 8; spec note 014.

A fault is one piece of damage, and should be one finding. What follows it is therefore checked against the line as
found, and against every other end that damage can have left loose: the line before an intruder, a line that was moved.
Nobody forges a hash by accident, so a line that names such an end is where that thread goes on.
"""

from typing import Final

from accounting.ledger.canonical import GENESIS

_ENDS: Final = 64
"""How many loose ends are remembered: lines that moved further than this are told again where they are missed."""


class Broken(Exception):  # noqa: N818 - raised and caught within the room
    """A line does not go on where the ledger was."""

    def __init__(self, code: str, expected: str, found: str) -> None:
        super().__init__(code)
        self.code = code
        self.expected = expected
        self.found = found


class Chain:
    """What the next line has to claim. `prev` and `expected` are `None` where anything is believed."""

    def __init__(self, prev: str | None = GENESIS, expected: int | None = 0) -> None:
        self.prev = prev
        self.expected = expected
        self._claimed: str | None = None
        """The `prev` of the line before, where that was in order."""
        self._ends: dict[str, int | None] = {}
        """Lines that no line has followed: hash to the `seq` that would."""
        self._before: int | None = None
        """The `seq` that was expected where the line before turned out to be at fault."""
        self._loose = False
        """Whether the line before was at fault, so that neither its hash nor its number need be the ones to go on."""
        self._mangled = False
        """Whether it was at fault in its bytes, so that it may have swallowed others."""

    def follow(self, prev: str, seq: int) -> None:
        """Hold a line to the chain: raises `Broken`. Moves over to another end when the line names one."""
        known = self.prev is None or prev == self.prev
        if not known and prev in self._ends:
            expected = self._ends.pop(prev)
            self._leave()
            self.prev, self.expected, self._loose, known = prev, expected, False, True
        if not known and not self._loose:
            again = " (the same as the line before: written twice, or by two writers)" if prev == self._claimed else ""
            raise Broken("chain-break", f"prev {self.prev}", prev + again)
        if self.expected is None or seq == self.expected:
            return
        if self._loose and (seq in self._bridges() or (not known and self._swallowed(seq))):
            return
        if known:
            raise Broken("seq-gap", f"seq {self.expected}", f"seq {seq}")
        raise Broken("chain-break", f"prev {self.prev}, seq {self.expected}", f"prev {prev}, seq {seq}")

    def accept(self, prev: str, seq: int, hashed: str) -> None:
        """The line holds."""
        if self._loose:
            if prev != self.prev:
                self._leave()
            self._loose = self._mangled = False
        self._claimed = prev
        self.prev = hashed
        self.expected = seq + 1

    def fail(self, seq: int | None, hashed: str, *, mangled: bool) -> None:
        """The line is at fault: go on from it as found. `mangled`: in its bytes, rather than in its place."""
        self._before = self.expected
        self._leave()
        self._loose = True
        # Where the number is the right one, the `prev` itself may be what was changed: by a cut, say, up to within it.
        self._mangled = mangled or seq == self.expected
        self.prev = hashed
        self.expected = None if seq is None else seq + 1

    def _bridges(self) -> tuple[int, ...]:
        """Numbers that go on over a line at fault: it was put in between, or only its own number is wrong."""
        return () if self._before is None else (self._before, self._before + 1)

    def _swallowed(self, seq: int) -> bool:
        return self._mangled and (self._before is None or seq > self._before)

    def _leave(self) -> None:
        if self.prev is None:
            return
        self._ends[self.prev] = self.expected
        if len(self._ends) > _ENDS:
            del self._ends[next(iter(self._ends))]
