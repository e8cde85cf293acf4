"""What a `token_count` says of one request: repeats passed over, a missing part worked out. Spec: foreign.md 3.3."""

from enum import StrEnum

from msgspec import Struct

from accounting.foreign.codex.rows import Counts, Item
from accounting.foreign.fidelity import Standing
from accounting.foreign.payload import usage_of
from wire.scalars import JsonObject, u64


class Passed(StrEnum):
    """Why a `token_count` is of no request."""

    no_counts = "it tells rate limits only"
    repeated = "the same sum as before: the event was repeated"
    unreadable = "its counts do not read"


class Accepted(Struct, frozen=True):
    """The counts of one request."""

    usage: JsonObject
    """As a `usage` of `model_returned`."""
    standing: Standing
    """Whether they were stated or are a difference of sums."""
    sum: str | None
    """The thread's sums after it, spelled out: what tells this request from others of its thread; `None` if absent."""
    empty: bool
    """Whether every count is nought."""


class Counting:
    """Takes the events of one thread in file order."""

    def __init__(self) -> None:
        self._before: Counts | None = None

    def take(self, event: Item) -> Accepted | Passed:
        """The request that an event closes."""
        info = event.info
        if info is None:
            flat = usage_of_counts(
                Counts(
                    input_tokens=event.input_tokens,
                    cached_input_tokens=event.cached_input_tokens,
                    output_tokens=event.output_tokens,
                )
            )
            return Passed.no_counts if flat is None else _accepted(flat, Standing.exact, None)
        total = info.total_token_usage
        if total is not None and usage_of_counts(total) is None:
            total = None
        before = self._before
        if total is not None:
            if total == before:
                return Passed.repeated
            self._before = total
        usage = None if info.last_token_usage is None else usage_of_counts(info.last_token_usage)
        if usage is not None:
            return _accepted(usage, Standing.exact, total)
        if total is None:
            return Passed.unreadable
        part = _since(before, total)
        usage = usage_of_counts(part)
        assert usage is not None  # both sums read, and a difference is not negative
        return _accepted(usage, Standing.exact if before is None else Standing.estimated, total)


def usage_of_counts(counts: Counts) -> JsonObject | None:
    """The counts as a `usage` of `model_returned`; `None` when they do not read."""
    return usage_of(
        counts.input_tokens,
        counts.output_tokens,
        cached=counts.cached_input_tokens,
        cache_write=counts.cache_write_input_tokens,
    )


def _since(before: Counts | None, total: Counts) -> Counts:
    """What was added to the sums; all of them after the counter began anew."""
    if before is None:
        return total
    pairs = (
        (before.input_tokens, total.input_tokens),
        (before.output_tokens, total.output_tokens),
        (before.cached_input_tokens, total.cached_input_tokens),
        (before.cache_write_input_tokens, total.cache_write_input_tokens),
    )
    if any(old is not None and new is not None and new < old for old, new in pairs):
        return total
    added = [None if old is None or new is None else new - old for old, new in pairs]
    return Counts(
        input_tokens=added[0], output_tokens=added[1], cached_input_tokens=added[2], cache_write_input_tokens=added[3]
    )


def _accepted(usage: JsonObject, standing: Standing, total: Counts | None) -> Accepted:
    spelled = None
    if total is not None:
        parts = (
            total.input_tokens,
            total.cached_input_tokens,
            total.output_tokens,
            total.reasoning_output_tokens,
            total.total_tokens,
        )
        spelled = "/".join("-" if part is None else str(part) for part in parts)
    empty = not u64(usage.get("input_tokens")) and not u64(usage.get("output_tokens"))
    return Accepted(usage, standing, spelled, empty)
