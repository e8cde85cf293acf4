"""What a writer asks of the operating system: where platforms differ, and where tests break things. Spec: ledger.md 7.

Everything that changes a ledger on disk goes through a `System`, one method for each thing that can fail.
"""

import sys
from io import FileIO
from pathlib import Path
from typing import Final, Protocol

from accounting.ledger.writing.posix import MacOs, Posix
from accounting.ledger.writing.windows import Windows


class System(Protocol):
    """The operations of one platform. Each raises `OSError` when it fails."""

    def lock(self, file: FileIO, /) -> bool:
        """Take the exclusive lock on a file, without waiting; false when another holds it."""
        ...

    def unlock(self, file: FileIO, /) -> None:
        """Give the lock back."""
        ...

    def holder(self, file: FileIO, /) -> str | None:
        """Who holds the lock, in words; `None` where the system does not tell."""
        ...

    def make_directory(self, path: Path, /) -> None:
        """Make one directory."""
        ...

    def create(self, path: Path, /) -> FileIO:
        """Make a file that was not there, to append to."""
        ...

    def open(self, path: Path, /) -> FileIO:
        """Open a file that is there, to append to."""
        ...

    def write(self, file: FileIO, data: memoryview, /) -> int:
        """Append bytes, and say how many of them were taken: perhaps not all."""
        ...

    def truncate(self, file: FileIO, size: int, /) -> None:
        """Cut a file to so many bytes."""
        ...

    def remove(self, path: Path, /) -> None:
        """Remove a file, if it is there."""
        ...

    def barrier(self, file: FileIO, /) -> None:
        """Return when a file's bytes and size are on the disk itself."""
        ...

    def sync_directory(self, path: Path, /) -> None:
        """Return when the names in a directory are on the disk itself."""
        ...


def system_of(platform: str) -> System:
    """The operations of a platform that is called as `sys.platform` calls it."""
    if platform == "win32":
        return Windows()
    return MacOs() if platform == "darwin" else Posix()


SYSTEM: Final = system_of(sys.platform)
"""Those of the platform at hand."""
