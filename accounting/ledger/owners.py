"""Whose lines a ledger holds, found without decoding them. Spec: ledger.md 1; design.md, law 6.

In canonical spelling a line opens with its version and its run, so that the id stands at a fixed offset.
"""

from collections.abc import Iterator
from typing import Final

from wire.scalars import run_id

_OPENINGS: Final = (b'{"v":2,"run":"', b'{"v":1,"run":"')
_AFTER_RUN: Final = b'","seq":'
_RUN_AT: Final = len(_OPENINGS[0])
_RUN_END: Final = _RUN_AT + 36


def count(block: bytes, lines: dict[bytes, int]) -> Iterator[tuple[int, int, int]]:
    """Add up in `lines`, by run, the lines of a block of whole lines that open in canonical spelling.

    Comes back with each other line: its index, its start, and its end before the newline. Whose it is, the caller has
    to read, and to add before going on where the order of `lines` matters. A line counted by its opening may still
    turn out to be broken further on.
    """
    find, startswith, known = block.find, block.startswith, lines.get
    size = len(block)
    start = index = 0
    while start < size:
        end = find(b"\n", start)
        if startswith(_OPENINGS, start) and startswith(_AFTER_RUN, start + _RUN_END):
            run = block[start + _RUN_AT : start + _RUN_END]
            so_far = known(run)
            if so_far is not None:
                lines[run] = so_far + 1
            elif run_id(run.decode(errors="replace")) is not None:
                lines[run] = 1
            else:
                yield index, start, end
        else:
            yield index, start, end
        start = end + 1
        index += 1
