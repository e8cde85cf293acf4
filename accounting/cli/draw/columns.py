"""How many columns of a terminal a text takes.

Terminals disagree on joined emoji and on characters that a selector makes an emoji of. Here each character counts for
itself and a selector for one, which no terminal exceeds: what fits by this count fits on all of them. (It also makes
the count of two texts the sum of theirs, and leaves nothing to stumble over in a joiner that joins nothing.)
"""

from collections import Counter
from functools import lru_cache
from typing import Final

from rich.cells import cell_len

_LONG: Final = 1000


def columns(text: str) -> int:
    """How many columns a line of safe text takes."""
    if text.isascii():
        return len(text)
    if len(text) < _LONG:
        return sum(map(_width, text))
    # A long text has few different characters.
    return sum(_width(character) * count for character, count in Counter(text).items())


def fitting(text: str, start: int, width: int) -> int:
    """Where the longest piece from `start` on ends that takes at most so many columns, or is a single character.

    A piece is bounded in characters too: what only marks the character before it takes no column, and could still be
    a megabyte.
    """
    end = min(len(text), start + bound(width))
    piece = text[start:end]
    if piece.isascii():
        return min(end, start + max(width, 1))
    room = width
    for index, character in enumerate(piece):
        room -= _width(character)
        if room < 0:
            return start + max(index, 1)
    return end


def bound(width: int) -> int:
    """The most characters that are drawn in so many columns."""
    return 4 * width + 64


@lru_cache(8192)
def _width(character: str) -> int:
    return 1 if character == "\ufe0f" else cell_len(character)
