"""Bytes to shapes and back. Spec: rounds.md 1, ledger.md 5."""

import re
from collections.abc import Callable
from typing import Any, Final, TypeVar, cast, overload

from msgspec import Raw, Struct, ValidationError, defstruct, json

from wire.answer.note import Note, newer_note
from wire.answer.rounds import RoundsAnswer, Turn
from wire.scalars import I64_MIN, U64_MAX, JsonObject

T = TypeVar("T")

_encode = json.Encoder().encode
# An integer past 64 bits has nineteen digits or more; a text without so many in a row needs no second look.
_wide: Final = re.compile(rb"[1-9][0-9]{18}").search


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
    if _wide(text) and (place := _place_of_wide(value)) is not None:
        raise ValidationError(f"Expected `int` of {I64_MIN}..{U64_MAX} - at `${place}`")
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


def _place_of_wide(value: Any) -> str | None:
    """Where below the value an integer past 64 bits stands; `None` when there is none."""
    if value is None or type(value) is str:  # Most of what there is.
        return None
    if isinstance(value, int):
        return None if I64_MIN <= value <= U64_MAX else ""
    if isinstance(value, Struct):
        # Not by `structs.fields`, which works out the types of the class again each time.
        for name, key in zip(value.__struct_fields__, value.__struct_encode_fields__, strict=True):
            if (place := _place_of_wide(getattr(value, name))) is not None:
                return f".{key}{place}"
    elif isinstance(value, dict):
        for key, item in cast("JsonObject", value).items():
            if (place := _place_of_wide(item)) is not None:
                return f".{key}{place}"
    elif isinstance(value, tuple | list):
        for element in cast("tuple[object, ...]", value):
            if (place := _place_of_wide(element)) is not None:
                return f"[...]{place}"
    return None


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
