"""The lock of a thread on disk: one question at a time is being answered. Spec: asks.md 1.0, 1.6.

Whoever changes a lock does so within `_changing`, a lock on one file of the directory that lasts microseconds. So a
stale lock is judged and replaced in one step that has one winner, and nobody removes a lock but its holder. Readers
need none of it: a lock appears whole, is replaced whole, and is gone.

A lock is known by its `startedAt`, which stays the same from taking to release; the worker's number comes in later.
"""

import os
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path
from typing import Final

from accounting import private
from accounting.ask.lock import is_stale, read_lock
from accounting.clock import stamp
from accounting.ledger.writing.system import SYSTEM
from wire import encode
from wire.ask import AskLock
from wire.scalars import IsoTime, TimeMs

_GUARD_NAME: Final = ".guard"
_NEW_NAME: Final = ".lock.new"
_GUARD_PATIENCE_S: Final = 10.0
_LATE_MS: Final = 1000
"""How far locks may be taken within one millisecond, or the clock go back, for two locks to be told apart."""
_BEING_WRITTEN_MS: Final = 2000
"""How long a lock that does not read counts as held: other programs make the file first and fill it then."""


def look(path: Path) -> AskLock | None:
    """The lock at `path`, `None` when there is none that reads. Raises `OSError` when its file cannot be read."""
    content = private.read_whole(path)
    return None if content is None else read_lock(content)


def live(path: Path, now: TimeMs, alive: Callable[[int], bool]) -> AskLock | None:
    """The lock at `path` if somebody holds it: it reads and is not stale at `now`. Raises `OSError` as `look` does."""
    lock = look(path)
    return None if lock is None or is_stale(lock, now, alive) else lock


class HeldLock:
    """A lock that this process took, or was started to work under."""

    def __init__(self, path: Path, started_at: IsoTime) -> None:
        self.path: Final = path
        """Its file."""
        self.started_at: Final = started_at
        """By which it is known, also to the worker."""

    def is_held(self) -> bool:
        """Whether it still stands, and was not taken over or removed. Raises `OSError`."""
        lock = look(self.path)
        return lock is not None and lock.started_at == self.started_at

    def record(self, worker: int) -> bool:
        """Say which process works under it; false, with nothing changed, when it no longer stands. Raises `OSError`."""
        with _changing(self.path.parent):
            if not self.is_held():
                return False
            _put(self.path, AskLock(pid=worker, started_at=self.started_at), exclusive=False)
            return True

    def release(self) -> None:
        """Remove it, if it still stands. Another's lock stays. Raises `OSError`."""
        with _changing(self.path.parent):
            if self.is_held():
                self.path.unlink(missing_ok=True)


def acquire(path: Path, now: TimeMs, alive: Callable[[int], bool]) -> tuple[HeldLock | None, AskLock | None]:
    """Take a lock, making its directory: what is held now, and the stale lock that was taken over, where one was.

    Nothing is held, and nothing changed, when there is a lock that is not stale (`is_stale`). A file that does not read
    as a lock is not held, once it is older than two seconds. Raises `OSError` when no lock can be had here.
    """
    private.make_directory(path.parent)
    with _changing(path.parent):
        before = look(path)
        if before is not None and not is_stale(before, now, alive):
            return None, None
        if before is None and _is_being_written(path, now):
            return None, None
        held = _replace(path, before, now)
        return held, before if held is not None else None


def take_from(path: Path, judged: AskLock | None, now: TimeMs) -> HeldLock | None:
    """Take a lock away from a holder that was judged to be gone, or take one where none was (`None`).

    Nothing is held, and nothing changed, when the file says anything but what was judged. Raises `OSError`.
    """
    private.make_directory(path.parent)
    with _changing(path.parent):
        if look(path) != judged or (judged is None and _is_being_written(path, now)):
            return None
        return _replace(path, judged, now)


def _replace(path: Path, before: AskLock | None, now: TimeMs) -> HeldLock | None:
    """Within `_changing`: put a new lock where `before` was, or where none was that reads."""
    if before is None and path.exists() and look(path) is None:
        path.unlink(missing_ok=True)  # it does not read; another program's new lock does
    started_at = _unused(path.parent / _GUARD_NAME, now)
    if before is not None and before.started_at == started_at:
        started_at = _unused(path.parent / _GUARD_NAME, now)
    put = _put(path, AskLock(pid=0, started_at=started_at), exclusive=before is None)
    return HeldLock(path, started_at) if put else None


def _unused(guard: Path, now: TimeMs) -> IsoTime:
    """Within `_changing`: a time that no other lock of late is known by. The guard file's own time is the last one."""
    last = guard.stat().st_mtime_ns // 1_000_000
    at = last + 1 if last - _LATE_MS <= now <= last else now
    os.utime(guard, ns=(at * 1_000_000, at * 1_000_000))
    return stamp(at)


def _put(path: Path, lock: AskLock, *, exclusive: bool) -> bool:
    """Within `_changing`: a whole lock file in one step; false when it was to be the first and is not."""
    new = path.with_name(_NEW_NAME)
    new.unlink(missing_ok=True)  # of one that was killed here
    try:
        private.write_whole(new, encode(lock), os.O_EXCL)
        if not exclusive:
            new.replace(path)
            return True
        # Other programs make locks without our guard: only the first of two may have it.
        try:
            os.link(new, path)
        except FileExistsError:
            return False
        except OSError:  # a file system without links
            new.replace(path)
        return True
    finally:
        with suppress(OSError):
            new.unlink(missing_ok=True)


def _is_being_written(path: Path, now: TimeMs) -> bool:
    try:
        return abs(now - path.stat().st_mtime_ns // 1_000_000) < _BEING_WRITTEN_MS
    except FileNotFoundError:
        return False


@contextmanager
def _changing(directory: Path) -> Generator[None]:
    """Keep all others from changing locks in a directory; they wait. Ends with the process, however that ends."""
    descriptor = private.open_file(directory / _GUARD_NAME, os.O_RDWR | os.O_CREAT | os.O_APPEND)
    with FileIO(descriptor, "ab") as file:
        deadline = time.monotonic() + _GUARD_PATIENCE_S
        while not SYSTEM.lock(file):
            if time.monotonic() > deadline:
                raise TimeoutError(f"{directory / _GUARD_NAME} is held by {SYSTEM.holder(file) or 'another process'}")
            time.sleep(0.001)
        try:
            yield
        finally:
            SYSTEM.unlock(file)
