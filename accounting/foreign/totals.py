"""The sums over a run's records, and how they were obtained: what a report's `totals` hold. Spec: foreign.md 3."""

from typing import Final

from accounting.foreign.fidelity import Fidelity, Totals
from wire.record.envelope import Record
from wire.record.kinds import Kind

# The bare words: a member of an enumeration is slow to look up and to compare, and every record has one.
_MODEL_CALLED: Final = Kind.model_called.value
_MODEL_RETURNED: Final = Kind.model_returned.value
_TOOL_CALLED: Final = Kind.tool_called.value
_TOOL_RESULT: Final = Kind.tool_result.value


def totals(records: tuple[Record, ...], fidelity: Fidelity) -> Totals:
    """The sums over a run's records."""
    prompts: list[int] = []
    replies: list[int] = []
    cached: list[int] = []
    written: list[int] = []
    billed: list[int] = []
    sums = (
        ("input_tokens", prompts),
        ("output_tokens", replies),
        ("cache_read_tokens", cached),
        ("cache_write_tokens", written),
    )
    requests = calls = answered = failed = 0
    waiting: dict[object, int] = {}
    for record in records:
        data = record.data
        kind = record.kind
        if kind == _MODEL_CALLED:
            requests += 1
        elif kind == _MODEL_RETURNED:
            usage = data.get("usage")
            if isinstance(usage, dict):
                for name, counts in sums:
                    if isinstance(count := usage.get(name), int):
                        counts.append(count)
            if isinstance(cost := data.get("billed_usd_micros"), int):
                billed.append(cost)
        elif kind == _TOOL_CALLED:
            calls += 1
            named = data.get("id")
            waiting[named] = waiting.get(named, 0) + 1
        elif kind == _TOOL_RESULT:
            named = data.get("tool_use_id")
            if named is not None and waiting.get(named):
                waiting[named] -= 1
                if "error" in data:
                    failed += 1
                else:
                    answered += 1
    return Totals(
        requests=requests,
        calls=calls,
        answered=answered,
        failed=failed,
        waiting=calls - answered - failed,
        unmetered=requests - len(prompts),
        input=_sum(prompts),
        output=_sum(replies),
        cached=_sum(cached),
        cache_write=_sum(written),
        spent=_sum(billed),
        priced=len(billed),
        standing=fidelity.standing,
    )


def _sum(counts: list[int]) -> int | None:
    """The sum; `None` of nothing, for absent is not zero."""
    return sum(counts) if counts else None
