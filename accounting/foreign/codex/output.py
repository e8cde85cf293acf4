"""What a call gave, in the several forms that Codex writes an answer in. Spec: foreign.md 3.3."""

import re
from collections.abc import Sequence
from typing import Final, TypeGuard

from msgspec import DecodeError, Struct, json

from accounting.foreign.codex.rows import Content, Duration, Fields, McpResult, Part
from accounting.foreign.times import whole_us
from wire.scalars import Json, JsonObject, i64, u64

_EXIT = re.compile(r"^(?:Exit code:|Process exited with code) (-?\d{1,19})[ \r]*$", re.MULTILINE).search
_WALL = re.compile(r"^Wall time: (\d{1,12}(?:\.\d{1,12})?) seconds?[ \r]*$", re.MULTILINE).search
_ABORTED = re.compile(r"^aborted by user\b", re.MULTILINE).search
_HEADS: Final = ("Exit code:", "Chunk ID:", "Wall time:", "Process exited with code", "Process running with session")
_DENIED: Final = ("exec command rejected by user",)
_STOPPED: Final = ("aborted by user",)
_FAILED: Final = ("failed in sandbox", *_DENIED)
_WORDS_OF_FAILURE: Final = ("failed", "declined")


class Answer(Struct, kw_only=True):
    """What a call gave."""

    text: str = ""
    """What the person would have read."""
    failed: bool = False
    """Whether Codex marks it as a failure; a command that exits with another code than 0 is one."""
    exit_code: int | None = None
    """The command's; `None` for what ran no command, is still running, or was stopped."""
    took_us: int | None = None
    """Microseconds it took, where measured."""
    denied: bool = False
    """A person did not allow it."""
    stopped: bool = False
    """A person broke it off."""


def text_of(content: Content | None) -> str | None:
    """The text of a message, summary or answer: its text parts, a line each; `None` when it has none."""
    if content is None or isinstance(content, str):
        return content
    parts = (content,) if isinstance(content, Part) else content
    texts = [part if isinstance(part, str) else part.text for part in parts]
    found = [text for text in texts if text is not None]
    return "\n".join(found) if found else None


def read_output(value: Json) -> Answer:
    """The `output` of an output item."""
    if isinstance(value, str):
        inner = _wrapped(value)
        answer = _of_text(value) if inner is None else read_output(inner)
    elif isinstance(value, dict):
        answer = _of_object(value)
    else:
        answer = _of_text("" if value is None else _parts_text(value))
    if answer.exit_code:
        answer.failed = True
    return answer


def add_end(answer: Answer, end: Fields) -> None:
    """Take over what the event that ended the call says: it knows better than the text."""
    if i64(end.exit_code) is not None:
        answer.exit_code = end.exit_code
    took = duration_us(end.duration)
    if took is not None:
        answer.took_us = took
    marked = end_failed(end)
    if marked is not None:
        answer.failed = marked or answer.denied or answer.stopped
    if end.status == "declined":
        answer.denied = True


def answer_of_end(end: Fields) -> Answer:
    """What a call gave, where only the event that ended it says so."""
    answer = Answer(text=_end_text(end))
    add_end(answer, end)
    return answer


def end_failed(end: Fields) -> bool | None:
    """Whether an ending event marks a failure; `None` when it does not say."""
    if end.success is not None:
        return not end.success
    if isinstance(end.result, McpResult):
        result = end.result
        if result.err is not None:
            return True
        said = result.is_error if result.ok is None else result.ok.is_error
        return bool(said) if result.ok is not None or said is not None else None
    if i64(end.exit_code) is not None:
        return end.exit_code != 0 or end.status in _WORDS_OF_FAILURE
    if isinstance(end.status, str) and end.status in (*_WORDS_OF_FAILURE, "completed"):
        return end.status != "completed"
    return None


def duration_us(duration: Duration | None) -> int | None:
    """A measured duration in microseconds."""
    if duration is None or u64(duration.secs) is None:
        return None
    return u64((duration.secs or 0) * 1_000_000 + (u64(duration.nanos) or 0) // 1000)


def spelled(value: Json) -> str:
    """A value as compact JSON text."""
    try:
        return json.encode(value).decode()
    except (RecursionError, ValueError, TypeError, OverflowError):
        return "…"


def _end_text(end: Fields) -> str:
    for text in (end.formatted_output, end.aggregated_output):
        if text:
            return text
    if end.stdout or end.stderr:
        return "\n".join(text.removesuffix("\n") for text in (end.stdout, end.stderr) if text)
    if isinstance(end.result, McpResult):
        result = end.result
        if result.err is not None:
            return result.err
        return text_of(result.content if result.ok is None else result.ok.content) or ""
    found = text_of(end.content_items)
    if found is not None:
        return found
    if isinstance(end.error, str):
        return end.error
    return spelled(end.results) if end.results else ""


def _wrapped(text: str) -> JsonObject | None:
    """The older shell tool's answer: JSON inside the string."""
    if not text.startswith("{"):
        return None
    try:
        value: Json = json.decode(text)
    except (DecodeError, RecursionError, UnicodeEncodeError):
        return None
    return value if isinstance(value, dict) and "output" in value and "metadata" in value else None


def _of_object(value: JsonObject) -> Answer:
    if "output" in value:
        output = value["output"]
        answer = _of_text(output if isinstance(output, str) else _parts_text(output))
        told = value.get("metadata")
        if isinstance(told, dict):
            code = i64(told.get("exit_code"))
            answer.exit_code = answer.exit_code if code is None else code
            seconds = told.get("duration_seconds")
            took = _seconds_us(seconds)
            answer.took_us = answer.took_us if took is None else took
    else:
        for key in ("content", "text", "content_items"):
            if key in value:
                answer = _of_text("" if value[key] is None else _parts_text(value[key]))
                break
        else:
            answer = _of_text(spelled(value))
    if value.get("success") is False or value.get("isError") is True or value.get("is_error") is True:
        answer.failed = True
    return answer


def _parts_text(value: Json) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        texts = [text for part in value if (text := _part(part)) is not None]
        return "\n".join(texts) if texts or _are_parts(value) else spelled(value)
    return spelled(value)


def _part(part: Json) -> str | None:
    if isinstance(part, str):
        return part
    text = part.get("text") if isinstance(part, dict) else None
    return text if isinstance(text, str) else None


def _are_parts(value: Sequence[Json]) -> TypeGuard[Sequence[JsonObject]]:
    return all(isinstance(part, dict) and "type" in part for part in value)


def _of_text(text: str) -> Answer:
    answer = Answer(text=text)
    start = text[:200].lstrip()
    stopped = start.startswith(_STOPPED)
    if start.startswith(_HEADS):
        # Only the tool's own lines count, not what the command wrote.
        head = text[: text.find("\nOutput:")] if "\nOutput:" in text else text[:1000]
        code = _EXIT(head)
        answer.exit_code = None if code is None else i64(int(code[1]))
        wall = _WALL(head)
        answer.took_us = None if wall is None else _seconds_us(float(wall[1]))
        stopped = _ABORTED(head) is not None
        start = text[len(head) :].removeprefix("\nOutput:").lstrip()[:200]
    answer.denied = start.startswith(_DENIED)
    answer.stopped = stopped
    answer.failed = stopped or start.startswith(_FAILED)
    return answer


def _seconds_us(seconds: Json) -> int | None:
    if type(seconds) is int:
        return u64(seconds * 1_000_000)
    return whole_us(seconds * 1000) if type(seconds) is float else None
