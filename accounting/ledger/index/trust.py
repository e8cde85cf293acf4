"""Whether a file is still the one that was indexed: told by its stat where that cannot lie, else by its content."""

import os
from typing import BinaryIO, Final

from blake3 import blake3

from accounting.ledger.index.state import Stat

SETTLING: Final = 2_000_000_000
"""Nanoseconds after a change in which another one might leave the same times: file systems count in steps."""
_CHUNK: Final = 1 << 20


def stat_of(file: BinaryIO) -> Stat:
    """An open file's stat, now."""
    found = os.fstat(file.fileno())
    return Stat(
        device=found.st_dev,
        inode=found.st_ino,
        size=found.st_size,
        modified=found.st_mtime_ns,
        changed=found.st_ctime_ns,
    )


def settled(stat: Stat, asked: int) -> bool:
    """Whether any change after this stat would have given another one; it was asked for at `asked` or later (ns)."""
    return asked - max(stat.modified, stat.changed) > SETTLING


def content_hash(file: BinaryIO, end: int) -> blake3:
    """The hash of a file's bytes before `end`, fit to be carried on."""
    hashed = blake3()
    file.seek(0)
    left = end
    while left and (chunk := file.read(min(left, _CHUNK))):
        hashed.update(chunk)
        left -= len(chunk)
    return hashed
