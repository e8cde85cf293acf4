"""Bytes to shapes and back. Spec: rounds.md 1, ledger.md 5."""

import re
from collections.abc import Callable
from typing import Any, Final, TypeVar, cast

from msgspec import Raw, Struct, ValidationError, defstruct, json, structs

from wire.answer.note import Note, newer_note
from wire.answer.rounds import RoundsAnswer, Turn
from wire.scalars import I64_MIN, U64_MAX, JsonObject

T = TypeVar("T")

_encode = json.Encoder().encode
# An integer past 64 bits has at least nineteen digits; a text without such a run needs no second look.
_wide: Final = re.compile(rb"[0-9]{19}").search


def encode(value: object) -> bytes:
    """The JSON of a shape: every field in its declared order, null for `None`, without white space."""
    return _encode(value)


def decode(data: bytes, type: type[T]) -> T:  # noqa: A002 - the parameter is named as msgspec names it
    """The value of the given type that the JSON text `data` spells.

    Unknown keys are ignored, a missing nullable field is null, and a note that this build does not know becomes a
    `NewerNote`. Raises `msgspec.ValidationError` when the text spells something else (the message names the
    place), `msgspec.DecodeError` when it is no JSON.
    """
    value = _decode(data, type)
    if _wide(data):
        _refuse_wide(value, "$")
    return value


def _decode(data: bytes, form: type[T]) -> T:
    try:
        value: T = _decoder(form).decode(data)
    except ValidationError:
        read = _WITH_NEWER_NOTES.get(form)
        if read is None:
            raise
        value = read(data)
    return value


_decoders: Final[dict[object, "json.Decoder[Any]"]] = {}


def _decoder(form: type[T]) -> "json.Decoder[T]":
    decoder = _decoders.get(form)
    if decoder is None:
        decoder = _decoders[form] = json.Decoder(form)
    return decoder


def _refuse_wide(value: Any, where: str) -> None:
    if isinstance(value, int):
        if not I64_MIN <= value <= U64_MAX:
            raise ValidationError(f"Expected `int` of {I64_MIN}..{U64_MAX} - at `{where}`")
    elif isinstance(value, Struct):
        for field in structs.fields(value):
            _refuse_wide(getattr(value, field.name), f"{where}.{field.encode_name}")
    elif isinstance(value, dict):
        for key, item in cast("JsonObject", value).items():
            _refuse_wide(item, f"{where}.{key}")
    elif isinstance(value, tuple | list):
        for element in cast("tuple[object, ...]", value):
            _refuse_wide(element, f"{where}[...]")


# The native decoder drops a key it does not know. Where an answer turns out to hold a note from a newer writer, it is
# read again with its notes left as bytes, and each is then looked at alone.
_TurnWithRawNotes = defstruct(
    "_TurnWithRawNotes", [("notes", tuple[Raw, ...])], bases=(Turn,), frozen=True, kw_only=True
)
_AnswerWithRawNotes = defstruct(
    "_AnswerWithRawNotes",
    [("turns", tuple[_TurnWithRawNotes, ...])],  # type: ignore[valid-type]
    bases=(RoundsAnswer,),
    frozen=True,
    kw_only=True,
)


def _note(data: bytes | Raw) -> Note:
    keys = json.decode(data, type=dict[str, Raw])
    if len(keys) == 1:
        [(key, content)] = keys.items()
        if key not in Note.__struct_fields__:
            try:
                return newer_note(key, content)
            except ValueError as error:
                raise ValidationError(str(error)) from None
    return json.decode(data, type=Note)


def _fields(value: Struct) -> dict[str, Any]:
    return {name: getattr(value, name) for name in value.__struct_fields__}


def _turn(value: Struct) -> Turn:
    fields = _fields(value)
    fields["notes"] = tuple(_note(raw) for raw in fields["notes"])
    return Turn(**fields)


def _answer(data: bytes) -> RoundsAnswer:
    fields = _fields(json.decode(data, type=_AnswerWithRawNotes))
    fields["turns"] = tuple(_turn(turn) for turn in fields["turns"])
    return RoundsAnswer(**fields)


def _lone_turn(data: bytes) -> Turn:
    return _turn(json.decode(data, type=_TurnWithRawNotes))


_WITH_NEWER_NOTES: Final[dict[object, Callable[[bytes], Any]]] = {
    Note: _note,
    Turn: _lone_turn,
    RoundsAnswer: _answer,
}
