"""Locks and durability on Linux, macOS and other POSIX systems. Spec: ledger.md 7."""

import errno
import os
from collections.abc import Callable
from importlib import import_module
from io import FileIO
from pathlib import Path
from typing import Final, Protocol, cast

from accounting.ledger.writing.files import Files

_LOCKS: Final = Path("/proc/locks")


class Fcntl(Protocol):
    """What is used of the module `fcntl`, which type checkers know by halves when they run on another platform."""

    LOCK_EX: int
    LOCK_NB: int
    LOCK_UN: int
    F_FULLFSYNC: int
    """On macOS alone."""

    def flock(self, fd: int, operation: int, /) -> None:
        """Take or give back a lock."""
        ...

    def fcntl(self, fd: int, cmd: int, /) -> int:
        """Any other control of an open file."""
        ...


class Posix(Files):
    """`flock`, `fdatasync`, and directories that are synced as files are."""

    def __init__(self, fcntl: Fcntl | None = None) -> None:
        self._fcntl = fcntl or cast("Fcntl", import_module("fcntl"))

    def lock(self, file: FileIO) -> bool:
        """Take the lock, without waiting; false when another holds it."""
        try:
            self._fcntl.flock(file.fileno(), self._fcntl.LOCK_EX | self._fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in (errno.EWOULDBLOCK, errno.EACCES):  # the latter over some networks
                return False
            raise
        return True

    def unlock(self, file: FileIO) -> None:
        """Give the lock back, also on behalf of copies of the descriptor."""
        self._fcntl.flock(file.fileno(), self._fcntl.LOCK_UN)

    def holder(self, file: FileIO) -> str | None:
        """Linux tells the process that took a lock, by the device and number of the locked file."""
        stat = os.fstat(file.fileno())
        locked = f"{os.major(stat.st_dev):02x}:{os.minor(stat.st_dev):02x}:{stat.st_ino}"
        try:
            # `1: FLOCK  ADVISORY  WRITE 4876 fe:00:2146382 0 EOF`
            table = [line.split() for line in _LOCKS.read_text().splitlines()]
        except OSError:
            return None
        for row in table:
            if len(row) > 5 and row[1] == "FLOCK" and row[5] == locked:
                return _process(int(row[4]))
        return None

    def barrier(self, file: FileIO) -> None:
        """Flush the bytes and the size."""
        _fdatasync(file.fileno())

    def sync_directory(self, path: Path) -> None:
        """Flush the names."""
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


# Not every POSIX system has it.
_fdatasync: Final[Callable[[int], None]] = getattr(os, "fdatasync", os.fsync)


def _process(pid: int) -> str | None:
    if pid <= 0:  # a process of another container
        return None
    if pid == os.getpid():
        return f"this very process ({pid})"
    try:
        return f"process {pid}, which works in {Path(f'/proc/{pid}/cwd').readlink()}"
    except OSError:  # another user's, or gone
        return f"process {pid}"


class MacOs(Posix):
    """`F_FULLFSYNC`, for `fsync` leaves bytes in the disk's own cache there."""

    def barrier(self, file: FileIO) -> None:
        """Flush through the disk's cache."""
        self._flush(file.fileno())

    def sync_directory(self, path: Path) -> None:
        """Flush the names through the disk's cache."""
        descriptor = os.open(path, os.O_RDONLY)
        try:
            self._flush(descriptor)
        finally:
            os.close(descriptor)

    def _flush(self, descriptor: int) -> None:
        try:
            self._fcntl.fcntl(descriptor, self._fcntl.F_FULLFSYNC)
        except OSError as error:
            if error.errno not in _UNSUPPORTED:
                raise
            os.fsync(descriptor)  # all that this file system has to offer


_UNSUPPORTED: Final = frozenset((errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL, errno.ENOTTY))
