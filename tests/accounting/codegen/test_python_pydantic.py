"""The Pydantic models that are shipped: they are what is generated, and convert from and to Structs without loss."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Final, assert_type

import msgspec
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import wire
from tests.accounting.cli.help import environment, process
from tests.accounting.codegen.documents import turn_with
from tests.accounting.codegen.test_python import UNSAID
from tests.wire.shapes import DOCUMENTS, values
from wire import NewerNote, RoundsAnswer, Turn
from wire.answer.note import NEWER_KEY_REFUSED, newer_note
from wire.export import BUNDLE, schema_dir

pydantic: Any = pytest.importorskip("pydantic")
from wire.pydantic import from_pydantic, models, to_pydantic  # noqa: E402 - only where pydantic is

SHAPES: Final = sorted(
    name
    for name in DOCUMENTS[BUNDLE]["$defs"]
    if isinstance(form := getattr(wire, name, None), type)
    and issubclass(form, msgspec.Struct)
    and form is not NewerNote
)
EXAMPLES: Final = schema_dir() / "examples"
KNOWN: Final = wire.Note.__struct_fields__
SLOW: Final = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example)
ANSWER: Final = wire.decode(next(iter(sorted(EXAMPLES.glob("RoundsAnswer/1-*.json")))).read_bytes(), RoundsAnswer)


def test_what_is_shipped_is_what_is_generated_whatever_stands_around(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("datamodel_code_generator")
    (tmp_path / "pyproject.toml").write_text("[tool.datamodel-codegen]\nclass-name-prefix = 'Other'\n")
    monkeypatch.chdir(tmp_path)
    env = environment(PYTHONHASHSEED="7", TMPDIR=str(tmp_path))
    done = process("codegen", "pydantic", "--check", "--out", Path(models.__file__).parent, env=env)
    assert (done.returncode, done.stderr) == (0, b"")


def test_wire_alone_does_not_import_it() -> None:
    program = "import sys, wire; sys.exit('pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_it_has_every_name() -> None:
    assert [name for name in DOCUMENTS[BUNDLE]["$defs"] if not hasattr(models, name)] == []


# To and from the Structs


@pytest.mark.parametrize("shape", SHAPES)
@settings(max_examples=25, deadline=None, suppress_health_check=SLOW)
@given(st.data())
def test_no_shape_loses_anything(shape: str, data: st.DataObject) -> None:
    form = getattr(wire, shape)
    value = data.draw(values(form))
    model = to_pydantic(value, getattr(models, shape))
    # By their JSON, because a value that holds raw JSON equals no other.
    assert wire.encode(from_pydantic(model, form)) == wire.encode(value)
    dumped = pydantic.TypeAdapter(getattr(models, shape)).dump_json(model)
    assert json.dumps(json.loads(dumped)) == json.dumps(json.loads(wire.encode(value)))


def test_an_answer_is_typed_on_both_sides() -> None:
    model = to_pydantic(ANSWER, models.RoundsAnswer)
    assert_type(model, models.RoundsAnswer)
    again = from_pydantic(model, RoundsAnswer)
    assert_type(again, RoundsAnswer)
    assert again == ANSWER
    assert model == models.RoundsAnswer.model_validate_json(wire.encode(ANSWER))


@pytest.mark.parametrize("name", UNSAID)
def test_what_a_model_cannot_say_is_refused_on_the_way(name: str) -> None:
    shape, _, case = name.partition("/")
    text = (EXAMPLES / shape / f"{case}.json").read_bytes()
    model = pydantic.TypeAdapter(getattr(models, shape)).validate_json(text)
    form = wire.RecordedError if shape == "BudgetLimit" else getattr(wire, shape)
    with pytest.raises(msgspec.ValidationError):
        _whole(from_pydantic(model, form))


def _whole(value: Any) -> Any:
    return wire.payload(value) if isinstance(value, wire.EventRecord) else value


def test_another_type_is_refused() -> None:
    with pytest.raises(pydantic.ValidationError):
        to_pydantic(ANSWER, models.Turn)
    with pytest.raises(msgspec.ValidationError):
        from_pydantic(to_pydantic(ANSWER, models.RoundsAnswer), Turn)


def test_what_a_struct_would_not_read_makes_no_model() -> None:
    with pytest.raises(pydantic.ValidationError):
        to_pydantic(wire.Discarded(count=2**64, at=0), models.Discarded)


JSON: Final = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
KEYS: Final = st.text().filter(lambda key: not re.search(NEWER_KEY_REFUSED, key) and key not in KNOWN)


@settings(deadline=None)
@given(key=KEYS, content=JSON)
@example(key="", content=None)
@example(key="\u007f\u200b\U000e0001", content={"a": [2**70, -(2**70), 1.5, 1e300, "A"]})
@example(key="notes", content=-0.0)
def test_a_newer_note_keeps_its_value(key: str, content: Any) -> None:
    note = newer_note(key, json.dumps(content).encode())
    again = from_pydantic(to_pydantic(note, models.Note), wire.Note)
    assert isinstance(again, NewerNote)
    assert (again.key, repr(json.loads(bytes(again.content)))) == (key, repr(content))


@pytest.mark.parametrize(
    ("spelled", "kept"),
    [
        ("1.50", "1.5"),
        ("1e2", "100.0"),
        ("-0", "0"),
        (r'"\u0041"', '"A"'),
        ('{"a":1,"a":2}', '{"a":2}'),
        ("0.1000000000000000055511151231257827", "0.1"),
    ],
)
def test_but_not_how_its_content_was_spelled(spelled: str, kept: str) -> None:
    again = from_pydantic(to_pydantic(newer_note("sung", spelled.encode()), models.Note), wire.Note)
    assert again == newer_note("sung", kept.encode())


def test_a_newer_note_with_a_number_past_doubles_makes_no_model() -> None:
    with pytest.raises(pydantic.ValidationError):
        to_pydantic(newer_note("sung", b"[1e400]"), models.Note)


# What the models are like


@pytest.mark.parametrize("number", ["1e400", "-1e400", "NaN", "-Infinity"])
@pytest.mark.parametrize(
    ("shape", "text"),
    [
        ("Note", '{"sung":%s}'),
        ("Turn", turn_with('{"sung":{"a":[0,{"b":%s}]}}')),
        ("ToolCalled", '{"id":"","name":"","args":{"a":%s}}'),
        ("ToolResult", '{"tool_use_id":"","name":"","result":{"a":[%s]}}'),
        ("FileDiscarded", '{"paths":[],"restoration":%s}'),
        ("ToolUseBlock", '{"kind":"tool_use","id":"","name":"","input":[[%s]]}'),
    ],
)
def test_no_number_would_be_written_as_null(shape: str, text: str, number: str) -> None:
    adapter = pydantic.TypeAdapter(getattr(models, shape))
    reason = "no number of JSON, or past those that a double holds"
    with pytest.raises(pydantic.ValidationError, match=reason):
        adapter.validate_json(text % number)


def test_a_float_that_is_no_number_cannot_be_put_in_either() -> None:
    with pytest.raises(pydantic.ValidationError):
        models.ToolCalled(id="a", name="b", args={"x": [float("inf")]})


@pytest.mark.parametrize(("version", "reads"), [("1", 1), ("null", 1), ("true", 0), ("1.0", 0), ("2", 0), ("0", 0)])
def test_the_version_of_a_usage_row_is_the_number_one(version: str, reads: int) -> None:
    text = f'{{"input_tokens":1,"output_tokens":1,"v":{version}}}'
    if reads:
        assert models.Usage.model_validate_json(text).model_dump_json() == text
    else:
        with pytest.raises(pydantic.ValidationError):
            models.Usage.model_validate_json(text)


def test_absent_is_not_null() -> None:
    text = b'{"task":"","goal":"","at":0,"dispatched_by":null}'
    opening = models.Opening.model_validate_json(text)
    assert (opening.dispatched_by, opening.effort) == (None, pydantic.MISSING)
    assert opening.model_dump_json().encode() == text
    with_null = models.Opening.model_validate_json(text[:-1] + b',"effort":null}')
    assert with_null.effort is None
    assert b'"effort":null' in with_null.model_dump_json().encode()


def test_keys_that_are_no_names_are_written_as_they_are_read() -> None:
    cluster = models.QuestionCluster(class_="question", detail="x")
    assert json.loads(cluster.model_dump_json()) == {"class": "question", "detail": "x"}


def test_they_do_not_change() -> None:
    with pytest.raises(pydantic.ValidationError):
        to_pydantic(ANSWER, models.RoundsAnswer).run = "x"


def test_fields_are_described() -> None:
    assert models.RoundsAnswer.__doc__ == "One session, whole or the newest part of it, as turns."
    assert models.RoundsAnswer.model_fields["run"].description == "The session."
