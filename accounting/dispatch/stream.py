"""What an agent's output says of its run, followed as it grows. Pure. Spec: dispatch.md 2.0, 2.3.

    reading = StreamReading()
    reading.feed(data)                      # as often as there is more
    for event in reading.events(now, session_file):
        journal = step(journal, event)

However the bytes are cut when they are fed, they come to the same.
"""

import re
from collections.abc import Callable
from typing import Final, assert_never

from accounting.dispatch.events import DispatchEvent, Ended, Initialised, Progressed
from accounting.dispatch.stream_line import LineEvents, events_of, read_event
from wire.dispatch import StreamAssistant, StreamEvent, StreamInit, StreamOther, StreamResult, StreamUser
from wire.scalars import AbsolutePath, TimeMs

__all__ = ["LONGEST", "StreamReading", "read_event"]

LONGEST: Final = 64 << 20
"""Bytes of a line, or of a document of several lines, beyond which it is passed over as no event."""
_opens = re.compile(rb'[\s\x00]*(?:\xef\xbb\xbf[\s\x00]*)?(?:\{\s*(?:"|$)|(\[)\s*(?:\{\s*(?:"|$)|$))').match
"""What a document over several lines can begin with: an object, or a list of objects."""


class StreamReading:
    """One run's output, as far as it was fed. Nothing after its result is read.

    It keeps counts, and no more of the text than a line; an array or object over several lines it keeps to its end.
    """

    def __init__(self) -> None:
        self._line = bytearray()
        self._is_too_long = False
        self._document = bytearray()
        """The lines from where a document seems to begin, while there was no event yet."""
        self._document_lines = 0
        self._is_list = False
        """Whether the output began with a list that is not whole on its line: then all of it is one document."""
        self._is_list_too_long = False
        self._has_listed = False
        """Whether that list has an event, and so is one."""
        self._tried = 0
        """Bytes of the document when it was last looked at whole."""
        self._has_events = False
        self._session: str | None = None
        self._other_sessions = 0
        self._calls: set[int] = set()
        self._unnamed_calls = 0
        self._ignored = 0
        self._result: StreamResult | None = None

    def feed(self, data: bytes) -> None:
        """The bytes that follow those that were fed before."""
        begin = 0
        while self._result is None and (end := data.find(b"\n", begin) + 1):
            if self._line or self._is_too_long or end - begin > LONGEST:
                self._hold(data[begin:end])
                self._end_line()
            else:
                self._read(data[begin:end])
            begin = end
        if self._result is None and begin < len(data):
            self._hold(data[begin:])

    def finish(self) -> None:
        """There will be no more: what lacks its newline counts as a line, and lines as a document if they are one."""
        self._end_line()
        self._is_list = False
        if self._document:
            read = events_of(bytes(self._document))
            if read.events:
                self._document_lines = 0
                self._take(read)
            else:
                self._drop_document()

    def events(self, at: TimeMs, session_file: Callable[[str], AbsolutePath | None]) -> tuple[DispatchEvent, ...]:
        """All that is to be told to `step`, at a time, from the beginning on: told again, it changes nothing.

        `session_file` says where the agent keeps the session of an id.
        """
        events: list[DispatchEvent] = []
        if self._session is not None:
            file = session_file(self._session)
            events.append(Initialised(at=at, session_id=self._session, session_file=file))
        calls = len(self._calls) + self._unnamed_calls
        counts = Progressed(at=at, tool_calls=calls, other_sessions=self._other_sessions, ignored_lines=self._ignored)
        events.append(counts)
        if self._result is not None:
            events.append(Ended(at=at, result=self._result))
        return tuple(events)

    def _hold(self, part: bytes) -> None:
        if self._is_too_long or len(self._line) + len(part) > LONGEST:
            self._is_too_long = True
            self._line.clear()
        else:
            self._line += part

    def _end_line(self) -> None:
        if self._is_too_long:
            self._is_too_long = False
            self._ignored += 1
            self._drop_document()
            self._is_list_too_long = self._is_list
        elif self._line:
            line = bytes(self._line)
            self._line.clear()
            self._read(line)

    def _read(self, line: bytes) -> None:
        if self._is_list and self._is_no_list(line):
            self._is_list = False
            self._drop_document()
        if self._is_list:
            self._add_to_document(line)
            if line.startswith(b"]") and not line[1:].strip():
                self._close_list()
            return
        read = events_of(line)
        if read.torn and not self._has_events and (opened := _opens(line)) is not None and opened[1]:
            self._is_list = True
            self._add_to_document(line)
        elif read.events:
            self._take(read)
        elif not line.isspace():
            self._pass_over(line)

    def _pass_over(self, line: bytes) -> None:
        """A line that is no event may be one of an object that is spread over several."""
        if not self._document and (self._has_events or _opens(line) is None):
            self._ignored += 1
        else:
            self._add_to_document(line)

    def _is_no_list(self, line: bytes) -> bool:
        """Whether what seemed to begin a list was words in brackets: an event of its own follows on a line."""
        if self._has_listed or self._is_list_too_long or not line.startswith(b"{"):
            return False
        if self._document.rstrip().endswith((b"[", b",")) or line.rstrip().endswith(b","):
            return False
        self._has_listed = bool(events_of(bytes(self._document)).events)
        return not self._has_listed and bool(events_of(line).events)

    def _close_list(self) -> None:
        """A bracket alone at the beginning of a line may end the list, whatever comes behind it."""
        if self._is_list_too_long or len(self._document) < 2 * self._tried:
            return
        self._tried = len(self._document)  # not at each of many brackets
        read = events_of(bytes(self._document))
        if not read.torn and read.events:
            self._document_lines = 0
            self._is_list = False
            self._take(read)

    def _add_to_document(self, line: bytes) -> None:
        if self._is_list_too_long:
            self._ignored += 1
            return
        self._document += line
        self._document_lines += 1
        if len(self._document) > LONGEST:
            self._drop_document()
            self._is_list_too_long = self._is_list

    def _drop_document(self) -> None:
        """It is none."""
        self._ignored += self._document_lines
        self._document_lines = 0
        self._document.clear()

    def _take(self, read: LineEvents) -> None:
        self._has_events = True
        self._drop_document()
        self._ignored += read.ignored
        for event in read.events:
            self._count(event)
            if isinstance(event, StreamResult):
                self._result = event
                if not read.listed:
                    break
        if self._result is not None:
            self._name(self._result.session_id)

    def _count(self, event: StreamEvent) -> None:
        match event:
            case StreamInit():
                self._name(event.session_id)
            case StreamAssistant():
                for call in event.calls:
                    if call.id is None:
                        self._unnamed_calls += 1
                    else:
                        self._calls.add(hash(call.id))  # an id may be long, and a run may call often
            case StreamOther():
                self._ignored += 1
            case StreamUser() | StreamResult():
                pass
            case _:
                assert_never(event)

    def _name(self, session: str | None) -> None:
        if self._session is None:
            self._session = session
        elif session is not None and session != self._session:
            self._other_sessions += 1
