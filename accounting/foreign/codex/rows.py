"""A line of a Codex rollout, as much of it as is used. Spec: foreign.md 3.3.

A line is an envelope (`timestamp`, `type`, `payload`); in very old files it is the bare payload. One flat shape serves
both and every kind of payload. Every field has a default, so that a field of a wrong type costs that field.
"""

from typing import Final, TypeAlias

from msgspec import Struct, field

from accounting.foreign.free_json import AnyJson
from wire.scalars import JsonObject


class Part(Struct, frozen=True, kw_only=True, gc=False):
    """A piece of a message, summary or answer: text, or something that is not carried."""

    type: str | None = None
    text: str | None = None


Content: TypeAlias = str | tuple[Part | str, ...] | Part


class Counts(Struct, frozen=True, kw_only=True, gc=False):
    """Token counts, of one request or of the thread so far."""

    input_tokens: int | None = None
    cached_input_tokens: int | None = None
    cache_write_input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_output_tokens: int | None = None
    total_tokens: int | None = None


class Info(Struct, frozen=True, kw_only=True, gc=False):
    """What a `token_count` tells."""

    total_token_usage: Counts | None = None
    last_token_usage: Counts | None = None


class Duration(Struct, frozen=True, kw_only=True, gc=False):
    """A measured duration."""

    secs: int | None = None
    nanos: int | None = None


class McpContent(Struct, frozen=True, kw_only=True, rename={"is_error": "isError"}):
    """What an MCP tool gave back."""

    content: Content | None = None
    is_error: bool | None = None


class McpResult(
    Struct,
    frozen=True,
    kw_only=True,
    rename={"ok": "Ok", "err": "Err", "is_error": "isError"},
):
    """The result of an MCP call: `Ok` or `Err`, or in an item that is complete the content itself."""

    ok: McpContent | None = None
    err: str | None = None
    content: Content | None = None
    is_error: bool | None = None


class Invocation(Struct, frozen=True, kw_only=True):
    """Which MCP tool was called, and with what."""

    server: str | None = None
    tool: str | None = None
    arguments: AnyJson = None


class Git(Struct, frozen=True, kw_only=True, gc=False):
    """Where the working directory stood."""

    branch: str | None = None
    commit_hash: str | None = None


class Settings(Struct, frozen=True, kw_only=True, gc=False):
    """The settings of a thread; only the model is used."""

    model: str | None = None


class Spawn(Struct, frozen=True, kw_only=True, gc=False):
    """Which thread started this one."""

    parent_thread_id: str | None = None


class Subagent(Struct, frozen=True, kw_only=True):
    """That a thread is a sub-agent's."""

    thread_spawn: Spawn | None = None


class Origin(Struct, frozen=True, kw_only=True):
    """What began a session, in newer versions."""

    subagent: Subagent | str | None = None


class Fields(Struct, frozen=True, kw_only=True, gc=False):
    """The fields of payloads of every kind."""

    type: str | None = None
    id: str | None = None
    call_id: str | None = None
    camel_call_id: str | None = field(default=None, name="callId")
    timestamp: str | int | float | None = None
    turn_id: str | None = None
    # session_meta and turn_context
    session_id: str | None = None
    cwd: str | None = None
    originator: str | None = None
    cli_version: str | None = None
    model_provider: str | None = None
    source: str | Origin | None = None
    git: Git | None = None
    forked_from_id: str | None = None
    parent_thread_id: str | None = None
    model: str | None = None
    # items
    role: str | None = None
    author: str | None = None
    content: Content | None = None
    summary: Content | None = None
    name: str | None = None
    arguments: AnyJson = None
    input: AnyJson = None
    output: AnyJson = None
    status: AnyJson = None
    action: AnyJson = None
    tools: AnyJson = None
    revised_prompt: str | None = None
    saved_path: str | None = None
    # events
    message: str | None = None
    kind: str | None = None
    text: str | None = None
    info: Info | None = None
    input_tokens: int | None = None
    cached_input_tokens: int | None = None
    output_tokens: int | None = None
    reason: str | None = None
    time_to_first_token_ms: int | float | None = None
    error: AnyJson = None
    codex_error_info: AnyJson = None
    num_turns: int | None = None
    thread_name: str | None = None
    thread_settings: Settings | None = None
    new_thread_id: str | None = None
    agent_thread_id: str | None = None
    # the ends of calls
    duration: Duration | None = None
    command: AnyJson = None
    stdout: str | None = None
    stderr: str | None = None
    aggregated_output: str | None = None
    formatted_output: str | None = None
    exit_code: int | None = None
    success: bool | None = None
    invocation: Invocation | None = None
    result: McpResult | str | None = None
    changes: AnyJson = None
    path: str | None = None
    query: str | None = None
    results: AnyJson = None
    tool: str | None = None
    server: str | None = None
    content_items: Content | None = None
    summary_text: Content | None = None

    @property
    def own(self) -> str | None:
        """The id that an item or event gives a call, or itself."""
        return self.call_id or self.camel_call_id or self.id


class Item(Fields, frozen=True, kw_only=True, gc=False):
    """A payload of whichever kind."""

    item: Fields | None = None
    """What an `item_completed` is about."""


class Line(Item, frozen=True, kw_only=True, gc=False):
    """One line."""

    payload: Item | None = None
    record_type: str | None = None


ENVELOPES: Final = frozenset(
    [
        "session_meta",
        "turn_context",
        "response_item",
        "event_msg",
        "compacted",
        "world_state",
        "inter_agent_communication",
        "inter_agent_communication_metadata",
    ]
)
"""The types of an envelope that are known."""
_PARTS: Final = ["input_text", "output_text", "summary_text"]
ITEMS: Final = frozenset(
    [
        "message",
        "reasoning",
        "function_call",
        "function_call_output",
        "custom_tool_call",
        "custom_tool_call_output",
        "local_shell_call",
        "web_search_call",
        "tool_search_call",
        "tool_search_output",
        "image_generation_call",
        "agent_message",
        "ghost_snapshot",
        "compaction",
    ]
)
"""The types of a `response_item` that are known; in very old files those of a line."""


def is_enveloped(value: JsonObject) -> bool:
    """Whether an object is a line with an envelope."""
    return isinstance(value.get("type"), str) and isinstance(value.get("payload"), dict)


def is_bare(value: JsonObject) -> bool:
    """Whether an object can be a bare line, as in very old files; in others it may be a piece of a torn line."""
    return not is_enveloped(value) and sureness(value) > 0


def sureness(value: JsonObject) -> float:
    """How surely a row is of a rollout, from 0 to 1."""
    word = value.get("type")
    if not isinstance(word, str):
        is_head = word is None and "instructions" in value and "timestamp" in value and "id" in value
        return 0.8 if is_head else 0.6 if value.get("record_type") == "state" else 0.0
    if is_enveloped(value):
        return 1.0 if word in ENVELOPES else 0.5 if "timestamp" in value else 0.0
    if word not in ITEMS or "uuid" in value or "parentId" in value:
        return 0.0
    if word in ("message", "reasoning"):
        parts = value.get("content") or value.get("summary")
        first = parts[0] if isinstance(parts, list) and parts else None
        known = isinstance(first, dict) and first.get("type") in _PARTS
        return 0.8 if known else 0.3 if "encrypted_content" in value else 0.0
    return 0.8 if "call_id" in value or "action" in value or "ghost_commit" in value else 0.0
