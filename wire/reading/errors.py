"""Reading the error shape. Spec: rounds.md 2, ledger.md 5."""

from msgspec import UNSET, UnsetType

from wire.error import (
    Cut,
    ErrorCode,
    ErrorShape,
    Exchange,
    Gate,
    Overflow,
    Provider,
    RefusedByProvider,
    Reported,
    Retry,
    Silence,
    Unbuilt,
    UnreadableReply,
)
from wire.reading.words import word
from wire.scalars import Json, JsonObject, u32, u64


def error_shape(value: Json) -> ErrorShape | None:
    """The error shape that an object spells; `None` unless its six required parts read.

    Each optional part that does not read is absent.
    """
    shape = explain_error(value)
    return shape if isinstance(shape, ErrorShape) else None


def explain_error(value: Json) -> ErrorShape | str:
    """The error shape that an object spells, or which required part does not read."""
    if not isinstance(value, dict):
        return "no object"
    code = word(value.get("code"), ErrorCode)
    if code is None:
        return "no code" if "code" not in value else "a code outside the set"
    action, subject, recovery = value.get("action"), value.get("subject"), value.get("recovery")
    if not isinstance(action, str):
        return "no action"
    if not isinstance(subject, str):
        return "no subject"
    nearby = strings(value.get("nearby"))
    if nearby is None:
        return "no list of names nearby"
    if not isinstance(recovery, str):
        return "no recovery"
    retry = _retry(value)
    if retry is None:
        return "no retry"
    after = u64(value.get("retry_after_ms"))
    return ErrorShape(
        code=code,
        action=action,
        subject=subject,
        nearby=nearby,
        recovery=recovery,
        retry=retry,
        retry_after_ms=UNSET if after is None else after,
        gate=_gate(value.get("gate")),
        provider=_provider(value.get("provider")),
    )


def strings(value: Json) -> tuple[str, ...] | None:
    """A list of strings, `None` when it is none or holds anything else."""
    if not isinstance(value, list):
        return None
    read = tuple(item for item in value if isinstance(item, str))
    return read if len(read) == len(value) else None


def _retry(value: JsonObject) -> Retry | None:
    retry = word(value.get("retry"), Retry)
    older = value.get("retriable")
    if retry is None and isinstance(older, bool):
        return Retry.yes if older else Retry.no
    return retry


def _gate(value: Json) -> Gate | UnsetType:
    if not isinstance(value, dict):
        return UNSET
    rule, violation, alternative = value.get("rule"), value.get("violation"), value.get("alternative")
    if isinstance(rule, str) and isinstance(violation, str) and isinstance(alternative, str):
        return Gate(rule=rule, violation=violation, alternative=alternative)
    return UNSET


def _provider(value: Json) -> Provider | UnsetType:
    if not isinstance(value, dict):
        return UNSET
    status = u32(value.get("status"))
    match value.get("kind"):
        case "exchange":
            return Exchange()
        case "cut":
            return Cut()
        case "silence":
            return Silence()
        case "unreadable":
            return UnreadableReply()
        case "reported":
            return Reported()
        case "unbuilt":
            return Unbuilt()
        case "refused" if status is not None:
            return RefusedByProvider(status=status)
        case "overflow" if status is not None:
            return Overflow(status=status)
        case _:
            return UNSET
