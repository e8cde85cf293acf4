"""Pydantic models of all that travels, ready-made, and the way between them and the Structs. Spec: rounds.md 1.

    from wire import RoundsAnswer
    from wire.pydantic import from_pydantic, models, to_pydantic

    model = to_pydantic(answer, models.RoundsAnswer)
    assert from_pydantic(model, RoundsAnswer) == answer

Needs `pip install 'rounds[pydantic]'`; `import wire` does not import it. The models are generated from the schema and
have the names of the Structs. A union that is one Struct there (`Note`) is an alias of one model per key here. A field
that may be left out is `pydantic.MISSING` when it was, which is not `None`.
"""

from functools import cache
from typing import Any, TypeVar, overload

from msgspec import Struct
from pydantic import TypeAdapter
from pydantic_core import to_json

from wire.codec import decode, encode
from wire.pydantic import pydantic_models as models

__all__ = ["from_pydantic", "models", "to_pydantic"]

T = TypeVar("T")


@overload
def to_pydantic(value: Struct, type: type[T]) -> T: ...
@overload
def to_pydantic(value: Struct, type: object) -> Any: ...
def to_pydantic(value: Struct, type: Any) -> Any:  # noqa: A002 - named as in `wire.decode`
    """The model of a Struct; `type` is the model or union in `models` that has the Struct's name.

    Nothing is lost of a shape that is known. Free JSON and newer notes keep their values: numbers with a fraction or an
    exponent become doubles, and of a key that comes twice the last one counts. Raises `pydantic.ValidationError` when
    the value is of another type, or holds what its Struct would not read, or a number that no double holds;
    `RecursionError` when it nests deeper than that reads.
    """
    return _adapter(type).validate_json(encode(value))


@overload
def from_pydantic(model: object, type: type[T]) -> T: ...
@overload
def from_pydantic(model: object, type: object) -> Any: ...
def from_pydantic(model: object, type: Any) -> Any:  # noqa: A002 - named as in `wire.decode`
    """The Struct of a model; `type` is what `wire.decode` takes.

    The rules that a model cannot state are held here: how two fields go together, for one. Raises
    `msgspec.ValidationError` when the model breaks one, or is of another type.
    """
    return decode(to_json(model, by_alias=True), type)


@cache
def _adapter(form: Any) -> "TypeAdapter[Any]":
    return TypeAdapter(form)
