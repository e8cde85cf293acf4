"""The bundle of the schema as a few kinds of definition, from which the emitters for other languages write types.

The exporter writes few shapes of JSON Schema, and each has one meaning here; another one raises `TypeError` naming the
place. Types without a name in the schema (a word list or a union that stands in a field) get one: owner and field.
"""

from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from accounting.codegen.rule import KEYWORDS, Rule, rule
from wire.export import bundle
from wire.export.keywords import Schema, camel

_REFERENCE: Final = "#/$defs/"


class Named(NamedTuple):
    """A type that has a definition."""

    name: str


class Listed(NamedTuple):
    """An array."""

    item: "Type"


Type: TypeAlias = Named | Listed | Literal["string", "boolean", "json"]
"""What a field holds; `json` is any JSON at all."""


class Field(NamedTuple):
    """A field of an object."""

    key: str
    text: str
    type: Type
    required: bool
    nullable: bool
    const: str | None
    """The one word it holds; `None` for any other field."""


class Words(NamedTuple):
    """An enum."""

    name: str
    text: str
    words: tuple[str, ...]


class Text(NamedTuple):
    """A string with a grammar or a limit."""

    name: str
    text: str
    pattern: str | None
    least: int
    most: int | None


class Whole(NamedTuple):
    """An integer between two limits, both included."""

    name: str
    text: str
    least: int
    most: int


class Shape(NamedTuple):
    """An object."""

    name: str
    text: str
    fields: tuple[Field, ...]
    closed: bool
    """Whether unknown keys are refused; they are ignored otherwise."""
    payloads: Mapping[str, str]
    """Of a ledger line: the definition of `data` by the word in `kind`. Empty for every other object."""
    rule: Rule | None
    """What relates fields to each other; `None` when nothing does, and for what `payloads` says."""


class Union(NamedTuple):
    """One of several forms."""

    name: str
    text: str
    forms: Mapping[str, Type]
    """By the word that tells the form: the tag, the one key, the JSON type; by position where only reading it tells."""
    told_by: Literal["tag", "key", "type", "reading"]
    tag: str
    """The field of the tag; empty for the others."""
    newer: str | None
    """The form of a key that is not in `forms`; `None` when that is refused."""


class Same(NamedTuple):
    """Another name for a definition."""

    name: str
    text: str
    of: str


class AnyObject(NamedTuple):
    """A JSON object without a shape; with `refused`, of one key that is none of those and needs no escape in JSON."""

    name: str
    text: str
    refused: tuple[str, ...] | None


Definition: TypeAlias = Words | Text | Whole | Shape | Union | Same | AnyObject


def definitions() -> dict[str, Definition]:
    """Every definition of the bundle by its name, in order of the names."""
    found = _Reader(bundle()["$defs"]).read()
    return dict(sorted(found.items()))


def member(word: str) -> str:
    """The name of a word of an enum or of a tag: `process-exit` as `ProcessExit`, `E_TIMEOUT` as `ETimeout`."""
    return camel((word.lower() if word.isupper() else word).replace("-", "_"))


class _Reader:
    def __init__(self, schemas: Mapping[str, Schema]) -> None:
        self._schemas = schemas
        self._found: dict[str, Definition] = {}

    def read(self) -> dict[str, Definition]:
        for name, schema in self._schemas.items():
            self._found[name] = self._definition(name, schema)
        return self._found

    def _definition(self, name: str, schema: Schema) -> Definition:
        text = schema["description"]
        match schema:
            case {"enum": words}:
                return Words(name, text, tuple(words))
            case {"const": str() as word}:
                return Words(name, text, (word,))
            case {"type": "string"}:
                return Text(name, text, schema.get("pattern"), schema.get("minLength", 0), schema.get("maxLength"))
            case {"type": "integer"}:
                return Whole(name, text, schema["minimum"], schema["maximum"])
            case {"propertyNames": {"not": {"anyOf": [{"enum": known}, _]}}}:
                return AnyObject(name, text, tuple(known))
            case {"type": "object", "properties": _}:
                return self._shape(name, schema)
            case {"type": "object"}:
                return AnyObject(name, text, None)
            case {"allOf": [{"$ref": target}]}:
                return Same(name, text, _name(target))
            case {"oneOf": forms} | {"anyOf": forms}:
                return self._union(name, text, forms, schema.get("discriminator", {}).get("propertyName", ""))
            case _:
                raise TypeError(f"{name}: no definition has this form: {sorted(schema)}")

    def _shape(self, name: str, schema: Schema) -> Shape:
        required = schema.get("required", [])
        own = tuple(self._field(name, key, one, key in required) for key, one in schema["properties"].items())
        branches = [(one["if"]["properties"].get("kind"), one["then"]) for one in schema.get("allOf", ())]
        payloads = {
            word: _name(then["properties"]["data"]["$ref"])
            for kind, then in branches
            if kind is not None
            for word in (kind.get("enum") or [kind["const"]])
        }
        related = {key: schema[key] for key in KEYWORDS if key in schema and not payloads}
        closed = schema.get("additionalProperties") is False
        return Shape(
            name, schema["description"], own, closed, payloads, rule(related, frozenset(required)) if related else None
        )

    def _field(self, owner: str, key: str, schema: Schema, required: bool) -> Field:  # noqa: FBT001
        text = schema.get("description", "")
        forms, nullable = _without_null(schema)
        if len(forms) == 1 and isinstance(const := forms[0].get("const"), str) and not nullable:
            return Field(key, text, "string", required, nullable, const)
        return Field(key, text, self._type(owner + camel(key), text, forms), required, nullable or forms == [{}], None)

    def _type(self, name: str, text: str, forms: list[Schema]) -> Type:
        if len(forms) > 1:
            self._found[name] = self._union(name, text, forms, "")
            return Named(name)
        match forms[0]:
            case {"$ref": target} | {"allOf": [{"$ref": target}]}:
                return Named(_name(target))
            case {"type": "array", "items": item, **rest} if not rest:
                return Listed(self._type(name, text, [item]))
            case {"type": "string", **rest} if not rest:
                return "string"
            case {"type": "boolean", **rest} if not rest:
                return "boolean"
            case {"type": "string" | "integer"} as schema:
                self._found[name] = self._definition(name, {"description": text, **schema})
                return Named(name)
            case schema if not schema:
                return "json"
            case schema:
                raise TypeError(f"{name}: no field has this form: {sorted(schema)}")

    def _union(self, name: str, text: str, schemas: list[Schema], tag: str) -> Union:
        types: list[Type] = [self._type(name, text, [schema]) for schema in schemas]
        if tag:
            words = [self._schema(one)["properties"][tag]["const"] for one in types]
            return Union(name, text, dict(zip(words, types, strict=True)), "tag", tag, None)
        keys = [self._one_key(one) for one in types]
        newer = next(
            (one.name for one, key in zip(types, keys, strict=True) if key == "" and isinstance(one, Named)), None
        )
        if None not in keys and len(types) > 1:
            return Union(name, text, {key: one for key, one in zip(keys, types, strict=True) if key}, "key", "", newer)
        kinds = [self._json_type(one) for one in types]
        if len(set(kinds)) == len(kinds):
            return Union(name, text, dict(zip(kinds, types, strict=True)), "type", "", None)
        return Union(name, text, {str(place): one for place, one in enumerate(types)}, "reading", "", None)

    def _schema(self, one: Type) -> Schema:
        return self._schemas[one.name] if isinstance(one, Named) else {"type": one}

    def _one_key(self, one: Type) -> str | None:
        match self._schema(one):
            case {"properties": properties, "required": [key], "additionalProperties": False} if len(properties) == 1:
                return str(key)
            case {"propertyNames": _}:
                return ""  # The newer form: any other key.
            case _:
                return None

    def _json_type(self, one: Type) -> str:
        schema = self._schema(one)
        return str(schema["type"]) if "type" in schema else "object"


def _name(target: str) -> str:
    return target.removeprefix(_REFERENCE)


def _without_null(schema: Schema) -> tuple[list[Schema], bool]:
    """The forms of a field besides null, and whether null is one."""
    bare = {key: value for key, value in schema.items() if key not in ("title", "description")}
    match bare:
        case {"anyOf": several}:
            forms = [one for one in several if one != {"type": "null"}]
            return forms, len(forms) < len(several)
        case {"type": [kind, "null"], **rest}:
            words: list[Any] = [word for word in rest.pop("enum", []) if word is not None]
            limits = {"minimum": words[0], "maximum": words[-1]} if words else {}
            return [{"type": kind, **rest, **limits}], True
        case _:
            return [bare], False
