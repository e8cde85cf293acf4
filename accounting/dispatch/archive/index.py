"""The index of an archive: one line for each manifest, to which lines are only added. Spec: dispatch.md 2.5.

Whoever archives holds the lock on it all the while, so that a session is archived once and no two lines run together.
The lock ends with its process, however that ends.
"""

import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from typing import Final

from msgspec import DecodeError

from accounting import private
from accounting.dispatch.archive.copying import write
from accounting.dispatch.archive.errors import ArchiveBusyError
from accounting.dispatch.archive.stage import refuse_link
from accounting.ledger.writing.system import SYSTEM
from wire import decode, encode
from wire.dispatch import ArchiveIndexLine

NAME: Final = "rounds-index.jsonl"
"""What it is called: the agent has an index of its own, which stays as it is."""
_PATIENCE_S: Final = 60.0
_PAUSE_S: Final = 0.01
_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0)
"""Also for one that is put there just now."""


class Index:
    """An index that this process holds."""

    def __init__(self, path: Path, file: FileIO) -> None:
        self._path = path
        self._file = file

    def add(self, line: ArchiveIndexLine) -> None:
        """Add a line, unless there is one of that manifest with that content. Raises `OSError`, with nothing added."""
        self._file.seek(0)
        held = self._file.readall()
        if any(_is_of(text, line) for text in held.split(b"\n")):
            return
        # What a crash left of a line stays as it is, on a line of its own.
        torn = b"\n" if held and not held.endswith(b"\n") else b""
        try:
            write(self._file, torn + encode(line) + b"\n", self._path)
        except OSError:
            SYSTEM.truncate(self._file, len(held))
            raise
        SYSTEM.barrier(self._file)


@contextmanager
def held_index(directory: Path) -> Generator[Index]:
    """The index of an archive, made when it is missing, and held until this ends.

    Raises `ArchiveBusyError` when another process has held it for a minute, `OSError` when it cannot be written, or is
    a symbolic link: lines would be added to whatever file that names.
    """
    path = directory / NAME
    refuse_link(path)
    with FileIO(private.open_file(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | _NO_LINK), "ab+") as file:
        deadline = time.monotonic() + _PATIENCE_S
        while not SYSTEM.lock(file):
            if time.monotonic() > deadline:
                raise ArchiveBusyError(path, SYSTEM.holder(file) or "another process")
            time.sleep(_PAUSE_S)
        try:
            yield Index(path, file)
        finally:
            SYSTEM.unlock(file)


def _is_of(text: bytes, line: ArchiveIndexLine) -> bool:
    if line.sha256.encode() not in text:
        return False
    try:
        found = decode(text, ArchiveIndexLine)
    except (DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return (found.dir, found.manifest, found.sha256) == (line.dir, line.manifest, line.sha256)
