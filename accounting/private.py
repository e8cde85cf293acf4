"""Files and directories that are their owner's alone: threads hold what people ask and are answered."""

import errno
import os
from pathlib import Path
from stat import S_ISREG
from typing import Final

_FILE: Final = 0o600
_DIRECTORY: Final = 0o700
# A named pipe would make opening wait; neither flag is known on every platform.
_PROMPT: Final = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def make_directory(path: Path) -> None:
    """Make a directory and all that is missing above it, each for its owner alone. One that is there stays as it is."""
    if path.is_dir():
        return
    if path.parent != path:
        make_directory(path.parent)
    try:
        path.mkdir(_DIRECTORY)
    except FileExistsError:
        if not path.is_dir():
            raise


def open_file(path: Path, flags: int) -> int:
    """Open a regular file and return its descriptor; one that is made is for its owner alone.

    Raises `OSError`, also when there is something else than a regular file.
    """
    descriptor = os.open(path, flags | _PROMPT, _FILE)
    if not S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "no regular file", str(path))
    return descriptor


def write_whole(path: Path, content: bytes, flags: int) -> None:
    """Open a file as `flags` say and give it this content in one write. Raises `OSError`."""
    descriptor = open_file(path, os.O_WRONLY | os.O_CREAT | flags)
    try:
        taken = os.write(descriptor, content)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        os.close(descriptor)
    if taken != len(content):
        raise OSError(errno.ENOSPC, "no room for all of it", str(path))


def read_whole(path: Path, start: int = 0) -> bytes | None:
    """A regular file's bytes from `start` on, `None` when there is no file. Raises `OSError` for anything else."""
    try:
        descriptor = open_file(path, os.O_RDONLY)
    except FileNotFoundError:
        return None
    with os.fdopen(descriptor, "rb", buffering=0) as file:
        file.seek(start)
        return file.read()
