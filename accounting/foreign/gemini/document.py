"""A session that is one JSON document: its own fields, and each message with its place. Spec: foreign.md 3.4.

Of a document that was cut or damaged, the messages that are whole are found one by one.
"""

import re
from pathlib import Path
from typing import Final

from msgspec import DecodeError, Raw, Struct, json

from accounting.foreign.fidelity import Fidelity
from accounting.foreign.gemini.rows import Row, is_row
from accounting.foreign.rows import Rows
from accounting.foreign.sample import Sample
from accounting.ledger.problem import Place

MARGIN: Final = b" \t\r\n\0\xef\xbb\xbf"
"""Bytes that may stand around a document: white space, padding, a byte order mark."""
_FAILED: Final = (DecodeError, RecursionError, UnicodeDecodeError)
_LIST: Final = re.compile(rb"\s*:\s*\[").match
_decode: Final = json.Decoder(Row).decode


class Document(Struct, frozen=True, kw_only=True):
    """What a document holds."""

    own: Row | None
    """What it says of itself; `None` when that does not read."""
    rows: list[tuple[Row, Place]]
    """Its messages; of a damaged document whatever was found, in rows of their own."""
    whole: bool
    """Whether it reads as a document."""


class _Whole(Struct, kw_only=True, rename="camel"):
    session_id: str | None = None
    project_hash: str | None = None
    start_time: str | int | None = None
    kind: str | None = None
    summary: str | None = None
    messages: Raw = Raw(b"[]")


def read_document(path: Path, fidelity: Fidelity) -> Document:
    """Read a file that is one document. Raises `OSError`."""
    data = path.read_bytes()
    reading = Rows(str(path), Row, fidelity, is_row)
    try:
        whole = json.decode(data.strip(MARGIN), type=_Whole)
        elements = json.decode(whole.messages, type=tuple[Raw, ...])
    except _FAILED:
        return _damaged(data, reading)
    fidelity.rows += 1
    own = Row(
        session_id=whole.session_id,
        project_hash=whole.project_hash,
        start_time=whole.start_time,
        kind=whole.kind,
        summary=whole.summary,
    )
    at = max(data.find(bytes(whole.messages)), 0)
    line = 1 + data.count(b"\n", 0, at)
    found: list[tuple[Row, Place]] = []
    for element in elements:
        text = bytes(element)
        start = data.find(text, at)
        line += data.count(b"\n", at, start)
        try:
            row = _decode(text)
        except _FAILED:
            found.extend(reading.line(text, line, start, last=False))
        else:
            fidelity.rows += 1
            found.append((row, Place(segment=str(path), line=line, offset=start)))
        line += text.count(b"\n")
        at = start + len(text)
    return Document(own=own, rows=found, whole=True)


def _damaged(data: bytes, reading: Rows[Row]) -> Document:
    found = list(reading.line(data, 1, 0, last=True))
    return Document(own=_head(data), rows=found, whole=False)


def is_document(sample: Sample) -> bool:
    """Whether a file is a document: its own fields, then the list of messages, all in one object."""
    if not sample.head.lstrip(MARGIN).startswith(b"{"):
        return False
    return sample.document or _head(sample.head) is not None


def _head(data: bytes) -> Row | None:
    """What a document states before its messages; `None` where no object begins with such fields and then a list."""
    head, _, rest = data.lstrip(MARGIN).partition(b'"messages"')
    if not _LIST(rest):
        return None
    try:
        return json.decode(head.rstrip(MARGIN + b",") + b"}", type=Row)
    except _FAILED:
        return None
