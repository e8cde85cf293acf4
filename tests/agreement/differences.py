"""Where a reader that knows only the schema judges otherwise than the codec: every class of it, and why.

The one list of them: the tests hold every verdict to it, and `docs/agreement.md` shows it.
"""

import json
import math
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, Final, Literal, NamedTuple

import msgspec

import wire
from tests.accounting.codegen.documents import Document
from tests.agreement.documents import DEFINITIONS
from tests.agreement.judges import JUDGES
from tests.wire.shapes import Json, inside, jsonschema_rs
from wire.scalars import I64_MAX, I64_MIN, U64_MAX, iso_time, locator

_PARSED_BY_PYTHON: Final = ("jsonschema", "jsonschema-rs")
_JSON: Final = json.JSONDecoder(parse_constant=lambda word: _refuse(word))


class Difference(NamedTuple):
    """A class of documents that some judges see otherwise than the codec."""

    name: str
    """What is in such a document."""
    judges: tuple[str, ...]
    """Who sees it otherwise; each of them does so at least once."""
    way: Literal["takes", "refuses"]
    """What those judges do and the codec does not."""
    why: str
    """The reason, for the page."""
    is_one: Callable[[Document], bool]
    """Whether a document is of the class, whoever judges it."""


def _refuse(word: str) -> Json:
    raise ValueError(word)


# What a document holds


def _value(text: str) -> Json:
    """The document as Python reads it; its text where it is no JSON."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _scalars(value: Json) -> Iterator[Json]:
    held = inside(value)
    if not held:
        yield value
    for _, one in held:
        yield from _scalars(one)


def _texts(one: Document) -> Iterator[str]:
    return (text for text in _scalars(_value(one.text)) if isinstance(text, str))


def _integers(one: Document) -> Iterator[int]:
    return (number for number in _scalars(_value(one.text)) if type(number) is int)


# The classes


def _null_left_out(one: Document) -> bool:
    """Written again by the codec it is the same and some nulls more."""
    try:
        again = json.loads(wire.encode(wire.decode(one.text, getattr(wire, one.shape))))
    except (msgspec.MsgspecError, AttributeError, TypeError, ValueError):
        return False
    return _widened(_value(one.text), again)


def _widened(value: Json, again: Json) -> bool:
    before, after = dict(inside(value)), dict(inside(again))
    gained = isinstance(value, dict) and any(after[key] is None for key in after.keys() - before.keys())
    return gained or any(_widened(before[key], after[key]) for key in before.keys() & after.keys())


def _form_without_its_tag(one: Document) -> bool:
    """A form of a tagged union as a document of its own, which is refused for its tag only."""
    tag = getattr(getattr(wire, one.shape, None), "__struct_config__", None)
    value = _value(one.text)
    if tag is None or tag.tag_field is None or not isinstance(value, dict):
        return False
    return tag.tag_field not in value


def _whole_but_spelled_as_a_fraction(one: Document) -> bool:
    return any(type(number) is float and number.is_integer() for number in _scalars(_value(one.text)))


def _past_64_bits(one: Document) -> bool:
    """The schema takes it as it is."""
    past = any(not I64_MIN <= number <= U64_MAX for number in _integers(one))
    return _thousands_of_digits(one) or (past and _without(one, _whole))


def _rounds_into_its_limits(one: Document) -> bool:
    """The schema would take it if each integer that rounds to a limit were that limit."""
    value = _value(one.text)
    rounded = _rounded(value)
    return bool(rounded != value and _weakened(one.shape, _whole).is_valid(rounded))


def _rounded(value: Json) -> Json:
    if type(value) is int and abs(value) < 2**70:
        return next((limit for limit in (I64_MIN, I64_MAX, U64_MAX) if float(limit) == float(value)), value)
    held = {key: _rounded(one) for key, one in inside(value)}
    return held if isinstance(value, dict) else list(held.values()) if isinstance(value, list) else value


def _range_runs_backward(one: Document) -> bool:
    return any(re.search(r"#[LB][0-9]+-[0-9]+\Z", text) and locator(text) is None for text in _texts(one))


def _newline_at_the_end(one: Document) -> bool:
    return any(text.endswith("\n") for text in _texts(one))


def _no_such_day(one: Document) -> bool:
    return any(iso_time(text) is not None and (text[:4] == "0000" or "-02-30T" in text) for text in _texts(one))


def _without(one: Document, schema: Callable[[Json], Json]) -> bool:
    """Whether it fits the schema once that is changed so."""
    value = _value(one.text)
    try:
        return bool(_weakened(one.shape, schema).is_valid(value))
    except ValueError:
        return False


@cache
def _weakened(shape: str, change: Callable[[Json], Json]) -> Any:
    definitions = {name: change(schema) for name, schema in DEFINITIONS.items()}
    return jsonschema_rs.validator_for({"$ref": f"#/$defs/{shape}", "$defs": definitions})


def _whole(schema: Json) -> Json:
    return schema


def _with_anything_but_objects_for_a_tagged_union(schema: Json) -> Json:
    changed = {key: _with_anything_but_objects_for_a_tagged_union(one) for key, one in inside(schema)}
    if isinstance(schema, list):
        return list(changed.values())
    if not isinstance(schema, dict):
        return schema
    if "discriminator" in changed:
        return {"anyOf": [{"not": {"type": "object"}}, {"oneOf": changed["oneOf"]}]}
    return changed


def _not_an_object_for_a_tagged_union(one: Document) -> bool:
    return _without(one, _with_anything_but_objects_for_a_tagged_union)


def _without_relations(schema: Json) -> Json:
    """A definition of an object without what it says of two of its fields at once; that of records stays."""
    if "properties" not in schema or "data" in schema["properties"]:
        return schema
    return {key: one for key, one in schema.items() if key not in ("allOf", "anyOf", "oneOf")}


def _two_fields_do_not_go_together(one: Document) -> bool:
    return _without(one, _without_relations)


def _no_number(one: Document) -> bool:
    try:
        _JSON.decode(one.text)
    except ValueError:
        return _value(one.text) is not one.text
    return False


def _past_a_double(one: Document) -> bool:
    return any(number in (math.inf, -math.inf) for number in _scalars(_value(one.text))) and not _no_number(one)


def _thousands_of_digits(one: Document) -> bool:
    return re.search("[0-9]{4301}", one.text) is not None


def _deeper_than_200(one: Document) -> bool:
    return "[" * 200 in one.text


def _true_for_one(one: Document) -> bool:
    return re.search(r'"v": ?true', one.text) is not None


def _half_a_pair(one: Document) -> bool:
    return any(re.search("[\ud800-\udfff]", text) for text in _texts(one))


DIFFERENCES: Final[Sequence[Difference]] = (
    Difference(
        "a nullable field of an answer, report, journal or thread is left out", JUDGES, "refuses",
        "Their writer writes every field, so the schema requires it; the codec reads an absent one as null.",
        _null_left_out,
    ),
    Difference(
        "a form of a tagged union as a document of its own, without its tag", JUDGES, "refuses",
        "The codec needs the tag only where it has to choose.",
        _form_without_its_tag,
    ),
    Difference(
        "a whole number spelled `1.0` or `1e3`", (*_PARSED_BY_PYTHON, "ajv JSON.parse"), "takes",
        "To JSON Schema it is an integer; the format has integers without fraction or exponent only.",
        _whole_but_spelled_as_a_fraction,
    ),
    Difference(
        "an integer past 64 bits where any JSON may stand", JUDGES, "takes",
        "Free JSON has no schema; the format has no integers past 64 bits anywhere.",
        _past_64_bits,
    ),
    Difference(
        "an integer just past the limit of its type", ("ajv JSON.parse",), "takes",
        "`JSON.parse` rounds 2^64 and the limit 2^64-1 to the same double.",
        _rounds_into_its_limits,
    ),
    Difference(
        "a Locator whose range runs backward, or past 64 bits", JUDGES, "takes",
        "A pattern compares no numbers.",
        _range_runs_backward,
    ),
    Difference(
        "a text with one more newline at its end", ("jsonschema",), "takes",
        "In Python's `re`, `$` also matches before a final newline.",
        _newline_at_the_end,
    ),
    Difference(
        "a day that is in no calendar, or in the year 0", ("jsonschema",), "refuses",
        "It checks `format`; the codec and the others hold an `IsoTime` to its pattern only.",
        _no_such_day,
    ),
    Difference(
        "no object where a tagged union stands", ("ajv JSON.parse",), "takes",
        "With its option `discriminator` ajv looks at objects only.",
        _not_an_object_for_a_tagged_union,
    ),
    Difference(
        "two fields that do not go together", ("pydantic",), "takes",
        "A model has no type for it; `from_pydantic` refuses it.",
        _two_fields_do_not_go_together,
    ),
    Difference(
        "`NaN` or `Infinity`", (*_PARSED_BY_PYTHON, "pydantic"), "takes",
        "It is no JSON, but `json.loads` and Pydantic's parser read it.",
        _no_number,
    ),
    Difference(
        "a number that no double holds, as `1e400`", (*_PARSED_BY_PYTHON, "pydantic", "ajv JSON.parse"), "takes",
        "It becomes an infinity; the codec and lossless-json refuse it.",
        _past_a_double,
    ),
    Difference(
        "an integer of more than 4300 digits in a newer note, or under a key to be ignored",
        (*_PARSED_BY_PYTHON, "pydantic"), "refuses",
        "Python reads none; the codec keeps a newer note as it was spelled and does not look under such a key.",
        _thousands_of_digits,
    ),
    Difference(
        "a number that no double holds in a newer note, or under a key to be ignored", ("ajv lossless",), "refuses",
        "lossless-json reads every number; the codec does not look there.",
        _past_a_double,
    ),
    Difference(
        "more than 200 lists in each other in a newer note, or under a key to be ignored", ("pydantic",), "refuses",
        "Its parser goes no deeper anywhere; the codec does not look there.",
        _deeper_than_200,
    ),
    Difference(
        "`true` for the number 1 that a usage row's `v` may be", ("pydantic",), "takes",
        "To Python `True` equals 1, and the model compares.",
        _true_for_one,
    ),
    Difference(
        "half a surrogate pair", (*_PARSED_BY_PYTHON, "ajv lossless", "ajv JSON.parse"), "takes",
        "It is JSON, but no UTF-8 text; the codec and Pydantic read texts as UTF-8.",
        _half_a_pair,
    ),
)  # fmt: skip
"""Every class."""


def explaining(one: Document, judge: str, takes: bool) -> list[Difference]:
    """The classes that explain why a judge takes, or refuses, a document that the codec does not."""
    way = "takes" if takes else "refuses"
    return [each for each in DIFFERENCES if judge in each.judges and each.way == way and each.is_one(one)]
