"""Reading token counts. Spec: ledger.md 6 (usage), rounds.md 2."""

from wire.answer.rounds import Used
from wire.scalars import U64_MAX, Json, u64


def used(usage: Json, *, first_us: int | None = None, took_us: int | None = None) -> Used | None:
    """What a reply's usage counts say; `None` unless every count reads: a wrong sum is worse than none.

    `first_us` and `took_us` stand beside the usage in the record; they only pass through.
    """
    if not isinstance(usage, dict):
        return None
    prompt = u64(usage.get("input_tokens"))
    reply = u64(usage.get("output_tokens"))
    if prompt is None or reply is None:
        return None
    cached, cache_write = usage.get("cache_read_tokens"), usage.get("cache_write_tokens")
    if (cached is not None and u64(cached) is None) or (cache_write is not None and u64(cache_write) is None):
        return None
    version = usage.get("v")
    if version is None:
        # An older row: where the parts exceed the whole, it counted only what was not cached.
        parts = (u64(cached) or 0) + (u64(cache_write) or 0)
        if parts > prompt:
            prompt += parts
            if prompt > U64_MAX:
                return None
    elif type(version) is not int or version != 1:
        return None
    return Used(
        input=prompt,
        output=reply,
        cached=u64(cached),
        cache_write=u64(cache_write),
        first_us=first_us,
        took_us=took_us,
    )
