"""Which documents belong to a class that some judge sees otherwise: one predicate for each class.

Where the schema itself can tell, it is asked: with a value changed, or with one of its rules left out.
"""

import json
import math
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import msgspec

import wire
from tests.accounting.codegen.documents import Document
from tests.agreement.documents import DEFINITIONS
from tests.wire.shapes import Json, inside, jsonschema_rs
from wire.scalars import I64_MAX, I64_MIN, U64_MAX, iso_time, locator

# What a document holds


def _value(one: Document) -> Json:
    """The document as Python reads it; its text where Python reads none."""
    try:
        return json.loads(one.text)
    except ValueError:
        return one.text


def _scalars(value: Json) -> Iterator[Json]:
    held = inside(value)
    if not held:
        yield value
    for _, one in held:
        yield from _scalars(one)


def _texts(one: Document) -> list[str]:
    return [text for text in _scalars(_value(one)) if isinstance(text, str)]


def _numbers(one: Document, kind: type) -> list[Any]:
    return [number for number in _scalars(_value(one)) if type(number) is kind]


def _mapped(change: Callable[[Json], Json], value: Json) -> Json:
    """The value with each scalar changed."""
    held = {key: _mapped(change, one) for key, one in inside(value)}
    return held if isinstance(value, dict) else list(held.values()) if isinstance(value, list) else change(value)


# What the schema says


def _same(schema: Json) -> Json:
    return schema


def _fits(shape: str, value: Json, change: Callable[[Json], Json] = _same) -> bool:
    """Whether the schema takes a value, once each of its definitions is changed so."""
    try:
        return bool(_schema(shape, change).is_valid(value))
    except ValueError:
        return False


@cache
def _schema(shape: str, change: Callable[[Json], Json]) -> Any:
    definitions = {name: change(schema) for name, schema in DEFINITIONS.items()}
    return jsonschema_rs.validator_for({"$ref": f"#/$defs/{shape}", "$defs": definitions})


def _is_taken(one: Document) -> bool:
    return _fits(one.shape, _value(one))


# The classes


def null_left_out(one: Document) -> bool:
    """It does not fit, and does when the codec has written it again, with more nulls."""
    value = _value(one)
    try:
        again = json.loads(wire.encode(wire.decode(one.text, getattr(wire, one.shape))))
    except (msgspec.MsgspecError, AttributeError, TypeError, ValueError):  # The codec reads no type of that name.
        return False
    return _has_more_nulls(value, again) and not _fits(one.shape, value) and _fits(one.shape, again)


def _has_more_nulls(value: Json, again: Json) -> bool:
    before, after = dict(inside(value)), dict(inside(again))
    gained = isinstance(value, dict) and any(after[key] is None for key in after.keys() - before.keys())
    return gained or any(_has_more_nulls(before[key], after[key]) for key in before.keys() & after.keys())


def form_without_its_tag(one: Document) -> bool:
    """It fits with the tag."""
    config: Any = getattr(getattr(wire, one.shape, None), "__struct_config__", None)
    value = _value(one)
    if config is None or config.tag_field is None or not isinstance(value, dict) or config.tag_field in value:
        return False
    return _fits(one.shape, {config.tag_field: config.tag, **value})


def whole_but_spelled_as_a_fraction(one: Document) -> bool:
    return any(number.is_integer() for number in _numbers(one, float)) and _is_taken(one)


def past_64_bits(one: Document) -> bool:
    past = any(not I64_MIN <= number <= U64_MAX for number in _numbers(one, int))
    return thousands_of_digits(one) or (past and _is_taken(one))


def rounds_to_a_limit(one: Document) -> bool:
    """It does not fit, and would if each integer that rounds to a limit were that limit."""
    value = _value(one)
    rounded = _mapped(_rounded, value)
    return rounded != value and not _fits(one.shape, value) and _fits(one.shape, rounded)


def _rounded(value: Json) -> Json:
    if type(value) is int and abs(value) < 2**70:
        return next((limit for limit in (I64_MIN, I64_MAX, U64_MAX) if float(limit) == float(value)), value)
    return value


def range_runs_backward(one: Document) -> bool:
    backward = any(re.search(r"#[LB][0-9]+-[0-9]+\Z", text) and locator(text) is None for text in _texts(one))
    return backward and _is_taken(one)


def newline_at_the_end(one: Document) -> bool:
    """It does not fit, and does without."""
    value = _value(one)
    without = _mapped(lambda text: text.removesuffix("\n") if isinstance(text, str) else text, value)
    return without != value and not _fits(one.shape, value) and _fits(one.shape, without)


def no_such_day(one: Document) -> bool:
    times = [text for text in _texts(one) if iso_time(text) is not None]
    return any(text[:4] == "0000" or text[4:11] == "-02-30T" for text in times) and _is_taken(one)


def no_object_for_a_tagged_union(one: Document) -> bool:
    return not _is_taken(one) and _fits(one.shape, _value(one), _open_to_all_but_objects)


def _open_to_all_but_objects(schema: Json) -> Json:
    """A schema whose tagged unions take everything that is no object."""
    held = {key: _open_to_all_but_objects(one) for key, one in inside(schema)}
    if isinstance(schema, dict):
        return {"anyOf": [{"not": {"type": "object"}}, {"oneOf": held["oneOf"]}]} if "discriminator" in held else held
    return list(held.values()) if isinstance(schema, list) else schema


def fields_do_not_go_together(one: Document) -> bool:
    return not _is_taken(one) and _fits(one.shape, _value(one), _without_relations)


def _without_relations(schema: Json) -> Json:
    """A definition of an object without what it says of two of its fields at once; that of a record stays."""
    if "properties" not in schema or "data" in schema["properties"]:
        return schema
    return {key: one for key, one in schema.items() if key not in ("allOf", "anyOf", "oneOf")}


def no_json_number(one: Document) -> bool:
    return _value(one) is not one.text and re.search(r"[:\[] *-?(?:NaN|Infinity)", one.text) is not None


def past_a_double(one: Document) -> bool:
    return any(math.isinf(number) for number in _numbers(one, float)) and not no_json_number(one)


def thousands_of_digits(one: Document) -> bool:
    return re.search("[0-9]{4301}", one.text) is not None


def deeper_than_200(one: Document) -> bool:
    return "[" * 201 in one.text and _is_taken(one)


def half_a_pair(one: Document) -> bool:
    return any(re.search("[\ud800-\udfff]", text) for text in _texts(one)) and _is_taken(one)
