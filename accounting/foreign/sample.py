"""The head and the tail of a file, for telling whose it is: a few rows of each, never the first line alone."""

import os
from json import JSONDecodeError, JSONDecoder
from pathlib import Path
from typing import BinaryIO, Final, cast

from msgspec import DecodeError, Struct, json

from accounting.foreign.objects import objects_in, repaired
from wire.scalars import Json, JsonObject

WINDOW: Final = 1 << 16
"""Bytes looked at on either end."""
LONGEST: Final = 1 << 26
"""Bytes of a row, or of a document, up to which it is read on where an end of the file holds no whole row."""
_ROWS: Final = 24
_MARGIN: Final = b"\xef\xbb\xbf \t\r\n\0"
_SMALL: Final = 1 << 20
"""Bytes of a document up to which it is always decoded whole."""
_first_value = JSONDecoder(strict=False).raw_decode


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
    """JSON objects, one a line: up to 24 of the head and up to 24 of the tail, and at least one of either end however
    long its row is, up to 64 MiB. In a file that is one JSON array, its elements; in a file that is one JSON object,
    that object. What does not read is left out."""
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
        rows = _elements(path, size, head) if document else _lines(file, head, tail, size)
    return Sample(path=path, size=size, head=head, tail=tail, rows=tuple(rows), document=document)


def is_document(head: bytes) -> bool:
    """Whether a file that begins so is one JSON array or object over many lines, rather than a row on each."""
    start = head.lstrip(_MARGIN)
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


def _lines(file: BinaryIO, head: bytes, tail: bytes, size: int) -> list[JsonObject]:
    first = head.split(b"\n")
    if size <= len(head):
        return [*_objects(first[:_ROWS]), *_objects(first[_ROWS:][-_ROWS:])]
    cut = first.pop()
    begin = _objects(first[:_ROWS])
    end = _objects(tail.split(b"\n")[1:][-_ROWS:])
    over = len(head)
    if not begin:
        line = _read_on(file, cut, over)
        over += len(line) - len(cut)
        begin, cut = _long(line), b""
    if not end and over < size:
        end = _long(_read_back(file, cut, tail, over, size))
    return [*begin, *end]


def _read_on(file: BinaryIO, line: bytes, at: int) -> bytes:
    """A row that begins with `line`, from what follows at a position; just `line` when it begins no object."""
    if not line.lstrip(_MARGIN).startswith(b"{"):
        return line
    file.seek(at)
    return line + file.readline(LONGEST - len(line))


def _read_back(file: BinaryIO, cut: bytes, tail: bytes, over: int, size: int) -> bytes:
    """The row that the tail begins in the middle of; empty when it is too long.

    `over` is how much of the file was read from its beginning, and `cut` the row that this ends in the middle of.
    """
    at, window = size - len(tail), WINDOW
    parts = [tail.partition(b"\n")[0]]
    while at > over and size - at < LONGEST:
        window = min(2 * window, at - over)
        at -= window
        file.seek(at)
        _, newline, rest = file.read(window).rpartition(b"\n")
        parts.append(rest)
        if newline:
            return b"".join(reversed(parts))
    return cut + b"".join(reversed(parts)) if at == over else b""


def _long(line: bytes) -> list[JsonObject]:
    """The object that a long line begins with: that of a torn line is not looked for, it would take too long."""
    line = line.lstrip(_MARGIN)
    if not line.startswith(b"{"):
        return []
    value = _value(line)
    if value is None:
        text = line.decode(errors="replace")
        try:
            value = cast("tuple[Json, int]", _first_value(text))[0]
        except (JSONDecodeError, RecursionError, ValueError):
            return []
        return [repaired(value)] if isinstance(value, dict) else []
    return [value] if isinstance(value, dict) else []


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
    """Of a small document the whole value, of a large one the objects that its head holds whole, if there are any."""
    found = [] if size <= _SMALL else _found(head)
    if not found and size <= LONGEST:
        value = _value(path.read_bytes() if size > len(head) else head)
        if isinstance(value, dict):
            return [value]
        if isinstance(value, list):
            dicts = [element for element in value if isinstance(element, dict)]
            return [*dicts[:_ROWS], *dicts[_ROWS:][-_ROWS:]]
        found = _found(head)
    return found


def _found(head: bytes) -> list[JsonObject]:
    return [repaired(found.value) for found in objects_in(head.decode(errors="replace"), most=_ROWS)]
