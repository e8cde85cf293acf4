"""What a view could not use, as data: code, place, what was expected and what was found. Spec: rounds.md 0."""

from collections import Counter
from enum import StrEnum
from typing import Final

from msgspec import Struct

from wire.scalars import Seq

LISTED: Final = 1000
"""How many problems are kept in full; past that they are counted."""


class ProblemCode(StrEnum):
    """The problems a view can report. A checker's findings are another, longer list."""

    not_json = "not-json"
    """The line is no JSON text; it is skipped."""
    not_a_record = "not-a-record"
    """The line is JSON but no record: `v`, `run`, `seq`, `t`, `kind` or `data` is not usable; it is skipped."""
    torn_tail = "torn-tail"
    """An older segment ends in bytes without a newline; they are skipped."""
    unknown_key = "unknown-key"
    """An envelope key that the format does not have; it is ignored."""
    version_ahead = "version-ahead"
    """A `v` beyond the newest known; the line is read as the newest known."""
    float_in_payload = "float"
    """A number with a fraction or exponent; it is kept as it is."""
    integer_range = "integer-range"
    """An integer that fits neither i64 nor u64; it is kept as it is, and reads as no count."""
    too_deep = "too-deep"
    """Nesting past 126 containers; it is kept, and empty past 900."""
    lone_surrogate = "lone-surrogate"
    """The escape of half a surrogate pair; it reads as U+FFFD."""
    bad_utf8 = "bad-utf8"
    """Bytes that are not UTF-8; they read as U+FFFD."""
    repeated_key = "repeated-key"
    """A key that stands twice in one object; the last one counts."""
    seq_not_rising = "seq-not-rising"
    """A record whose `seq` is not above the one before it; it is taken in file order."""
    closing_unreadable = "closing-unreadable"
    """The first `run_frozen` does not say how the session ended: it ended, and `closing` is null all the same."""
    truncated = "truncated"
    """Of a ledger that is followed: bytes that were read are gone or changed, for a writer cut them away. The problem's
    `seq` is the first record that was handed out and is void, with all after it; null when none is."""
    unreadable = "unreadable"
    """Of a ledger that is followed: it cannot be read now, from the place on that reading has come to. It is tried
    again; what was read before stands."""


class Place(Struct, frozen=True, kw_only=True, gc=False):
    """Where a line stands."""

    segment: str
    """The file, as it was opened."""
    line: int
    """The line's number in the file, from 1."""
    offset: int
    """Byte offset of the line's first byte in the file, from 0."""


class Problem(Struct, frozen=True, kw_only=True):
    """One thing a view could not use, or read otherwise than it was written."""

    code: ProblemCode
    """What sort of problem."""
    place: Place | None = None
    """Where; null when the record was not read from a file."""
    seq: Seq | None = None
    """The record's `seq`; null when the line is no record."""
    expected: str
    """What should have been there."""
    found: str
    """What was."""


def torn_tail(place: Place, size: int) -> Problem:
    """What is told of an older segment that ends in `size` bytes without a newline, the first of them at `place`."""
    return Problem(
        code=ProblemCode.torn_tail,
        place=place,
        expected="a newline at the end of every segment but the newest",
        found=f"{size} bytes after the last newline",
    )


class Problems:
    """Problems as they come in: the first ones in full, all of them counted by code."""

    def __init__(self) -> None:
        self._listed: list[Problem] = []
        self._counts: Counter[ProblemCode] = Counter()

    def add(self, problem: Problem) -> None:
        """Take one in."""
        self._counts[problem.code] += 1
        if len(self._listed) < LISTED:
            self._listed.append(problem)

    @property
    def listed(self) -> tuple[Problem, ...]:
        """The first 1,000, in the order met."""
        return tuple(self._listed)

    @property
    def counts(self) -> dict[ProblemCode, int]:
        """How many of each code, the unlisted ones included."""
        return dict(self._counts)
