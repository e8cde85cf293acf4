"""The head and the tail of a file, for telling whose it is: a few rows of each, never the first line alone."""

import os
from pathlib import Path
from typing import Final

from msgspec import DecodeError, Struct, json

from accounting.foreign.objects import objects_in, repaired
from wire.scalars import Json, JsonObject

WINDOW: Final = 1 << 16
"""Bytes looked at on either end."""
_ROWS: Final = 24


class Sample(Struct, frozen=True, kw_only=True):
    """What the two ends of a file hold."""

    path: Path
    """The file."""
    size: int
    """Its size in bytes."""
    head: bytes
    """Its first 64 KiB at most."""
    tail: bytes
    """Its last 64 KiB at most; the same bytes as `head` in a small file."""
    rows: tuple[JsonObject, ...]
    """JSON objects, one a line: up to 24 of the head and up to 24 of the tail. In a file that is one JSON array, its
    elements; in a file that is one JSON object, that object. What does not read is left out."""
    document: bool
    """Whether the file is one JSON array or object and not a row on each line."""


def take_sample(path: Path) -> Sample:
    """Look at both ends of a file. Raises `OSError`."""
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        head = file.read(WINDOW)
        tail = head
        if size > WINDOW:
            file.seek(max(size - WINDOW, 0))
            tail = file.read(WINDOW)
    document = is_document(head)
    rows = _elements(path, size, head) if document else _lines(head, tail, size)
    return Sample(path=path, size=size, head=head, tail=tail, rows=tuple(rows), document=document)


def is_document(head: bytes) -> bool:
    """Whether a file that begins so is one JSON array or object over many lines, rather than a row on each."""
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n\0")
    first, newline, rest = start.partition(b"\n")
    if start.startswith(b"["):
        return not newline or not rest.strip() or not isinstance(_value(first), list)
    if not start.startswith(b"{"):
        return False
    # A row that is torn or longer than the window ends its line; a document that is spread out has only a brace there,
    # and no other below it: then it is a torn row.
    return bool(newline) and first.strip() == b"{" and not rest.lstrip().startswith(b"{")


def _value(line: bytes) -> Json:
    try:
        value: Json = json.decode(line)
    except (DecodeError, RecursionError):
        return None
    return value


def _lines(head: bytes, tail: bytes, size: int) -> list[JsonObject]:
    first = head.split(b"\n")
    last: list[bytes] = []
    if size > len(head):
        first.pop()
        last = tail.split(b"\n")[1:]
    return [*_objects(first[:_ROWS]), *_objects(last[-_ROWS:] if last else first[_ROWS:][-_ROWS:])]


def _objects(lines: list[bytes]) -> list[JsonObject]:
    found: list[JsonObject] = []
    for line in lines:
        value = _value(line)
        if isinstance(value, dict):
            found.append(value)
        elif line.lstrip().startswith(b"{"):
            found.extend(repaired(read.value) for read in objects_in(line.decode(errors="replace"), most=2))
    return found


def _elements(path: Path, size: int, head: bytes) -> list[JsonObject]:
    """Of a small document the whole value, of a large one the objects that its head holds whole."""
    if size <= 1 << 20:
        value = _value(path.read_bytes() if size > len(head) else head)
        if isinstance(value, dict):
            return [value]
        if isinstance(value, list):
            dicts = [element for element in value if isinstance(element, dict)]
            return [*dicts[:_ROWS], *dicts[_ROWS:][-_ROWS:]]
    return [repaired(found.value) for found in objects_in(head.decode(errors="replace"), most=_ROWS)]
