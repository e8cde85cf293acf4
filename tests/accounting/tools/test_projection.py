"""The projection of exported schemas into the subset: it takes all that they take, and says as much as it can."""

import json
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accounting.tools import outside, project
from accounting.tools.bare import bare
from accounting.tools.forms import Form, apart, united
from tests.accounting.tools.schemas import DOCUMENTS, SCHEMAS, VALUES
from tests.wire.shapes import jsonschema, jsonschema_rs
from wire.export import ROOTS, document, schema_dir

Json = Any
EXAMPLES = schema_dir() / "examples"
PROJECTED: dict[str, Json] = {root.shape: project(document(root)) for root in ROOTS}


def accepts(schema: Json, value: Json) -> bool:
    verdict, other = jsonschema_rs.is_valid(schema, value), jsonschema.Draft202012Validator(schema).is_valid(value)
    assert verdict == other
    return bool(verdict)


# Every exported root


@pytest.mark.parametrize("shape", PROJECTED)
def test_every_exported_schema_is_projected_into_the_subset(shape: str) -> None:
    assert outside(PROJECTED[shape]) == ()


@pytest.mark.parametrize("root", ROOTS, ids=lambda root: root.shape)
def test_what_the_exported_schema_takes_the_projection_takes(root: Any) -> None:
    whole, projected = document(root), PROJECTED[root.shape]
    judges = jsonschema_rs.validator_for(projected), jsonschema.Draft202012Validator(projected)
    exported = jsonschema_rs.validator_for(whole)
    seen = set[bool]()
    for path in sorted((EXAMPLES / root.shape).glob("*.json")):
        value = json.loads(path.read_bytes())
        valid = exported.is_valid(value)
        seen.add(valid)
        assert valid is not path.stem.startswith("invalid")
        for judge in judges:
            assert judge.is_valid(value) or not valid, path
    assert seen == {True, False}


@pytest.mark.parametrize("root", ROOTS, ids=lambda root: root.shape)
def test_a_projection_still_asks_for_what_is_required(root: Any) -> None:
    whole, projected = document(root), PROJECTED[root.shape]
    if "allOf" in whole and "type" not in whole:  # another name for a definition
        whole = whole["$defs"][whole["allOf"][0]["$ref"].removeprefix("#/$defs/")]
    assert projected.get("required", []) == whole.get("required", [])
    if whole.get("type") == "object":
        assert list(projected["properties"]) == list(whole["properties"])
        assert not accepts(projected, [])
        assert not accepts(projected, None)


def test_what_a_projection_says_of_a_note() -> None:
    """The one union whose forms its projection cannot tell apart: a key that none of them knows is allowed."""
    note = PROJECTED["RoundsAnswer"]["properties"]["turns"]["items"]["properties"]["notes"]["items"]
    assert note["type"] == "object"
    assert list(note["properties"]) == [
        "refused", "checkpointed", "waiting", "arrived", "awaiting_reply", "discarded", "unreadable",
    ]  # fmt: skip
    assert accepts(note, {"applauded": {}})
    assert accepts(note, {"discarded": {"count": 1, "at": 2}})
    assert not accepts(note, {"discarded": {"count": 1}})


# Worked out by hand


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "string", "pattern": "^a", "minLength": 1, "format": "uuid"}, {"type": "string"}),
        ({"type": ["integer", "null"]}, {"oneOf": [{"type": "integer"}, {"type": "null"}]}),
        ({"type": ["integer", "null"], "enum": [1, None]},
         {"oneOf": [{"type": "integer", "enum": [1]}, {"type": "null", "enum": [None]}]}),
        ({"anyOf": [{"$ref": "#/$defs/A"}, {"type": "null"}], "$defs": {"A": {"title": "A", "type": "string"}}},
         {"oneOf": [{"title": "A", "type": "string"}, {"type": "null"}]}),
        ({"description": "mine", "allOf": [{"$ref": "#/$defs/A"}],
          "$defs": {"A": {"title": "A", "description": "its own", "type": "string"}}},
         {"description": "mine", "title": "A", "type": "string"}),
        ({"$schema": "x", "$id": "y", "$comment": "z", "type": "object"}, {"$comment": "z", "type": "object"}),
        # What is told apart by more than is left becomes one form.
        ({"anyOf": [{"type": "string", "pattern": "^a"}, {"type": "string", "pattern": "^b"}]}, {"type": "string"}),
        ({"anyOf": [{"type": "integer"}, {"type": "number"}]}, {"type": "number"}),
        ({"anyOf": [{"const": "a"}, {"enum": ["a", "b"]}]}, {"enum": ["a", "b"]}),
        ({"anyOf": [{}, {"type": "null"}]}, {}),
        ({"oneOf": [{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
                    {"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"]}]},
         {"type": "object"}),
        ({"oneOf": [{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"],
                     "additionalProperties": False},
                    {"type": "object", "properties": {"a": {"type": "null"}, "b": {}}, "additionalProperties": False}]},
         {"type": "object", "properties": {"a": {"oneOf": [{"type": "string"}, {"type": "null"}]}},
          "additionalProperties": False}),
        # A form that may not have a name leaves what another says of it; one that says nothing of it does not.
        ({"anyOf": [{"type": "object", "propertyNames": {"not": {"enum": ["a"]}}},
                    {"type": "object", "properties": {"b": {"type": "null"}}, "additionalProperties": False},
                    {"type": "object", "properties": {"a": {"type": "string"}}}]},
         {"type": "object", "properties": {"a": {"type": "string"}}}),
        ({"anyOf": [{"type": "object"}, {"type": "object", "propertyNames": {"not": {"enum": ["a"]}}},
                    {"type": "object", "properties": {"a": {"type": "string"}}}]},
         {"type": "object"}),
        # What is told apart by a tag, or by one key each, stays apart.
        ({"oneOf": [{"type": "object", "properties": {"t": {"const": word}}, "required": ["t"]} for word in "xy"],
          "discriminator": {"propertyName": "t"}},
         {"oneOf": [{"type": "object", "properties": {"t": {"const": word}}, "required": ["t"]} for word in "xy"]}),
        # Conditions are gone, and a choice beside a type.
        ({"type": "object", "allOf": [{"if": {}, "then": {"required": ["a"]}}], "anyOf": [{"required": ["b"]}]},
         {"type": "object"}),
        # What refers to itself is anything there.
        ({"type": "array", "items": {"$ref": "#"}}, {"type": "array", "items": {}}),
        ({"$ref": "#/$defs/A", "$defs": {"A": {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}}}},
         {"type": "object", "properties": {"a": {}}}),
    ],
)  # fmt: skip
def test_cases(schema: Json, expected: Json) -> None:
    assert project(schema) == expected


@pytest.mark.parametrize("keyword", ["patternProperties", "prefixItems", "unevaluatedProperties", "dependentSchemas"])
def test_a_keyword_that_others_depend_on_is_refused_by_name(keyword: str) -> None:
    with pytest.raises(TypeError, match=f"`{keyword}`"):
        project({"type": "object", "properties": {"a": {keyword: {}}}})


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"$ref": "#/$defs/Z"}, "`\\$ref` to '#/\\$defs/Z'"),
        ({"$ref": "https://x/y"}, "`\\$ref` to 'https://x/y'"),
        ({"properties": {"a": {}, "b": {"$ref": "#/properties/a"}}}, "`\\$ref` to '#/properties/a'"),
        ({"anyOf": [{"$ref": "#/$defs/Z"}, {}]}, "`\\$ref`"),
    ],
)
def test_a_reference_that_leads_elsewhere_is_refused(schema: Json, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        project(schema)


def test_a_document_of_any_depth_is_projected_or_refused() -> None:
    schema: Json = {"type": "string"}
    for _ in range(100_000):
        schema = {"type": "array", "items": schema}
    with pytest.raises(TypeError, match="deeper"):
        project(schema)
    while schema:  # so that taking it apart does not need the stack either
        schema = schema.get("items")


@pytest.mark.parametrize(
    "names",
    [True, False, {"not": True}, {"not": {"anyOf": [False, {"enum": ["a"]}]}}, {"not": {"anyOf": True}},
     {"$ref": "#/$defs/A"}],
)  # fmt: skip
def test_names_of_properties_in_any_spelling_are_read(names: Json) -> None:
    forms: Json = [
        {"type": "object", "propertyNames": names},
        {"type": "object", "properties": {"a": {"type": "string"}}},
    ]
    assert outside(project({"anyOf": forms, "$defs": {"A": {}}})) == ()


def test_a_definition_of_any_name_is_found() -> None:
    assert project({"$ref": "#/$defs/A~1B~0C", "$defs": {"A/B~C": {"type": "string"}}}) == {"type": "string"}


# Without annotations


def test_a_bare_schema_has_lost_what_only_tells_of_it() -> None:
    schema: Json = {
        "title": "T", "type": "object", "required": ["title"], "additionalProperties": {"description": "d"},
        "properties": {
            "title": {"title": "t", "type": "string", "default": "x"},
            "examples": {"items": {"$comment": "c", "enum": [{"title": "data"}]}},
            "const": {"oneOf": [{"description": "d", "const": {"description": "data"}}, {"type": "null"}]},
        },
    }  # fmt: skip
    assert bare(schema) == {
        "type": "object", "required": ["title"], "additionalProperties": {},
        "properties": {
            "title": {"type": "string"},
            "examples": {"items": {"enum": [{"title": "data"}]}},
            "const": {"oneOf": [{"const": {"description": "data"}}, {"type": "null"}]},
        },
    }  # fmt: skip


@given(DOCUMENTS, st.lists(VALUES, min_size=1, max_size=8))
@settings(max_examples=50)
def test_a_bare_schema_takes_the_same(schema: Json, values: list[Json]) -> None:
    projected = project(schema)
    plain = bare(projected)
    assert outside(plain) == ()
    assert bare(plain) == plain
    judge, other = jsonschema_rs.validator_for(projected), jsonschema_rs.validator_for(plain)
    assert [judge.is_valid(value) for value in values] == [other.is_valid(value) for value in values]


# Any schema


@given(DOCUMENTS, st.lists(VALUES, min_size=1, max_size=8))
def test_a_projection_takes_whatever_its_schema_takes(schema: Json, values: list[Json]) -> None:
    projected = project(schema)
    assert outside(projected) == ()
    whole, judge = jsonschema_rs.validator_for(schema), jsonschema_rs.validator_for(projected)
    for value in values:
        assert judge.is_valid(value) or not whole.is_valid(value), value


@given(DOCUMENTS)
def test_a_projection_is_its_own_projection(schema: Json) -> None:
    once = project(schema)
    twice = project(once)
    assert outside(twice) == ()
    assert twice == once


@given(SCHEMAS, SCHEMAS, st.lists(VALUES, min_size=1, max_size=8))
@settings(max_examples=50)
def test_forms_that_are_called_apart_share_no_value(first: Json, second: Json, values: list[Json]) -> None:
    one, other = (project({**schema, "$defs": {"One": {}, "Two": {}}}) for schema in (first, second))
    if apart(one, other):
        judges = [jsonschema_rs.validator_for(schema) for schema in (one, other)]
        assert [value for value in values if all(judge.is_valid(value) for judge in judges)] == []


@given(st.lists(SCHEMAS, min_size=1, max_size=4))
def test_of_united_forms_no_two_are_left_together(schemas: list[Json]) -> None:
    forms = [Form(schema=project({**schema, "$defs": {"One": {}, "Two": {}}})) for schema in schemas]
    several: Json = united(forms).get("oneOf", [])
    assert all(apart(one, other) for one, other in combinations(several, 2))
