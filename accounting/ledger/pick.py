"""Which lines can matter to one run, found without decoding the others. Spec: design.md, law 6.

A line is passed over when it opens in canonical spelling as another run's line, names the asked run nowhere, and is
of a kind that no run but its own reads. Whatever else it holds is its own run's affair. Every other line is handed
on, so that a line in any other spelling is still read right and a broken one still reported.
"""

import re
from typing import Final, TypeAlias

from wire.record.kinds import Kind
from wire.scalars import RunId, run_id

CROSSING: Final = frozenset((Kind.approval_resolved, Kind.signal_enqueued))
"""The kinds that a run's answer can take in from lines of other runs (rounds.md 3)."""

_opening: Final = re.compile(rb'\{"v":[12],"run":"([0-9a-f-]{36})","seq":').match

# A line's head in canonical spelling, up to its payload, of a kind that does not cross. Without a backslash there are
# no escapes: what stands here is what it says. Possessive, so that a line that does not fit is given up at once.
_passable_head: Final = re.compile(
    rb'\{"v":[12],"run":"[^\\]{36}+","seq":[0-9]++,"prev":"[^\\]{64}+","t":[0-9]++,"who":"[^"\\]*+",'
    rb'(?:"addr":"[^"\\]*+",)?"kind":"(?!(?:' + "|".join(sorted(CROSSING)).encode() + rb')")[a-z_]++","data":\{'
).match


Choice: TypeAlias = tuple[list[tuple[int, int, int]], int]
"""Lines chosen out of a block of whole lines (index, start, end before the newline), and how many it has in all."""


def pick(block: bytes, run: RunId) -> Choice:
    """The lines that can matter to `run`."""
    find, startswith, passable = block.find, block.startswith, _passable_head
    wanted = run.encode()
    size = len(block)
    picked: list[tuple[int, int, int]] = []
    start = index = 0
    named = find(wanted)
    while start < size:
        end = find(b"\n", start)
        if named != -1 and named < start:
            named = find(wanted, start)
        if (
            start <= named < end
            or passable(block, start) is None
            or not (startswith(b"}}", end - 2) or startswith(b'},"ig":true}', end - 12))
        ):
            picked.append((index, start, end))
        start = end + 1
        index += 1
    return picked, index


def every(block: bytes) -> Choice:
    """All lines."""
    find = block.find
    size = len(block)
    lines: list[tuple[int, int, int]] = []
    start = index = 0
    while start < size:
        end = find(b"\n", start)
        lines.append((index, start, end))
        start = end + 1
        index += 1
    return lines, index


def owner(line: bytes) -> RunId | None:
    """Whose line it is, where it opens in canonical spelling: the id stands at a fixed offset. Nothing else is read."""
    head = _opening(line)
    return None if head is None else run_id(head[1].decode())
