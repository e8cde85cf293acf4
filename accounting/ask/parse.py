"""The bytes of an ask thread read as events: never fails, and tells what it passed over. Spec: asks.md 1.3, 1.4.

A line that is plain JSON of a known event is decoded in one step. Every other line takes the slow road, on which each
oddity has a name.
"""

from collections import Counter
from enum import StrEnum
from typing import Final, cast

from msgspec import DecodeError, Struct, ValidationError, convert, structs
from msgspec.json import Decoder

from accounting.ask.trim import trim
from accounting.ledger.parse import NotJsonError, shortened
from accounting.ledger.parse import parse as parse_json
from accounting.ledger.problem import LISTED, ProblemCode
from wire.ask import AskEvent
from wire.scalars import Json, JsonObject, iso_time

_TIMES: Final = {
    "meta": ("startedAt", "started_at"),
    "question": ("at", "at"),
    "chunk": None,
    "end": ("at", "at"),
    "aborted": ("at", "at"),
    "error": ("at", "at"),
}
"""The key and the attribute of each known event's time."""
_ANY_TIME: Final = "2000-01-01T00:00:00.000Z"

_decode = Decoder(AskEvent).decode


class ThreadProblemCode(StrEnum):
    """What can be odd about a line of a thread. The first five cost the record."""

    torn_tail = "torn-tail"
    """The thread ends in bytes that are no JSON and have no newline: a record being written, or one that never was."""
    not_json = "not-json"
    """The line is no JSON text."""
    not_an_event = "not-an-event"
    """The line is JSON but no object, or its `t` is no text."""
    unknown_event = "unknown-event"
    """Its `t` is a word that this build does not know."""
    bad_field = "bad-field"
    """A field that the event needs is missing, of another type, or out of range."""
    bad_time = "bad-time"
    """The event's time is a text of another form; it is kept as it is."""
    bad_focus = "bad-focus"
    """The question's focus is neither a text nor null; it reads as null."""
    lone_surrogate = "lone-surrogate"
    """The escape of half a surrogate pair; it reads as U+FFFD."""
    bad_utf8 = "bad-utf8"
    """Bytes that are not UTF-8; each sequence of them reads as U+FFFD."""


DROPPING: Final = frozenset(
    {
        ThreadProblemCode.torn_tail,
        ThreadProblemCode.not_json,
        ThreadProblemCode.not_an_event,
        ThreadProblemCode.unknown_event,
        ThreadProblemCode.bad_field,
    }
)
"""The codes of lines that are passed over; a line with any other is read all the same."""


class ThreadProblem(Struct, frozen=True, kw_only=True):
    """One line that was passed over, or read otherwise than it was written."""

    code: ThreadProblemCode
    """What sort of problem."""
    line: int
    """The line's number in the bytes that were parsed, from 1."""
    offset: int
    """Byte offset of the line's first byte, from 0."""
    found: str
    """What is odd, in words, shortened."""


class Parsed(Struct, frozen=True, kw_only=True):
    """A thread's bytes as events."""

    events: tuple[AskEvent, ...]
    """Every record that reads, in file order."""
    torn: bool
    """Whether the last line has no newline and is no JSON."""
    problems: tuple[ThreadProblem, ...]
    """What was odd, in file order: the first 1,000."""
    counts: dict[ThreadProblemCode, int]
    """How many of each code there are, the unlisted ones included."""

    @property
    def dropped(self) -> int:
        """How many lines were passed over; blank lines are none of them."""
        return sum(count for code, count in self.counts.items() if code in DROPPING)


def parse(data: bytes) -> Parsed:
    """The events that the bytes of a thread hold. Takes any bytes and never raises.

    Lines end at a newline byte and nowhere else. A last line without one counts if it is whole.
    """
    events: list[AskEvent] = []
    problems: list[ThreadProblem] = []
    counts: Counter[ThreadProblemCode] = Counter()
    offset = 0
    lines = data.split(b"\n")
    for number, line in enumerate(lines, 1):
        event, oddities = _read(line)
        if event is not None:
            events.append(event)
        for code, found in oddities.items():
            if code is ThreadProblemCode.not_json and number == len(lines):
                code = ThreadProblemCode.torn_tail  # noqa: PLW2901 - the same problem, where it may yet become a record
            counts[code] += 1
            if len(problems) < LISTED:
                problems.append(ThreadProblem(code=code, line=number, offset=offset, found=found))
        offset += len(line) + 1
    torn = ThreadProblemCode.torn_tail in counts
    return Parsed(events=tuple(events), torn=torn, problems=tuple(problems), counts=dict(counts))


def _read(line: bytes) -> tuple[AskEvent | None, dict[ThreadProblemCode, str]]:
    """The event of one line, where it is one, and what is odd about the line."""
    oddities: dict[ThreadProblemCode, str] = {}
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        text = line.decode(errors="replace")
        oddities[ThreadProblemCode.bad_utf8] = f"byte 0x{line[error.start]:02x} at byte {error.start} of the line"
    else:
        try:
            return _decode(line), oddities
        except (DecodeError, RecursionError):
            # No event, or one that only looks odd to this decoder: half a surrogate pair, deep nesting, a repeated key.
            if not trim(text):
                return None, oddities
    try:
        value, odd = parse_json(text)
    except NotJsonError as error:
        return None, {ThreadProblemCode.not_json: str(error)}
    if (half := odd.get(ProblemCode.lone_surrogate)) is not None:
        oddities[ThreadProblemCode.lone_surrogate] = half.found
    return _event(value, oddities)


def _event(value: Json, oddities: dict[ThreadProblemCode, str]) -> tuple[AskEvent | None, dict[ThreadProblemCode, str]]:
    if not isinstance(value, dict) or not isinstance(kind := value.get("t"), str):
        return None, {ThreadProblemCode.not_an_event: "no object with a text as `t`"}
    if kind not in _TIMES:
        return None, {ThreadProblemCode.unknown_event: f"`t` is {shortened(kind)}"}
    try:
        return _lenient(kind, dict(value), oddities), oddities
    except ValidationError as error:
        return None, {ThreadProblemCode.bad_field: str(error)}


def _lenient(kind: str, value: JsonObject, oddities: dict[ThreadProblemCode, str]) -> AskEvent:
    """The event, with a bad focus or a bad time costing no more than itself. Raises `ValidationError`."""
    if kind == "question" and not isinstance(focus := value.get("focus"), str | None):
        oddities[ThreadProblemCode.bad_focus] = f"`focus` is of type {type(focus).__name__}"
        value["focus"] = None
    time = _TIMES[kind]
    if time is None or not isinstance(text := value.get(time[0]), str) or iso_time(text) is not None:
        return _convert(value)
    value[time[0]] = _ANY_TIME
    event = structs.replace(_convert(value), **{time[1]: text})
    oddities[ThreadProblemCode.bad_time] = f"`{time[0]}` is {shortened(text)}"
    return event


def _convert(value: JsonObject) -> AskEvent:
    return cast("AskEvent", convert(value, AskEvent))
