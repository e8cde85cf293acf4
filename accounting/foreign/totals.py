"""The sums over a run's records, and how they were obtained: what a report's `totals` hold. Spec: foreign.md 3."""

from collections.abc import Sequence
from typing import Final

from accounting.foreign.fidelity import Fidelity, Standing, Totals
from accounting.foreign.request import RequestDraft
from wire.record.envelope import Record
from wire.record.kinds import Kind
from wire.scalars import JsonObject

# The bare words: a member of an enumeration is slow to look up and to compare, and every record has one.
_MODEL_CALLED: Final = Kind.model_called.value
_MODEL_RETURNED: Final = Kind.model_returned.value
_TOOL_CALLED: Final = Kind.tool_called.value
_TOOL_RESULT: Final = Kind.tool_result.value


def totals(records: tuple[Record, ...], fidelity: Fidelity) -> Totals:
    """The sums over a run's records."""
    usages: list[JsonObject] = []
    billed: list[int] = []
    requests = calls = answered = failed = 0
    waiting: dict[object, int] = {}
    for record in records:
        kind, data = record.kind, record.data
        if kind == _MODEL_CALLED:
            requests += 1
        elif kind == _MODEL_RETURNED:
            if isinstance(usage := data.get("usage"), dict):
                usages.append(usage)
            if isinstance(cost := data.get("billed_usd_micros"), int):
                billed.append(cost)
        elif kind == _TOOL_CALLED:
            calls += 1
            named = data.get("id")
            waiting[named] = waiting[named] + 1 if named in waiting else 1
        elif kind == _TOOL_RESULT:
            named = data.get("tool_use_id")
            if named is not None and named in waiting:
                if (unanswered := waiting.pop(named)) > 1:
                    waiting[named] = unanswered - 1
                if "error" in data:
                    failed += 1
                else:
                    answered += 1
    return _summed(
        usages, billed, requests=requests, calls=calls, answered=answered, failed=failed, standing=fidelity.standing
    )


def totals_of(drafts: Sequence[RequestDraft], results: Sequence[int], standing: Standing) -> Totals:
    """The same sums over the requests of a draft no two calls of which share an id.

    `results` are how many results answer a call, those that are no failure first.
    """
    replies = [draft.returned.data for draft in drafts if draft.returned is not None]
    answered, failed = results
    return _summed(
        [usage for reply in replies if isinstance(usage := reply.get("usage"), dict)],
        [cost for reply in replies if isinstance(cost := reply.get("billed_usd_micros"), int)],
        requests=len(drafts),
        calls=sum([len(draft.calls) for draft in drafts]),
        answered=answered,
        failed=failed,
        standing=standing,
    )


def _summed(
    usages: list[JsonObject],
    billed: list[int],
    *,
    requests: int,
    calls: int,
    answered: int,
    failed: int,
    standing: Standing,
) -> Totals:
    prompts = _counts(usages, "input_tokens")
    return Totals(
        requests=requests,
        calls=calls,
        answered=answered,
        failed=failed,
        waiting=calls - answered - failed,
        unmetered=requests - len(prompts),
        input=_sum(prompts),
        output=_sum(_counts(usages, "output_tokens")),
        cached=_sum(_counts(usages, "cache_read_tokens")),
        cache_write=_sum(_counts(usages, "cache_write_tokens")),
        spent=_sum(billed),
        priced=len(billed),
        standing=standing,
    )


def _counts(usages: list[JsonObject], key: str) -> list[int]:
    return [count for usage in usages if isinstance(count := usage.get(key), int)]


def _sum(counts: list[int]) -> int | None:
    """The sum; `None` of nothing, for absent is not zero."""
    return sum(counts) if counts else None
