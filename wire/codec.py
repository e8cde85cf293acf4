"""Bytes to shapes and back. Spec: rounds.md 1, ledger.md 5."""

import re
from collections.abc import Callable
from typing import Any, Final, TypeVar, cast, overload

from msgspec import Raw, Struct, ValidationError, defstruct, json, structs

from wire.answer.note import Note, newer_note
from wire.answer.rounds import RoundsAnswer, Turn
from wire.scalars import I64_MIN, U64_MAX, JsonObject

T = TypeVar("T")

_encode = json.Encoder().encode
# An integer past 64 bits has at least nineteen digits; a text without one needs no second look.
_wide: Final = re.compile(rb"(?:^|[:,\[])[ \t\n\r]*-?[0-9]{19}").search


def encode(value: object) -> bytes:
    """The JSON of a shape: every field in its declared order, null for `None`, without white space.

    What the value holds is not checked again. Raises `UnicodeEncodeError` for a string with half a surrogate pair.
    """
    return _encode(value)


@overload
def decode(data: bytes | str, type: type[T]) -> T: ...
@overload
def decode(data: bytes | str, type: object) -> Any: ...
def decode(data: bytes | str, type: Any) -> Any:  # noqa: A002 - named as msgspec names it
    """The value of the given type that the JSON text `data` spells.

    Unknown keys are ignored, a missing nullable field is null, and in a `Note`, `Turn` or `RoundsAnswer` a note that
    this build does not know becomes a `NewerNote`. Raises `msgspec.ValidationError` when the text spells something else
    (the message names the place), `msgspec.DecodeError` when it is no JSON, `RecursionError` when it nests deeper than
    the interpreter has stack for.
    """
    text = data.encode() if isinstance(data, str) else data
    value = _decode(text, type)
    if _wide(text):
        _refuse_wide(value, "$")
    return value


def _decode(data: bytes, form: Any) -> Any:
    try:
        return _decoder(form).decode(data)
    except ValidationError:
        read = _WITH_NEWER_NOTES.get(form)
        if read is None:
            raise
        return read(data)


_decoders: Final[dict[object, "json.Decoder[Any]"]] = {}


def _decoder(form: Any) -> "json.Decoder[Any]":
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


def _turn(value: Struct, where: str = "$") -> Turn:
    fields = _fields(value)
    fields["notes"] = tuple(_placed(raw, f"{where}.notes[{index}]") for index, raw in enumerate(fields["notes"]))
    return Turn(**fields)


def _placed(data: Raw, where: str) -> Note:
    try:
        return _note(data)
    except ValidationError as error:
        reason, _, inside = str(error).partition(" - at `$")
        raise ValidationError(f"{reason} - at `{where}{inside or '`'}") from None


def _answer(data: bytes) -> RoundsAnswer:
    fields = _fields(json.decode(data, type=_AnswerWithRawNotes))
    fields["turns"] = tuple(_turn(turn, f"$.turns[{index}]") for index, turn in enumerate(fields["turns"]))
    return RoundsAnswer(**fields)


def _lone_turn(data: bytes) -> Turn:
    return _turn(json.decode(data, type=_TurnWithRawNotes))


_WITH_NEWER_NOTES: Final[dict[object, Callable[[bytes], Any]]] = {
    Note: _note,
    Turn: _lone_turn,
    RoundsAnswer: _answer,
}
