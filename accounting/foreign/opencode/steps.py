"""The requests that an assistant message is made of, and what each used and cost. Pure. Spec: foreign.md 3.5.

A request is one step, from its `step-start` to its `step-finish`. Counts come from the steps or from the message, never
from both: the message repeats what its steps say.
"""

from collections.abc import Sequence
from hashlib import blake2b

from msgspec import Struct, json

from accounting.foreign.fidelity import Standing
from accounting.foreign.opencode.kept import KeptMessage, KeptPart
from accounting.foreign.opencode.rows import Tokens
from wire.scalars import Json, TimeMs, UsdMicros

_STREAMED = frozenset(("text", "reasoning"))
_CONTENT = frozenset(("text", "reasoning", "tool"))


class Step(Struct, kw_only=True):
    """One request of a message."""

    start: KeptPart | None = None
    finish: KeptPart | None = None
    parts: list[KeptPart]
    """What came back, and whatever else stands in it."""
    tokens: Tokens | None = None
    """Its counts; `None` when they are not stated."""
    spent: UsdMicros | None = None
    """What it cost; `None` when not stated."""
    figures: Standing = Standing.unknown

    @property
    def all_parts(self) -> tuple[KeptPart, ...]:
        """Its parts, the marks at both ends included."""
        return tuple(part for part in (self.start, *self.parts, self.finish) if part is not None)


def steps_of(message: KeptMessage) -> list[Step]:
    """The requests of a message, in order; none when nothing shows that the model answered."""
    steps = _divided(message.in_order())
    if not any(step.start or step.finish or any(part.part.type in _CONTENT for part in step.parts) for step in steps):
        info = message.info
        answered = info.finish is not None or (info.completed is not None and info.error is None)
        if not answered and not _is_counted(info.tokens):
            return []
        steps = steps or [Step(parts=[])]
    _count(steps, message)
    return steps


def _divided(parts: Sequence[KeptPart]) -> list[Step]:
    """Parts before the first mark belong to the first step, those behind a finished step to that one.

    Where a step's start is lost, its parts are those between the finish before and its own.
    """
    steps: list[Step] = []
    behind: list[KeptPart] = []
    for kept in parts:
        latest = steps[-1] if steps else None
        match kept.part.type:
            case "step-start":
                if latest is None or latest.start is not None or latest.finish is not None:
                    if latest is not None:
                        latest.parts += behind
                    behind = []
                    steps.append(Step(start=kept, parts=[]))
                else:
                    latest.start = kept
            case "step-finish":
                if latest is None or latest.finish is not None:
                    steps.append(Step(finish=kept, parts=behind))
                    behind = []
                else:
                    latest.finish = kept
            case _:
                if latest is None:
                    steps.append(Step(parts=[kept]))
                elif latest.finish is None:
                    latest.parts.append(kept)
                else:
                    behind.append(kept)
    if behind:
        steps[-1].parts += behind
    return steps


def _count(steps: list[Step], message: KeptMessage) -> None:
    for step in steps:
        if step.finish is not None and _is_counted(step.finish.part.tokens):
            step.tokens = step.finish.part.tokens
            step.figures = Standing.exact if step.finish.said == 1 else Standing.deduplicated
        step.spent = None if step.finish is None else usd_micros(step.finish.part.cost)
    if len(steps) > 1 and any(step.finish is not None for step in steps):
        return
    # Of several steps that are not told apart, the sum is the last one's, for want of anything better.
    last = steps[-1]
    if last.tokens is None and _is_counted(message.info.tokens):
        last.tokens = message.info.tokens
        last.figures = Standing.exact if len(steps) == 1 else Standing.estimated
    if last.spent is None:
        last.spent = usd_micros(message.info.cost)


def _is_counted(tokens: Tokens | None) -> bool:
    """Whether anything was counted: a message begins with noughts, and no request takes no tokens at all."""
    if tokens is None:
        return False
    cache = tokens.cache
    counts = (tokens.input, tokens.output, tokens.reasoning, cache and cache.read, cache and cache.write)
    return any(counts)


def whole_input(tokens: Tokens) -> int | None:
    """The prompt with its cached parts; `None` when it is not stated, or a part of it is below nought."""
    cache = tokens.cache
    if tokens.input is None or cache is None:
        return tokens.input
    parts = tokens.input, cache.read or 0, cache.write or 0
    return None if min(parts) < 0 else sum(parts)


def whole_output(tokens: Tokens) -> tuple[int | None, bool]:
    """The reply with its reasoning, and whether `total` shows that `output` has that in it already."""
    output, reasoning, prompt = tokens.output, tokens.reasoning, whole_input(tokens)
    if output is None or not reasoning:
        return output, False
    if tokens.total is not None and prompt is not None:
        prompts = (tokens.input, prompt)
        without = [prompt is not None and tokens.total == prompt + output for prompt in prompts]
        added = [prompt is not None and tokens.total == prompt + output + reasoning for prompt in prompts]
        if any(without) and not any(added):
            return output, True
    return output + reasoning, False


def usd_micros(cost: Json) -> UsdMicros | None:
    """A cost in US dollars, as whole micro-dollars. Nought is not known: subscriptions are written down so."""
    if isinstance(cost, dict):
        cost = cost.get("usd")
    if isinstance(cost, bool) or not isinstance(cost, int | float) or not 0 < cost < 2**40:
        return None
    return round(cost * 1_000_000) or None


def first_at(step: Step) -> TimeMs | None:
    """When the first text or reasoning began to come in; `None` where neither did, or no time stands with it."""
    starts = [kept.part.start for kept in step.parts if _is_streamed(kept)]
    return min((start for start in starts if start is not None), default=None)


def latest_at(step: Step) -> TimeMs | None:
    """The latest time that stands with text or reasoning of a step; `None` where there is none."""
    times = [time for kept in step.parts if _is_streamed(kept) for time in (kept.part.start, kept.part.end)]
    return max((time for time in times if time is not None), default=None)


def key_of(message: KeptMessage, step: Step, number: int, blocks: list[Json]) -> str | None:
    """What tells a finished request wherever it is copied to: a fork gives new ids to messages, and leaves the rest."""
    if step.finish is None or message.info.created is None:
        return None
    told = (message.info.created, number, message.info.provider_id, message.info.named_model, step.tokens, blocks)
    try:
        return f"opencode:{blake2b(json.encode(told), digest_size=16).hexdigest()}"
    except (RecursionError, ValueError, TypeError, OverflowError):
        return None


def _is_streamed(kept: KeptPart) -> bool:
    return kept.part.type in _STREAMED and not kept.is_aside
