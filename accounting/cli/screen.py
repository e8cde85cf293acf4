"""Where drawings go: standard output, as wide as the terminal, and in colour where there is one."""

import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NoReturn

from rich.console import Console
from rich.text import Text

from accounting.cli.out import put

UNSEEN_WIDTH = 100
"""Width of a drawing that does not go to a terminal, in columns."""
_AT_ONCE = 200


class _Screen(Console):
    def on_broken_pipe(self) -> NoReturn:
        """Leave a closed pipe to the command line's own ending."""
        raise BrokenPipeError(32, "the reader has gone")


def screen() -> Console:
    """The console that drawings are printed on; `NO_COLOR` and `FORCE_COLOR` are heeded."""
    width = None if on_terminal() else UNSEEN_WIDTH
    return _Screen(width=width, highlight=False, markup=False, emoji=False, soft_wrap=True)


def on_terminal() -> bool:
    """Whether standard output is a terminal."""
    return sys.stdout is not None and sys.stdout.isatty()  # pyright: ignore[reportUnnecessaryComparison] - see out.py


def width_for(console: Console) -> int | None:
    """How wide lines may be; `None` for as wide as they are."""
    return console.width if on_terminal() else None


def show_lines(console: Console, lines: Iterable[Text]) -> None:
    """Print the lines as they come."""
    plain = console.color_system is None
    for some in _batches(iter(lines)):
        if plain:
            put("".join(f"{line.plain}\n" for line in some).encode(errors="replace"))
        else:
            console.print(Text("\n").join(some))


def _batches(lines: Iterator[Text]) -> Iterator[list[Text]]:
    while some := list(islice(lines, _AT_ONCE)):
        yield some
