"""What is in the subset of JSON Schema that tools speak, and where something is not. Spec: dispatch.md 2.7."""

from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounting.tools import Outside, outside
from accounting.tools.subset import ANNOTATIONS, KEYWORDS
from tests.accounting.tools.schemas import VALUES
from tests.wire.shapes import jsonschema

Json = Any


def places(schema: Json, *, type_arrays: bool = False) -> list[str]:
    return [one.at for one in outside(schema, type_arrays=type_arrays)]


# Worked out by hand; the first six are those of the specification.


CASES: list[tuple[Json, list[str]]] = [
    ({"type": "object", "properties": {"pattern": {"type": "string"}}}, []),
    ({"type": "string", "pattern": "^a"}, ["/pattern"]),
    ({"const": {"$ref": "x"}}, []),
    ({"oneOf": [{"type": "string"}, {"anyOf": []}]}, ["/oneOf/1/anyOf"]),
    ({"type": "array", "items": [{"type": "string"}]}, ["/items"]),
    ({"type": ["string", "null"]}, ["/type"]),
    # Data is not walked, names are not keywords, and all that is a schema is.
    ({"enum": [{"$ref": "x"}], "default": {"not": {}}, "examples": [{"if": 1}]}, []),
    ({"properties": {"not": {"format": "date"}}}, ["/properties/not/format"]),
    ({"properties": {"a/b~c": {"minimum": 1}}}, ["/properties/a~1b~0c/minimum"]),
    ({"additionalProperties": {"minLength": 1}}, ["/additionalProperties/minLength"]),
    ({"additionalProperties": False}, []),
    ({"additionalProperties": True}, []),
    ({"items": {"oneOf": [{"properties": {"x": {"items": {"$ref": "#"}}}}]}},
     ["/items/oneOf/0/properties/x/items/$ref"]),
    # A keyword that holds what it cannot hold.
    ({"items": True}, ["/items"]),
    ({"properties": {"x": True}}, ["/properties/x"]),
    ({"properties": []}, ["/properties"]),
    ({"oneOf": []}, ["/oneOf"]),
    ({"oneOf": {"type": "string"}}, ["/oneOf"]),
    ({"oneOf": [False]}, ["/oneOf/0"]),
    ({"type": "text"}, ["/type"]),
    ({"type": 1}, ["/type"]),
    ({"type": {}}, ["/type"]),
    ({"required": "x"}, ["/required"]),
    ({"required": ["x", "x"]}, ["/required"]),
    ({"required": [1]}, ["/required"]),
    ({"additionalProperties": 1}, ["/additionalProperties"]),
    ({"enum": "x"}, ["/enum"]),
    ({"examples": {}}, ["/examples"]),
    ({"title": 1}, ["/title"]),
    ({"description": None}, ["/description"]),
    ({"$comment": []}, ["/$comment"]),
    ({"deprecated": "yes"}, ["/deprecated"]),
    ({"const": None, "default": None}, []),
    ({}, []),
    (True, [""]),
    (None, [""]),
    ([], [""]),
    # All of it is told, the outer before the inner.
    ({"not": {}, "oneOf": [{"$ref": "#"}], "minimum": 1}, ["/not", "/minimum", "/oneOf/0/$ref"]),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "expected"), CASES)
def test_cases(schema: Json, expected: list[str]) -> None:
    assert places(schema) == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [(["string", "null"], []), (["string", "string"], ["/type"]), (["text"], ["/type"]), ([], ["/type"])],
)
def test_several_types_are_a_matter_of_a_flag(words: list[str], expected: list[str]) -> None:
    assert places({"type": words}, type_arrays=True) == expected
    assert places({"type": words}) == ["/type"]


@pytest.mark.parametrize(
    "keyword",
    ["anyOf", "allOf", "not", "$ref", "$defs", "pattern", "format", "minimum", "maximum", "minLength", "minItems",
     "patternProperties", "if", "then", "else", "propertyNames", "prefixItems", "uniqueItems", "discriminator",
     "$schema", "$id", "dependentRequired", "unevaluatedProperties", "contains", "Type", "x-of-ours", ""],
)  # fmt: skip
def test_every_other_keyword_is_refused_by_name(keyword: str) -> None:
    assert outside({"items": {keyword: {}}}) == (
        Outside(at=f"/items/{keyword}", message=f"the subset has no keyword `{keyword}`"),
    )


def test_a_schema_of_any_depth_is_looked_through() -> None:
    schema: Json = {"not": {}}
    for _ in range(100_000):
        schema = {"items": schema}
    assert places(schema) == ["/items" * 100_000 + "/not"]
    while schema:  # so that taking it apart does not need the stack either
        schema = schema.get("items")


_KEYS = st.sampled_from((*KEYWORDS, *ANNOTATIONS, "not", "$ref", "pattern"))
_SCHEMAS: st.SearchStrategy[Json] = st.recursive(
    VALUES,
    lambda inner: (
        st.dictionaries(_KEYS, inner, max_size=4)
        | st.dictionaries(st.sampled_from(("x", "type")), inner, max_size=2).map(lambda some: {"properties": some})
        | st.lists(inner, max_size=3).map(lambda some: {"oneOf": some})
        | st.sampled_from(("string", "null")).map(lambda word: {"type": word})
    ),
    max_leaves=12,
)


def as_object(value: Json) -> dict[str, Json]:
    return cast("dict[str, Json]", value)


def as_array(value: Json) -> list[Json]:
    return cast("list[Json]", value)


def _is_there(schema: Json, at: str) -> bool:
    for step in at.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        schema = as_array(schema)[int(name)] if isinstance(schema, list) else as_object(schema)[name]
    return True


@given(_SCHEMAS)
def test_it_never_raises_and_what_it_passes_is_a_schema(schema: Json) -> None:
    found = outside(schema)
    for one in found:
        assert _is_there(schema, one.at)
    assert len({one.at for one in found}) == len(found)
    if not found:
        jsonschema.Draft202012Validator.check_schema(schema)


@given(_SCHEMAS)
def test_it_tells_the_same_as_a_plain_walk(schema: Json) -> None:
    """Nothing is overlooked, and nothing told that stands where no schema does."""
    found = outside(schema)
    assert set(_naive(schema, "")) == {one.at for one in found}


def _naive(schema: Json, at: str) -> list[str]:
    """The same by calls, and by the validator's own idea of each keyword."""
    if not isinstance(schema, dict):
        return [at]
    told: list[str] = []
    for key, value in as_object(schema).items():
        place = f"{at}/{key}"
        several = key == "type" and isinstance(value, list)
        if key not in (*KEYWORDS, *ANNOTATIONS) or (key, value) == ("oneOf", []) or several:
            told.append(place)
        elif key in ("properties", "oneOf", "items", "additionalProperties"):
            told += _naive_within(key, value, place)
        elif not jsonschema.Draft202012Validator(jsonschema.Draft202012Validator.META_SCHEMA).is_valid({key: value}):
            told.append(place)
    return told


def _naive_within(key: str, value: Json, place: str) -> list[str]:
    if key == "properties" and isinstance(value, dict):
        return [one for name, inner in as_object(value).items() for one in _naive(inner, f"{place}/{name}")]
    if key == "oneOf" and isinstance(value, list):
        return [one for index, inner in enumerate(as_array(value)) for one in _naive(inner, f"{place}/{index}")]
    if key == "additionalProperties" and isinstance(value, bool):
        return []
    return _naive(value, place) if key in ("items", "additionalProperties") else [place]
