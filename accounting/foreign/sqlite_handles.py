"""Handles of database files, opened so that the program that this runs in keeps its locks. Spec: dispatch.md 2.0.

That program may have the database open itself. On POSIX a process loses its locks on a file as soon as it closes any
handle of that file, so those that are opened here stay open, and a lock that is taken here belongs to its handle. Two
limits are left: without such locks (macOS) ours may weaken one that the program has, and one that brings another SQLite
library than Python's loses its locks when ours closes the file.

Nothing here may be done by two threads at once.
"""

import os
import struct
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_READERS_AT: Final = 0x4000_0002
_READERS: Final = 510
"""Where a database is locked by those who read it: so many bytes, from there on."""
_MOST_HELD: Final = 64
"""How many files are held open: the one that was read longest ago is closed for another."""
_held: Final[dict[tuple[int, int], list[int]]] = {}
"""What is open of each file, by device and number."""


@contextmanager
def opened(path: Path) -> Generator[int]:
    """A handle of the file, to read from its beginning; on POSIX it stays open. Raises `OSError`."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    if sys.platform == "win32":  # there a file that is open cannot be replaced, and locks stay
        file = os.open(path, flags)
        try:
            yield file
        finally:
            os.close(file)
        return
    status = path.stat()
    key = status.st_dev, status.st_ino
    if key not in _held:
        file = os.open(path, flags)
        status = os.fstat(file)
        key = status.st_dev, status.st_ino
        _held.setdefault(key, []).append(file)
    _held[key] = _held.pop(key)  # the last to be let go
    _let_go(key)
    file = _held[key][0]
    os.lseek(file, 0, os.SEEK_SET)
    yield file


def _let_go(but: tuple[int, int]) -> None:
    """Close the files that were removed, and those read longest ago of too many."""
    gone = {key for key, files in _held.items() if not os.fstat(files[0]).st_nlink} | set(list(_held)[:-_MOST_HELD])
    for key in gone - {but}:
        for file in _held.pop(key):
            os.close(file)


def lock(file: int, *, shared: bool) -> None:
    """Lock the database as those do who read it, or give that up. Raises `OSError`."""
    if sys.platform == "win32":
        return
    import fcntl

    if (command := getattr(fcntl, "F_OFD_SETLK", None)) is None:
        how = fcntl.LOCK_SH | fcntl.LOCK_NB if shared else fcntl.LOCK_UN
        fcntl.lockf(file, how, _READERS, _READERS_AT)
        return
    # A lock of the handle, not of the process: it replaces none that the process has.
    kind = fcntl.F_RDLCK if shared else fcntl.F_UNLCK
    fcntl.fcntl(file, command, struct.pack("hhqqi0q", kind, os.SEEK_SET, _READERS_AT, _READERS, 0))
