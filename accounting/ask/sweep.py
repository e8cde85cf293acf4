"""Temporary threads whose process is gone, removed. Spec: asks.md 1.7. Kept threads are elsewhere, and stay."""

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from accounting.ask.lock import LOCK_STALE_MS
from accounting.ask.places import LOCK_SUFFIX, PARKED_SUFFIX, SUFFIX, temporary_directory
from accounting.ask.thread import AskThread
from accounting.clock import system_clock
from accounting.processes import PROCESSES
from wire.scalars import TimeMs

_number = re.compile(r"[0-9]+").match


def sweep(
    directory: Path | None = None,
    *,
    now: TimeMs | None = None,
    alive: Callable[[int], bool] = PROCESSES.alive,
    stale_ms: int = LOCK_STALE_MS,
) -> tuple[Path, ...]:
    """Remove the threads of a directory, `temporary_directory()` for `None`, that belong to no living process.

    A name that begins with no number belongs to nobody: it goes when nothing of it was touched for `stale_ms`. Returns
    the paths of the threads removed, by name, also where only a lock or a parked text was left. Never raises: what
    cannot be listed or removed stays.
    """
    directory = temporary_directory() if directory is None else directory
    now = system_clock() if now is None else now
    try:
        names = sorted({name for path in directory.iterdir() if (name := _thread_of(path.name)) is not None})
    except OSError:
        return ()
    removed: list[Path] = []
    for name in names:
        thread = AskThread(directory / f"{name}{SUFFIX}")
        with suppress(OSError):
            if _is_over(thread, now, alive, stale_ms):
                thread.remove()
                removed.append(thread.path)
    return tuple(removed)


def _thread_of(entry: str) -> str | None:
    """The name of the thread that a file is one of, `None` when it is none's."""
    for suffix in (PARKED_SUFFIX, LOCK_SUFFIX):
        if entry.endswith(suffix):
            entry = entry.removesuffix(suffix)
            break
    return entry.removesuffix(SUFFIX) if entry.endswith(SUFFIX) else None


def _is_over(thread: AskThread, now: TimeMs, alive: Callable[[int], bool], stale_ms: int) -> bool:
    number = _number(thread.name.partition("-")[0])
    if number is not None:
        pid = int(number[0]) if len(number[0]) < 20 else 0  # no process has a number as long
        return pid <= 0 or not alive(pid)
    newest = max(_touched((thread.path, thread.lock_path, thread.parked_path)), default=None)
    return newest is not None and now - newest > stale_ms


def _touched(paths: Iterable[Path]) -> Iterable[TimeMs]:
    for path in paths:
        with suppress(FileNotFoundError):
            yield path.stat().st_mtime_ns // 1_000_000
