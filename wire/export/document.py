"""One JSON Schema document: from a Struct's annotations to keywords.

Everything with a name (a Struct, an enum, an alias) becomes an entry of `$defs` and is referred to. What has no
spelling here raises `TypeError` naming the type and the field.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from types import NoneType
from typing import Annotated, Any, Final, Literal, NewType, TypeAlias, get_args, get_origin

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import FieldInfo, fields

from wire.answer.rounds import JOINED_LATER
from wire.export.keywords import PLAIN, Schema, limits, or_null, strings, tag_of, with_text, words_of
from wire.export.roots import Root
from wire.export.source import Alias, alias_of, class_text, field_text, member_texts, members_of
from wire.export.unknown import Unknown

_SPARSE: Final = "wire.record."
_EXACT: Final = 2**53 - 1
_WIDE: Final = " Can exceed 2^53: in JavaScript, read it with a parser that keeps big integers."


class Document:
    """The definitions that a document needs, collected while its schema is built."""

    def __init__(
        self,
        aliases: Sequence[Alias],
        rules: "Mapping[type[Struct], Rule]",
        unknown: Mapping[str, Unknown],
        *,
        itself: Root | None,
    ) -> None:
        """Takes what the definitions are made from, and the root that the document is: `None` for a bundle."""
        self._aliases = aliases
        self._rules = rules
        self._unknown = unknown
        self._itself = itself.type if itself is not None and _is_called(itself) else None
        self._defs: dict[str, Schema] = {}
        self._owners: dict[str, object] = {}

    def definitions(self) -> dict[str, Schema]:
        """What has been referred to so far, in order of the names."""
        return dict(sorted(self._defs.items()))

    def root(self, root: Root) -> Schema:
        """The schema of a root, to stand at the top of its document."""
        if _is_called(root):
            return self._struct(root.type)
        return {"title": root.shape, **self._by_name(root)}

    def define_root(self, root: Root) -> Schema:
        """A reference to the definition of a root."""
        if _is_called(root):
            return self._single(root.type, root.shape)
        return self.define(root.shape, self._alias_named(root) or root, lambda: self._by_name(root))

    def _by_name(self, root: Root) -> Schema:
        alias = self._alias_named(root)
        if alias is not None:
            return self._alias(alias, members_of(root.type))
        return with_text(root.text, self._single(root.type, root.shape))

    def _alias_named(self, root: Root) -> Alias | None:
        alias = alias_of(members_of(root.type), self._aliases)
        if alias is not None and alias.name != root.shape:
            raise TypeError(f"{root.shape}: this union's alias is called {alias.name}")
        return alias

    def define(self, name: str, owner: object, build: Callable[[], Schema]) -> Schema:
        """A reference to the definition of that name, which is built when it is first referred to."""
        if owner is not None and owner is self._itself:
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
        required = [field.encode_name for field in own if _required(cls, field)]
        if config.tag_field is not None:
            properties = {config.tag_field: tag_of(config.tag), **properties}
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
        schema = self.value(field.type, where)
        if any(get_origin(member) is Literal for member in self._nameless(field.type)):
            text = self.settled(text, where, "word")
        return with_text(text, schema)

    def value(self, hint: Any, where: str) -> Schema:
        """What an annotation allows; `where` names the place for messages and titles."""
        members = members_of(_without_mark(hint))
        rest = tuple(member for member in members if member not in (NoneType, UnsetType))
        schema = self.forms(rest, where)
        return or_null(schema) if NoneType in members else schema

    def settled(self, text: str, name: str, what: Literal["word", "form"]) -> str:
        """The text of an enum or union, and what a reader does with a word or form that is not in it."""
        if name not in self._unknown:
            raise TypeError(f"{name}: wire/export/unknown.py does not say what a reader does with a {what} it has not")
        return f"{text} {self._unknown[name].sentence(what)}"

    def _nameless(self, hint: Any) -> tuple[Any, ...]:
        members = tuple(member for member in members_of(_without_mark(hint)) if member not in (NoneType, UnsetType))
        return () if alias_of(members, self._aliases) else members

    def forms(self, types: Sequence[Any], where: str) -> Schema:
        """Any of the types, in their order."""
        return self._named(tuple(types)) or self._union(tuple(types), where)

    def _named(self, members: tuple[Any, ...]) -> Schema | None:
        alias = alias_of(members, self._aliases)
        return None if alias is None else self.define(alias.name, alias, lambda: self._alias(alias, members))

    def _alias(self, alias: Alias, members: tuple[Any, ...]) -> Schema:
        schema = self._union(members, alias.name, exclusive=sum(map(_is_struct, members)) < 2)
        text = schema.pop("description", alias.text)
        if text is None:
            raise TypeError(f"{alias.name}: no docstring stands after the alias")
        if len(members) > 1 or "enum" in schema:
            text = self.settled(text, alias.name, "word" if "enum" in schema else "form")
        if schema.get("maximum", 0) > _EXACT or schema.get("minimum", 0) < -_EXACT:
            text += _WIDE
        title = {"title": alias.name} if "enum" in schema or schema.get("type") == "object" else {}
        return {**title, "description": text, **schema}

    def _union(self, members: tuple[Any, ...], where: str, *, exclusive: bool = False) -> Schema:
        if len(members) == 1:
            return self._single(members[0], where)
        tags = {member.__struct_config__.tag_field if _is_struct(member) else None for member in members}
        if len(tags) == 1 and None not in tags:
            return {
                "oneOf": [self._single(member, where) for member in members],
                "discriminator": {"propertyName": tags.pop()},
            }
        one = "oneOf" if exclusive else "anyOf"
        return {one: [self._named((member,)) or self._single(member, where) for member in members]}

    def _single(self, hint: Any, where: str) -> Schema:
        origin, arguments = get_origin(hint), get_args(hint)
        if origin is Annotated:
            return {**self._single(arguments[0], where), **limits(arguments[1:], where)}
        if origin is Literal:
            return words_of(arguments, where)
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
            return self.define(hint.__name__, hint, lambda: self._enum(hint))
        if (hint is Any or isinstance(hint, type)) and hint in PLAIN:
            return dict(PLAIN[hint])
        raise TypeError(f"{where}: {hint!r} has no spelling as JSON Schema here")

    def _struct(self, cls: type[Struct]) -> Schema:
        if (rule := self._rules.get(cls)) is not None:
            return rule(self, cls)
        if hasattr(cls, "__post_init__"):
            raise TypeError(f"{cls.__name__}: what its __post_init__ checks has no rule here")
        return self.object(cls)

    def _enum(self, cls: type[Enum]) -> Schema:
        """The words, plain, so that every reader and generator sees them; what each one means is in the description."""
        texts = member_texts(cls)
        meanings = "".join(f"\n- `{cls[member].value}`: {text}" for member, text in texts.items())
        text = self.settled(described(cls), cls.__name__, "word")
        words = strings([one.value for one in cls], cls.__name__)
        return {"title": cls.__name__, "description": f"{text}\n{meanings}", **words}


Rule: TypeAlias = Callable[[Document, type[Struct]], Schema]
"""Writes the schema of a Struct whose annotations do not say everything."""


def described(cls: type) -> str:
    """A class's description."""
    text = class_text(cls)
    if text is None:
        raise TypeError(f"{cls.__name__}: no docstring")
    return text


def _required(cls: type[Struct], field: FieldInfo) -> bool:
    """Whether a writer always writes it: payloads leave out what they have not, every other shape is written whole."""
    if field.required:
        return True
    left_out = cls.__struct_config__.omit_defaults or field.default is UNSET or _is_marked(field.type)
    return not left_out and not cls.__module__.startswith(_SPARSE)


def _is_called(root: Root) -> bool:
    return _is_struct(root.type) and root.type.__name__ == root.shape


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
