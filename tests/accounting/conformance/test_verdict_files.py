"""The published records and answers: every reader says of each what its name says, or the table says why not.

Spec: ledger.md 1, 4-6, rounds.md 1.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

import wire
from accounting.conformance.cases import conformance_dir
from accounting.ledger import verify
from tests.accounting.codegen.documents import published
from tests.agreement.differences import explaining
from tests.agreement.judges import IN_PYTHON, by_codec
from tests.wire.shapes import DOCUMENTS, Json, compact, inside
from wire import Severity

FOLDER: Final = conformance_dir()
RECORDS: Final = sorted((FOLDER / "records").glob("*/*.json"))
ANSWERS: Final = sorted((FOLDER / "answers").glob("*.json"))
JUDGES: Final[dict[str, Callable[[str, str], bool]]] = {"wire": by_codec, **IN_PYTHON}
NOT_AS_WRITTEN: Final = {"envelope/ig-false", "envelope/version-u32-max"}
"""Records that read, and that no ledger of today has as its line 0."""


def _is_valid(path: Path) -> bool:
    return path.name.endswith(".valid.json")


def _name(path: Path) -> str:
    return f"{path.parent.name}/{path.name.split('.')[0]}"


@pytest.mark.parametrize("judge", JUDGES)
def test_every_reader_says_what_the_name_says(judge: str) -> None:
    wrong = {
        one.name: way
        for valid in (True, False)
        for one in published(valid=valid)
        if JUDGES[judge](one.shape, one.text) is not valid
        and not explaining(one, judge, way := "refuses" if valid else "takes")
    }
    assert wrong == {}


def test_every_file_has_a_verdict_and_only_one() -> None:
    paths = [*RECORDS, *ANSWERS]
    assert {*paths} == {path for part in ("records", "answers") for path in (FOLDER / part).rglob("*.*")}
    assert all(re.fullmatch(r"[a-z0-9-]+\.(valid|invalid)\.json", path.name) for path in paths)
    assert len({_name(path) for path in paths}) == len(paths)
    assert min(Counter((path in ANSWERS, _is_valid(path)) for path in paths).values()) >= 100


def test_an_invalid_file_has_one_fault() -> None:
    """It differs in one place from a valid one."""
    for folder in {path.parent for path in (*RECORDS, *ANSWERS)}:
        values = {path: json.loads(path.read_text("utf-8")) for path in folder.iterdir()}
        valid = [value for path, value in values.items() if _is_valid(path)]
        apart = {
            _name(path)
            for path, value in values.items()
            if not _is_valid(path) and all(_places(value, one) != 1 for one in valid)
        }
        assert apart <= {"provider_degraded/neither-form"}


def _places(one: Json, other: Json) -> int:
    """In how many places two values differ."""
    held, held_there = dict(inside(one)), dict(inside(other))
    if type(one) is not type(other) or not held or (isinstance(one, list) and held.keys() != held_there.keys()):
        return json.dumps(one) != json.dumps(other)
    both = held.keys() & held_there.keys()
    return len(held.keys() ^ held_there.keys()) + sum(_places(held[key], held_there[key]) for key in both)


def test_every_kind_with_a_payload_of_its_own_has_records_of_both_sorts() -> None:
    names = {_name(path) for path in RECORDS if _is_valid(path)}
    assert {path.parent.name for path in RECORDS} == {*wire.PAYLOADS, "envelope"}
    assert {f"{kind}/{name}" for kind in wire.PAYLOADS for name in ("minimal", "unknown-payload-key")} <= names
    assert {path.parent.name for path in RECORDS if not _is_valid(path)} == {*wire.PAYLOADS, "envelope"}
    kinds = {path: json.loads(path.read_text("utf-8")).get("kind") for path in RECORDS}
    assert [path for path, kind in kinds.items() if path.parent.name not in (kind, "envelope")] == []


@pytest.mark.parametrize("shape", ["EventRecord", "RoundsAnswer"])
def test_every_key_and_word_of_the_schema_occurs(shape: str) -> None:
    name = {"EventRecord": "event-record", "RoundsAnswer": "rounds-answer"}[shape]
    document = DOCUMENTS[name]
    said = {one for each in published(valid=True) if each.shape == shape for one in _said(json.loads(each.text))}
    known = {one for definition, schema in _schemas(document) if definition != "Kind" for one in _told(schema)}
    assert known - said == set()


def _schemas(document: Json) -> Iterator[tuple[str, Json]]:
    yield document["title"], {key: one for key, one in document.items() if key not in ("$defs", "allOf")}
    yield from document["$defs"].items()


def _told(schema: Json) -> Iterator[str]:
    """The keys and the words of a schema."""
    keywords: dict[str, Json] = dict(inside(schema)) if isinstance(schema, dict) else {}
    yield from keywords.get("properties", {})
    words: list[Json] = [*keywords.get("enum", ()), keywords.get("const")]
    yield from (word for word in words if isinstance(word, str))
    for _, one in inside(schema):
        yield from _told(one)


def _said(value: Json) -> Iterator[str]:
    """The keys and the texts of a value."""
    if isinstance(value, str):
        yield value
    for key, one in inside(value):
        if isinstance(key, str):
            yield key
        yield from _said(one)


def test_a_record_is_one_line_in_canonical_spelling() -> None:
    for path in RECORDS:
        text = path.read_text("utf-8")
        value: dict[str, Any] = json.loads(text)
        known = [key for key in wire.EventRecord.__struct_fields__ if key in value]
        ordered = {key: value[key] for key in [*known, *value]}
        payload = json.dumps(value.get("data"), ensure_ascii=False, separators=(",", ":"), sort_keys=True)
        assert text == compact(ordered).decode() + "\n", path
        assert "data" not in value or f'"data":{payload}' in text, path


def test_a_valid_record_is_a_ledger_of_one_line(tmp_path: Path) -> None:
    """To a checker, which knows more than the schema, it has neither a fault nor a payload of another shape."""
    told = {_name(path): _findings(path, tmp_path) for path in RECORDS if _is_valid(path)}
    numbered = {name for name in told if name.startswith("envelope/seq-")}
    assert {name for name, found in told.items() if found} == NOT_AS_WRITTEN | numbered


def test_a_checker_finds_what_is_wrong_with_an_invalid_record(tmp_path: Path) -> None:
    """Of its payload that it has another shape, or what the format allows in none; or something of its envelope."""
    told = {_name(path): _findings(path, tmp_path) for path in RECORDS if not _is_valid(path)}
    assert {name for name, found in told.items() if len(found) != 1} == {"envelope/unknown-word-kind-though-ignorable"}
    payloads = {code for name, found in told.items() if not name.startswith("envelope/") for code in found}
    assert payloads == {"payload-shape", "float", "integer-range"}


def _findings(path: Path, folder: Path) -> list[str]:
    ledger = folder / "ledger.jsonl"
    ledger.write_bytes(path.read_bytes())
    return [one.code for one in verify(ledger) if one.severity is Severity.fault or one.code == "payload-shape"]


def test_a_valid_answer_is_read_and_written_again_as_it_was() -> None:
    """Less the keys that nobody knows yet, and with null for what joined later."""
    for one in published(valid=True):
        if one.shape == "RoundsAnswer" and "unknown-key" not in one.name and "older" not in one.name:
            assert json.loads(wire.encode(wire.decode(one.text, wire.RoundsAnswer))) == json.loads(one.text), one.name
