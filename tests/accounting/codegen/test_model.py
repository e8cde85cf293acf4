"""The bundle as definitions: nothing of it is lost, and what has no meaning here is refused with its place."""

from typing import Any

import pytest

from accounting.codegen import model
from accounting.codegen.model import Field, Named, Shape, Union, Whole, definitions, member
from accounting.codegen.rule import All, Has, Holds, Not, Null, One, rule
from accounting.codegen.rule import Any as AnyOf
from wire.export import bundle


def test_every_definition_and_field_of_the_bundle_is_there() -> None:
    found = definitions()
    for name, schema in bundle()["$defs"].items():
        one = found[name]
        assert one.name == name
        assert one.text == schema["description"]
        if isinstance(one, Shape):
            assert [field.key for field in one.fields] == list(schema["properties"])
            assert [field.key for field in one.fields if field.required] == [
                key for key in schema["properties"] if key in schema.get("required", ())
            ]


def test_a_field_a_number_and_unions_by_hand() -> None:
    found = definitions()
    call = found["Call"]
    assert isinstance(call, Shape)
    assert call.fields[-1] == Field("landing", call.fields[-1].text, Named("Landing"), False, True, None)
    assert found["TurnNumber"] == Whole("TurnNumber", found["TurnNumber"].text, 1, 2**32 - 1)
    told = {name: found[name] for name in ("Provider", "Note", "Effect", "CheckpointCommitted")}
    assert [one.told_by for one in told.values() if isinstance(one, Union)] == ["tag", "key", "type", "reading"]


def test_rules_by_hand() -> None:
    found = {name: one.rule for name, one in definitions().items() if isinstance(one, Shape) and one.rule is not None}
    assert set(found) == {"RecordedError", "ToolResult", "DispatchJournal"}
    has, null = Has("result"), Null("result")
    answered = All((has, Not(null), Not(Has("error"))))
    assert found["ToolResult"] == One((answered, All((Has("error"), AnyOf((Not(has), null))))))
    assert found["RecordedError"] == AnyOf(
        (All((Has("retry"), Not(Null("retry")))), All((Has("retriable"), Not(Null("retriable")))))
    )
    journal = found["DispatchJournal"]
    assert isinstance(journal, All)
    assert journal.rules[0] == AnyOf((Not(Holds("state", ("queued", "running"))), Null("stateSource")))


def test_words_as_names() -> None:
    assert [member(word) for word in ("process-exit", "E_TIMEOUT", "open_ai")] == ["ProcessExit", "ETimeout", "OpenAi"]


@pytest.mark.parametrize(
    ("schema", "place"),
    [
        ({"type": "number"}, "Odd: no definition"),
        ({"type": "object", "properties": {"a": {"type": "array", "items": {}, "minItems": 1}}}, "OddA: no field"),
        ({"type": "object", "properties": {"a": {"type": "object", "maxProperties": 1}}}, "OddA: no field"),
        ({"type": "object", "properties": {"a": {}}, "anyOf": [{"minProperties": 1}]}, "minProperties"),
        (
            {"type": "object", "properties": {"a": {}}, "anyOf": [{"properties": {"a": {"type": "string"}}}]},
            "a: no rule",
        ),
    ],
)
def test_what_has_no_meaning_here_is_refused(monkeypatch: pytest.MonkeyPatch, schema: Any, place: str) -> None:
    monkeypatch.setattr(model, "bundle", lambda: {"$defs": {"Odd": {"description": "Odd.", **schema}}})
    with pytest.raises(TypeError, match=place):
        definitions()


def test_a_rule_about_a_field_that_is_always_there_does_not_ask_whether_it_is() -> None:
    schema = {"properties": {"a": {"type": "null"}}, "required": ["a"]}
    assert rule(schema, frozenset("a")) == Null("a")
    assert rule(schema, frozenset()) == All((Has("a"), Null("a")))
