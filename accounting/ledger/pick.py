"""Which lines can matter to one run, found without decoding the others. Spec: design.md, law 6.

A line is passed over when it opens in canonical spelling as another run's line, names the asked run nowhere, and is
of a kind that no run but its own reads. Whatever else it holds is its own run's affair. Every other line is handed
on, so that a line in any other spelling is still read right and a broken one still reported.
"""

from typing import Final

from wire.record.kinds import Kind
from wire.scalars import RunId

CROSSING: Final = frozenset((Kind.approval_resolved, Kind.signal_enqueued))
"""The kinds that a run's answer can take in from lines of other runs (rounds.md 3)."""

_OPENINGS: Final = (b'{"v":2,"run":"', b'{"v":1,"run":"')
_AFTER_RUN: Final = b'","seq":'
_DATA: Final = b'"data":{'
_RUN_AT: Final = len(_OPENINGS[0])
_RUN_END: Final = _RUN_AT + 36
_CROSSING_WORDS: Final = frozenset(kind.encode() for kind in CROSSING)


def pick(block: bytes, run: RunId) -> tuple[list[tuple[int, int, int]], int]:
    """Of a block of whole lines, those that can matter to `run`, and how many lines there are in all.

    A line is its index, its start, and its end before the newline.
    """
    find, startswith, rfind = block.find, block.startswith, block.rfind
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
            or not (
                startswith(_OPENINGS, start)
                and startswith(_AFTER_RUN, start + _RUN_END)
                and (data := find(_DATA, start + _RUN_END, end)) != -1
                and find(b"\\", start, data) == -1
                # The kind's value stands between the last two quotes before the payload.
                and startswith(b'"kind":', (quote := rfind(b'"', start, data - 2)) - 7)
                and block[quote + 1 : data - 2] not in _CROSSING_WORDS
                and (startswith(b"}}", end - 2) or startswith(b'},"ig":true}', end - 12))
            )
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
