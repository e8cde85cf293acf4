"""A row in either dialect as what it does: something said, thought, called, answered, or beside the conversation.

Pure. Spec: dispatch.md 2.4. Whoever reads only a part of a transcript (its head and tail, say) builds on this too.
"""

import re
from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

from msgspec import DecodeError, Struct, json

from accounting.foreign.claude_code.message import answer_text, as_json
from accounting.foreign.claude_code.rows import Block, Part
from accounting.foreign.workbuddy.rows import META, Provider, RawResponse, Row, ToolResult
from wire.scalars import Json

_CHILD: Final = re.compile(r"\btask_id:\s*(agent-[\w-]+)").search

_decode: Final[Callable[[str], Json]] = json.decode


class Said(Struct, frozen=True, kw_only=True, gc=False):
    """A stretch of text."""

    role: str
    """`user` or `assistant`, as the row has it; the former is not always a person."""
    text: str


class Thought(Struct, frozen=True, kw_only=True, gc=False):
    """A stretch of reasoning."""

    text: str


class Called(Struct, frozen=True, kw_only=True, gc=False):
    """A tool call."""

    id: str | None
    name: str | None
    given: Json
    """The arguments: an object, or the text that they were sent as."""


class Answered(Struct, frozen=True, kw_only=True, gc=False):
    """What a tool call gave."""

    id: str | None
    name: str | None
    text: str
    left: int
    """Pieces of the answer that are no text."""
    failed: bool
    exit_code: int | None
    interrupted: bool
    children: tuple[str, ...]
    """Names by which the answer may mean the sub-agent that gave it: its file's, or its session's."""


class Left(Struct, frozen=True, kw_only=True, gc=False):
    """A part of the conversation that is not carried."""

    kind: str
    known: bool
    """Whether the format has it: a picture; false for what a newer version brought."""


class Meta(Struct, frozen=True, kw_only=True, gc=False):
    """A row beside the conversation."""

    kind: str
    known: bool
    """Whether the format has it; false for what a newer version brought."""


Deed: TypeAlias = Said | Thought | Called | Answered | Left | Meta


def deeds(row: Row) -> tuple[Deed, ...]:
    """What a row does, in order; nothing when it is empty."""
    match row.type:
        case "message":
            return tuple(_message(row))
        case "reasoning":
            return tuple(Thought(text=text) for text in _thoughts(row))
        case "function_call":
            return (Called(id=row.call_id, name=row.name, given=row.arguments),)
        case "function_call_result":
            return (_result(row),)
        case None:
            return (Meta(kind="(no type)", known=False),)
        case "system":
            return (Meta(kind=f"system/{row.subtype}", known=True),)
        case kind:
            return (Meta(kind=kind, known=kind in META),)


def speaker(row: Row) -> str:
    """The role of a message; one that lost it is the model's when it is of a request."""
    if row.role is not None:
        return row.role
    provider = row.provider_data
    return "user" if provider is None or provider.message_id is None else "assistant"


def _message(row: Row) -> Iterator[Deed]:
    role = speaker(row)
    content = row.content
    if content is None or isinstance(content, str):
        if content:
            yield Said(role=role, text=content)
        return
    for block in content:
        if isinstance(block, str):
            yield Said(role=role, text=block)
            continue
        match block.type:
            case "input_text" | "output_text" | "text":
                if block.text is not None:
                    yield Said(role=role, text=block.text)
            case "reasoning_text" | "thinking":
                yield Thought(text=block.text or block.thinking or "")
            case "tool_use":
                yield Called(id=block.id, name=block.name, given=block.input)
            case "tool_result":
                yield _block_result(block)
            case "image_blob_ref" | "input_image" | "image":
                yield Left(kind=f"message/{block.type}", known=True)
            case kind:
                yield Left(kind=f"message/{kind}", known=False)


def _thoughts(row: Row) -> Iterator[str]:
    """The reasoning: in `rawContent`, and only where that is empty in `content`."""
    parts = row.raw_content or row.content or ()
    for part in (parts,) if isinstance(parts, str) else parts:
        text = part if isinstance(part, str) else part.text
        if text:
            yield text


def _block_result(block: Block) -> Answered:
    text, left = answer_text(block.content)
    return Answered(
        id=block.tool_use_id,
        name=None,
        text=text,
        left=left,
        failed=block.is_error is True,
        exit_code=None,
        interrupted=False,
        children=_named(text),
    )


def _result(row: Row) -> Answered:
    twin = (row.provider_data or Provider()).tool_result or ToolResult()
    raw = twin.raw_response if isinstance(twin.raw_response, RawResponse) else RawResponse()
    shown: str | tuple[Part | str, ...] | Part | None = row.output if row.output is not None else twin.content
    text, left = answer_text(shown)
    children = tuple(name for name in (_task(twin), twin.sub_agent and twin.sub_agent.session_id) if name)
    failed = (
        (row.status is not None and row.status != "completed")
        or twin.is_error is True
        or raw.exit_code not in (None, 0)
        or raw.tool_error_code not in (None, "", "0", 0)
    )
    return Answered(
        id=row.call_id,
        name=row.name,
        text=text,
        left=left,
        failed=failed,
        exit_code=raw.exit_code,
        interrupted=raw.interrupted is True,
        children=(*children, *_named(text)),
    )


def _task(twin: ToolResult) -> str | None:
    """The sub-agent that the renderer names."""
    value: Json = None if twin.renderer is None else twin.renderer.value
    if isinstance(value, str):
        try:
            value = _decode(value)
        except (DecodeError, RecursionError, UnicodeError):
            return None
    task = as_json(value, "taskId")
    return task if isinstance(task, str) else None


def _named(text: str) -> tuple[str, ...]:
    found = _CHILD(text)
    return () if found is None else (found[1],)
