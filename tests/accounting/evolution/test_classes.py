"""One broken schema for each class of difference, made from an exported document: class, place and both directions."""

import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from accounting.evolution import Change, Difference, Reading, SchemaError, differences
from accounting.evolution.value import as_list, as_object
from wire.export import schemas

Json = Any
DOCUMENTS: dict[str, Json] = {name.removesuffix(".schema.json"): json.loads(text) for name, text in schemas().items()}

FINE, NEW_READER, OLD_READER, BOTH = (True, True), (False, True), (True, False), (False, False)
"""Who breaks: nobody, a new reader of old data, an old reader of new data, both."""


def fates(one: Difference) -> tuple[bool, bool]:
    return one.new_reads_old is Reading.compatible, one.old_reads_new is Reading.compatible


def told(name: str, change: Callable[[Json], object]) -> list[tuple[Change, str, tuple[bool, bool]]]:
    """What is different after a change of one document; texts only when they are all that is."""
    new = deepcopy(DOCUMENTS[name])
    change(new)
    found = [(one.change, one.path, fates(one)) for one in differences({"x": DOCUMENTS[name]}, {"x": new})]
    return [one for one in found if one[0] is not Change.text_changed] or found


def put(*path: str, value: Json) -> Callable[[Json], None]:
    """Puts a value in a document."""

    def change(whole: Json) -> None:
        for key in path[:-1]:
            whole = whole[key]
        whole[path[-1]] = value

    return change


def drop(*path: str) -> Callable[[Json], None]:
    def change(whole: Json) -> None:
        for key in path[:-1]:
            whole = whole[key]
        del whole[path[-1]]

    return change


def need(shape: str, name: str) -> Callable[[Json], None]:
    return lambda whole: whole["$defs"][shape]["required"].append(name)


def without(whole: Json, shape: str, name: str) -> None:
    whole["$defs"][shape]["required"].remove(name)


def both(*changes: Callable[[Json], object]) -> Callable[[Json], None]:
    def change(whole: Json) -> None:
        for one in changes:
            one(whole)

    return change


TURN, CALL = ("$defs", "Turn", "properties"), ("$defs", "Call", "properties")
LINE = "turns[].calls[]"
NOTE = "turns[].notes[]"
NULLABLE = ("string", "null")
WORD = {"description": "A word.", "type": "string"}

ANSWERS: dict[str, tuple[Callable[[Json], object], Change, str, tuple[bool, bool]]] = {
    "optional field": (put(*CALL, "tries", value=WORD), Change.optional_field_added, f"{LINE}.tries", FINE),
    "required field": (
        both(put(*CALL, "tries", value=WORD), need("Call", "tries")),
        *(Change.required_field_added, f"{LINE}.tries", NEW_READER),
    ),
    "optional field removed": (drop(*CALL, "exit_code"), Change.field_removed, f"{LINE}.exit_code", FINE),
    "required field removed": (
        both(drop(*CALL, "tool"), lambda whole: without(whole, "Call", "tool")),
        *(Change.field_removed, f"{LINE}.tool", OLD_READER),
    ),
    "made required": (need("Call", "exit_code"), Change.made_required, f"{LINE}.exit_code", NEW_READER),
    "made optional": (
        lambda whole: without(whole, "Turn", "model"),
        *(Change.made_optional, "turns[].model", OLD_READER),
    ),
    "narrowed": (put(*CALL, "effect", value={"type": "null"}), Change.type_narrowed, f"{LINE}.effect", NEW_READER),
    "widened": (put(*CALL, "tool", value={}), Change.type_widened, f"{LINE}.tool", OLD_READER),
    "another type": (put(*CALL, "tool", "type", value="integer"), Change.type_changed, f"{LINE}.tool", BOTH),
    "whole to any number": (
        put("$defs", "Seq", "type", value="number"),
        Change.type_widened,
        "turns[].opened",
        OLD_READER,
    ),
    "nullable": (
        put(*CALL, "tool", "type", value=["string", "null"]),
        Change.nullable_added,
        f"{LINE}.tool",
        OLD_READER,
    ),
    "no longer null": (put(*TURN, "said", "type", value="string"), Change.nullable_removed, "turns[].said", NEW_READER),
    "word added": (
        lambda whole: whole["$defs"]["Outcome"]["enum"].append("lost"),
        *(Change.enum_member_added, f"{LINE}.outcome", OLD_READER),
    ),
    "word removed": (
        lambda whole: whole["$defs"]["Outcome"]["enum"].remove("failed"),
        *(Change.enum_member_removed, f"{LINE}.outcome", NEW_READER),
    ),
    "words opened": (
        put("$defs", "Outcome", value={"type": "string"}),
        *(Change.type_widened, f"{LINE}.outcome", OLD_READER),
    ),
    "variant removed": (
        lambda whole: whole["$defs"]["Handback"]["oneOf"].pop(0),
        *(Change.variant_removed, f"{NOTE}.arrived.handback", NEW_READER),
    ),
    "bound narrowed": (put(*TURN, "number", "minimum", value=2), Change.bound_narrowed, "turns[].number", NEW_READER),
    "bound widened": (put(*TURN, "number", "minimum", value=0), Change.bound_widened, "turns[].number", OLD_READER),
    "another pattern": (
        put("$defs", "GitOid", "pattern", value="^x$"),
        Change.pattern_changed,
        "opened_at",
        BOTH,
    ),
    "no pattern": (drop("$defs", "GitOid", "pattern"), Change.pattern_widened, "opened_at", OLD_READER),
    "a pattern": (put(*CALL, "tool", "pattern", value="^x"), Change.pattern_narrowed, f"{LINE}.tool", NEW_READER),
    "another format": (put("$defs", "RunId", "format", value="uri"), Change.format_changed, "run", BOTH),
    "no format": (drop("$defs", "RunId", "format"), Change.format_widened, "run", OLD_READER),
    "a format": (put(*CALL, "tool", "format", value="uri"), Change.format_narrowed, f"{LINE}.tool", NEW_READER),
    "default of what may be left out": (
        put(*CALL, "exit_code", "default", value=0),
        *(Change.default_changed, f"{LINE}.exit_code", BOTH),
    ),
    "default of what is always there": (
        put(*TURN, "said", "default", value=""),
        *(Change.default_changed, "turns[].said", FINE),
    ),
    "closed": (put("$defs", "Call", "additionalProperties", value=False), Change.closed, LINE, NEW_READER),
    "opened": (
        drop("$defs", "HandbackFinished", "additionalProperties"),
        *(Change.opened, f"{NOTE}.arrived.handback", OLD_READER),
    ),
    "description": (put("$defs", "Call", "description", value="Other."), Change.text_changed, LINE, FINE),
    "unknown keyword": (
        put("$defs", "Call", "dependentRequired", value={"tool": ["at"]}),
        *(Change.not_comparable, LINE, BOTH),
    ),
    "default of the whole": (put("default", value={}), Change.default_changed, "", FINE),
    "default of items": (
        put(*TURN, "calls", "items", "default", value={}),
        *(Change.default_changed, LINE, FINE),
    ),
}


@pytest.mark.parametrize("case", ANSWERS)
def test_each_class_in_an_answer(case: str) -> None:
    change, *expected = ANSWERS[case]
    assert told("rounds-answer", change) == [tuple(expected)]


LINES: dict[str, tuple[Callable[[Json], object], list[tuple[Change, str, tuple[bool, bool]]]]] = {
    "kind added": (
        lambda whole: whole["$defs"]["Kind"]["enum"].append("run_paused"),
        [(Change.enum_member_added, "kind", OLD_READER)],
    ),
    "payload": (
        need("ToolCalled", "called_at"),
        [(Change.required_field_added, "(kind=tool_called).data.called_at", NEW_READER)],
    ),
    "tag changed": (
        put("$defs", "TextBlock", "properties", "kind", "const", value="words"),
        [(Change.const_changed, "(kind=model_returned).data.message.content[](kind=text).kind", BOTH)],
    ),
    "variant added": (
        lambda whole: whole["$defs"]["Block"]["oneOf"].append(
            {"type": "object", "properties": {"kind": {"const": "sound"}}, "required": ["kind"]}
        ),
        [(Change.variant_added, "(kind=model_returned).data.message.content[]", OLD_READER)],
    ),
    "field of a variant": (
        drop("$defs", "TextBlock", "properties", "text", "type"),
        [(Change.type_widened, "(kind=model_returned).data.message.content[](kind=text).text", OLD_READER)],
    ),
    "an unknown condition": (
        put("$defs", "ToolCalled", "if", value={"required": ["tool"]}),
        [(Change.type_narrowed, "(kind=tool_called).data", NEW_READER)],
    ),
}


@pytest.mark.parametrize("case", LINES)
def test_each_class_in_a_line(case: str) -> None:
    change, expected = LINES[case]
    assert told("event-record", change) == expected


def test_a_constant_that_stands_alone() -> None:
    old, new = ({"type": "object", "properties": {"v": {"const": word}}} for word in "ab")
    assert [(one.change, one.path, fates(one)) for one in differences({"x": old}, {"x": new})] == [
        (Change.const_changed, "v", BOTH)
    ]


def test_documents_come_and_go() -> None:
    one, two = ({"a": {"type": "string"}}, {"b": {"type": "string"}})
    assert [(it.change, it.document, fates(it)) for it in differences(one, two)] == [
        (Change.document_removed, "a", NEW_READER),
        (Change.document_added, "b", FINE),
    ]


# Rules in small


def record(*required: str, **properties: Json) -> Json:
    return {"type": "object", "properties": properties, "required": [*required]}


def closed(whole: Json) -> Json:
    return whole | {"additionalProperties": False}


TEXT: Json = {"type": "string"}
COUNT: Json = {"type": "integer"}
KEYED: Json = {"type": "object", "additionalProperties": COUNT}
WHEN_X: Json = {"if": {"properties": {"k": {"const": "x"}}, "required": ["k"]}, "then": {"properties": {"a": {}}}}
WHEN_Y: Json = {"if": {"properties": {"k": {"const": "y"}}, "required": ["k"]}, "then": {"properties": {"a": TEXT}}}
EITHER: Json = {"oneOf": [record("a"), record("b")]}
RULES: dict[str, tuple[Json, Json, list[tuple[Change, str, tuple[bool, bool]]]]] = {
    "a field of a closed object": (
        closed(record()),
        closed(record(a=TEXT)),
        [(Change.optional_field_added, "a", OLD_READER)],
    ),
    "a required field of a closed object": (
        closed(record()),
        closed(record("a", a=TEXT)),
        [(Change.required_field_added, "a", BOTH)],
    ),
    "a field of an empty record": (record(), record(a=TEXT), [(Change.optional_field_added, "a", FINE)]),
    "a field where keys were data": (
        {"type": "object"},
        record(a=TEXT),
        [(Change.optional_field_added, "a", NEW_READER)],
    ),
    "a field that fits what the keys were": (
        KEYED,
        KEYED | {"properties": {"a": COUNT}},
        [(Change.optional_field_added, "a", FINE)],
    ),
    "a field that does not fit what the keys were": (
        KEYED,
        KEYED | {"properties": {"a": TEXT}},
        [(Change.optional_field_added, "a", BOTH)],
    ),
    "what all other keys hold": (
        KEYED,
        {"type": "object", "additionalProperties": COUNT | {"minimum": 0}},
        [(Change.bound_narrowed, "*", NEW_READER)],
    ),
    "a part that names a field of the whole": (
        record(a={}) | {"anyOf": [record("b"), record("c")]},
        record(a={}) | {"anyOf": [record("b", a=TEXT), record("c", a=TEXT)]},
        [(Change.type_narrowed, "a", NEW_READER), (Change.type_narrowed, "a", NEW_READER)],
    ),
    "one more schema to fit": (
        record(a={}),
        record(a={}) | {"allOf": [{"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}]},
        [(Change.type_narrowed, "", NEW_READER)],
    ),
    "alternatives that may overlap": (
        EITHER,
        {"oneOf": [record("a"), record("b", "c")]},
        [(Change.required_field_added, "c", BOTH)],
    ),
    "one more alternative that may overlap": (
        EITHER,
        {"oneOf": [record("a"), record("b"), record("c")]},
        [(Change.not_comparable, "", BOTH)],
    ),
    "one more alternative of a tag that may be left out": (
        {"oneOf": [record(k={"const": word}) for word in "ab"]},
        {"oneOf": [record(k={"const": word}) for word in "abc"]},
        [(Change.not_comparable, "", BOTH)],
    ),
    "one more alternative of a tag": (
        {"oneOf": [record("k", k={"const": word}) for word in "ab"]},
        {"oneOf": [record("k", k={"const": word}) for word in "abc"]},
        [(Change.variant_added, "", OLD_READER)],
    ),
    "an exclusive end that is the same": (
        {"type": "integer", "minimum": 1},
        {"type": "integer", "exclusiveMinimum": 0},
        [],
    ),
    "a count of keys that the required ones reach": (
        record("a") | {"minProperties": 1},
        record("a"),
        [],
    ),
    "an exclusive end of any number": (
        {"type": "number", "minimum": 0},
        {"type": "number", "exclusiveMinimum": 0},
        [(Change.bound_narrowed, "", NEW_READER)],
    ),
    "a coarser step": ({"multipleOf": 2}, {"multipleOf": 4}, [(Change.bound_narrowed, "", NEW_READER)]),
    "another step": ({"multipleOf": 2}, {"multipleOf": 3}, [(Change.bound_changed, "", BOTH)]),
    "words for an open text that they all fit": (
        {"enum": ["a"]},
        {"type": "string", "maxLength": 1},
        [(Change.type_widened, "", OLD_READER)],
    ),
    "words for an open text that one does not fit": (
        {"enum": ["abc"]},
        {"type": "string", "maxLength": 1},
        [(Change.type_changed, "", BOTH)],
    ),
    "a word where others were allowed anyway": (
        {"anyOf": [{"enum": ["a"]}, TEXT]},
        {"anyOf": [{"enum": ["a", "b"]}, TEXT]},
        [(Change.enum_member_added, "", FINE)],
    ),
    "items of a tuple": (
        {"type": "array", "prefixItems": [TEXT], "items": COUNT},
        {"type": "array", "prefixItems": [TEXT, TEXT], "items": COUNT},
        [(Change.type_changed, "[1]", BOTH)],
    ),
    "items that may not repeat": (
        {"type": "array"},
        {"type": "array", "uniqueItems": True},
        [(Change.bound_narrowed, "", NEW_READER)],
    ),
    "all other keys of one part, which are named in another": (
        {"allOf": [KEYED, record(a=TEXT)]},
        KEYED | record(a=TEXT),
        [(Change.type_changed, "a", BOTH), (Change.type_widened, "", OLD_READER)],
    ),
    "a field that only a condition names now": (
        record("k", k=TEXT, a=TEXT) | {"allOf": [WHEN_X]},
        record("k", k=TEXT) | {"allOf": [WHEN_X]},
        [(Change.type_widened, "a", OLD_READER)],
    ),
    "a default that Python takes for the same": (
        record(a={"type": "array", "default": [1]}),
        record(a={"type": "array", "default": [True]}),
        [(Change.default_changed, "a", BOTH)],
    ),
    "a default that Python takes for the same, in an object": (
        record("a", a={"type": "object", "default": {"x": 1}}),
        record("a", a={"type": "object", "default": {"x": True}}),
        [(Change.default_changed, "a", FINE)],
    ),
    "a default that is the same number": (
        record(a={"type": "number", "default": 1}),
        record(a={"type": "number", "default": 1.0}),
        [],
    ),
    "a default in an alternative": (
        record(a={"anyOf": [TEXT | {"default": "x"}, {"type": "null"}]}),
        record(a={"anyOf": [TEXT | {"default": "y"}, {"type": "null"}]}),
        [(Change.default_changed, "a", BOTH)],
    ),
    "a default in an alternative that is words": (
        {"anyOf": [{"enum": ["a", "b"]}, COUNT]},
        {"anyOf": [{"enum": ["a", "b"], "default": "a"}, COUNT]},
        [(Change.default_changed, "", FINE)],
    ),
    "a default in one of alternatives that may overlap": (
        record(a=EITHER),
        record(a={"oneOf": [record("a"), record("b") | {"default": {"b": 1}}]}),
        [(Change.default_changed, "a", BOTH)],
    ),
    "a default of a part that has to fit besides": (
        record(a={"allOf": [TEXT, {"default": "x"}]}),
        record(a={"allOf": [TEXT, {"default": "y"}]}),
        [(Change.default_changed, "a", BOTH)],
    ),
    "a default of other keys": (
        KEYED,
        {"type": "object", "additionalProperties": COUNT | {"default": 0}},
        [(Change.default_changed, "*", FINE)],
    ),
    "a default of a type that holds itself": (
        record(a={"anyOf": [{"$ref": "#"}, {"type": "null"}]}) | {"default": {}},
        record(a={"anyOf": [{"$ref": "#"}, {"type": "null"}]}) | {"default": {"a": None}},
        [(Change.default_changed, "", FINE), (Change.default_changed, "a", BOTH)],
    ),
    "values that Python takes for the same": (
        {"enum": [[1], "a"]},
        {"enum": [[True], "a"]},
        [(Change.enum_member_removed, "", NEW_READER), (Change.enum_member_added, "", OLD_READER)],
    ),
    "the dialect that is meant anyway": (
        {},
        {"$schema": "https://json-schema.org/draft/2020-12/schema"},
        [(Change.text_changed, "", FINE)],
    ),
    "a condition on a word that is one on something else now": (
        record("k", k=TEXT) | {"allOf": [WHEN_X, WHEN_Y]},
        record("k", k=TEXT) | {"allOf": [{**WHEN_X, "if": {"required": ["k"]}}, WHEN_Y]},
        [(Change.type_widened, "(k=x)", OLD_READER), (Change.type_narrowed, "", NEW_READER)],
    ),
    "another denial": ({"not": TEXT}, {"not": COUNT}, [(Change.not_comparable, "", BOTH)]),
}


@pytest.mark.parametrize("case", RULES)
def test_rules_in_small(case: str) -> None:
    old, new, expected = RULES[case]
    found = differences({"x": old}, {"x": new})
    assert [(one.change, one.path, fates(one)) for one in found] == expected


def test_a_type_that_refers_to_itself_ends() -> None:
    tree = record("next", next={"anyOf": [{"$ref": "#"}, {"type": "null"}]})
    longer = record("next", next={"anyOf": [{"$ref": "#"}, {"type": "null"}]}, name=TEXT)
    assert differences({"x": tree}, {"x": deepcopy(tree)}) == ()
    assert [one.path for one in differences({"x": tree}, {"x": longer})] == ["name"]
    unrolled = record("next", next={"anyOf": [deepcopy(tree), {"type": "null"}]})
    assert differences({"x": tree}, {"x": unrolled}) == ()


# A union that keeps what it does not know


def newer_note(whole: Json) -> None:
    variant = {"type": "object", "properties": {"praised": {"type": "string"}}, "required": ["praised"]}
    whole["$defs"]["NotePraised"] = variant | {"additionalProperties": False}
    whole["$defs"]["Note"]["oneOf"].insert(-1, {"$ref": "#/$defs/NotePraised"})
    whole["$defs"]["NewerNote"]["propertyNames"]["not"]["anyOf"][0]["enum"].append("praised")


def test_a_newer_note_breaks_no_reader_of_notes() -> None:
    assert told("rounds-answer", newer_note) == [(Change.variant_added, NOTE, FINE)]
    new = deepcopy(DOCUMENTS["rounds-answer"])
    newer_note(new)
    found = differences({"x": new}, {"x": DOCUMENTS["rounds-answer"]})
    assert [(one.change, one.path, fates(one)) for one in found] == [(Change.variant_removed, NOTE, FINE)]


def test_a_variant_breaks_readers_of_a_union_that_knows_no_newer_ones() -> None:
    variant = {"type": "object", "properties": {"lost": {"type": "string"}}, "required": ["lost"]}
    closed = variant | {"additionalProperties": False}
    found = told("rounds-answer", lambda whole: whole["$defs"]["Handback"]["oneOf"].append(closed))
    assert found == [(Change.variant_added, f"{NOTE}.arrived.handback", OLD_READER)]


def paused(whole: Json) -> None:
    test = {"properties": {"kind": {"const": "run_paused"}}, "required": ["kind"]}
    whole["allOf"].append({"if": test, "then": {"properties": {"data": {"type": "object", "required": ["why"]}}}})


def test_a_kind_is_nothing_to_a_reader_of_lines_of_any_kind() -> None:
    name = "any-event"
    assert told(name, paused) == [(Change.variant_added, "(kind=run_paused)", FINE)]


def test_a_known_kind_must_not_get_a_shape_that_it_had_not() -> None:
    old = deepcopy(DOCUMENTS["event-record"])
    old["$defs"]["Kind"]["enum"].append("run_paused")
    new = deepcopy(old)
    paused(new)
    (found,) = differences({"x": old}, {"x": new})
    assert (found.change, found.path, fates(found)) == (Change.type_narrowed, "(kind=run_paused)", NEW_READER)


# What is no difference


def test_a_reference_is_what_it_refers_to() -> None:
    for name, whole in DOCUMENTS.items():
        inlined = deepcopy(whole)
        for shape in ("Seq", "TimeMs", "RunId", "Locator"):
            inlined = _inlined(inlined, f"#/$defs/{shape}", whole.get("$defs", {}).get(shape))
        found = differences({"x": whole}, {"x": inlined})
        assert [one for one in found if one.change is not Change.definition_added] == [], name


def _inlined(value: Json, reference: str, its: Json) -> Json:
    if value == {"$ref": reference}:
        return deepcopy(its)
    held, several = as_object(value), as_list(value)
    if held is not None:
        return {key: _inlined(one, reference, its) for key, one in held.items()}
    return value if several is None else [_inlined(one, reference, its) for one in several]


def test_every_document_renamed_and_reordered_is_the_same() -> None:
    for name, whole in DOCUMENTS.items():
        text = json.dumps(whole)
        for shape in whole["$defs"]:
            text = text.replace(f'"#/$defs/{shape}"', f'"#/$defs/{shape}2"')
        other = json.loads(text)
        other["$defs"] = {f"{shape}2": its for shape, its in reversed(other["$defs"].items())}
        assert differences({"x": whole}, {"x": dict(reversed(other.items()))}) == (), name


def test_one_definition_is_told_once_with_its_places() -> None:
    (one,) = differences({"x": DOCUMENTS["rounds-answer"]}, {"x": _with_small_seq()})
    assert (one.path, one.old_at, one.new_at) == ("turns[].opened", "#/$defs/Seq", "#/$defs/Seq")
    assert one.also_at[:2] == ("turns[].calls[].at", "turns[].notes[].refused.at")
    assert one.sentence == "the greatest value was 18446744073709551615, is 9007199254740991"


def _with_small_seq() -> Json:
    whole = deepcopy(DOCUMENTS["rounds-answer"])
    whole["$defs"]["Seq"]["maximum"] = 2**53 - 1
    return whole


# What cannot be compared


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"$ref": "other.json"}, "#/$ref: 'other.json' leads out of the document"),
        ({"$ref": "#/$defs/Gone"}, "#/$defs/Gone: nothing stands there"),
        ({"$ref": "#"}, "#: the type is defined by nothing but itself"),
        ({"properties": []}, "#/properties: list is no value for properties"),
        ({"required": [1]}, "#/required: list is no value for required"),
        ({"minimum": True}, "#/minimum: bool is no value for minimum"),
        ({"type": "text"}, "#/type: 'text' is no type"),
        ({"anyOf": []}, "#/anyOf: has to list something"),
        ({"items": {"$id": "urn:x"}}, "#/items/$id: $id is not followed here"),
        ({"$dynamicRef": "#x"}, "#/$dynamicRef: $dynamicRef is not followed here"),
        (
            {"$schema": "http://json-schema.org/draft-07/schema#"},
            "#/$schema: 'http://json-schema.org/draft-07/schema#'",
        ),
        ({"$schema": 1}, "#/$schema: 1 is another dialect"),
        ({"$dynamicAnchor": "x"}, "#/$dynamicAnchor: $dynamicAnchor is not followed here"),
        ({"not": {"$anchor": "x"}}, "#/not/$anchor: $anchor is not followed here"),
        ({"patternProperties": {"a/b": {"$id": "urn:x"}}}, "#/patternProperties/a~1b/$id: $id is not followed here"),
        ({"items": 1}, "#/items: int is no value for items"),
        ([], "#: a schema is an object, true or false"),
    ],
)
def test_what_is_no_schema_is_told_with_its_place(schema: Json, message: str) -> None:
    with pytest.raises(SchemaError, match=r"^x: ") as raised:
        differences({"x": schema}, {"x": schema})
    assert str(raised.value).startswith(f"x: {message}")


NOT_FOLLOWED: tuple[Json, ...] = (
    {"$anchor": "x"},
    {"$dynamicAnchor": "x"},
    {"$id": "urn:x"},
    {"$schema": "http://json-schema.org/draft-07/schema#"},
    {"$ref": "other.json"},
    {"$ref": "#/$defs/Gone"},
)


@pytest.mark.parametrize("part", NOT_FOLLOWED)
@pytest.mark.parametrize("opposite", [{}, {"properties": {"a": {}}}, {"type": "string"}])
def test_what_is_not_followed_is_refused_whatever_stands_opposite(part: Json, opposite: Json) -> None:
    whole = {"properties": {"a": {"anyOf": [{"type": "null"}, {"contains": part}]}}}
    for old, new in ((whole, opposite), (opposite, whole), (whole, deepcopy(whole))):
        with pytest.raises(SchemaError, match=r"^x: #/properties/a/anyOf/1/contains/\$|^x: #/\$defs/Gone"):
            differences({"x": old}, {"x": new})
    for old, new in (({}, {"x": whole}), ({"x": whole}, {})):
        with pytest.raises(SchemaError, match=r"^x: "):
            differences(old, new)


def test_what_is_called_like_a_keyword_is_a_name_and_what_is_data_is_no_schema() -> None:
    whole: Json = {"properties": {"$anchor": {}, "$id": {}}, "enum": [{"$ref": "other.json"}], "default": {"$id": "x"}}
    assert differences({"x": whole}, {"x": deepcopy(whole)}) == ()


def test_the_same_unknown_keyword_is_the_same_only_beside_the_same() -> None:
    old: Json = {"type": "object", "properties": {"a": {}}, "unevaluatedProperties": False}
    assert differences({"x": old}, {"x": deepcopy(old)}) == ()
    new = deepcopy(old) | {"properties": {"a": {}, "b": {}}}
    assert [one.change for one in differences({"x": old}, {"x": new})] == [
        Change.optional_field_added,
        Change.not_comparable,
    ]


def test_what_an_unknown_keyword_refers_to_is_compared() -> None:
    old = {"dependentSchemas": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"required": ["b"]}}}
    assert differences({"x": old}, {"x": deepcopy(old)}) == ()
    new = deepcopy(old) | {"$defs": {"A": {"required": ["c"]}}}
    assert {one.change for one in differences({"x": old}, {"x": new})} == {Change.not_comparable}
