"""The exported documents: what they say, and that they agree with the codec on the examples."""

import json
import subprocess
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from shutil import which
from typing import Any

import pytest
from msgspec import Raw, ValidationError, structs

import wire
from wire.export import BUNDLE, MAJOR, ROOTS, Root, schema_dir, schemas

from .shapes import DOCUMENTS, ROOT_SHAPES, TEXTS, Json, fits, inside, jsonschema, jsonschema_rs, judge, judges, shapes

ANSWER, RECORD, REPORT = (DOCUMENTS[name] for name in ("rounds-answer", "event-record", "check-report"))
DEFINITIONS = DOCUMENTS[BUNDLE]["$defs"]
KIND_OF = {root.shape: wire.Kind(root.name[8:].replace("-", "_")) for root in ROOTS if root.name.startswith("payload-")}
LINE = wire.decode((schema_dir() / "examples/EventRecord/01-city-initialized.json").read_bytes(), wire.EventRecord)
EXAMPLES = sorted((schema_dir() / "examples").glob("*/*.json"))
BY_FORM = ("AskEvent", "StreamEvent", "TranscriptRow")
"""The lines that are told by a tag."""
OF_RUNS = ("dispatch-journal", "dispatch-list", "cancel-answer", "doctor-report")
OF_AGENTS = ("transcript-summary", "session-list", "archive-manifest", "archive-index-line")
OF_SCHEDULERS = ("automation-list", "automation-runs", "automation-health")
DISPATCHED = (*OF_RUNS, *OF_AGENTS, *OF_SCHEDULERS)


def valid(shape: str) -> list[Path]:
    return [path for path in EXAMPLES if path.parent.name == shape and not path.stem.startswith("invalid-")]


def read(shape: str, text: bytes) -> Any:
    """The value, its payload read too."""
    if shape in KIND_OF:
        return wire.payload(structs.replace(LINE, kind=KIND_OF[shape], data=Raw(text)))
    value = wire.decode(text, getattr(wire, shape))
    record = value.known if isinstance(value, wire.AnyEvent) else value
    if isinstance(record, wire.EventRecord):
        wire.payload(record)
    return value


def references(schema: Json) -> Iterator[str]:
    """Every `$ref` in a document."""
    for key, inner in inside(schema):
        if key == "$ref":
            yield inner
        yield from references(inner)


# The documents


def test_committed_files_are_what_the_exporter_writes() -> None:
    committed = {path.name: path.read_bytes() for path in schema_dir().glob("*.schema.json")}
    assert committed == schemas()


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_is_valid_and_says_what_it_is(name: str) -> None:
    whole = DOCUMENTS[name]
    jsonschema.Draft202012Validator.check_schema(whole)
    jsonschema_rs.meta.validate(whole)
    assert whole["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert whole["$id"] == f"urn:rounds:schema:{MAJOR}:{name}"
    assert whole["title"] == ROOT_SHAPES[name]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_everything_named_is_described_and_referred_to(name: str) -> None:
    whole = DOCUMENTS[name]
    for shape, schema in shapes(name).items():
        assert schema.get("description", "").endswith("."), shape
        if "properties" in schema:
            for key, value in schema.get("properties", {}).items():
                assert value.get("description", "").endswith("."), f"{shape}.{key}"
    assert list(whole["$defs"]) == sorted(whole["$defs"])
    assert set(references(whole)) == {f"#/$defs/{shape}" for shape in whole["$defs"]}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_titles_are_on_objects_and_enums_only(name: str) -> None:
    whole = DOCUMENTS[name]
    assert whole["title"] == ROOT_SHAPES[name]
    for shape, schema in whole["$defs"].items():
        kind = schema.get("type")
        assert schema.get("title") == (shape if kind == "object" or "enum" in schema else None)
        assert kind == "string" or "enum" not in schema
    assert b"deprecated" not in json.dumps(whole).encode()


def test_every_struct_enum_and_alias_stands_under_its_own_name() -> None:
    ways = {"Note", "EffectOn", "Handback"}
    unnamed = {shape for shape in DEFINITIONS if not hasattr(wire, shape)}
    assert {shape for shape in unnamed if not any(shape.startswith(way) and shape != way for way in ways)} == {
        "GateDenied",
        "BudgetLimit",
    }


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_definition_is_the_same_in_every_document_and_the_bundle_has_them_all(name: str) -> None:
    wording = {"$schema", "$id", "$comment", "$defs"}
    for shape, schema in DOCUMENTS[name]["$defs"].items():
        assert schema == DEFINITIONS[shape]
    if name != BUNDLE:
        own = {key: value for key, value in DOCUMENTS[name].items() if key not in wording}
        assert own == {"title": ROOT_SHAPES[name]} | DEFINITIONS[ROOT_SHAPES[name]]


def test_each_root_is_reached_from_the_top_of_the_bundle() -> None:
    assert [one["$ref"] for one in DOCUMENTS[BUNDLE]["anyOf"]] == [f"#/$defs/{root.shape}" for root in ROOTS]
    kinds = {f"payload-{kind.replace('_', '-')}" for kind in wire.PAYLOADS}
    threads = {"ask-event", "ask-turn", "ask-shown", "ask-lock"}
    dispatched = {*DISPATCHED, "stream-event", "transcript-row"}
    others = {"rounds-answer", "event-record", "any-event", "check-report"}
    assert {root.name for root in ROOTS} == kinds | threads | dispatched | others


def test_descriptions_are_for_readers_in_any_language() -> None:
    assert RECORD["description"] == "One ledger line, held to the closed set of kinds; fields stand in canonical order."
    assert RECORD["properties"]["seq"]["description"].startswith("Position in the whole ledger: 0, 1, 2 ...")
    for text in schemas().values():
        assert b"Spec: " not in text
        assert b"__" not in text


def test_enum_words_stand_in_declared_order() -> None:
    for schema in DEFINITIONS.values():
        declared = getattr(wire, schema.get("title", ""), None)
        if isinstance(declared, type) and issubclass(declared, Enum):
            assert schema["enum"] == [word.value for word in declared]
    assert ANSWER["$defs"]["EffectWord"]["enum"] == ["read", "egress", "spawn", "govern", "spend"]


def test_an_answer_requires_all_but_what_joined_later() -> None:
    optional = {
        "Call": {"exit_code", "took_us", "landing"},
        "Turn": {"returned"},
        "Used": {"cached", "cache_write", "first_us", "took_us"},
        "Opening": {"policy", "effort", "names", "parent"},
        "RoundsAnswer": {"worktree"},
        "ErrorShape": {"retry_after_ms", "gate", "provider"},
        "AttachUserBrowserEffect": {"address"},
    }
    found = {
        shape: left
        for shape, schema in shapes("rounds-answer").items()
        if (left := schema.get("properties", {}).keys() - schema.get("required", []))
    }
    assert found == optional


@pytest.mark.parametrize(
    "name", ["check-report", "ask-event", "ask-turn", "stream-event", "transcript-row", *DISPATCHED]
)
def test_what_is_written_whole_is_required_whole(name: str) -> None:
    in_answers_alone = {"idempotentReplay", "replayDiffers"}
    for shape, schema in shapes(name).items():
        optional = schema.get("properties", {}).keys() - schema.get("required", ())
        assert optional == (in_answers_alone if shape == "DispatchJournal" else set()), shape


def test_integers_have_exact_bounds_and_say_when_they_are_wide() -> None:
    wide = {"U64", "Seq", "TimeMs", "Tokens", "UsdMicros", "Micros", "I64"}
    for whole in DOCUMENTS.values():
        for shape, schema in whole["$defs"].items():
            if schema.get("type") == "integer":
                assert ("2^53" in schema["description"]) is (shape in wide)
    assert b'"minimum": 0,\n      "maximum": 18446744073709551615\n' in schemas()["rounds-answer.schema.json"]
    assert (ANSWER["$defs"]["I64"]["minimum"], ANSWER["$defs"]["I64"]["maximum"]) == (-(2**63), 2**63 - 1)
    assert (ANSWER["$defs"]["U32"]["minimum"], ANSWER["$defs"]["U32"]["maximum"]) == (0, 2**32 - 1)


def test_a_tagged_union_names_its_tag_and_every_variant_requires_it() -> None:
    unions = {shape: its for shape, its in DEFINITIONS.items() if "discriminator" in its}
    assert unions.keys() == {"Block", "Provider", "WaitEnd", "WatchdogFired", *BY_FORM}
    for union in unions.values():
        assert union["discriminator"].keys() == {"propertyName"}
        tag = union["discriminator"]["propertyName"]
        for variant in union["oneOf"]:
            schema = DEFINITIONS[variant["$ref"].removeprefix("#/$defs/")]
            assert tag in schema["required"]
            assert isinstance(schema["properties"][tag]["const"], str)


@pytest.mark.parametrize("union", ["Note", "Handback", "EffectOn", "RenderDiff"])
def test_a_second_key_is_refused_in_a_union_of_one_key_objects(union: str) -> None:
    for path in valid("Effect" if union == "EffectOn" else "RenderIntent" if union == "RenderDiff" else union):
        if isinstance(value := json.loads(path.read_bytes()), dict):
            for one in judges(union):
                assert one.accepts(value)
                assert not one.accepts(value | {"zz": {}})
                assert not one.accepts({"": None} | value)


# Examples

# What stands in a payload alone has its examples as payloads; what is a form of a line, or stands in one, as that line.
WITH_EXAMPLES = ("rounds-answer", "check-report", *DISPATCHED)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_examples(path: Path) -> None:
    text, shape = path.read_bytes(), path.parent.name
    value = json.loads(text)
    invalid = path.stem.startswith("invalid-")
    assert [one.accepts(value) for one in judges(shape)] == [not invalid] * len(judges(shape))
    if invalid:
        with pytest.raises(ValidationError):
            read(shape, text)
    else:
        again = json.loads(wire.encode(read(shape, text)))
        # A payload may leave out what is null.
        assert _without_null(again) == _without_null(value) if shape in KIND_OF else again == value


@pytest.mark.parametrize("root", ROOTS, ids=lambda root: root.name)
def test_a_value_of_any_root_fits_the_bundle(root: Root) -> None:
    assert all(judge(BUNDLE, "Rounds").accepts(json.loads(path.read_bytes())) for path in valid(root.shape))
    assert not judge(BUNDLE, "Rounds").accepts([])


def test_what_fits_two_forms_without_a_tag_is_the_first_of_them() -> None:
    both = {"job": "cas:b3-" + "0" * 64, "oid": "c" * 40}
    assert all(one.accepts(both) for one in judges("CheckpointCommitted"))
    assert isinstance(read("CheckpointCommitted", json.dumps(both).encode()), wire.JobPinned)


def test_there_is_an_example_of_everything() -> None:
    there = {path.parent.name: set[str]() for path in EXAMPLES}
    for path in EXAMPLES:
        if not path.stem.startswith("invalid-"):
            there[path.parent.name] |= {json.dumps(form) for form in _forms(json.loads(path.read_bytes()))}
    named = [item for name in WITH_EXAMPLES for item in DOCUMENTS[name]["$defs"].items()]
    shapes = {name for name, its in named if "oneOf" in its or its.get("type") == "object"}
    of_their_own = {name for name in shapes if hasattr(wire, name)} - {"NewerNote"} | set(ROOT_SHAPES.values())
    assert there.keys() == of_their_own - {ROOT_SHAPES[BUNDLE]}
    for union in BY_FORM:
        tag = DEFINITIONS[union]["discriminator"]["propertyName"]
        forms = [DEFINITIONS[one["$ref"].removeprefix("#/$defs/")] for one in DEFINITIONS[union]["oneOf"]]
        told = {json.loads(path.read_bytes())[tag] for path in valid(union)}
        assert told == {form["properties"][tag]["const"] for form in forms}, union
    assert {json.loads(path.read_bytes())["state"] for path in valid("DispatchJournal")} == set(wire.DispatchState)
    for union in ("Note", "Handback", "Effect", "RenderIntent"):
        assert there[union] >= {json.dumps(form) for form in _promised(ANSWER["$defs"][union])}, union
    records = [wire.decode(path.read_bytes(), wire.EventRecord) for path in valid("EventRecord")]
    read_as = {(record.kind, type(wire.payload(record))) for record in records}
    assert read_as >= {(kind, form) for kind, forms in wire.PAYLOADS.items() for form in forms}
    assert any(record.kind not in wire.PAYLOADS for record in records)
    for shape, kind in KIND_OF.items():
        assert {type(read(shape, path.read_bytes())) for path in valid(shape)} == set(wire.PAYLOADS[kind])


def _forms(value: Json) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


def _promised(schema: Json) -> Iterator[str]:
    if "$ref" in schema:
        schema = ANSWER["$defs"][schema["$ref"].removeprefix("#/$defs/")]
    for variant in schema.get("oneOf", ()):
        yield from _promised(variant)
    yield from schema.get("enum", ())
    yield from schema.get("properties", {})


@pytest.mark.parametrize("path", valid("EventRecord"), ids=lambda path: path.stem)
def test_a_payload_is_read_whole(path: Path) -> None:
    record = wire.decode(path.read_bytes(), wire.EventRecord)
    assert _without_null(json.loads(wire.encode(wire.payload(record)))) == _without_null(json.loads(bytes(record.data)))


def _without_null(value: Json) -> Json:
    kept = {key: _without_null(inner) for key, inner in inside(value) if inner is not None}
    return kept if isinstance(value, dict) else list(kept.values()) if isinstance(value, list) else value


def test_the_message_names_the_place_in_the_payload() -> None:
    record = json.loads((schema_dir() / "examples/EventRecord/invalid-usage-version.json").read_bytes())
    error = jsonschema.exceptions.best_match(judge("event-record", "EventRecord").python.iter_errors(record))
    assert list(error.absolute_path) == ["data", "usage"] or list(error.absolute_path) == ["data", "usage", "v"]


# Patterns


def test_every_pattern_has_texts() -> None:
    patterns = {shape: its["pattern"] for name in DOCUMENTS for shape, its in shapes(name).items() if "pattern" in its}
    assert patterns.keys() == TEXTS.keys()
    assert all(pattern[0] == "^" and pattern[-1] == "$" and r"\Z" not in pattern for pattern in patterns.values())
    for shape, texts in TEXTS.items():
        assert {fits(shape, text) for text in texts} == {True, False}


@pytest.mark.skipif(which("node") is None, reason="node is not on PATH")
@pytest.mark.parametrize("flags", ["", "u"])
def test_patterns_mean_the_same_in_ecmascript(flags: str) -> None:
    patterns = {shape: its["pattern"] for name in DOCUMENTS for shape, its in shapes(name).items() if "pattern" in its}
    asked = [
        (shape, text) for shape, texts in TEXTS.items() for text in (*texts, "\n", "a\n", "a\n\n", "\na", "\U0001f600")
    ]
    program = (
        "const asked = JSON.parse(require('fs').readFileSync(0, 'utf8'));"
        f"console.log(JSON.stringify(asked.map(([pattern, text]) => new RegExp(pattern, '{flags}').test(text))))"
    )
    questions = json.dumps([(patterns[shape], text) for shape, text in asked])
    run = subprocess.run(["node", "-e", program], input=questions.encode(), capture_output=True, check=True)
    for (shape, text), answer in zip(asked, json.loads(run.stdout), strict=True):
        assert answer is fits(shape, text), (shape, text)
