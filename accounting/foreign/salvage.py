"""A JSON object read into a Struct field by field, when it does not read as a whole: one bad field costs that field."""

from functools import cache
from types import UnionType
from typing import Annotated, Any, TypeGuard, TypeVar, Union, cast, get_args, get_origin

from msgspec import DecodeError, Struct, UnsetType, json, structs

from wire.scalars import Json, JsonObject

T = TypeVar("T", bound=Struct)
_LOST = object()


def salvage(value: JsonObject, shape: type[T], at: str = "") -> tuple[T, list[str]]:
    """The Struct, and the dotted paths of what did not read and is at its default. Every field needs a default."""
    kept: dict[str, Any] = {}
    lost: list[str] = []
    for field in structs.fields(shape):
        if field.encode_name in value:
            read = _read(value[field.encode_name], field.type, f"{at}{field.encode_name}", lost)
            if read is not _LOST:
                kept[field.name] = read
    return shape(**kept), lost


def _read(value: Json, shape: Any, at: str, lost: list[str]) -> Any:
    try:
        return _decoder(shape).decode(json.encode(value))
    except (DecodeError, RecursionError, ValueError, TypeError, OverflowError):
        return _inside(value, shape, at, lost)


def _inside(value: Json, shape: Any, at: str, lost: list[str]) -> Any:
    """What can be kept of a container some part of which does not read."""
    for arm in arms(shape):
        if isinstance(value, dict) and is_struct(arm):
            read, missing = salvage(value, arm, f"{at}.")
            lost.extend(missing)
            return read
        inner = get_args(arm)
        if isinstance(value, list) and get_origin(arm) in (list, tuple) and inner:
            elements = [_read(element, inner[0], f"{at}[]", lost) for element in value]
            return get_origin(arm)(element for element in elements if element is not _LOST)
        if isinstance(value, dict) and get_origin(arm) is dict and len(inner) == 2:
            pairs = {key: _read(element, inner[1], f"{at}.*", lost) for key, element in value.items()}
            return {key: element for key, element in pairs.items() if element is not _LOST}
    lost.append(at)
    return _LOST


def arms(shape: Any) -> list[Any]:
    """The plain types that a type may be."""
    origin = get_origin(shape)
    if origin is Annotated:
        return arms(get_args(shape)[0])
    if origin in (Union, UnionType):
        return [arm for part in get_args(shape) for arm in arms(part)]
    return [] if shape in (None, type(None), UnsetType) else [shape]


def is_struct(arm: Any) -> TypeGuard[type[Struct]]:
    """Whether a plain type is a Struct."""
    return isinstance(arm, type) and issubclass(cast("type[object]", arm), Struct)


@cache
def _decoder(shape: Any) -> json.Decoder[Any]:
    return json.Decoder(shape)
