"""Waiting for a run in front of a person: how long it has been, on a terminal only, and Ctrl-C that leaves it alone."""

import sys
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import Final

import click

from accounting.cli.telling import tell
from accounting.cli.units import several
from accounting.dispatch.errors import DispatchTroubleError
from accounting.dispatch.observe import Observing
from accounting.dispatch.start import WAIT_MS, is_under_way
from accounting.dispatch.store import RunStore
from accounting.dispatch.wait import wait, wait_until
from accounting.processes import PROCESSES
from wire.dispatch import DispatchJournal
from wire.scalars import DispatchId

_TICK_S: Final = 0.25


def waited(store: RunStore, run: DispatchId, timeout_ms: int | None) -> DispatchJournal:
    """The run once it has ended, or as it stands when the time is up; see `wait`. Raises `KeyboardInterrupt`, told."""
    try:
        with _shown(store, run):
            return wait(store, run, timeout_ms)
    except KeyboardInterrupt:
        tell(f"{run} goes on: `rounds dispatch wait {run}` waits again, `rounds dispatch cancel {run}` gives it up")
        raise


def session_known(store: RunStore, run: DispatchId) -> DispatchJournal:
    """A run that was just started, once its session is known or it has ended, or as it stands when the time is up."""
    return wait_until(Observing(store, run, PROCESSES), is_under_way, WAIT_MS)


@contextmanager
def _shown(store: RunStore, run: DispatchId) -> Generator[None]:
    if sys.stderr is None or not sys.stderr.isatty():  # pyright: ignore[reportUnnecessaryComparison] - see trouble.py
        yield
        return
    over = Event()
    watcher = Thread(target=_watch, args=(store, run, over), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


def _watch(store: RunStore, run: DispatchId, over: Event) -> None:
    """Say how long it has been and how many tools were called; whoever waits writes that into the journal."""
    began = time.monotonic()
    said = ""
    while not over.wait(_TICK_S):
        with suppress(DispatchTroubleError, OSError):
            journal = store.read(run)
            words = f"{journal.state}… {time.monotonic() - began:.0f}s · {several(journal.tool_calls, 'tool call')}"
            if words != said:
                click.echo(f"\r{words}\x1b[K", nl=False, err=True)
                said = words
    if said:
        click.echo("\r\x1b[K", nl=False, err=True)
