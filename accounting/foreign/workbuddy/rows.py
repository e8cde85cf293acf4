"""A row of a WorkBuddy (CodeBuddy) transcript in either dialect, as much of it as is used. Spec: dispatch.md 2.4.

Dialect A puts calls and results into the content of messages, B gives each a row of its own; a file may mix them.
Every field has a default, so that a field of a wrong type costs that field.
"""

from typing import Final

from msgspec import Struct, field

from accounting.foreign.claude_code.rows import Block, Compacted, Part, Usage
from accounting.foreign.free_json import AnyJson
from wire.scalars import Json, JsonObject


class RawUsage(Struct, frozen=True, kw_only=True, gc=False):
    """Token counts as the provider gave them; the whole prompt, and several names for what came from the cache."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    total_tokens: int | None = None
    completion_thinking_tokens: int | None = None
    prompt_cache_hit_tokens: int | None = None
    cached_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    prompt_cache_write_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    credit: int | float | None = None


class Details(Struct, frozen=True, kw_only=True, gc=False):
    """Parts of a token count."""

    cached_tokens: int | None = None
    reasoning_tokens: int | None = None


class SdkUsage(Struct, frozen=True, kw_only=True, gc=False, rename="camel"):
    """The same token counts as the agent's own library has them."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    total_tokens: int | None = None
    input_tokens_details: tuple[Details, ...] | Details | None = None
    output_tokens_details: tuple[Details, ...] | Details | None = None


class Renderer(Struct, frozen=True, kw_only=True, gc=False):
    """How a result is shown; of a sub-agent's, JSON text that names it."""

    value: AnyJson = None


class RawResponse(Struct, frozen=True, kw_only=True, gc=False):
    """What the tool itself gave back."""

    exit_code: int | None = field(default=None, name="exitCode")
    interrupted: bool | None = None
    tool_error_code: str | int | None = None


class SubAgent(Struct, frozen=True, kw_only=True, gc=False, rename="camel"):
    """The sub-agent that answered."""

    session_id: str | None = None


class ToolResult(Struct, frozen=True, kw_only=True, gc=False, rename="camel"):
    """The structured twin of a result."""

    content: str | tuple[Part | str, ...] | Part | None = None
    renderer: Renderer | None = None
    raw_response: RawResponse | str | None = None
    is_error: bool | None = None
    sub_agent: SubAgent | None = None


class Provider(Struct, frozen=True, kw_only=True, gc=False, rename="camel"):
    """What the agent wrote down beside a row."""

    message_id: str | None = None
    model: str | None = None
    raw_usage: RawUsage | None = None
    usage: SdkUsage | None = None
    tool_result: ToolResult | None = None
    error: AnyJson = None
    skip_run: bool | None = None
    is_meta: bool | None = None
    is_compact_internal: bool | None = None
    is_compacted: bool | None = None
    is_summary: bool | None = None
    is_partial_aborted: bool | None = None


class Inner(Struct, frozen=True, kw_only=True, gc=False):
    """The message as another API would have it; only its token counts."""

    usage: Usage | None = None


class Row(Struct, frozen=True, kw_only=True, gc=False, rename="camel"):
    """One row."""

    type: str | None = None
    subtype: str | None = None
    id: str | None = None
    parent_id: str | None = None
    timestamp: int | str | float | None = None
    session_id: str | None = None
    cwd: str | None = None
    provider_data: Provider | None = None
    # Of messages and what was thought:
    role: str | None = None
    content: str | tuple[Block | str, ...] | None = None
    raw_content: tuple[Part | str, ...] | str | None = None
    message: Inner | None = None
    is_compact_summary: bool | None = None
    is_meta: bool | None = None
    # Of calls and results:
    name: str | None = None
    call_id: str | None = None
    arguments: AnyJson = None
    status: str | None = None
    output: str | tuple[Part | str, ...] | Part | None = None
    # Of what stands beside the conversation:
    compact_metadata: Compacted | None = None
    ai_title: str | None = None
    custom_title: str | None = None
    topic: str | None = None
    summary: str | None = None


SPOKEN: Final = frozenset(("message", "reasoning", "function_call", "function_call_result"))
"""The types of row that are the conversation."""
META: Final = frozenset(
    (
        "session-meta",
        "ai-title",
        "custom-title",
        "topic",
        "summary",
        "file-history-snapshot",
        "goal-result",
        "goal-progress",
        "turn-metrics",
        "resend-fork-notice",
        "system",
    )
)
"""The types that are known and stand beside it."""


def is_row(value: JsonObject) -> bool:
    """Whether an object found in a damaged line is a row of its own."""
    word = value.get("type")
    if not isinstance(word, str):
        return False
    if word == "message":
        return "role" in value and "content" in value
    if word == "reasoning":
        return "rawContent" in value or "providerData" in value
    if word in ("function_call", "function_call_result"):
        return "callId" in value
    return word in META and len(value) > 1


def kind_of(value: JsonObject) -> str:
    """What a row is called in a report."""
    word, subtype = value.get("type"), value.get("subtype")
    if word == "system":
        return f"system/{subtype}"
    return word if isinstance(word, str) else "(no type)"


def sureness(value: JsonObject) -> float:
    """How surely a row is of such a transcript, from 0 to 1."""
    if not is_row(value) or "uuid" in value or "payload" in value or "message_id" in value:
        return 0.0
    word = value.get("type")
    if word == "message":
        if isinstance(value.get("providerData"), dict) or ("parentId" in value and "sessionId" in value):
            return 1.0
        kinds = _kinds(value.get("content"))
        if "tool_use" in kinds or "tool_result" in kinds:
            return 1.0
        if "input_text" not in kinds and "output_text" not in kinds:
            return 0.0
        return 0.95 if "sessionId" in value or "parentId" in value else 0.7
    if word in SPOKEN:
        return 1.0
    if word in ("topic", "turn-metrics", "session-meta") or str(word).startswith("goal-"):
        return 0.9 if "uuid" not in value else 0.0
    # Titles, snapshots and the rest are of Claude Code's files too.
    return 0.5 if "leafUuid" not in value else 0.0


def _kinds(content: Json) -> list[Json]:
    """The types of the blocks of a message."""
    return [block.get("type") for block in content if isinstance(block, dict)] if isinstance(content, list) else []
