"""How many cases or ledgers are done, on standard error: only on a terminal."""

import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Final, Protocol, TypeVar

T = TypeVar("T")
_TICK: Final = 0.1


class Show(Protocol):
    """Says how many are done, and which was the last."""

    def __call__(self, done: int, label: str = "") -> None:
        """Show it, at times."""
        ...


def counted(items: Iterable[T], total: int, label: Callable[[T], str]) -> Iterator[T]:
    """The items as they come; what was shown of them is gone at the end."""
    with counting(total) as show:
        for done, item in enumerate(items, 1):
            show(done, label(item))
            yield item


@contextmanager
def counting(total: int) -> "Generator[Show]":
    """What shows how many of `total` are done; what was shown is gone when the block ends."""
    if sys.stderr is None or not sys.stderr.isatty():  # pyright: ignore[reportUnnecessaryComparison] - see trouble.py
        yield _show_nothing
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}", markup=False))
    with Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False) as bar:
        task = bar.add_task("", total=total)
        shown = 0.0

        def show(done: int, label: str = "") -> None:
            nonlocal shown
            # Drawing costs more than many a ledger does.
            if monotonic() - shown >= _TICK:
                bar.update(task, description=label, completed=done, refresh=True)
                shown = monotonic()

        yield show


def _show_nothing(done: int, label: str = "") -> None:
    """Where nobody looks."""
