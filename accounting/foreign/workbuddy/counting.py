"""The token counts of a request, of which its rows state several copies, some of them placeholders of zero.

Pure. Spec: dispatch.md 2.4. The prompt includes what came from the cache, and the reply what was thought.
"""

from typing import Final

from msgspec import Struct

from accounting.foreign.claude_code.rows import Usage
from accounting.foreign.payload import usage_of
from accounting.foreign.workbuddy.rows import Details, RawUsage, Row, SdkUsage
from wire.scalars import Json, JsonObject, u64

RAW: Final = 0
"""The provider's own counts: better than `SDK`, those are better than `MESSAGE`."""
SDK: Final = 1
MESSAGE: Final = 2


class Counts(Struct, frozen=True, kw_only=True, gc=False):
    """The token counts that a row states."""

    source: int
    """Which copy they are of; the smaller the better."""
    input: int
    output: int
    cached: int | None
    cache_write: int | None
    estimated: bool = False
    """Whether the prompt had to be worked out."""

    def usage(self) -> JsonObject | None:
        """As our payload has them."""
        return usage_of(self.input, self.output, cached=self.cached, cache_write=self.cache_write)


def counts_of(row: Row) -> Counts | None:
    """The best copy that a row states; `None` when it states none, or only zeros in place of one."""
    provider = row.provider_data
    sdk = None if provider is None else provider.usage
    found: Counts | None = None
    if provider is not None and provider.raw_usage is not None:
        found = _raw(provider.raw_usage, sdk)
    if found is None and sdk is not None:
        found = _sdk(sdk)
    if found is None and row.message is not None and row.message.usage is not None:
        found = _message(row.message.usage)
    return found


def better(one: Counts | None, other: Counts | None) -> Counts | None:
    """The counts of a request that two of its rows state: the better copy, of two alike the larger of each count."""
    if one is None or other is None:
        return other if one is None else one
    if one.source != other.source:
        return one if one.source < other.source else other
    return Counts(
        source=one.source,
        input=max(one.input, other.input),
        output=max(one.output, other.output),
        cached=_larger(one.cached, other.cached),
        cache_write=_larger(one.cache_write, other.cache_write),
        estimated=one.estimated or other.estimated,
    )


def _raw(usage: RawUsage, sdk: SdkUsage | None) -> Counts | None:
    prompt, reply = u64(usage.prompt_tokens), u64(usage.completion_tokens)
    if prompt is None or reply is None or not prompt + reply:
        return None
    thinking, total = u64(usage.completion_thinking_tokens), u64(usage.total_tokens)
    if thinking and total == prompt + reply + thinking:
        reply += thinking
    return Counts(
        source=RAW,
        input=prompt,
        output=reply,
        cached=_stated(
            usage.prompt_cache_hit_tokens,
            usage.cached_tokens,
            usage.cache_read_input_tokens,
            None if sdk is None else _cached(sdk),
        ),
        cache_write=_stated(usage.prompt_cache_write_tokens, usage.cache_creation_input_tokens),
    )


def _sdk(usage: SdkUsage) -> Counts | None:
    prompt, reply = u64(usage.input_tokens), u64(usage.output_tokens)
    if prompt is None or reply is None or not prompt + reply:
        return None
    thinking = next((u64(part.reasoning_tokens) for part in _parts(usage.output_tokens_details)), None)
    if thinking and u64(usage.total_tokens) == prompt + reply + thinking:
        reply += thinking
    return Counts(source=SDK, input=prompt, output=reply, cached=_cached(usage), cache_write=None)


def _message(usage: Usage) -> Counts | None:
    prompt, reply = u64(usage.input_tokens), u64(usage.output_tokens)
    if prompt is None or reply is None or not prompt + reply:
        return None
    cached, written = u64(usage.cache_read_input_tokens), u64(usage.cache_creation_input_tokens)
    beside = (cached or 0) + (written or 0)
    apart = beside > prompt  # then these are the provider's own, which keep the cache apart
    return Counts(
        source=MESSAGE,
        input=prompt + beside if apart else prompt,
        output=reply,
        cached=cached,
        cache_write=written,
        estimated=apart,
    )


def _cached(usage: SdkUsage) -> int | None:
    return _stated(*(part.cached_tokens for part in _parts(usage.input_tokens_details)))


def _parts(details: tuple[Details, ...] | Details | None) -> tuple[Details, ...]:
    return (details,) if isinstance(details, Details) else details or ()


def _stated(*candidates: Json) -> int | None:
    """The first count that is not zero; zero when all that are stated are; `None` when none is."""
    stated = [count for candidate in candidates if (count := u64(candidate)) is not None]
    return next((count for count in stated if count), 0 if stated else None)


def _larger(one: int | None, other: int | None) -> int | None:
    return other if one is None else one if other is None else max(one, other)
