"""Content blocks, token counts and tool answers of a Claude message as ours. Pure. Spec: foreign.md 3.1.

The files on disk and the stream of `claude -p` carry the same messages; both readers use this.
"""

import re
from typing import Final

from accounting.foreign.claude_code.rows import Block, Part, Usage
from accounting.foreign.payload import subject_of
from wire.scalars import Json, JsonObject

Content = str | tuple[Block | str, ...] | None

_EXIT: Final = re.compile(r"(?:Error: )?Exit code (-?\d{1,10})(?!\d)").match
_PERSISTED: Final = "<persisted-output>"
_SUBJECTS: Final[dict[str, tuple[str, ...]]] = {
    "Bash": ("command",),
    "PowerShell": ("command",),
    "BashOutput": ("bash_id",),
    "KillShell": ("shell_id",),
    "Read": ("file_path",),
    "Write": ("file_path",),
    "Edit": ("file_path",),
    "MultiEdit": ("file_path",),
    "NotebookEdit": ("notebook_path",),
    "NotebookRead": ("notebook_path",),
    "Glob": ("pattern",),
    "Grep": ("pattern",),
    "WebFetch": ("url",),
    "WebSearch": ("query",),
    "Task": ("description",),
    "Agent": ("description",),
    "Skill": ("skill", "command"),
}
_DENIALS: Final = (
    "The user doesn't want to proceed with this tool use",
    "The user doesn't want to take this action right now",
    "Permission prompt was aborted",
    "Permission to use ",
    "Claude requested permissions ",
    "User rejected",
)
_INTERRUPTION: Final = "[Request interrupted by user"


def our_block(block: Block) -> JsonObject | None:
    """A block that is no call in our kinds; `None` for one of no kind of ours."""
    kind = block.type
    if kind == "text":
        return None if block.text is None else {"kind": "text", "text": block.text}
    if kind == "thinking":
        if block.thinking is None:
            return None
        return {"kind": "thinking", "thinking": block.thinking, "signature": block.signature or ""}
    if kind == "redacted_thinking":
        return {"kind": "redacted_thinking", "data": block.data or ""}
    return None


def is_call(block: Block) -> bool:
    """Whether a block asks for a tool, the provider's own ones included."""
    return block.type == "tool_use" or block.type == "server_tool_use" or block.type == "mcp_tool_use"


def is_answer(block: Block) -> bool:
    """Whether a block is a tool's answer."""
    return block.type is not None and block.type.endswith("tool_result")


def subject(tool: str | None, args: JsonObject) -> str | None:
    """What a call acts on: the command of a shell, the file of an editor, what a search looks for."""
    for key in _SUBJECTS.get(tool or "", ()):
        if isinstance(value := args.get(key), str):
            return value
    return subject_of(args)


def answer_text(content: str | tuple[Part | str, ...] | Part | None) -> tuple[str, int]:
    """The text that a tool's answer showed, and how many pieces of it are no text."""
    if isinstance(content, str):
        return content, 0
    parts = (content,) if isinstance(content, Part) else content or ()
    texts = [part if isinstance(part, str) else _shown(part) for part in parts]
    kept = [text for text in texts if text is not None]
    return "\n".join(kept), len(texts) - len(kept)


def _shown(part: Part) -> str | None:
    """What a piece of an answer showed: its text, or the title and address of a page that was found."""
    if part.text is not None or part.url is None:
        return part.text if part.text is not None else part.error_code
    return part.url if part.title is None else f"{part.title}\n{part.url}"


def exit_code(text: str) -> int | None:
    """The exit code that a failed command's text begins with; `None` when it states none."""
    match = _EXIT(text)
    return None if match is None else int(match[1])


def is_persisted(text: str) -> bool:
    """Whether the answer was too long and stands in a file of the agent's; what is left is its beginning."""
    return text.startswith(_PERSISTED)


def is_denial(text: str) -> bool:
    """Whether a failed answer says that a person did not let the tool run."""
    return text.startswith(_DENIALS)


def is_interruption(text: str) -> bool:
    """Whether a text is what the agent writes when a person broke in."""
    return text.startswith(_INTERRUPTION)


def whole_input(usage: Usage) -> int | None:
    """All tokens of the prompt: its three counts are apart here. `None` when they are not stated, or are no counts."""
    fresh = usage.input_tokens
    if fresh is None:
        return None
    cached, written = usage.cache_read_input_tokens or 0, usage.cache_creation_input_tokens or 0
    return None if fresh < 0 or cached < 0 or written < 0 else fresh + cached + written


def larger(one: Usage | None, other: Usage | None) -> Usage | None:
    """The token counts of one request that states them twice: the larger of each, for they grow while it streams."""
    if one is None or other is None or one == other:
        return other if one is None else one
    return Usage(
        input_tokens=_larger(one.input_tokens, other.input_tokens),
        output_tokens=_larger(one.output_tokens, other.output_tokens),
        cache_read_input_tokens=_larger(one.cache_read_input_tokens, other.cache_read_input_tokens),
        cache_creation_input_tokens=_larger(one.cache_creation_input_tokens, other.cache_creation_input_tokens),
    )


def _larger(one: int | None, other: int | None) -> int | None:
    if one is None or (other is not None and other > one):
        return other
    return one


def texts_of(content: Content) -> list[str]:
    """The texts of a person's message, in order."""
    if content is None or isinstance(content, str):
        return [] if content is None else [content]
    texts = [block if isinstance(block, str) else block.text for block in content if _is_text(block)]
    return [text for text in texts if text is not None]


def _is_text(block: Block | str) -> bool:
    return isinstance(block, str) or block.type == "text"


def as_json(value: Json, key: str) -> Json:
    """The value under a key of what may be an object; `None` otherwise."""
    return value.get(key) if isinstance(value, dict) else None
