"""A line of a Claude Code session file, as much of it as is used. Spec: foreign.md 3.1.

Every field has a default, so that a field of a wrong type costs that field. What is not named here is not decoded.
"""

from typing import Annotated, Final

from msgspec import Meta, Raw, Struct, field

from accounting.foreign.free_json import AnyJson
from wire.scalars import JsonObject


class Part(Struct, frozen=True, kw_only=True, gc=False):
    """A piece of a tool's answer: text, a page that was found, what went wrong, or something that is not carried."""

    type: str | None = None
    text: str | None = None
    title: str | None = None
    url: str | None = None
    error_code: str | None = None


class Block(Struct, frozen=True, kw_only=True, gc=False):
    """A content block of whichever type: the fields of all of them."""

    type: str | None = None
    text: str | None = None
    thinking: str | None = None
    signature: str | None = None
    data: str | None = None
    id: str | None = None
    name: str | None = None
    input: AnyJson = None
    tool_use_id: str | None = None
    content: str | tuple[Part | str, ...] | Part | None = None
    is_error: bool | None = None


class Usage(Struct, frozen=True, kw_only=True, gc=False):
    """Token counts of one request, the parts of the prompt apart."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None


class Message(Struct, frozen=True, kw_only=True, gc=False):
    """The message that a line carries."""

    id: str | None = None
    model: str | None = None
    content: str | tuple[Block | str, ...] | None = None
    stop_reason: str | None = None
    usage: Usage | None = None


class Twin(Struct, frozen=True, kw_only=True, gc=False, rename="camel"):
    """The structured twin of a tool's answer: only what links a sub-agent or tells of an interruption."""

    agent_id: str | None = None
    interrupted: bool | None = None


class Compacted(Struct, frozen=True, kw_only=True, gc=False, rename="camel"):
    """What a `compact_boundary` says of a compaction."""

    trigger: str | None = None
    pre_tokens: int | None = None
    post_tokens: int | None = None
    duration_ms: int | float | None = None


class Attachment(Struct, frozen=True, kw_only=True, gc=False, rename="camel"):
    """What was put beside the conversation; only queued prompts are used."""

    type: str | None = None
    prompt: str | tuple[Block | str, ...] | None = None
    command_mode: str | None = None


class Origin(Struct, frozen=True, kw_only=True, gc=False):
    """Who a user line is from, in newer versions."""

    kind: str | None = None


class Line(Struct, frozen=True, kw_only=True, gc=False, rename="camel"):
    """One line."""

    type: str | None = None
    subtype: str | None = None
    uuid: str | None = None
    parent_uuid: str | None = None
    session_id: str | int | None = None
    agent_id: str | None = None
    is_sidechain: bool | None = None
    is_meta: bool | None = None
    is_compact_summary: bool | None = None
    is_api_error_message: bool | None = None
    team_name: str | None = None
    timestamp: str | int | float | None = None
    request_id: str | None = None
    message: Message | str | None = None
    tool_use_result: Twin | str | list[Raw] | None = None
    origin: Origin | str | None = None
    # Of single kinds of line, the first two of very old versions:
    cost_usd: Annotated[float, Meta(ge=0, le=1_000_000)] | None = field(default=None, name="costUSD")
    duration_ms: int | float | None = None
    api_error_status: int | None = None
    error: AnyJson = None
    retry_in_ms: int | float | None = None
    compact_metadata: Compacted | None = None
    attachment: Attachment | None = None
    summary: str | None = None
    leaf_uuid: str | None = None
    ai_title: str | None = None
    custom_title: str | None = None
    agent_name: str | None = None
    cwd: str | None = None
    version: str | None = None
    git_branch: str | None = None


TREE: Final = frozenset(("user", "assistant", "system", "attachment", "progress"))
"""The types of line that stand in the tree."""
STATE: Final = frozenset(
    (
        "summary",
        "file-history-snapshot",
        "queue-operation",
        "ai-title",
        "custom-title",
        "agent-name",
        "agent-setting",
        "last-prompt",
        "pr-link",
        "mode",
        "permission-mode",
        "worktree-state",
        "relocated",
        "frame-link",
        "bridge-session",
        "atis-latch",
        "started",
        "result",
    )
)
"""The types that are known and stand beside it."""


def is_row(value: JsonObject) -> bool:
    """Whether an object found in a damaged line is a line of its own."""
    word = value.get("type")
    if not isinstance(word, str):
        return False
    if word in TREE:
        # A message of a sub-agent that a `progress` line holds has neither.
        return "sessionId" in value or "parentUuid" in value
    return word in STATE and ("sessionId" in value or "leafUuid" in value or "messageId" in value)


def kind_of(value: JsonObject) -> str:
    """A line's kind, as reports name it: its type, and the subtype of a `system` line."""
    word, part = value.get("type"), value.get("subtype")
    if not isinstance(word, str):
        return "(no type)"
    return f"{word}/{part}" if isinstance(part, str) else word


def sureness(value: JsonObject) -> float:
    """How surely a row is of a Claude Code session file, from 0 to 1."""
    if not is_row(value):
        return 0.4 if value.get("type") in ("user", "assistant") and "uuid" in value and "message" in value else 0.0
    message = value.get("message")
    if isinstance(message, dict) and "parts" in message:
        return 0.0  # a fork of the format, with another message inside
    if "parentUuid" in value and "isSidechain" in value:
        return 1.0
    return 0.8
