"""Tool calls of OpenCode as ours: arguments, subject, outcome, the session that a call started. Pure.

Spec: foreign.md 3.5. A command that fails leaves the state `completed`: its exit code stands in the metadata.
"""

import re
from json import dumps
from typing import Final

from msgspec import Struct

from accounting.foreign.opencode.rows import Part, State
from accounting.foreign.payload import subject_of
from accounting.foreign.times import time_ms
from wire.scalars import Json, JsonObject, TimeMs, i64

_DENIED: Final = re.compile(r"rejected permission|prevents you from using|dismissed this question").search
_ABORTED: Final = re.compile(r"\s*Tool execution (?:was )?aborted", re.IGNORECASE).match
_SUBJECTS: Final[dict[str, tuple[str, ...]]] = {
    "bash": ("command",),
    **dict.fromkeys(("read", "write", "edit", "multiedit", "patch", "lsp"), ("filePath", "file_path", "path")),
    **dict.fromkeys(("glob", "grep", "codesearch"), ("pattern", "query")),
    "list": ("path",),
    "webfetch": ("url",),
    "websearch": ("query",),
    "task": ("description", "prompt"),
    "skill": ("name",),
}


class Outcome(Struct, frozen=True, kw_only=True):
    """What a call gave."""

    text: str
    failed: bool
    stopped: bool
    """Whether a person denied or interrupted it."""
    denied: bool
    exit_code: int | None
    t: TimeMs | None
    """When the tool was done; `None` when not recorded."""
    took_us: int | None
    """Microseconds it ran; `None` when either end is not recorded."""


def started_at(state: State) -> TimeMs | None:
    """When the tool was started; `None` while it is pending."""
    return None if state.time is None else time_ms(state.time.start)


def retried_at(part: Part) -> TimeMs | None:
    """When an attempt failed, as its part says; when that was stored is no answer: each way of keeping has another."""
    return None if part.time is None else time_ms(part.time.created)


def given(state: State) -> Json:
    """The arguments: the input, and while that is still coming in, the text of it so far."""
    return state.raw if not state.input and state.raw else state.input


def subject(tool: str | None, args: JsonObject) -> str | None:
    """What a call acts on: the command of a shell, the file of an editor, what a search looks for."""
    return subject_of(args, _SUBJECTS.get((tool or "").lower(), ()))


def outcome(state: State) -> Outcome | None:
    """The outcome; `None` while the call waits. Where the state is not known, what it holds decides."""
    match state.status:
        case "pending" | "running":
            return None
        case "completed":
            failed = False
        case "error":
            failed = True
        case _:
            if state.output is None and state.error is None:
                return None
            failed = state.output is None
    text = _spelled(state.error if failed else state.output)
    denied = failed and _DENIED(text) is not None
    aborted = failed and (_ABORTED(text) is not None or _of(state.metadata, "interrupted") is True)
    began = started_at(state)
    ended = None if state.time is None else time_ms(state.time.end)
    took = None if began is None or ended is None or ended < began else (ended - began) * 1000
    return Outcome(
        text=text,
        failed=failed,
        stopped=denied or aborted,
        denied=denied,
        exit_code=i64(_of(state.metadata, "exit")),
        t=ended,
        took_us=took,
    )


def started_session(part: Part) -> str | None:
    """The session that a call started, by its id; `None` for most calls."""
    for metadata in (None if part.state is None else part.state.metadata, part.metadata):
        for key in ("sessionId", "sessionID"):
            value = _of(metadata, key)
            if isinstance(value, str) and value:
                return value
    return None


def _of(metadata: Json, key: str) -> Json:
    return metadata.get(key) if isinstance(metadata, dict) else None


def _spelled(value: Json) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    try:
        return dumps(value, ensure_ascii=False, separators=(",", ":"))
    except (RecursionError, ValueError, TypeError):
        return "…"
