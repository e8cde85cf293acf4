"""One JSON Schema document: from a Struct's annotations to keywords.

Everything with a name (a Struct, an enum, an alias) becomes an entry of `$defs` and is referred to. What has no
spelling here raises `TypeError` naming the type and the field.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from types import NoneType
from typing import Annotated, Any, Final, Literal, NamedTuple, NewType, TypeAlias, get_args, get_origin

from msgspec import UNSET, Meta, Raw, Struct, UnsetType
from msgspec.structs import FieldInfo, fields

from wire.answer.rounds import JOINED_LATER
from wire.export.source import Alias, alias_of, class_text, field_text, members_of

Schema: TypeAlias = dict[str, Any]
"""A JSON Schema, or a part of one."""

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

_PLAIN: Final[Mapping[Any, Schema]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    bool: {"type": "boolean"},
    Raw: {},  # Any JSON at all, as the field's description says.
    Any: {},
}
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
_EXACT: Final = 2**53
_WIDE: Final = " Can exceed 2^53: in JavaScript, read it with a parser that keeps big integers."


class Root(NamedTuple):
    """A Struct that has a document of its own."""

    name: str
    """The document's name, in its file name and its `$id`."""
    type: type[Struct]
    """The Struct."""
    complete: bool
    """Whether its writer writes every field, null for `None`, so that a nullable field is required nonetheless."""


class Document:
    """The definitions that one root needs, collected while its schema is built."""

    def __init__(self, root: Root, aliases: Sequence[Alias], rules: "Mapping[type[Struct], Rule]") -> None:
        """Takes the root, the aliases to tell apart, and the Structs that have a rule of their own."""
        self._root = root
        self._aliases = aliases
        self._rules = rules
        self._defs: dict[str, Schema] = {}
        self._owners: dict[str, object] = {}

    def build(self, identity: str) -> Schema:
        """The whole document: the root's own schema, and the definitions in order of their names."""
        root = self._struct(self._root.type)
        return {"$schema": DIALECT, "$id": identity, **root, "$defs": dict(sorted(self._defs.items()))}

    def define(self, name: str, owner: object, build: Callable[[], Schema]) -> Schema:
        """A reference to the definition of that name, which is built when it is first referred to."""
        if owner is self._root.type:
            return {"$ref": "#"}
        if name not in self._defs:
            self._owners[name] = owner
            self._defs[name] = {}  # Keeps the name while what it refers to is built.
            self._defs[name] = build()
        if self._owners[name] != owner:
            raise TypeError(f"{name} is the name of two types: {self._owners[name]!r} and {owner!r}")
        return {"$ref": f"#/$defs/{name}"}

    def object(self, cls: type[Struct]) -> Schema:
        """A Struct as an object: open to unknown keys unless the Struct forbids them."""
        config = cls.__struct_config__
        if config.array_like:
            raise TypeError(f"{cls.__name__}: an object written as an array has no spelling here")
        own = fields(cls)
        properties = {field.encode_name: self.field(cls, field) for field in own}
        required = [field.encode_name for field in own if self._required(cls, field)]
        if config.tag_field is not None:
            properties = {config.tag_field: _tag(config.tag), **properties}
            required = [config.tag_field, *required]
        schema: Schema = {"title": cls.__name__, "description": described(cls), "type": "object"}
        schema["properties"] = properties
        if required:
            schema["required"] = required
        if config.forbid_unknown_fields:
            schema["additionalProperties"] = False
        return schema

    def field(self, cls: type[Struct], field: FieldInfo) -> Schema:
        """What a field may hold, with its description beside it."""
        where = f"{cls.__name__}.{field.encode_name}"
        text = field_text(cls, field.name)
        if text is None:
            raise TypeError(f"{where}: no docstring stands after the field")
        return with_text(text, self.value(field.type, where))

    def value(self, hint: Any, where: str) -> Schema:
        """What an annotation allows; `where` names the place for messages and titles."""
        members = members_of(_without_mark(hint))
        rest = tuple(member for member in members if member not in (NoneType, UnsetType))
        schema = self.forms(rest, where)
        return _or_null(schema) if NoneType in members else schema

    def forms(self, types: Sequence[Any], where: str) -> Schema:
        """Any of the types, in their order."""
        return self._named(tuple(types)) or self._union(tuple(types), where)

    def _named(self, members: tuple[Any, ...]) -> Schema | None:
        alias = alias_of(members, self._aliases)
        return None if alias is None else self.define(alias.name, alias, lambda: self._alias(alias, members))

    def _alias(self, alias: Alias, members: tuple[Any, ...]) -> Schema:
        schema = self._union(members, alias.name, one="oneOf")
        text = schema.pop("description", alias.text)
        if text is None:
            raise TypeError(f"{alias.name}: no docstring stands after the alias")
        if schema.get("maximum", 0) > _EXACT or schema.get("minimum", 0) < -_EXACT:
            text += _WIDE
        title = {"title": alias.name} if "enum" in schema or schema.get("type") == "object" else {}
        return {**title, "description": text, **schema}

    def _union(self, members: tuple[Any, ...], where: str, one: Literal["oneOf", "anyOf"] = "anyOf") -> Schema:
        if len(members) == 1:
            return self._single(members[0], where)
        tags = {member.__struct_config__.tag_field if _is_struct(member) else None for member in members}
        if len(tags) == 1 and None not in tags:
            return {
                "oneOf": [self._single(member, where) for member in members],
                "discriminator": {"propertyName": tags.pop()},
            }
        return {one: [self._named((member,)) or self._arm(member, where) for member in members]}

    def _arm(self, member: Any, where: str) -> Schema:
        if get_origin(member) is not Literal:
            return self._single(member, where)
        return with_text(f"{where} in one word.", self._single(member, f"{where}.word"))

    def _single(self, hint: Any, where: str) -> Schema:
        origin, arguments = get_origin(hint), get_args(hint)
        if origin is Annotated:
            return {**self._single(arguments[0], where), **_limits(arguments[1:], where)}
        if origin is Literal:
            return _words(arguments, where)
        if origin is tuple and len(arguments) == 2 and arguments[1] is Ellipsis:
            return {"type": "array", "items": self.value(arguments[0], where)}
        if origin is dict and arguments[0] is str:
            more = {} if arguments[1] is Any else {"additionalProperties": self.value(arguments[1], where)}
            return {"type": "object", **more}
        if isinstance(hint, NewType):
            return self._single(hint.__supertype__, where)
        if _is_struct(hint):
            return self.define(hint.__name__, hint, lambda: self._struct(hint))
        if isinstance(hint, type) and issubclass(hint, Enum):
            return self.define(hint.__name__, hint, lambda: _enum(hint))
        if (hint is Any or isinstance(hint, type)) and hint in _PLAIN:
            return dict(_PLAIN[hint])
        raise TypeError(f"{where}: {hint!r} has no spelling as JSON Schema here")

    def _struct(self, cls: type[Struct]) -> Schema:
        if (rule := self._rules.get(cls)) is not None:
            return rule(self, cls)
        if hasattr(cls, "__post_init__"):
            raise TypeError(f"{cls.__name__}: what its __post_init__ checks has no rule here")
        return self.object(cls)

    def _required(self, cls: type[Struct], field: FieldInfo) -> bool:
        if field.required:
            return True
        left_out = cls.__struct_config__.omit_defaults or field.default is UNSET or _is_marked(field.type)
        return self._root.complete and not left_out


Rule: TypeAlias = Callable[[Document, type[Struct]], Schema]
"""Writes the schema of a Struct whose annotations do not say everything."""


def described(cls: type) -> str:
    """A class's description."""
    text = class_text(cls)
    if text is None:
        raise TypeError(f"{cls.__name__}: no docstring")
    return text


def with_text(text: str, schema: Schema) -> Schema:
    """A schema with this description, right behind its title if it has one."""
    if schema.keys() == {"$ref"}:
        # A description beside `$ref` is valid, but generators take the two for a new, unnamed type.
        return {"description": text, "allOf": [schema]}
    title = {"title": schema["title"]} if "title" in schema else {}
    return {**title, "description": text, **{key: value for key, value in schema.items() if key not in _TEXTS}}


def _or_null(schema: Schema) -> Schema:
    if schema == {}:
        return schema
    if schema.keys() == {"type"}:
        return {"type": [schema["type"], "null"]}
    if schema.keys() == {"anyOf"}:
        return {"anyOf": [*schema["anyOf"], {"type": "null"}]}
    return {"anyOf": [schema, {"type": "null"}]}


def _tag(tag: str | int | None) -> Schema:
    if not isinstance(tag, str):
        raise TypeError(f"the tag {tag!r} is not a word")
    return {"description": "Says which form this is.", "type": "string", "const": tag}


def _enum(cls: type[Enum]) -> Schema:
    return {"title": cls.__name__, "description": described(cls), **_strings([one.value for one in cls], cls.__name__)}


def _words(words: Sequence[Any], where: str) -> Schema:
    if len(words) == 1 and isinstance(words[0], str):
        return {"type": "string", "const": words[0]}
    return {"title": camel(where), **_strings(words, where)}


def _strings(words: Sequence[Any], where: str) -> Schema:
    if not all(isinstance(word, str) for word in words):
        raise TypeError(f"{where}: only words are spelled as an enum here")
    return {"type": "string", "enum": list(words)}


def _limits(metas: Sequence[Any], where: str) -> Schema:
    schema: Schema = {}
    for meta in metas:
        if not isinstance(meta, Meta) or any(getattr(meta, name) is not None for name in _UNSPOKEN):
            raise TypeError(f"{where}: {meta!r} has no spelling as JSON Schema here")
        stated = {name: value for name in _KEYWORDS if (value := getattr(meta, name)) is not None}
        schema |= {_KEYWORDS[name]: value for name, value in stated.items()} | (meta.extra_json_schema or {})
    if any(end in schema.get("pattern", "") for end in (r"\A", r"\Z")):
        raise TypeError(f"{where}: \\A and \\Z are not ECMAScript; the schema needs a pattern of its own")
    return schema


def _without_mark(hint: Any) -> Any:
    if not _is_marked(hint):
        return hint
    base, *metas = get_args(hint)
    rest = tuple(meta for meta in metas if meta != JOINED_LATER)
    return Annotated[(base, *rest)] if rest else base


def _is_marked(hint: Any) -> bool:
    return get_origin(hint) is Annotated and JOINED_LATER in get_args(hint)[1:]


def _is_struct(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, Struct)


def camel(text: str) -> str:
    """`Call.exit_code` as `CallExitCode`."""
    return "".join(part[0].upper() + part[1:] for part in text.replace(".", "_").split("_") if part)
