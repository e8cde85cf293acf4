"""Payloads of a model request and its reply. Spec: ledger.md 6."""

from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from wire.scalars import (
    U32,
    U64,
    U64_MAX,
    B3Hash,
    Json,
    JsonObject,
    Locator,
    Micros,
    TimeMs,
    Tokens,
    UsdMicros,
    check_range,
)


class ModelCalled(Struct, frozen=True, kw_only=True):
    """A request went out to a model."""

    segments: tuple[B3Hash, ...]
    """Hashes of the prompt's segments, in order."""
    model: str
    """The model's name."""


class Dialect(StrEnum):
    """The provider protocol that the counts came from."""

    anthropic = "anthropic"
    """Anthropic's messages."""
    open_ai = "open_ai"
    """OpenAI's chat completions, and what is built alike."""
    open_ai_responses = "open_ai_responses"
    """OpenAI's responses."""


class Usage(Struct, frozen=True, kw_only=True):
    """Token counts as the provider gave them."""

    input_tokens: Tokens
    """With `v` 1 the whole prompt; without `v` perhaps only its uncached part."""
    output_tokens: Tokens
    """Tokens of the reply."""
    cache_read_tokens: Tokens | None = None
    """Prompt tokens read from the provider's cache; null when it did not say, 0 when it said zero."""
    cache_write_tokens: Tokens | None = None
    """Prompt tokens stored into the cache; null when it did not say, 0 when it said zero."""
    v: int | None = None
    """Version of the counting: 1, or null on older rows."""
    dialect: Dialect | None = None
    """The provider protocol; null when not recorded. Plays no part in the reading."""

    def __post_init__(self) -> None:
        if self.v not in (None, 1):
            raise ValueError(f"usage of version {self.v} is not known")
        cached = (self.cache_read_tokens or 0) + (self.cache_write_tokens or 0)
        if self.v is None and cached > self.input_tokens and cached + self.input_tokens > U64_MAX:
            raise ValueError("the counts of an older row add up to no more than u64")


class TextBlock(Struct, frozen=True, kw_only=True, tag_field="kind", tag="text"):
    """Prose."""

    text: str
    """The prose."""


class ThinkingBlock(Struct, frozen=True, kw_only=True, tag_field="kind", tag="thinking"):
    """Reasoning."""

    thinking: str
    """The reasoning."""
    signature: str
    """The provider's seal on it."""


class RedactedThinkingBlock(Struct, frozen=True, kw_only=True, tag_field="kind", tag="redacted_thinking"):
    """Reasoning that the provider keeps sealed."""

    data: str
    """The sealed reasoning."""


class ToolUseBlock(Struct, frozen=True, kw_only=True, tag_field="kind", tag="tool_use"):
    """The model asked for a tool."""

    id: str
    """The call's id."""
    name: str
    """The tool's name."""
    input: Json
    """Its arguments."""


class ImageBlock(Struct, frozen=True, kw_only=True, tag_field="kind", tag="image"):
    """A picture, stored apart."""

    locator: Locator
    """Where it is stored."""
    media_type: str
    """Its media type."""
    width: U32
    """Pixels."""
    height: U32
    """Pixels."""

    def __post_init__(self) -> None:
        check_range(self.locator)


class ToolResultBlock(Struct, frozen=True, kw_only=True, tag_field="kind", tag="tool_result"):
    """A tool's answer as the model was shown it."""

    tool_use_id: str
    """The call it answers."""
    content: Json
    """What the model was shown."""
    is_error: bool
    """Whether it was shown as an error."""
    attachments: tuple[JsonObject, ...] | None = None
    """What came with it; null when nothing did."""


Block: TypeAlias = TextBlock | ThinkingBlock | RedactedThinkingBlock | ToolUseBlock | ImageBlock | ToolResultBlock
"""One block of a message, tagged by `kind`."""


class Message(Struct, frozen=True, kw_only=True):
    """The reply, as blocks."""

    role: str | None = None
    """Who speaks; null when not recorded."""
    content: tuple[Block, ...] | None = None
    """The blocks in order; null when there are none."""


class ModelReturned(Struct, frozen=True, kw_only=True):
    """A model's reply is whole."""

    message: Message
    """The reply."""
    calls: U64
    """How many tools it asked for."""
    usage: Usage | None = None
    """Token counts; null when the provider gave none."""
    stop: str | None = None
    """The provider's word for why it stopped; null when it gave none."""
    billed_usd_micros: UsdMicros | None = None
    """Millionths of a US dollar billed for the request; null when unknown."""
    first_at: TimeMs | None = None
    """When the first content arrived, UTC ms; null when it did not stream, streamed only calls, or on older lines."""
    first_us: Micros | None = None
    """Microseconds from request out to first content; null when not measured."""
    took_us: Micros | None = None
    """Microseconds from request out to reply whole; null when not measured."""
