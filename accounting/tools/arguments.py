"""Arguments read into the shape that a tool takes, or what is wrong with them, in words. Spec: dispatch.md 2.7."""

from difflib import get_close_matches
from typing import Final, TypeVar, cast

import msgspec
from msgspec import Struct, convert

from wire.scalars import Json, JsonObject

P = TypeVar("P", bound=Struct)

_LIKE: Final = 0.55
"""How alike two names have to be for one to be meant by the other."""
_RUN: Final = "wb-"
_FOR_RUNS: Final = ("runId", "sessionId")
"""The arguments that take a dispatched run's id, the likelier first."""
_BY_PATTERN: Final = ("matching regex", "of length")


class ArgumentsError(ValueError):
    """The arguments are not what the tool takes. The message names the tool, the argument, and what it takes."""


def read_arguments(name: str, arguments: JsonObject, shape: type[P], schema: JsonObject) -> P:
    """The arguments of the tool of that name; `schema` is what it says that it takes.

    A whole number that is spelled as 5.0 is one, as JSON Schema has it. Raises `ArgumentsError`.
    """
    takes = cast("dict[str, JsonObject]", schema.get("properties", {}))
    for argument in arguments:
        if argument not in takes:
            raise ArgumentsError(f"{name}: there is no argument `{argument}`; {_instead(argument, arguments, takes)}")
    for argument in cast("list[str]", schema.get("required", [])):
        if argument not in arguments:
            raise ArgumentsError(f"{name}: `{argument}` is missing. {takes[argument]['description']}")
    try:
        return convert({key: _whole(value) for key, value in arguments.items()}, shape)
    except msgspec.ValidationError as error:
        raise ArgumentsError(f"{name}: {_misfit(str(error), arguments, takes)}") from None


def _whole(value: Json) -> Json:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _instead(argument: str, arguments: JsonObject, takes: dict[str, JsonObject]) -> str:
    """What is to be given in place of an argument that there is not."""
    if not takes:
        return "it takes none"
    known = {_plain(one): one for one in takes}
    alike = get_close_matches(_plain(argument), known, 1, _LIKE)
    meant = _for_run(arguments[argument], takes) or (known[alike[0]] if alike else None)
    return f"it takes {', '.join(takes)}" if meant is None else f"give it as `{meant}`. {takes[meant]['description']}"


def _plain(argument: str) -> str:
    return argument.replace("_", "").lower()


def _for_run(value: Json, takes: dict[str, JsonObject]) -> str | None:
    """The argument that a value belongs to if it is the id of a dispatched run; `None` when it is none."""
    if not isinstance(value, str) or not value.startswith(_RUN):
        return None
    return next((one for one in _FOR_RUNS if one in takes), None)


def _misfit(message: str, arguments: JsonObject, takes: dict[str, JsonObject]) -> str:
    """What is wrong with a value, and what the tool takes in its place."""
    what, _, place = message.partition(" - at `$.")
    argument = place.rstrip("`")
    if argument not in takes:  # in a place that no tool has: all arguments are plain values
        return f"{message}; it takes {', '.join(takes)}"
    meant = _for_run(arguments[argument], takes)
    if meant is not None and meant != argument:
        return f"`{argument}` is not for the id of a dispatched run; give it as `{meant}`"
    told = "that does not fit" if any(word in what for word in _BY_PATTERN) else what
    return f"`{argument}`: {told}. {takes[argument]['description']}"
