"""The events on a line of an agent's output, or in an array or object that is all of it. Spec: dispatch.md 2.3."""

import re
from collections.abc import Iterator
from itertools import chain
from json import JSONDecoder
from typing import Final, cast

from msgspec import Raw, Struct, json

from accounting.dispatch.stream_event import FAILED, decoded, salvaged
from accounting.ledger.parse import NotJsonError, parse
from wire.dispatch import StreamEvent, StreamResult
from wire.scalars import Json, JsonObject

_LONGEST_DEEP: Final = 1 << 20
"""Characters up to which an object that nests too deep for quick decoding is read: that is slow."""
_begins = re.compile(rb"[\s\x00]*(?:\xef\xbb\xbf[\s\x00]*)?(?=([{\[]))").match
_filler = re.compile(r"[\s,\[\]\x00\ufeff]*").match
_scan = JSONDecoder(strict=False).raw_decode  # control characters inside strings do no harm to a reading
_elements = json.Decoder(list[Raw]).decode


class LineEvents(Struct, frozen=True, kw_only=True, gc=False):
    """What stands on a line, or in a document."""

    events: tuple[StreamEvent, ...]
    """Its events in order."""
    listed: bool = False
    """Whether they are the elements of one list: then the last result is the result, else the first."""
    ignored: int = 0
    """Elements of the list that are no events."""
    torn: bool = False
    """Whether the list is not whole: it may go on, on another line."""


def read_event(line: bytes) -> StreamEvent | None:
    """The event that a line begins with; `None` when it begins with none, as a warning does. Never raises."""
    read = events_of(line)
    return None if read.listed else next(iter(read.events), None)


def events_of(text: bytes) -> LineEvents:
    """The events of a line: of its object, of objects glued to it, or of the elements of its list. Never raises.

    What stands behind something else on the line is passed over: a warning may quote an event.
    """
    begin = _begins(text)
    if begin is None:
        return LineEvents(events=())
    try:
        event = decoded(text)
    except FAILED:
        kept = text[begin.end() :].rstrip(b"\0\r\n")
        return _list(kept) if begin[1] == b"[" else LineEvents(events=_glued(kept))
    return LineEvents(events=() if event is None else (event,))


def _list(text: bytes) -> LineEvents:
    try:
        read = [_element(bytes(element)) for element in _elements(text)]
    except FAILED:
        # Torn: a result in it need not be the last one, so what is left tells of the session, and not of the end.
        left = tuple(event for event in _glued(text) if not isinstance(event, StreamResult))
        return LineEvents(events=left, listed=True, torn=True)
    return LineEvents(events=tuple(chain(*read)), listed=True, ignored=sum(not one for one in read))


def _element(text: bytes) -> tuple[StreamEvent, ...]:
    try:
        event = decoded(text)
    except FAILED:
        return _glued(text) if text.startswith(b"{") else ()
    return () if event is None else (event,)


def _glued(text: bytes) -> tuple[StreamEvent, ...]:
    events = map(salvaged, _objects(text.decode(errors="replace")))
    return tuple(event for event in events if event is not None)


def _objects(text: str) -> Iterator[JsonObject]:
    """The objects that the text begins with. None behind something that is no object: it could be a part of one."""
    at = _pass_filler(text, 0)
    while text.startswith("{", at):
        try:
            value, end = cast("tuple[Json, int]", _scan(text, at))
        except RecursionError:
            value, end = _deep(text[at:]), len(text)
        except ValueError:
            return
        if isinstance(value, dict):
            yield value
        at = _pass_filler(text, end)


def _pass_filler(text: str, at: int) -> int:
    passed = _filler(text, at)
    return at if passed is None else passed.end()


def _deep(text: str) -> Json:
    """An object too deep for the standard parser, when nothing follows it; `None` otherwise, and when it is long."""
    try:
        return parse(text)[0] if len(text) <= _LONGEST_DEEP else None
    except NotJsonError:
        return None
