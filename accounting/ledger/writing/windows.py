"""Locks and durability on Windows. Spec: ledger.md 7."""

import errno
import os
from importlib import import_module
from io import FileIO
from pathlib import Path
from typing import Final, Protocol, cast

from accounting.ledger.writing.files import Files


class Msvcrt(Protocol):
    """What is used of the module `msvcrt`, which type checkers do not know when they run on another platform."""

    LK_NBLCK: int
    LK_UNLCK: int

    def locking(self, fd: int, mode: int, nbytes: int, /) -> None:
        """Lock or unlock bytes from where the file stands."""
        ...


class Windows(Files):
    """A lock on the first byte of the lock file, be it there or not; `fsync`; directories look after themselves."""

    def __init__(self, msvcrt: Msvcrt | None = None) -> None:
        self._msvcrt = msvcrt or cast("Msvcrt", import_module("msvcrt"))

    def lock(self, file: FileIO) -> bool:
        """Take the lock, without waiting; false when another holds it."""
        file.seek(0)
        try:
            self._msvcrt.locking(file.fileno(), self._msvcrt.LK_NBLCK, 1)
        except OSError as error:
            if error.errno in _HELD:
                return False
            raise
        return True

    def unlock(self, file: FileIO) -> None:
        """Give the lock back."""
        file.seek(0)
        self._msvcrt.locking(file.fileno(), self._msvcrt.LK_UNLCK, 1)

    def holder(self, file: FileIO) -> str | None:  # noqa: ARG002 - the system does not tell
        """Nobody says."""
        return None

    def barrier(self, file: FileIO) -> None:
        """Flush the bytes and the size through the disk's cache."""
        os.fsync(file.fileno())

    def sync_directory(self, path: Path) -> None:
        """Nothing: a directory cannot be flushed here, and its names are journalled."""


_HELD: Final = frozenset((errno.EACCES, errno.EDEADLK))
