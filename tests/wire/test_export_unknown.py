"""Every enum and union says what its words are, and what a reader does with one that it does not know; it does so."""

import json
import re
from collections.abc import Iterator
from enum import Enum
from typing import Any

import pytest
from msgspec import Raw, ValidationError, structs

import wire
from wire.export import schema_dir
from wire.export.unknown import UNKNOWN

from .shapes import DOCUMENTS, Json

DEFINITIONS: dict[str, Json] = DOCUMENTS["rounds"]["$defs"]
SENTENCE = re.compile(r"A (?:word|form) that is not here is (kept|ignored|refused)[.;]")
EXAMPLES = schema_dir() / "examples"


def example(name: str) -> Json:
    return json.loads((EXAMPLES / f"{name}.json").read_bytes())


def choices() -> Iterator[tuple[str, str, Json]]:
    """Every place where one word or form of several may stand: its name, its description, and its schema."""
    for name, schema in DEFINITIONS.items():
        if "enum" in schema or ("oneOf" in schema and schema.get("type") != "object") or _is_several(schema):
            yield name, schema["description"], schema
        for key, value in schema.get("properties", {}).items():
            tag = value.get("const") is not None and value["description"] == "Says which form this is."
            if not tag and any("const" in one or "title" in one for one in (value, *value.get("anyOf", ()))):
                yield f"{name}.{key}", value["description"], value


def _is_several(schema: Json) -> bool:
    return len(schema.get("anyOf", ())) > 1 and "type" not in schema


CHOICES = {name: (text, schema) for name, text, schema in choices()}


def test_the_table_and_the_schema_name_the_same_enums_and_unions() -> None:
    assert CHOICES.keys() == UNKNOWN.keys()


@pytest.mark.parametrize("name", CHOICES)
def test_each_says_what_becomes_of_what_it_does_not_list(name: str) -> None:
    text, _ = CHOICES[name]
    assert SENTENCE.findall(text) == [UNKNOWN[name].fate]


@pytest.mark.parametrize("name", [name for name, (_, schema) in CHOICES.items() if "enum" in schema])
def test_every_word_is_described(name: str) -> None:
    text, schema = CHOICES[name]
    words = schema["enum"]
    assert [word for word in words if f"`{word}`" not in text] == []
    listed = re.findall(r"^- `([^`]+)`: .+\.$", text, re.MULTILINE)
    if isinstance(getattr(wire, name, None), type):
        assert listed == words


# What the code does


@pytest.mark.parametrize("name", [name for name in UNKNOWN if isinstance(getattr(wire, name, None), type)])
def test_an_unknown_word_is_refused_where_an_enum_says_so(name: str) -> None:
    form = getattr(wire, name)
    if issubclass(form, Enum):
        assert UNKNOWN[name].fate == "refused"
        with pytest.raises(ValidationError):
            wire.decode(b'"word_of_tomorrow"', form)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Handback", b'{"paused":{}}'),
        ("Effect", b'{"dream":{}}'),
        ("Effect", b'"dream"'),
        ("EffectOn", b'{"dream":{}}'),
        ("EffectWord", b'"dream"'),
        ("RenderIntent", b'{"picture":{}}'),
        ("RenderIntentWord", b'"picture"'),
        ("Provider", b'{"kind":"asleep"}'),
        ("Block", b'{"kind":"song"}'),
        ("WaitEnd", b'{"end":"tired"}'),
        ("WatchdogFired", b'{"action":"nap","corrections":0,"provider_failures":0}'),
        ("StreamEvent", b'{"event":"tide","kind":"high"}'),
        ("TranscriptRow", b'{"row":"sung","id":null,"parentId":null,"t":null,"text":"la"}'),
        # One by itself; that a reader of a thread passes over it is shown where threads are read.
        ("AskEvent", b'{"t":"note","seq":1}'),
    ],
)
def test_an_unknown_form_does_not_decode(name: str, text: bytes) -> None:
    assert UNKNOWN[name].fate == ("ignored" if name == "AskEvent" else "refused")
    with pytest.raises(ValidationError):
        wire.decode(text, getattr(wire, name))


@pytest.mark.parametrize(
    ("name", "kind", "payload"),
    [
        ("CheckpointCommitted", "checkpoint_committed", {"tag": "v1"}),
        ("ProviderDegraded", "provider_degraded", {"mood": "low"}),
        ("RunFrozen.cause", "run_frozen", {"completion": "done", "cause": "boredom"}),
        ("ApprovalResolved.verdict", "approval_resolved", example("ApprovalResolved/1-whole") | {"verdict": "maybe"}),
        (
            "QuestionCluster.class",
            "approval_requested",
            example("ApprovalRequested/1-whole") | {"cluster_key": {"class": "riddle", "detail": ""}},
        ),
    ],
)
def test_an_unknown_word_or_form_in_a_payload_is_refused(name: str, kind: str, payload: Json) -> None:
    assert UNKNOWN[name].fate == "refused"
    line = wire.decode(json.dumps(example("EventRecord/01-city-initialized")), wire.EventRecord)
    with pytest.raises(ValidationError):
        wire.payload(structs.replace(line, kind=wire.Kind(kind), data=Raw(json.dumps(payload).encode())))


def test_a_newer_note_is_kept() -> None:
    assert UNKNOWN["Note"].fate == "kept"
    text = b'{"applauded":{"by":"ada"}}'
    note: Any = wire.decode(text, wire.Note)
    assert isinstance(note, wire.NewerNote)
    assert wire.encode(note) == text


def test_a_line_of_a_newer_kind_is_kept_by_any_event() -> None:
    line = example("AnyEvent/3-a-newer-kind")
    text = json.dumps(line, separators=(",", ":")).encode()
    event = wire.decode(text, wire.AnyEvent)
    assert (event.known, wire.encode(event)) == (None, text)
    with pytest.raises(ValidationError):
        wire.decode(text, wire.EventRecord)


@pytest.mark.parametrize("path", sorted((EXAMPLES / "EventRecord").glob("[0-9]*.json")), ids=lambda path: path.stem)
def test_a_line_of_a_known_kind_is_known_to_any_event(path: Any) -> None:
    text = path.read_bytes()
    assert wire.decode(text, wire.AnyEvent).known == wire.decode(text, wire.EventRecord)


# Null


def _takes_null(schema: Json) -> bool:
    kinds = schema.get("type", ())
    several = [one for key in ("anyOf", "oneOf") for one in schema.get(key, ())]
    return kinds == "null" or "null" in kinds or None in schema.get("enum", ()) or any(map(_takes_null, several))


def test_what_takes_null_says_so_in_that_word() -> None:
    silent = [
        f"{name}.{key}"
        for name, schema in DEFINITIONS.items()
        for key, value in schema.get("properties", {}).items()
        if _takes_null(value) and not re.search(r"\bnull\b", value["description"])
    ]
    assert silent == []


def test_what_may_be_null_or_absent_says_what_that_means() -> None:
    silent = [
        f"{name}.{key}"
        for name, schema in DEFINITIONS.items()
        for key, value in schema.get("properties", {}).items()
        if (_takes_null(value) or key not in schema.get("required", ()))
        and not re.search("null|absent", value["description"], re.IGNORECASE)
    ]
    assert silent == []
