"""The files of a ledger, in order, and their bytes in blocks of whole lines. Spec: ledger.md 7."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

from msgspec import Struct

from wire.scalars import Seq

BLOCK: Final = 1 << 16
"""How many bytes are read at a time: few enough to stay in the processor's cache. A longer line is read whole."""
SEGMENT_LIMIT: Final = 64 << 20
"""Bytes that a segment of several lines keeps to (ledger.md 7)."""

_is_segment = re.compile(r"ledger-([0-9]{20})\.jsonl").fullmatch


def segment_name(first: Seq) -> str:
    """The name of the segment whose first line has that `seq`."""
    return f"ledger-{first:020}.jsonl"


def first_seq(name: str) -> Seq | None:
    """The `seq` that a segment's name gives its first line; `None` when it is no segment's name."""
    named = _is_segment(name)
    return None if named is None else int(named[1])


class NotALedgerError(Exception):
    """The path holds nothing that could be a ledger."""


class Segment(Struct, frozen=True, kw_only=True):
    """One file of a ledger."""

    path: Path
    """Where it is read from."""
    name: str
    """What it is called in reports."""
    newest: bool
    """Whether it is the last one, the one a writer would be appending to."""


class Block(Struct, frozen=True, kw_only=True):
    """A run of bytes out of a segment."""

    offset: int
    """Where it begins in the file, in bytes."""
    content: bytes
    """Whole lines, each with its newline; or, at a file's end, what stands after the last newline."""
    size: int
    """How many bytes of the file it is: more than `content` has where a run of zeros in the midst was left out."""
    whole: bool
    """Whether `content` is whole lines."""


def segments(path: Path, name: str | None = None) -> tuple[Segment, ...]:
    """The files of the ledger at `path`, oldest first: one file, or a directory's `ledger-<first seq>.jsonl`.

    `name` is what reports call a single file, where that is not its path.

    Raises `NotALedgerError` for a directory without such files, `OSError` when the path cannot be read.
    """
    if not path.is_dir():
        path.stat()
        return (Segment(path=path, name=name or str(path), newest=True),)
    found = sorted(entry for entry in path.iterdir() if _is_segment(entry.name))
    if not found:
        raise NotALedgerError(
            f"{path}: no ledger-<20 digits>.jsonl in this directory; give a ledger's directory or a file"
        )
    return tuple(Segment(path=file, name=str(file), newest=file is found[-1]) for file in found)


def blocks(file: BinaryIO) -> Iterator[Block]:
    """The bytes of a file in blocks of whole lines, then its tail.

    A run of zero bytes at the end is space set aside for lines to come (ledger.md 7): it is left out of the tail, and
    never held in memory. Nor is a long one in the midst of a line, of which one zero is kept: with that it is no line.
    """
    offset = 0
    unfinished: list[bytes] = []
    zeros = left_out = 0
    at_end = False
    while chunk := file.read(BLOCK):
        if at_end and (unfinished or zeros):
            # The file ended here a moment ago. A writer that recovers cuts what stood there and writes something else.
            file.seek(offset)
            unfinished, zeros, left_out, at_end = [], 0, 0, False
            continue
        at_end = len(chunk) < BLOCK
        if not chunk[0] and chunk == bytes(len(chunk)):
            zeros += len(chunk)
            continue
        if zeros:
            unfinished.append(b"\0")
            left_out += zeros - 1
            zeros = 0
        if left_out and (end := chunk.find(b"\n") + 1):
            # A block of the one line, for what follows stands further on than its content says.
            content = b"".join((*unfinished, chunk[:end]))
            size = len(content) + left_out
            yield Block(offset=offset, content=content, size=size, whole=True)
            offset += size
            unfinished, left_out, chunk = [], 0, chunk[end:]
        end = chunk.rfind(b"\n") + 1
        if not end:
            unfinished.append(chunk)
            continue
        content = b"".join((*unfinished, memoryview(chunk)[:end]))
        unfinished = [chunk[end:]]
        yield Block(offset=offset, content=content, size=len(content), whole=True)
        offset += len(content)
    tail = b"".join(unfinished).rstrip(b"\0")
    if tail:
        yield Block(offset=offset, content=tail, size=len(tail) + left_out, whole=False)
