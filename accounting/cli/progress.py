"""How far a long read has come, on standard error: only on a terminal, and only after a second."""

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Final

PATIENCE: Final = 1.0
"""Seconds before anything is shown."""
_TICK: Final = 0.1


@contextmanager
def progress(label: Callable[[], str], done: Callable[[], int], size: int | None = None) -> Generator[None]:
    """Show `label` and how many bytes are `done` of `size` (`None`: not known) while the block runs.

    `label` and `done` are asked from another thread. What was shown is gone when the block ends.
    """
    if sys.stderr is None or not sys.stderr.isatty():  # pyright: ignore[reportUnnecessaryComparison] - see trouble.py
        yield
        return
    over = Event()
    watcher = Thread(target=_watch, args=(label, done, size, over), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


def _watch(label: Callable[[], str], done: Callable[[], int], size: int | None, over: Event) -> None:
    if over.wait(PATIENCE):
        return
    # Drawn by few commands, and late: imported here.
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False) as bar:
        task = bar.add_task(label(), total=size)
        while not over.wait(_TICK):
            bar.update(task, description=label(), completed=done(), refresh=True)
