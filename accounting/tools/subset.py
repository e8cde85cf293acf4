"""The subset of JSON Schema that a tool's schemas are written in, and what of a schema is outside it.

Spec: dispatch.md 2.7. Clients of tools read this much and no more. Only what stands where a schema stands is looked
at: the keys of `properties` are names, and what `enum`, `const`, `default` and `examples` hold is data.
"""

from collections.abc import Iterator
from typing import Final, cast

from msgspec import Struct

from wire.scalars import Json

TYPES: Final = ("null", "boolean", "object", "array", "number", "integer", "string")
"""The words of `type`."""
KEYWORDS: Final = ("type", "oneOf", "properties", "required", "additionalProperties", "items", "enum", "const")
"""The keywords that say what a value may be."""
ANNOTATIONS: Final = ("title", "description", "default", "examples", "deprecated", "$comment")
"""The keywords that only tell of it."""

_ALLOWED: Final = frozenset((*KEYWORDS, *ANNOTATIONS))


class Outside(Struct, frozen=True, kw_only=True):
    """One thing that the subset does not have."""

    at: str
    """Where it stands: a JSON pointer, empty for the whole schema."""
    message: str
    """What is wrong with it."""


def outside(schema: Json, *, type_arrays: bool = False) -> tuple[Outside, ...]:
    """What of a schema is outside the subset, the outer before the inner; none when it is all inside.

    With `type_arrays` a `type` may list several words. Never raises.
    """
    found: list[Outside] = []
    ahead: list[tuple[str, Json]] = [("", schema)]
    while ahead:  # not by calls: a schema from elsewhere may nest deeper than the interpreter has stack for
        at, value = ahead.pop()
        if not isinstance(value, dict):
            found.append(Outside(at=at, message="a schema is an object here"))
            continue
        within: list[tuple[str, Json]] = []
        for key, content in value.items():
            place = f"{at}/{escaped(key)}"
            if key not in _ALLOWED:
                found.append(Outside(at=place, message=f"the subset has no keyword `{key}`"))
            elif (message := _misused(key, content, type_arrays=type_arrays)) is not None:
                found.append(Outside(at=place, message=message))
            else:
                within += _schemas(place, key, content)
        ahead += reversed(within)
    return tuple(found)


def _misused(key: str, content: Json, *, type_arrays: bool) -> str | None:
    """What is wrong with what a keyword holds, short of the schemas in it."""
    match key:
        case "type" if isinstance(content, list):
            if not type_arrays:
                return "`type` is one word; several are a `oneOf`"
            return None if _are_words(content) and content and set(content) <= {*TYPES} else _no_type()
        case "type":
            return None if content in TYPES else _no_type()
        case "oneOf":
            return None if isinstance(content, list) and content else "`oneOf` is an array of schemas, not empty"
        case "properties":
            return None if isinstance(content, dict) else "`properties` is an object of schemas"
        case "required":
            return None if _are_words(content) else "`required` is an array of names, none of them twice"
        case "items":
            return None if isinstance(content, dict) else "`items` is one schema, which all elements have to fit"
        case "additionalProperties":
            return None if isinstance(content, dict | bool) else "`additionalProperties` is a schema, true or false"
        case "enum" | "examples":
            return None if isinstance(content, list) else f"`{key}` is an array of values"
        case "title" | "description" | "$comment":
            return None if isinstance(content, str) else f"`{key}` is a text"
        case "deprecated":
            return None if isinstance(content, bool) else "`deprecated` is true or false"
        case _:
            return None


def _schemas(at: str, key: str, content: Json) -> Iterator[tuple[str, Json]]:
    """The schemas that a keyword holds, each with its place."""
    if key == "properties" and isinstance(content, dict):
        yield from ((f"{at}/{escaped(name)}", schema) for name, schema in content.items())
    elif key == "oneOf" and isinstance(content, list):
        yield from ((f"{at}/{index}", schema) for index, schema in enumerate(content))
    elif key in ("items", "additionalProperties") and isinstance(content, dict):
        yield at, content


def _are_words(content: Json) -> bool:
    if not isinstance(content, list) or not all(isinstance(one, str) for one in content):
        return False
    return len({*cast("list[str]", content)}) == len(content)


def _no_type() -> str:
    return f"`type` is one of {', '.join(TYPES)}"


def escaped(key: str) -> str:
    """A key as a part of a JSON pointer."""
    return key.replace("~", "~0").replace("/", "~1")
