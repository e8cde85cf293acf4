"""Several forms that a value may have, as a `oneOf` of which exactly one fits.

A projection drops what told some forms apart, and a value that fits two of a `oneOf` fits none. So forms that are not
told apart by what is left are joined to one that takes what either takes.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Final, cast

from msgspec import Struct

from accounting.tools.subset import ANNOTATIONS, TYPES
from wire.scalars import Json, JsonObject

_ANY: Final = frozenset(TYPES)


class Form(Struct, frozen=True, kw_only=True):
    """One form: its schema in the subset, and what is known of it that the subset cannot say."""

    schema: JsonObject
    never: frozenset[str] = frozenset()
    """Names that no property of it has."""


def united(forms: Sequence[Form]) -> JsonObject:
    """The schema of a value that has one of the forms, or several at once."""
    if not all(apart(one.schema, other.schema) for one, other in combinations(forms, 2)):
        forms = _joined([leaf for form in forms for leaf in _leaves(form)])
    schemas: list[Json] = [form.schema for form in forms]
    return forms[0].schema if len(forms) == 1 else {"oneOf": schemas}


def _joined(forms: list[Form]) -> list[Form]:
    """The forms, those not told apart as one each, in the order of the first of them."""
    while True:
        pair = next((pair for pair in combinations(forms, 2) if not apart(pair[0].schema, pair[1].schema)), None)
        if pair is None:
            return forms
        first, second = pair
        forms = [_join(first, second) if form is first else form for form in forms if form is not second]


def _leaves(form: Form) -> list[Form]:
    """The forms of a form that is a choice itself."""
    several = form.schema.get("oneOf")
    if not isinstance(several, list):
        return [form]
    inner = [Form(schema=cast("JsonObject", one), never=form.never) for one in several]
    return [leaf for one in inner for leaf in _leaves(one)]


def apart(first: JsonObject, second: JsonObject) -> bool:
    """Whether it is plain that no value fits both schemas."""
    for one, other in ((first, second), (second, first)):
        several = one.get("oneOf")
        if isinstance(several, list):
            return all(apart(cast("JsonObject", leaf), other) for leaf in several)
    values, others = _values(first), _values(second)
    if values is not None and others is not None:
        return not {_same(value) for value in values} & {_same(value) for value in others}
    common = _types(first) & _types(second)
    return not common or (common == frozenset(("object",)) and _objects_apart(first, second))


def _objects_apart(first: JsonObject, second: JsonObject) -> bool:
    required, other = _required(first), _required(second)
    properties, others = _properties(first), _properties(second)
    if any(
        name in properties and name in others and apart(properties[name], others[name]) for name in required & other
    ):
        return True
    return any(_lacks(Form(schema=second), name) for name in required) or any(
        _lacks(Form(schema=first), name) for name in other
    )


def _join(first: Form, second: Form) -> Form:
    """A form that takes what either takes."""
    one, other = first.schema, second.schema
    never = frozenset(name for name in first.never | second.never if _lacks(first, name) and _lacks(second, name))
    told: JsonObject = {
        key: one[key] for key in ANNOTATIONS if key in one and key in other and _same(one[key]) == _same(other[key])
    }
    return Form(schema={**told, **_joined_keywords(first, second)}, never=never)


def _joined_keywords(first: Form, second: Form) -> JsonObject:
    one, other = first.schema, second.schema
    values, others = _values(one), _values(other)
    if values is not None and others is not None:
        distinct = {_same(value): value for value in (*values, *others)}
        typed: JsonObject = {"type": one["type"]} if "type" in one and one["type"] == other.get("type") else {}
        return {**typed, "enum": [*distinct.values()]}
    word = _common_word(one, other)
    if word is None:
        return {}
    if word == "object":
        return {"type": word, **_joined_objects(first, second)}
    if word == "array" and "items" in one and "items" in other:
        return {
            "type": word,
            "items": united([Form(schema=as_object(one["items"])), Form(schema=as_object(other["items"]))]),
        }
    return {"type": word}


def _common_word(one: JsonObject, other: JsonObject) -> str | None:
    """The narrowest type that both are of; `None` when there is none."""
    types = _types(one) | _types(other)
    if len(types) == 1:
        return next(iter(types))
    return "number" if types == frozenset(("integer", "number")) else None


def _joined_objects(first: Form, second: Form) -> JsonObject:
    properties: JsonObject = {}
    mine, theirs = _properties(first.schema), _properties(second.schema)
    for name in (*mine, *(name for name in theirs if name not in mine)):
        allowed = [what for form in (first, second) if (what := _property(form, name)) is not None]
        if allowed and all(allowed):
            properties[name] = united([Form(schema=schema) for schema in allowed])
    required = [name for name in _words(first.schema.get("required")) if name in _required(second.schema)]
    more = [form.schema.get("additionalProperties", True) for form in (first, second)]
    joined: JsonObject = {"properties": properties} if properties else {}
    if required:
        joined["required"] = [*required]
    # A name that only one of them lists was left out above where the other lets it hold anything.
    if more == [False, False]:
        joined["additionalProperties"] = False
    return joined


def _property(form: Form, name: str) -> JsonObject | None:
    """What a property of a form may hold, empty for anything; `None` when the form has no such property."""
    if name in (listed := _properties(form.schema)):
        return listed[name]
    if _lacks(form, name):
        return None
    more = form.schema.get("additionalProperties", True)
    return more if isinstance(more, dict) else {}


def _lacks(form: Form, name: str) -> bool:
    """Whether it is plain that no value of a form has a property of that name."""
    closed = form.schema.get("additionalProperties") is False
    return name in form.never or (closed and name not in _properties(form.schema))


def _types(schema: JsonObject) -> frozenset[str]:
    """The types that a value of a schema may be of; an integer is a number too."""
    several, values, word = schema.get("oneOf"), _values(schema), schema.get("type")
    if isinstance(several, list):
        return frozenset[str]().union(*(_types(cast("JsonObject", one)) for one in several))
    if values is not None:
        return frozenset(type_of(value) for value in values)
    if not isinstance(word, str):
        return _ANY
    return frozenset(("integer", "number")) if word == "number" else frozenset((word,))


def type_of(value: Json) -> str:
    """The narrowest word for the type of a value."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "integer" if value.is_integer() else "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"


def is_of(value: Json, word: str) -> bool:
    """Whether a value is of the type that a `type` names."""
    found = type_of(value)
    return found == word or (found, word) == ("integer", "number")


def _values(schema: JsonObject) -> list[Json] | None:
    """The values that a schema lists, those of its type; `None` when it lists none."""
    listed = [schema["const"]] if "const" in schema else schema.get("enum")
    if not isinstance(listed, list):
        return None
    word = schema.get("type")
    return [value for value in listed if is_of(value, word)] if isinstance(word, str) else listed


def _same(value: Json) -> object:
    """Equal for what JSON Schema takes for equal: 1 and 1.0, not 1 and true."""
    match value:
        case float() if value.is_integer():
            return ("integer", int(value))
        case list():
            return ("array", tuple(_same(one) for one in value))
        case dict():
            return ("object", frozenset((key, _same(one)) for key, one in value.items()))
        case _:
            return (type_of(value), value)


def _required(schema: JsonObject) -> frozenset[str]:
    return frozenset(_words(schema.get("required")))


def _words(value: Json) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []


def _properties(schema: JsonObject) -> dict[str, JsonObject]:
    return cast("dict[str, JsonObject]", schema.get("properties", {}))


def as_object(value: Json) -> JsonObject:
    """A value that is an object; an empty one in place of any other."""
    return value if isinstance(value, dict) else {}
