"""One event of an agent's output out of the JSON that stands for it. Pure. Spec: dispatch.md 2.3.

An object decodes straight into a Struct; only where that fails is it read field by field, so that a field of a wrong
type costs that field. Two are never lost that way, for a success hangs on them: an `is_error` that is anything but
false or null is an error, and so is a `subtype` that is no text. A result within a sub-agent's call is not the run's.
"""

from math import isfinite
from typing import Final

from msgspec import DecodeError, Struct, json

from accounting.foreign.claude_code.message import is_answer, is_call, texts_of
from accounting.foreign.claude_code.rows import Block, Message
from accounting.foreign.claude_stream.ending import micros_of
from accounting.foreign.fidelity import Fidelity
from accounting.foreign.free_json import AnyJson
from accounting.foreign.rows import row_of
from accounting.ledger.problem import Place
from wire.dispatch import (
    DispatchUsage,
    StreamAnswer,
    StreamAssistant,
    StreamCall,
    StreamEvent,
    StreamInit,
    StreamOther,
    StreamResult,
    StreamUser,
)
from wire.scalars import Json, JsonObject, u64

FAILED: Final = (DecodeError, RecursionError, UnicodeDecodeError)
"""What decoding raises for a text that is not what it should be."""
_NOWHERE: Final = Place(segment="", line=1, offset=0)


class _Row(Struct, frozen=True, kw_only=True, gc=False):
    """An event of whichever type: the fields of all of them."""

    type: str | None = None
    subtype: AnyJson = None
    session_id: str | None = None
    parent_tool_use_id: AnyJson = None
    message: Message | str | None = None
    cwd: str | None = None
    model: str | None = None
    tools: tuple[str, ...] | None = None
    is_error: AnyJson = None
    result: str | None = None
    stop_reason: str | None = None
    num_turns: int | None = None
    duration_ms: int | float | None = None
    total_cost_usd: int | float | None = None
    usage: AnyJson = None


_decode: Final = json.Decoder(_Row).decode


def decoded(text: bytes) -> StreamEvent | None:
    """The event of an object that is as it should be; `None` when it has no type. Raises `FAILED` for all else."""
    return _event(_decode(text))


def salvaged(value: JsonObject) -> StreamEvent | None:
    """The event of any object, damage costing the field that it is in; `None` when it has no type."""
    return _event(_tolerant(value))


def _tolerant(value: JsonObject) -> _Row:
    """An object as a row, with what does not read at its default, but for what decides on success."""
    word, within = value.get("subtype"), value.get("parent_tool_use_id")
    bad = _is_set(value.get("is_error")) or not isinstance(word, str | None)
    kept = {"subtype": word if isinstance(word, str) else None, "is_error": bad}
    kept["parent_tool_use_id"] = within if isinstance(within, str | None) else ""
    return row_of(value | kept, _Row, Fidelity(""), _NOWHERE)


def _is_set(flag: Json) -> bool:
    return flag is not None and flag is not False


def _event(row: _Row) -> StreamEvent | None:
    kind = row.type
    if kind == "assistant":
        return _assistant(row)
    if kind == "user":
        return _user(row)
    if kind == "result" and row.parent_tool_use_id is None:
        return _result(row)
    if kind is None:
        return None
    word = row.subtype
    if kind == "system" and word == "init":
        return StreamInit(
            session_id=row.session_id or None,
            model=row.model,
            cwd=row.cwd,
            tools=row.tools or (),
        )
    return StreamOther(kind=f"{kind}/{word}" if isinstance(word, str) else kind)


def _assistant(row: _Row) -> StreamAssistant:
    message = row.message
    if not isinstance(message, Message):
        return StreamAssistant(texts=() if message is None else (message,), thoughts=(), calls=(), within=_within(row))
    blocks = _blocks(message)
    return StreamAssistant(
        texts=tuple(texts_of(message.content)),
        thoughts=tuple(block.thinking for block in blocks if block.type == "thinking" and block.thinking is not None),
        calls=tuple(StreamCall(id=one.id, name=one.name, input=one.input) for one in blocks if is_call(one)),
        usage=_usage_of(message),
        within=_within(row),
    )


def _user(row: _Row) -> StreamUser:
    blocks = _blocks(row.message) if isinstance(row.message, Message) else ()
    answers = (StreamAnswer(call_id=one.tool_use_id, is_error=one.is_error is True) for one in blocks if is_answer(one))
    return StreamUser(answers=tuple(answers), within=_within(row))


def _result(row: _Row) -> StreamResult:
    word = row.subtype
    return StreamResult(
        subtype=word if isinstance(word, str) else None,
        is_error=_is_set(row.is_error) or not isinstance(word, str | None),
        result=row.result,
        stop_reason=row.stop_reason or None,
        num_turns=u64(row.num_turns),
        duration_ms=_whole(row.duration_ms),
        cost_usd_micros=micros_of(row.total_cost_usd),
        usage=_usage(row.usage),
        session_id=row.session_id or None,
    )


def _blocks(message: Message) -> tuple[Block, ...]:
    content = message.content
    return tuple(one for one in content if isinstance(one, Block)) if isinstance(content, tuple) else ()


def _within(row: _Row) -> str | None:
    call = row.parent_tool_use_id
    return call if isinstance(call, str) else None


def _whole(ms: float | None) -> int | None:
    return u64(round(ms)) if ms is not None and isfinite(ms) else None


def _usage_of(message: Message) -> DispatchUsage | None:
    usage = message.usage
    return (
        None
        if usage is None
        else _tokens(
            usage.input_tokens, usage.output_tokens, usage.cache_read_input_tokens, usage.cache_creation_input_tokens
        )
    )


def _usage(value: Json) -> DispatchUsage | None:
    if not isinstance(value, dict):
        return None
    names = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    return _tokens(*(value.get(name) for name in names))


def _tokens(fresh: Json, out: Json, read: Json, written: Json) -> DispatchUsage | None:
    """The counts as ours: here the parts of the prompt are apart. `None` when a part is not a count."""
    parts = [u64(fresh), *(0 if part is None else u64(part) for part in (read, written))]
    known = [part for part in parts if part is not None]
    output = u64(out)
    if len(known) < len(parts) or output is None or u64(sum(known)) is None:
        return None
    return DispatchUsage(
        input_tokens=sum(known),
        output_tokens=output,
        cache_read_tokens=u64(read),
        cache_write_tokens=u64(written),
    )
