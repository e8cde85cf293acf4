"""One file copied while it may grow: as many bytes as it had when it was opened, hashed on the way and read again.

Spec: dispatch.md 2.5.
"""

import errno
import hashlib
import os
from collections.abc import Generator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from typing import Final, cast

from msgspec import Struct

from accounting import private
from accounting.dispatch.archive.errors import SourceChangedError
from accounting.ledger.writing.system import SYSTEM
from wire.scalars import Sha256, TimeMs

_PIECE: Final = 1 << 20


class Copied(Struct, frozen=True, kw_only=True):
    """What was copied."""

    file: Path
    """The copy."""
    size: int
    """Bytes of it: what the source had when it was opened."""
    sha256: Sha256
    """SHA-256 of them."""
    modified_at: TimeMs
    """When the source was last written then, UTC milliseconds."""
    grew: bool
    """Whether the source had more bytes once they were copied."""


def copy(source: Path, target: Path) -> Copied:
    """Copy a file to where none is, for its owner alone, and see that both still hold what was copied.

    Raises `SourceChangedError` when the source was cut, rewritten, replaced or removed meanwhile, `OSError` when it
    cannot be read or the copy not be written. What was begun of the copy is then for the caller to remove.
    """
    with FileIO(private.open_file(source, os.O_RDONLY)) as file:
        before = os.fstat(file.fileno())
        taken = _Taken(source, file, before.st_size)
        with new_file(target) as out:
            for piece in taken.pieces():
                write(out, piece, target)
        after = os.fstat(file.fileno())
        _check_place(source, after)
        if (after.st_mtime_ns, after.st_size) != (before.st_mtime_ns, before.st_size):
            file.seek(0)
            again = _Taken(source, file, before.st_size)
            for _ in again.pieces():
                pass
            if again.sha256 != taken.sha256:
                raise SourceChangedError(source, "rewritten")
    if not holds(target, before.st_size, taken.sha256):
        raise OSError(errno.EIO, "the copy does not hold what was written to it", str(target))
    return Copied(
        file=target,
        size=before.st_size,
        sha256=taken.sha256,
        modified_at=max(before.st_mtime_ns // 1_000_000, 0),
        grew=after.st_size > before.st_size,
    )


def holds(path: Path, size: int, sha256: Sha256) -> bool:
    """Whether a regular file, and no link to one, has these bytes. Raises `OSError` when it cannot be read."""
    if path.is_symlink() or not path.is_file():
        return False
    with FileIO(private.open_file(path, os.O_RDONLY)) as file:
        if os.fstat(file.fileno()).st_size != size:
            return False
        found = hashlib.sha256()
        while piece := file.read(_PIECE):
            found.update(piece)
    return found.hexdigest() == sha256


@contextmanager
def new_file(path: Path) -> Generator[FileIO]:
    """A file that was not there, for its owner alone; on the disk itself when this ends. Raises `OSError`."""
    with FileIO(private.open_file(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as file:
        yield file
        SYSTEM.barrier(file)


def write(file: FileIO, data: bytes, path: Path) -> None:
    """Write all of it. Raises `OSError`, with the path."""
    rest = memoryview(data)
    while rest:
        try:
            taken = SYSTEM.write(file, rest)
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(path)) from None
        rest = rest[taken:]


class _Taken:
    """The first bytes of an open file, in pieces, and their hash so far."""

    def __init__(self, path: Path, file: FileIO, size: int) -> None:
        self._path = path
        self._file = file
        self._left = size
        self._hash = hashlib.sha256()

    def pieces(self) -> Generator[bytes]:
        """All of them. Raises `SourceChangedError` when the file ends before."""
        while self._left:
            piece = self._file.read(min(self._left, _PIECE))
            if not piece:
                raise SourceChangedError(self._path, "cut")
            self._left -= len(piece)
            self._hash.update(piece)
            yield piece

    @property
    def sha256(self) -> Sha256:
        """Of those that were given."""
        return cast("Sha256", self._hash.hexdigest())


def _check_place(source: Path, opened: os.stat_result) -> None:
    try:
        there = source.stat()
    except FileNotFoundError:
        raise SourceChangedError(source, "removed") from None
    if not os.path.samestat(there, opened):
        raise SourceChangedError(source, "replaced")
