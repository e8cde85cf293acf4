"""One writer for a ledger: the lock on the file beside its directory. Spec: ledger.md 7."""

import errno
import os
from io import FileIO
from pathlib import Path
from typing import Final
from weakref import WeakSet

from accounting.ledger.writing.errors import LedgerHeldError
from accounting.ledger.writing.system import System


class WriterLock:
    """Holds the lock of a ledger until it is released, or its process ends.

    The file is made when it is missing and never removed: whoever removes it takes the lock away from its holder.
    """

    def __init__(self, directory: Path, system: System) -> None:
        """Take the lock of a ledger, whose path is resolved, so that every way to it leads to one lock.

        Raises `LedgerHeldError` when another writer has it, `OSError` when no lock can be had.
        """
        self._system = system
        self.path = directory.with_name(f"{directory.name}.lock")
        """The file that is locked."""
        if not directory.parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, "No such directory to keep a ledger in", str(directory.parent))
        while True:
            self._file = FileIO(self.path, "ab")
            try:
                self._take(directory)
            except BaseException:
                self._file.close()
                raise
            if self.held:
                break
            self._file.close()  # removed before it was locked: nobody else would meet this lock
        _held.add(self._file)

    def _take(self, directory: Path) -> None:
        try:
            taken = self._system.lock(self._file)
        except OSError as error:
            raise OSError(error.errno, f"no lock can be had here ({error.strerror})", str(self.path)) from error
        if not taken:
            raise LedgerHeldError(directory, self.path, self._system.holder(self._file))

    @property
    def held(self) -> bool:
        """Whether a second writer would still meet this lock."""
        try:
            return os.path.samestat(os.fstat(self._file.fileno()), self.path.stat())
        except FileNotFoundError:
            return False

    def release(self) -> None:
        """Give the lock back."""
        try:
            self._system.unlock(self._file)
        finally:
            self._file.close()


# A forked process shares the lock, and would keep it when the writer is gone.
_held: Final[WeakSet[FileIO]] = WeakSet()


def _let_go() -> None:
    for file in tuple(_held):
        file.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go)
