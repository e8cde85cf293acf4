"""Reading what a tool call says of itself. Spec: rounds.md 2, ledger.md 6."""

from typing import Final, get_args

from wire.record.tool import (
    AttachUserBrowserEffect,
    ConnectorEffect,
    DiffRender,
    Effect,
    EffectOn,
    EffectWord,
    RenderDiff,
    RenderIntent,
    WriteEffect,
)
from wire.scalars import Address, Json, JsonObject, address, i64, server_label

_EFFECT_WORDS: Final[dict[str, EffectWord]] = {word: word for word in get_args(EffectWord)}
_RENDER_WORDS: Final[dict[str, RenderIntent]] = {"generic": "generic", "terminal": "terminal", "signal": "signal"}


def exit_code(payload: JsonObject) -> int | None:
    """The exit code of a `tool_result`: inside its result when that is an object, else beside it."""
    result = payload.get("result")
    return i64(result.get("exit_code") if isinstance(result, dict) else payload.get("exit_code"))


def effect(value: Json) -> Effect | None:
    """What the tool was registered to do, `None` when that does not read."""
    if isinstance(value, str):
        return _EFFECT_WORDS.get(value)
    tag, content = _single(value)
    if tag == "write" and (domain := address(content.get("domain"))) is not None:
        return EffectOn(write=WriteEffect(domain=domain))
    if tag == "connector" and (label := server_label(content.get("label"))) is not None:
        return EffectOn(connector=ConnectorEffect(label=label))
    if tag == "attach_user_browser":
        listens = content.get("address")
        if listens is None or isinstance(listens, str):
            return EffectOn(attach_user_browser=AttachUserBrowserEffect(address=listens))
    return None


def render(value: Json) -> RenderIntent | None:
    """How the call wants to be drawn, `None` when that does not read."""
    if isinstance(value, str):
        return _RENDER_WORDS.get(value)
    tag, content = _single(value)
    if tag == "diff" and (locations := _addresses(content.get("locations"))) is not None:
        return RenderDiff(diff=DiffRender(locations=locations))
    return None


def _single(value: Json) -> tuple[str, JsonObject]:
    """The one key of an externally tagged object and the object under it; no tag when it is none."""
    if isinstance(value, dict) and len(value) == 1:
        [(tag, content)] = value.items()
        if isinstance(content, dict):
            return tag, content
    return "", {}


def _addresses(value: Json) -> tuple[Address, ...] | None:
    if not isinstance(value, list):
        return None
    read = tuple(place for item in value if (place := address(item)) is not None)
    return read if len(read) == len(value) else None
