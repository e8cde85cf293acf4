"""What the keywords of one schema object say, its references and unions aside: an arm for each JSON type.

A keyword that is not in the table is kept as unknown, never passed over.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

from accounting.evolution.form import Arm, Form, Keyword
from accounting.evolution.value import TYPES, Json, as_list, as_object, same, type_of

_NUMBER: Final = (int, float)
KEYWORDS: Final[Mapping[str, tuple[str, type | tuple[type, ...]]]] = MappingProxyType(
    {
        "minLength": ("string", int),
        "maxLength": ("string", int),
        "pattern": ("string", str),
        "format": ("string", str),
        "minimum": ("number", _NUMBER),
        "maximum": ("number", _NUMBER),
        "exclusiveMinimum": ("number", _NUMBER),
        "exclusiveMaximum": ("number", _NUMBER),
        "multipleOf": ("number", _NUMBER),
        "items": ("array", (dict, bool)),
        "prefixItems": ("array", list),
        "minItems": ("array", int),
        "maxItems": ("array", int),
        "uniqueItems": ("array", bool),
        "properties": ("object", dict),
        "required": ("object", list),
        "additionalProperties": ("object", (dict, bool)),
        "propertyNames": ("object", (dict, bool)),
        "minProperties": ("object", int),
        "maxProperties": ("object", int),
    }
)
"""The JSON type that a keyword is about, and what its value has to be."""
_SAYS_NOTHING: Final[Mapping[str, tuple[Json, ...]]] = {
    "minLength": (0,),
    "minItems": (0,),
    "minProperties": (0,),
    "uniqueItems": (False,),
    "required": ([],),
    "prefixItems": ([],),
    "items": (True, {}),
    "additionalProperties": (True, {}),
    "propertyNames": (True, {}),
}
_BASIC: Final = {one: one for one in TYPES} | {"integer": "number"}


class SchemaError(Exception):
    """A schema that cannot be compared at all. The message says where and why."""


def escaped(key: str) -> str:
    """A key as one step of a pointer."""
    return key.replace("~", "~0").replace("/", "~1")


def checked(value: Json, at: str) -> Mapping[str, Json]:
    """The schema, once each keyword's value is of the right sort. Raises `SchemaError`."""
    schema = as_object(value)
    if schema is None:
        raise SchemaError(f"{at}: a schema is an object, true or false")
    for key, one in schema.items():
        if not _fits(key, one):
            raise SchemaError(f"{at}/{escaped(key)}: {type(one).__name__} is no value for {key} (draft 2020-12)")
        if key in _REFUSED or (key in _AT_THE_TOP and at != "#"):
            raise SchemaError(f"{at}/{escaped(key)}: {key} is not followed here; use $defs and $ref of #/...")
    return schema


_REFUSED: Final = ("$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveAnchor", "$recursiveRef")
_AT_THE_TOP: Final = ("$id", "$schema")
_LISTS: Final = ("enum", "allOf", "anyOf", "oneOf")


def _fits(key: str, value: Json) -> bool:
    wanted: Any = list if key in _LISTS else KEYWORDS[key][1] if key in KEYWORDS else object
    if not isinstance(value, wanted):
        return False
    if key == "required":
        return all(isinstance(name, str) for name in as_list(value) or ())
    return not isinstance(value, bool) or wanted not in (int, _NUMBER)


def own_form(at: str, own: Mapping[str, Keyword]) -> Form:
    """What the keywords of one schema object say, parts and texts aside."""
    speaking = {key: one for key, one in own.items() if not _silent(key, one.value)}
    unknown = {key: one for key, one in speaking.items() if key not in (*KEYWORDS, "type", "enum", "const", "not")}
    arms: list[Arm] = []
    for kind in _types(speaking):
        keywords = {key: one for key, one in speaking.items() if key in KEYWORDS and KEYWORDS[key][0] == kind}
        if kind == "number" and "type" in speaking and "number" not in _listed(speaking["type"]):
            keywords["integer"] = speaking["type"]
        values = _values(speaking, kind)
        if values is not None:
            keywords["enum"] = Keyword(speaking["const" if "const" in speaking else "enum"].at, values)
        if values != []:
            alone = {"not": speaking["not"]} if "not" in speaking else {}
            arms.append(Arm(type=kind, at=at, keywords=_with_reserved(keywords), alone=alone, unknown=unknown))
    return Form(at=at, arms=tuple(arms))


def _silent(key: str, value: Json) -> bool:
    return any(value == one and isinstance(value, bool) == isinstance(one, bool) for one in _SAYS_NOTHING.get(key, ()))


def _listed(types: Keyword) -> list[Json]:
    several = as_list(types.value)
    listed = [types.value] if several is None else several
    for one in listed:
        if not isinstance(one, str) or one not in _BASIC:
            raise SchemaError(f"{types.at}: {one!r} is no type")
    return listed


def _types(own: Mapping[str, Keyword]) -> Iterable[str]:
    return dict.fromkeys(_BASIC[one] for one in _listed(own["type"])) if "type" in own else TYPES


def _values(own: Mapping[str, Keyword], kind: str) -> list[Json] | None:
    """The values of this type that `enum` and `const` allow."""
    if "enum" not in own and "const" not in own:
        return None
    values: list[Json] = own["enum"].value if "enum" in own else [own["const"].value]
    if "const" in own:
        values = [one for one in values if same(one, own["const"].value)]
    return [one for one in values if type_of(one) == kind]


def _with_reserved(keywords: dict[str, Keyword]) -> dict[str, Keyword]:
    """A list of names that a key may not be, told apart from other rules for keys."""
    names = keywords.get("propertyNames")
    refused = None if names is None else as_object((as_object(names.value) or {}).get("not"))
    if names is None or names.value != {"not": refused} or refused is None:
        return keywords
    first, *others = as_list(refused.get("anyOf")) or [refused]
    reserved = as_list((as_object(first) or {}).get("enum"))
    if reserved is None or first != {"enum": reserved} or refused not in (first, {"anyOf": [first, *others]}):
        return keywords
    kept = {key: one for key, one in keywords.items() if key != "propertyNames"}
    if others:
        kept["otherNames"] = Keyword(names.at, others)
    return kept | {"reservedNames": Keyword(names.at, [name for name in reserved if isinstance(name, str)])}
