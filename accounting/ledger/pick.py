"""Whose business a line is, told without decoding it. Spec: design.md, law 6.

A line is plain when it opens in canonical spelling, is of a kind that no run but its own reads, and ends as a line
ends. A plain line is the business of the runs that it names as a `"run"`: of one, unless something is glued behind it
or `run` stands in it twice. Whatever else it holds is their affair. Every other line is everybody's, so that a line in
any other spelling is still read right and a broken one still reported.

Nothing here depends on which run is asked for, so that an index made beforehand comes to the same lines as a scan.
"""

import re
from typing import Final, TypeAlias, cast

from wire.record.kinds import Kind
from wire.scalars import RunId

CROSSING: Final = frozenset((Kind.approval_resolved, Kind.signal_enqueued))
"""The kinds that a run's answer can take in from lines of other runs (rounds.md 3)."""

_ID: Final = rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_ID_AT: Final = len('{"v":2,"run":"')

_opening: Final = re.compile(rb'\{"v":[12],"run":"(' + _ID + rb')","seq":').match

# A plain line's head, up to its payload. Without a backslash there are no escapes: what stands here is what it says.
# Possessive, so that a line that does not fit is given up at once.
_plain_head: Final = re.compile(
    rb'\{"v":[12],"run":"' + _ID + rb'","seq":[0-9]++,"prev":"[^\\]{64}+","t":[0-9]++,"who":"[^"\\]*+",'
    rb'(?:"addr":"[^"\\]*+",)?"kind":"(?!(?:' + "|".join(sorted(CROSSING)).encode() + rb')")[a-z_]++","data":\{'
).match

runs_named: Final = re.compile(rb'"run"[ \t\r]*+:[ \t\r]*+"(' + _ID + rb')"').findall
"""The ids that a line names as a `"run"`, wherever it does: whose business a plain line is. Takes a line, or a block
and where in it the line starts and ends."""


Choice: TypeAlias = tuple[list[tuple[int, int, int]], int]
"""Lines chosen out of a block of whole lines (index, start, end before the newline), and how many it has in all."""


def pick(block: bytes, run: RunId | None) -> Choice:
    """The lines that are the business of `run`: everybody's, and of plain ones its own (`None`: none)."""
    find, startswith, plain = block.find, block.startswith, _plain_head
    wanted = b"" if run is None else run.encode()
    size = len(block)
    picked: list[tuple[int, int, int]] = []
    start = index = 0
    named = find(wanted) if wanted else -1
    while start < size:
        end = find(b"\n", start)
        if named != -1 and named < start:
            named = find(wanted, start)
        if (
            plain(block, start) is None
            or not (startswith(b"}}", end - 2) or startswith(b'},"ig":true}', end - 12))
            or (start <= named < end and (named == start + _ID_AT or wanted in runs_named(block, start, end)))
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
    return None if head is None else cast("RunId", head[1].decode())
