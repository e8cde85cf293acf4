"""Which lines can matter to one run, found without decoding the others. Spec: design.md, law 6.

A line is passed over when it opens in canonical spelling as another run's line, names the asked run nowhere, and is
of a kind that no run but its own reads. Whatever else it holds is its own run's affair. Every other line is handed
on, so that a line in any other spelling is still read right and a broken one still reported.
"""

import re
from typing import Final

from wire.record.kinds import Kind
from wire.scalars import RunId

CROSSING: Final = frozenset((Kind.approval_resolved, Kind.signal_enqueued))
"""The kinds that a run's answer can take in from lines of other runs (rounds.md 3)."""

# A line's head in canonical spelling, up to its payload, of a kind that does not cross. Without a backslash there are
# no escapes: what stands here is what it says. Possessive, so that a line that does not fit is given up at once.
_passable_head: Final = re.compile(
    rb'\{"v":[12],"run":"[^\\]{36}+","seq":[0-9]++,"prev":"[^\\]{64}+","t":[0-9]++,"who":"[^"\\]*+",'
    rb'(?:"addr":"[^"\\]*+",)?"kind":"(?!(?:' + "|".join(sorted(CROSSING)).encode() + rb')")[a-z_]++","data":\{'
).match


def pick(block: bytes, run: RunId) -> tuple[list[tuple[int, int, int]], int]:
    """Of a block of whole lines, those that can matter to `run`, and how many lines there are in all.

    A line is its index, its start, and its end before the newline.
    """
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


def every(block: bytes) -> tuple[list[tuple[int, int, int]], int]:
    """All lines of a block of whole lines, as `pick` gives them."""
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
