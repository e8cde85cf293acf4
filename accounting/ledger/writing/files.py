"""Files to append to, alike on every platform."""

import os
from io import FileIO
from pathlib import Path


class Files:
    """Operations on files that no platform does in a way of its own."""

    def make_directory(self, path: Path) -> None:
        """Make one directory."""
        path.mkdir()

    def create(self, path: Path) -> FileIO:
        """Make a file that was not there, to append to."""
        return FileIO(path, "ab", opener=_new)

    def open(self, path: Path) -> FileIO:
        """Open a file that is there, to append to."""
        return FileIO(path, "ab", opener=_existing)

    def write(self, file: FileIO, data: memoryview) -> int:
        """Append bytes, and say how many of them were taken."""
        return file.write(data) or 0

    def truncate(self, file: FileIO, size: int) -> None:
        """Cut a file to so many bytes."""
        file.truncate(size)

    def remove(self, path: Path) -> None:
        """Remove a file, if it is there."""
        path.unlink(missing_ok=True)


def _new(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_EXCL, 0o666)


def _existing(path: str, flags: int) -> int:
    return os.open(path, flags & ~os.O_CREAT)
