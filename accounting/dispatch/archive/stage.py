"""Where copies are made ready: a directory of the archive that nobody looks into, so that what is placed is whole.

Whoever archives holds the index, so what is found there is of one that was killed, and goes.
"""

import errno
import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from accounting import private

_NAME: Final = ".rounds-part"
_NO_LINKS: Final = frozenset((errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS))


@contextmanager
def stage(archive: Path) -> Generator[Path]:
    """An empty directory for its owner alone, gone when this ends. Raises `OSError`."""
    path = archive / _NAME
    refuse_link(path)
    private.make_directory(path)
    _empty(path)
    try:
        yield path
    finally:
        with suppress(OSError):  # the next one goes on with it
            _empty(path)
            path.rmdir()


def refuse_link(path: Path) -> None:
    """Raise `OSError` for a symbolic link: what is put behind it would be somewhere else."""
    if path.is_symlink():
        raise OSError(errno.ELOOP, "a symbolic link, which an archive does not follow: remove it", str(path))


class Placing:
    """Puts files in their places, and takes back what was put when the whole does not succeed."""

    def __init__(self) -> None:
        self._files: list[Path] = []
        self._directories: list[Path] = []

    def directory(self, path: Path) -> None:
        """Make a directory for its owner alone, in one that is there. One that is there stays. Raises `OSError`."""
        if not path.is_dir():
            private.make_directory(path)
            self._directories.append(path)

    def file(self, staged: Path, path: Path) -> None:
        """Put a file where none is. Raises `FileExistsError` when there is something, and other `OSError`."""
        try:
            os.link(staged, path)
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise OSError(error.errno, error.strerror, str(path)) from None  # else it names the copy
            # A file system without links: the name is reserved, and the reservation replaced.
            os.close(private.open_file(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
            self._files.append(path)
            staged.replace(path)
        else:
            self._files.append(path)

    def undo(self) -> None:
        """Take back what was put, as far as that can be."""
        for path in reversed(self._files):
            with suppress(OSError):
                path.unlink()
        for path in reversed(self._directories):
            with suppress(OSError):
                path.rmdir()


def _empty(path: Path) -> None:
    for entry in path.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()
