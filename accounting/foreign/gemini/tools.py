"""Texts, calls and token counts of a Gemini CLI message as ours. Pure. Spec: foreign.md 3.4."""

import re
from json import dumps
from typing import Final

from msgspec import Struct

from accounting.foreign.gemini.rows import Tokens, ToolCall
from accounting.foreign.payload import subject_of
from wire.scalars import Json, JsonObject

WAITING: Final = frozenset(("validating", "scheduled", "awaiting_approval", "executing"))
"""States of a call that has no outcome yet."""
ENDED: Final = frozenset(("success", "error", "cancelled"))
"""States of a call that has one."""

_SHELLS: Final = frozenset(("run_shell_command", "run_command", "shell", "bash"))
_EXIT: Final = re.compile(r"^Exit Code: (-?\d{1,10})[ \t\r]*$", re.MULTILINE).findall
_DENIED: Final = re.compile(r"did not allow|denied|declined|rejected", re.IGNORECASE).search
_SUBJECTS: Final[dict[str, tuple[str, ...]]] = {
    **dict.fromkeys(_SHELLS, ("command",)),
    "read_file": ("file_path", "absolute_path", "path"),
    "write_file": ("file_path",),
    "replace": ("file_path",),
    "edit": ("file_path",),
    "list_directory": ("dir_path", "path"),
    "glob": ("pattern",),
    "grep_search": ("pattern",),
    "search_file_content": ("pattern",),
    "google_web_search": ("query",),
    "web_fetch": ("url", "prompt"),
    "save_memory": ("fact",),
}


class Answer(Struct, frozen=True, kw_only=True):
    """The outcome of a call."""

    text: str
    """What it gave, or what the CLI says went wrong."""
    failed: bool
    """Whether the CLI marks it as failed or as cancelled."""
    stopped: bool
    """Whether a person denied or cancelled it."""
    denied: bool
    """Whether it was denied before it ran."""
    exit_code: int | None
    """As the text states it; a code of nought is not written down, so `None` says nothing."""
    others: int
    """Parts of the result that are no text."""


def subject(tool: str | None, args: JsonObject) -> str | None:
    """What a call acts on: the command of a shell, the file of an editor, what a search looks for."""
    return subject_of(args, _SUBJECTS.get(tool or "", ()))


def answer(call: ToolCall) -> Answer | None:
    """The outcome of a call; `None` while it waits.

    The state decides. Where it is missing or not known, a result is the outcome, and no result is none.
    """
    texts, errors, others = _result(call.result)
    status = call.status
    if status in WAITING or (status not in ENDED and not texts and not errors and not others):
        return None
    failed = status in ("error", "cancelled") or (status != "success" and bool(errors) and not texts)
    text = "\n".join(texts + errors if not failed else errors + texts)
    if not text and isinstance(call.result_display, str):
        text = call.result_display
    stopped = status == "cancelled"
    return Answer(
        text=text or ("cancelled" if stopped else ""),
        failed=failed,
        stopped=stopped,
        denied=stopped and _DENIED(text) is not None,
        exit_code=exit_code(call.name, text),
        others=others,
    )


def exit_code(tool: str | None, text: str) -> int | None:
    """The last exit code that the text of a shell tool states; `None` for other tools, and where it states none."""
    found: list[str] = _EXIT(text) if tool in _SHELLS else []
    return int(found[-1]) if found else None


def texts_of(content: Json) -> tuple[list[str], list[str], int]:
    """The texts of a message's content, those of its parts that are reasoning, and how many parts are neither."""
    texts: list[str] = []
    thoughts: list[str] = []
    others = 0
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, dict) and isinstance(text := part.get("text"), str):
            (thoughts if part.get("thought") is True else texts).append(text)
        elif part is not None:
            others += 1
    return texts, thoughts, others


def reply_tokens(tokens: Tokens) -> tuple[int | None, bool]:
    """The reply's tokens, reasoning included, and whether `total` shows that `output` has it in already."""
    output, thoughts = tokens.output, tokens.thoughts
    if output is None or not thoughts:
        return output, False
    if tokens.total is not None and tokens.input is not None:
        rest = tokens.total - tokens.input - output
        if rest == 0 or (rest == tokens.tool and rest != thoughts):
            return output, True
    return output + thoughts, False


def _result(result: Json) -> tuple[list[str], list[str], int]:
    texts: list[str] = []
    errors: list[str] = []
    others = 0
    for part in result if isinstance(result, list) else [result]:
        if isinstance(part, str):
            texts.append(part)
        elif not isinstance(part, dict):
            others += part is not None
        elif "functionResponse" in part:
            given = part["functionResponse"]
            response = given.get("response") if isinstance(given, dict) else given
            if isinstance(response, dict) and response.get("error") is not None and response.get("output") is None:
                errors.append(_spelled(response["error"]))
            elif response is not None:
                output = response.get("output", response) if isinstance(response, dict) else response
                texts.append("" if output is None else _spelled(output))
        elif isinstance(text := part.get("text"), str):
            texts.append(text)
        else:
            others += 1
    return texts, errors, others


def _spelled(value: Json) -> str:
    if isinstance(value, str):
        return value
    try:
        return dumps(value, ensure_ascii=False, separators=(",", ":"))
    except (RecursionError, ValueError, TypeError):
        return "…"
