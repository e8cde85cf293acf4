"""JSON Schema's own keywords, for what needs no definition: plain types, words, limits, descriptions."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from msgspec import Meta, Raw

Schema: TypeAlias = dict[str, Any]
"""A JSON Schema, or a part of one."""

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

PLAIN: Final[Mapping[Any, Schema]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    bool: {"type": "boolean"},
    Raw: {},  # Any JSON at all, as the field's description says.
    Any: {},
}
"""The types that have no limits and no name."""

_KEYWORDS: Final = {
    "ge": "minimum",
    "gt": "exclusiveMinimum",
    "le": "maximum",
    "lt": "exclusiveMaximum",
    "multiple_of": "multipleOf",
    "pattern": "pattern",
    "min_length": "minLength",
    "max_length": "maxLength",
    "description": "description",
}
_TEXTS: Final = ("title", "description")
_UNSPOKEN: Final = ("title", "examples", "extra")


def with_text(text: str, schema: Schema) -> Schema:
    """A schema with this description, right behind its title if it has one."""
    if schema.keys() == {"$ref"}:
        # A description beside `$ref` is valid, but generators take the two for a new, unnamed type.
        return {"description": text, "allOf": [schema]}
    title = {"title": schema["title"]} if "title" in schema else {}
    return {**title, "description": text, **{key: value for key, value in schema.items() if key not in _TEXTS}}


def or_null(schema: Schema) -> Schema:
    """A schema that takes null too."""
    if schema == {}:
        return schema
    if schema.keys() == {"type"}:
        return {"type": [schema["type"], "null"]}
    if schema.keys() == {"anyOf"}:
        return {"anyOf": [*schema["anyOf"], {"type": "null"}]}
    return {"anyOf": [schema, {"type": "null"}]}


def tag_of(tag: str | int | None) -> Schema:
    """What the tag of a form holds."""
    if not isinstance(tag, str):
        raise TypeError(f"the tag {tag!r} is not a word")
    return {"description": "Says which form this is.", "type": "string", "const": tag}


def words_of(words: Sequence[Any], where: str) -> Schema:
    """The words of a `Literal`; `where` names the place."""
    if len(words) == 1 and isinstance(words[0], str):
        return {"type": "string", "const": words[0]}
    return {"title": camel(where), **strings(words, where)}


def strings(words: Sequence[Any], where: str) -> Schema:
    """One of these words."""
    if not all(isinstance(word, str) for word in words):
        raise TypeError(f"{where}: only words are spelled as an enum here")
    return {"type": "string", "enum": list(words)}


def limits(metas: Sequence[Any], where: str) -> Schema:
    """What the `Meta` of an annotation says."""
    schema: Schema = {}
    for meta in metas:
        if not isinstance(meta, Meta) or any(getattr(meta, name) is not None for name in _UNSPOKEN):
            raise TypeError(f"{where}: {meta!r} has no spelling as JSON Schema here")
        stated = {name: value for name in _KEYWORDS if (value := getattr(meta, name)) is not None}
        schema |= {_KEYWORDS[name]: value for name, value in stated.items()} | (meta.extra_json_schema or {})
    if any(end in schema.get("pattern", "") for end in (r"\A", r"\Z")):
        raise TypeError(f"{where}: \\A and \\Z are not ECMAScript; the schema needs a pattern of its own")
    return schema


def camel(text: str) -> str:
    """`Call.exit_code` as `CallExitCode`."""
    return "".join(part[0].upper() + part[1:] for part in text.replace(".", "_").split("_") if part)
