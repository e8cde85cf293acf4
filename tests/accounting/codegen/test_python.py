"""The Python flavours, each as its page says to use it: what is valid comes back as it was, what is not is refused."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

import wire
from accounting.codegen import LANGUAGES
from tests.accounting.codegen.clients import known, spelled
from tests.accounting.codegen.documents import published
from tests.accounting.codegen.flavours import FILES, PAYLOADS, Flavour, RefusedError, flavour
from tests.agreement.differences import explaining
from tests.wire.shapes import TEXTS, Json, fits, inside
from wire.export import schema_dir

EXAMPLES: Final = sorted((schema_dir() / "examples").glob("*/*.json"))
VALID: Final = [path for path in EXAMPLES if not path.stem.startswith("invalid-")]
INVALID: Final = [path for path in EXAMPLES if path.stem.startswith("invalid-")]

TOGETHER: Final = "how two fields go together is no type; `from_pydantic` refuses it"
UNSAID: Final[Mapping[str, str]] = {
    "BudgetLimit/invalid-no-retry-nor-retriable": TOGETHER,
    "DispatchJournal/invalid-cancelled-by-transcript": TOGETHER,
    "DispatchJournal/invalid-running-with-a-source": TOGETHER,
    "DispatchJournal/invalid-succeeded-by-process-exit": TOGETHER,
    "DispatchJournal/invalid-succeeded-without-a-source": TOGETHER,
    "EventRecord/invalid-neither-result-nor-error": TOGETHER,
    "EventRecord/invalid-no-retry-nor-retriable": TOGETHER,
    "EventRecord/invalid-null-result-and-no-error": TOGETHER,
    "EventRecord/invalid-result-and-error": TOGETHER,
    "ToolResult/invalid-neither-result-nor-error": TOGETHER,
}
"""What the flavours that Pydantic checks let pass, as docs/clients/python.md tells."""
BY_PYDANTIC: Final = ("pydantic", "dataclass")


@pytest.fixture(scope="module", params=FILES)
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Flavour]:
    name: str = request.param
    if name != "msgspec":
        pytest.importorskip("datamodel_code_generator")
    folder = tmp_path_factory.mktemp(name)
    written = LANGUAGES[name].generate(folder)
    assert folder / FILES[name] in written
    return name, flavour(name, folder)


def _id(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def _without_default(value: Json) -> Json:
    kept = {
        key: _without_default(inner)
        for key, inner in inside(value)
        if inner is not None and (key, inner) != ("ig", False)
    }
    return kept if isinstance(value, dict) else list(kept.values()) if isinstance(value, list) else value


def _reads(of: Flavour, shape: str, text: str) -> bool:
    try:
        of.read(shape, text)
    except RefusedError:
        return False
    return True


@pytest.mark.parametrize("path", VALID, ids=_id)
def test_what_is_valid_comes_back_as_it_was(made: tuple[str, Flavour], path: Path) -> None:
    (name, of), shape, text = made, path.parent.name, path.read_text("utf-8")
    again = json.loads(of.write(shape, of.read(shape, text)))
    if name == "msgspec" and shape in PAYLOADS:
        # The Structs write null for what a payload left out.
        again, text = _without_default(again), json.dumps(_without_default(json.loads(text)))
    assert json.dumps(again, sort_keys=True) == json.dumps(json.loads(text), sort_keys=True)


@pytest.mark.parametrize("path", INVALID, ids=_id)
def test_what_is_invalid_is_refused_or_told(made: tuple[str, Flavour], path: Path) -> None:
    name, of = made
    let_pass = name in BY_PYDANTIC and _id(path) in UNSAID
    assert _reads(of, path.parent.name, path.read_text("utf-8")) is let_pass


def test_what_is_published_comes_back_as_it_was(made: tuple[str, Flavour]) -> None:
    name, of = made
    for one in published(valid=True):
        again, text = known(of.write(one.shape, of.read(one.shape, one.text)).decode()), known(one.text)
        if name == "msgspec":
            # The Structs write null for what an answer may leave out, and leave out `ig` where it is false.
            again, text = (json.dumps(_without_default(json.loads(each))) for each in (again, text))
        assert spelled(again) == spelled(text), one.name


def test_what_is_published_as_invalid_is_refused_or_told(made: tuple[str, Flavour]) -> None:
    name, of = made
    for one in published(valid=False):
        let_pass = name in BY_PYDANTIC and explaining(one, "pydantic", "takes") != []
        assert _reads(of, one.shape, one.text) is let_pass, one.name


def test_the_table_names_examples() -> None:
    assert UNSAID.keys() <= {_id(path) for path in INVALID}


# One fault each, in values small enough to see.

TURN: Final[Mapping[str, Json]] = {
    "number": 1, "opened": 0, "t": 0, "timing": "measured", "first_at": None, "model": None, "said": None,
    "thought": None, "spent": None, "used": None, "stopped": None, "calls": [], "notes": [],
}  # fmt: skip
BLOCK: Final = '{"message":{"role":"assistant","content":[%s]},"calls":0}'


@pytest.mark.parametrize("number", [0, 2**53 - 1, 2**53 + 1, 2**63 + 1, 2**64 - 1])
def test_integers_are_exact(made: tuple[str, Flavour], number: int) -> None:
    _, of = made
    text = json.dumps(dict(TURN) | {"spent": number, "notes": [{"discarded": {"count": number, "at": number}}]})
    again = json.loads(of.write("Turn", of.read("Turn", text)))
    assert (again["spent"], again["notes"]) == (number, [{"discarded": {"count": number, "at": number}}])
    assert type(again["spent"]) is int


@pytest.mark.parametrize("number", ["-1", "18446744073709551616", "1.5", '"1"', "true", "[1]"])
def test_what_is_no_u64_is_refused(made: tuple[str, Flavour], number: str) -> None:
    _, of = made
    assert not _reads(of, "Discarded", f'{{"count":{number},"at":0}}')


def test_minus_zero_is_zero(made: tuple[str, Flavour]) -> None:
    _, of = made
    again = json.loads(of.write("Discarded", of.read("Discarded", '{"count":-0,"at":0}')))
    assert json.dumps(again) == '{"count": 0, "at": 0}'


@pytest.mark.parametrize(
    ("shape", "text"), [("Note", '{"sung":1e400}'), ("ToolCalled", '{"id":"","name":"","args":{"a":[1e400]}}')]
)
def test_a_number_that_no_double_holds_is_kept_or_refused(made: tuple[str, Flavour], shape: str, text: str) -> None:
    name, of = made
    if name == "typeddict":
        with pytest.raises(ValueError, match="not JSON compliant"):
            of.write(shape, of.read(shape, text))
    elif name == "msgspec" and shape == "Note":
        assert of.write(shape, of.read(shape, text)).decode() == text
    else:
        assert not _reads(of, shape, text)


@pytest.mark.parametrize(("version", "reads"), [("1", True), ("null", True), ("2", False), ("true", False)])
def test_the_version_of_a_usage_row_is_one(made: tuple[str, Flavour], version: str, reads: bool) -> None:
    assert _reads(made[1], "Usage", f'{{"input_tokens":1,"output_tokens":1,"v":{version}}}') is reads


@pytest.mark.parametrize("exit_code", [-(2**63), 2**63 - 1])
def test_signed_integers_are_exact(made: tuple[str, Flavour], exit_code: int) -> None:
    _, of = made
    call = {
        "tool": "t", "subject": None, "arguments": None, "outcome": "waiting", "at": 0, "output": None, "called": 0,
        "answered": None, "timing": "measured", "effect": None, "render": None, "exit_code": exit_code,
    }  # fmt: skip
    assert json.loads(of.write("Call", of.read("Call", json.dumps(call))))["exit_code"] == exit_code
    further = exit_code + (1 if exit_code > 0 else -1)
    assert not _reads(of, "Call", json.dumps(call | {"exit_code": further}))


@pytest.mark.parametrize(
    ("block", "reads"),
    [
        ('{"kind":"text","text":"x"}', True),
        ('{"kind":"thinking","text":"x"}', False),
        ('{"kind":"txet","text":"x"}', False),
        ('{"text":"x"}', False),
        ('{"kind":null,"text":"x"}', False),
        ('{"kind":"text"}', False),
        ('{"kind":"text","text":null}', False),
        ('{"kind":"text","text":1}', False),
    ],
)
def test_a_tag_decides(made: tuple[str, Flavour], block: str, reads: bool) -> None:
    assert _reads(made[1], "ModelReturned", BLOCK % block) is reads


@pytest.mark.parametrize(
    ("note", "reads"),
    [
        ('{"discarded":{"count":1,"at":2}}', True),
        ('{"applauded":{"by":"x"}}', True),
        ('{"applauded":null}', True),
        ('{"\u007f":0}', True),
        ('{"\u200b":0}', True),
        ('{"\U000e0001":0}', True),
        ('{"discarded":{"count":1}}', False),
        ('{"discarded":null}', False),
        ('{"discarded":{"count":1,"at":2},"waiting":{"at":1,"t":1,"answered":null}}', False),
        ('{"discarded":{"count":1,"at":2},"applauded":1}', False),
        ('{"applauded":1,"hissed":2}', False),
        ("{}", False),
        ('"discarded"', False),
        ('{"a\\"b":1}', False),
    ],
)
def test_one_key_tells_a_note(made: tuple[str, Flavour], note: str, reads: bool) -> None:
    _, of = made
    assert _reads(of, "Note", note) is reads
    assert _reads(of, "Turn", json.dumps(dict(TURN) | {"notes": [json.loads(note)]})) is reads
    if reads:
        assert json.loads(of.write("Note", of.read("Note", note))) == json.loads(note)


@pytest.mark.parametrize("key", wire.Note.__struct_fields__)
def test_a_known_note_that_is_wrong_is_no_newer_note(made: tuple[str, Flavour], key: str) -> None:
    for content in ("null", "{}", '{"at":-1}'):
        assert not _reads(made[1], "Note", f'{{"{key}":{content}}}')


@pytest.mark.parametrize(
    ("change", "reads"),
    [
        ({}, True),
        ({"timing": "guessed"}, False),
        ({"timing": "Measured"}, False),
        ({"timing": None}, False),
        ({"number": 0}, False),
        ({"said": 1}, False),
        ({"calls": {}}, False),
        ({"model": "x"}, True),
        ({"returned": None}, True),
        ({"a newer field": {"x": 1}}, True),
    ],
)
def test_words_limits_and_unknown_keys(made: tuple[str, Flavour], change: dict[str, Json], reads: bool) -> None:
    assert _reads(made[1], "Turn", json.dumps(dict(TURN) | change)) is reads


@pytest.mark.parametrize("key", [key for key, value in TURN.items() if value is not None])
def test_what_is_required_is_missed(made: tuple[str, Flavour], key: str) -> None:
    assert not _reads(made[1], "Turn", json.dumps({one: value for one, value in TURN.items() if one != key}))


@pytest.mark.parametrize(
    ("extra", "reads"), [({}, True), ({"addr": None}, False), ({"zz": 1}, False), ({"ig": True}, True)]
)
def test_an_envelope_is_closed_and_absent_is_not_null(
    made: tuple[str, Flavour], extra: dict[str, Json], reads: bool
) -> None:
    _, of = made
    record = {
        "v": 2, "run": "0" * 8 + "-0000-0000-0000-" + "0" * 12, "seq": 2**64 - 1, "prev": "0" * 64, "t": 0,
        "who": "city", "kind": "run_forked", "data": {"deep": [{"x": 2**64 - 1}]}, **extra,
    }  # fmt: skip
    assert _reads(of, "EventRecord", json.dumps(record)) is reads
    if reads:
        assert json.loads(of.write("EventRecord", of.read("EventRecord", json.dumps(record)))) == record


def test_what_may_be_absent_stays_absent(made: tuple[str, Flavour]) -> None:
    name, of = made
    opening = {"task": "", "goal": "", "at": 0, "dispatched_by": None}
    again = json.loads(of.write("Opening", of.read("Opening", json.dumps(opening))))
    # The Structs write null, which means the same there.
    assert again == (opening | dict.fromkeys(("policy", "effort", "names", "parent")) if name == "msgspec" else opening)


@pytest.mark.parametrize("shape", TEXTS)
def test_grammars_are_held(made: tuple[str, Flavour], shape: str) -> None:
    for text in (*TEXTS[shape], "\n", "a\n"):
        assert _reads(made[1], shape, json.dumps(text)) is fits(shape, text), text


@pytest.mark.parametrize("address", TEXTS["Address"])
def test_grammars_are_held_deep_inside(made: tuple[str, Flavour], address: str) -> None:
    note = {"awaiting_reply": {"on": address, "until": 0, "t": 0, "ended": None, "at": 0}}
    assert _reads(made[1], "Turn", json.dumps(dict(TURN) | {"notes": [note]})) is fits("Address", address)
