"""The projection of an exported schema into the subset that tools speak. Spec: dispatch.md 2.0, 2.7.

    from accounting.tools.projection import project
    from wire.export import ROOTS, document

    schemas = {root.shape: project(document(root)) for root in ROOTS}

Whatever is valid under the exported schema is valid under its projection, which may take more: references are inlined,
of several forms one has to fit (`oneOf`), null is a form of its own, and bounds, patterns, formats and conditions are
gone. Titles, descriptions and the other annotations stay.
"""

from collections.abc import Mapping
from typing import Final, cast

from accounting.tools.forms import Form, as_object, is_of, united
from accounting.tools.subset import ANNOTATIONS, KEYWORDS, escaped
from wire.scalars import Json, JsonObject

_SEVERAL: Final = ("anyOf", "oneOf")
_REFERENCES: Final = ("$ref", "$defs", "allOf", *_SEVERAL)
_GONE: Final = frozenset(
    (
        *("$schema", "$id", "discriminator", "not", "if", "then", "else", "format", "pattern", "propertyNames"),
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength"),
        *("minItems", "maxItems", "uniqueItems", "contains", "minProperties", "maxProperties"),
    )
)
"""What only narrows, and is left out. Another keyword is refused: leaving it out might let through less, not more."""
_READ: Final = frozenset((*KEYWORDS, *ANNOTATIONS, *_REFERENCES, *_GONE))
_APPLIES: Final = {"properties": "object", "required": "object", "additionalProperties": "object", "items": "array"}


def project(document: JsonObject) -> JsonObject:
    """The projection of a document, whose references are to itself (`#`) or its `$defs`.

    What refers to what it stands in is any JSON there: a schema without references has no end for it.
    Raises `TypeError`, naming the keyword, for one that cannot be left out safely; for a reference
    elsewhere, and a document that nests too deep.
    """
    try:
        return _Projection(document).schema(document, ("#",))
    except RecursionError:
        raise TypeError("the schema nests deeper than it can be read") from None


class _Projection:
    def __init__(self, document: JsonObject) -> None:
        self._targets: Final = {"#": document} | {
            f"#/$defs/{escaped(name)}": schema for name, schema in as_object(document.get("$defs", {})).items()
        }

    def _target(self, reference: str) -> Json:
        if reference not in self._targets:
            raise TypeError(f"`$ref` to {reference!r}: a document refers to itself, `#`, or to one of its `$defs`")
        return self._targets[reference]

    def schema(self, schema: Json, within: tuple[str, ...]) -> JsonObject:
        """One schema; `within` are the references that led to it."""
        if not isinstance(schema, dict):
            return {}  # `true`; and `false`, which the subset cannot say
        if unknown := [key for key in schema if key not in _READ]:
            raise TypeError(f"`{unknown[0]}` has no place in the schema of a tool, and cannot just be left out")
        told = {key: value for key, value in schema.items() if key in ANNOTATIONS}
        return _told(told, self._bare(schema, within))

    def _bare(self, schema: JsonObject, within: tuple[str, ...]) -> JsonObject:
        reference = schema.get("$ref")
        if isinstance(reference, str):
            return {} if reference in within else self.schema(self._target(reference), (*within, reference))
        own = {key: value for key, value in schema.items() if key in KEYWORDS and key not in _SEVERAL}
        if not own:
            several = [value for key in _SEVERAL if isinstance(value := schema.get(key), list)]
            if several:
                return united([self._form(one, within) for one in several[0]])
            every = schema.get("allOf")
            return self.schema(every[0], within) if isinstance(every, list) and every else {}
        words = own.get("type")
        if isinstance(words, list):
            return united([Form(schema=self._of_type(own, str(word), within)) for word in words])
        return self._keywords(own, within)

    def _of_type(self, own: JsonObject, word: str, within: tuple[str, ...]) -> JsonObject:
        """The part of a schema of several types that is about one of them."""
        about = {key: value for key, value in own.items() if _APPLIES.get(key, word) == word}
        listed = about.get("enum")
        if isinstance(listed, list):
            about["enum"] = [value for value in listed if is_of(value, word)]
        return self._keywords({**about, "type": word}, within)

    def _keywords(self, own: JsonObject, within: tuple[str, ...]) -> JsonObject:
        read: JsonObject = {}
        for key, value in own.items():
            match key:
                case "properties":
                    read[key] = {name: self.schema(one, within) for name, one in as_object(value).items()}
                case "items":
                    read[key] = self.schema(value, within)
                case "additionalProperties":
                    read[key] = value if isinstance(value, bool) else self.schema(value, within)
                case _:
                    read[key] = value
        return read

    def _form(self, schema: Json, within: tuple[str, ...]) -> Form:
        return Form(schema=self.schema(schema, within), never=self._never(schema))

    def _never(self, schema: Json) -> frozenset[str]:
        """The names that no property of a form has, where its `propertyNames` lists them: those of its neighbours."""
        seen: set[str] = set()
        while isinstance(schema, dict) and isinstance(reference := schema.get("$ref"), str) and reference not in seen:
            seen.add(reference)
            schema = self._target(reference)
        refused = as_object(as_object(as_object(schema).get("propertyNames", {})).get("not", {}))
        either = refused.get("anyOf", [refused])
        forms = [as_object(one) for one in either] if isinstance(either, list) else []
        lists = [one["enum"] for one in forms if one.keys() == {"enum"}]
        return frozenset(str(name) for names in lists for name in cast("list[Json]", names))


def _told(told: Mapping[str, Json], schema: JsonObject) -> JsonObject:
    """A schema with these annotations, which stand for its own and before the rest."""
    under = {key: value for key, value in schema.items() if key not in told}
    first = {key: value for key, value in {**told, **under}.items() if key in ANNOTATIONS}
    return first | {key: value for key, value in under.items() if key not in first}
