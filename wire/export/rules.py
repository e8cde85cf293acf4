"""The Structs whose annotations do not say everything: what their `__post_init__` checks, and their spelling."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import partial
from types import MappingProxyType
from typing import Final

from msgspec import Struct
from msgspec.structs import FieldInfo, fields

from wire.answer.note import NEWER_KEY_REFUSED, Handback, NewerNote, Note
from wire.answer.rounds import Output
from wire.dispatch import SOURCES, DispatchJournal, DispatchState, StateSource
from wire.export.document import Document, Rule, described
from wire.export.keywords import Schema, camel, with_text
from wire.record.any_event import AnyEvent
from wire.record.envelope import EventRecord
from wire.record.kinds import Kind
from wire.record.model import ImageBlock, Usage
from wire.record.payload import PAYLOADS, Payload
from wire.record.refusal import ApprovalRequested, RecordedError
from wire.record.session import JobPinned, RunStarted
from wire.record.tool import EffectOn, RenderDiff, ToolResult
from wire.scalars import JsonObject


def _one_key(document: Document, cls: type[Struct]) -> Schema:
    """An externally tagged union: objects of one key each, so that two keys are refused."""
    variants = [
        document.define(
            cls.__name__ + camel(field.encode_name), (cls, field.name), partial(_variant, document, cls, field)
        )
        for field in fields(cls)
    ]
    return {"description": document.settled(described(cls), cls.__name__, "form"), "oneOf": variants}


def _variant(document: Document, cls: type[Struct], field: FieldInfo) -> Schema:
    key = field.encode_name
    return {
        "title": cls.__name__ + camel(key),
        "description": f"{cls.__name__} with the key `{key}`.",
        "type": "object",
        "properties": {key: document.field(cls, field)},
        "required": [key],
        "additionalProperties": False,
    }


def _note(document: Document, cls: type[Struct]) -> Schema:
    """The known notes, and behind them any object whose one key is none of theirs."""
    known = _one_key(document, cls)
    newer = {
        "title": NewerNote.__name__,
        "description": described(NewerNote),
        "type": "object",
        "minProperties": 1,
        "maxProperties": 1,
        "propertyNames": {
            "not": {"anyOf": [{"enum": [field.encode_name for field in fields(cls)]}, {"pattern": NEWER_KEY_REFUSED}]}
        },
    }
    return known | {"oneOf": [*known["oneOf"], document.define(NewerNote.__name__, NewerNote, lambda: newer)]}


def _closed(document: Document, cls: type[Struct]) -> Schema:
    """The object form of a union that has only one."""
    return document.object(cls) | {"additionalProperties": False}


def _locator_told(document: Document, cls: type[Struct]) -> Schema:
    """A check that no keyword compares for: a Locator's range runs forward. The Locator's description tells it."""
    return document.object(cls)


def _recorded_error(document: Document, cls: type[Struct]) -> Schema:
    either = [{"properties": {name: {"not": {"type": "null"}}}, "required": [name]} for name in ("retry", "retriable")]
    return document.object(cls) | {"anyOf": either}


def _tool_result(document: Document, cls: type[Struct]) -> Schema:
    schema = document.object(cls)
    null = {"type": "null"}
    answered = {
        "description": "It gave a result, and there is no `error`, not even null.",
        "properties": {"result": {"anyOf": [form for form in schema["properties"]["result"]["anyOf"] if form != null]}},
        "required": ["result"],
        "not": {"required": ["error"]},
    }
    failed = {
        "description": "It failed: `error` is there, even as null, and no result.",
        "properties": {"result": null},
        "required": ["error"],
    }
    return schema | {"oneOf": [answered, failed]}


def _usage(document: Document, cls: type[Struct]) -> Schema:
    schema = document.object(cls)
    schema["properties"]["v"] |= {"enum": [1, None]}
    return schema


def _event(document: Document, cls: type[Struct]) -> Schema:
    """The envelope, and for each kind that has Structs what `data` then is.

    One `if` on a constant per set of forms, side by side: a validator compares one word and descends into the one
    branch that holds; what is wrong is reported at its place inside `data`, where a `oneOf` over whole records
    would say that none of ninety fits; and a generator that passes over conditions still has the envelope with
    `data` as an object, and every payload as a definition.
    """
    schema = document.object(cls)
    data = schema["properties"]["data"]
    schema["properties"]["data"] = with_text(data["description"], document.value(JsonObject, f"{cls.__name__}.data"))
    kinds: dict[tuple[type[Payload], ...], list[Kind]] = {}
    for kind, forms in PAYLOADS.items():
        kinds.setdefault(forms, []).append(kind)
    branches = [
        {
            "if": {"properties": {"kind": _any_of(those)}, "required": ["kind"]},
            "then": {"properties": {"data": document.forms(forms, " or ".join(those))}},
        }
        for forms, those in kinds.items()
    ]
    return schema | {"allOf": branches}


def _dispatch_journal(document: Document, cls: type[Struct]) -> Schema:
    """For each state, how it can have come to be known."""
    states: dict[tuple[StateSource, ...], list[DispatchState]] = {}
    for state, sources in SOURCES.items():
        states.setdefault(sources, []).append(state)
    branches = [
        {
            "if": {"properties": {"state": _any_of(those)}, "required": ["state"]},
            "then": {"properties": {"stateSource": _any_of(sources) if sources else {"type": "null"}}},
        }
        for sources, those in states.items()
    ]
    return document.object(cls) | {"allOf": branches}


def _any_of(words: Sequence[StrEnum]) -> Schema:
    return {"const": words[0].value} if len(words) == 1 else {"enum": [word.value for word in words]}


RULES: Final[Mapping[type[Struct], Rule]] = MappingProxyType(
    {
        Note: _note,
        Handback: _one_key,
        EffectOn: _one_key,
        RenderDiff: _closed,
        Output: _locator_told,
        ImageBlock: _locator_told,
        JobPinned: _locator_told,
        RunStarted: _locator_told,
        ApprovalRequested: _locator_told,
        RecordedError: _recorded_error,
        ToolResult: _tool_result,
        Usage: _usage,
        EventRecord: _event,
        AnyEvent: _event,
        DispatchJournal: _dispatch_journal,
    }
)
"""Which Struct has which rule."""
