"""Both sides of the protocol, held to its published schema."""

import json
from base64 import b64encode
from importlib import import_module
from io import BytesIO
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import ValidationError, convert

from accounting.conformance.cases import conformance_dir
from accounting.conformance.long_lived import as_line, as_text
from accounting.conformance.protocol import SPEC, Check, Fold, ProtocolReply, Request, Start, Stop
from accounting.conformance.protocol_schema import FILE, protocol_schema
from accounting.conformance.serving import main, serve
from tests.accounting.conformance.fakes import RUN
from wire.export import schema_dir

Draft202012Validator: Any = import_module("jsonschema").Draft202012Validator
SCHEMA: dict[str, Any] = json.loads(protocol_schema())
WHOLE = Draft202012Validator(SCHEMA)
SIDES = {
    side: Draft202012Validator({"$ref": f"#/$defs/{side}", "$defs": SCHEMA["$defs"]})
    for side in ("Request", "ProtocolReply")
}


def test_the_published_schema_is_the_exported_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert (schema_dir() / FILE).read_bytes() == protocol_schema()


@settings(max_examples=40)
@given(st.binary(max_size=20) | st.text(max_size=20).map(str.encode), st.integers(0, 2**64 - 1))
def test_what_is_sent_fits_the_schema(ledger: bytes, number: int) -> None:
    text, data = as_text(ledger)
    for request in (
        Start(protocol=1, spec="1.0"),
        Fold(id=number, run=RUN, ledger=text, ledger_base64=data),
        Check(id=number, ledger=text, ledger_base64=data),
        Stop(),
    ):
        line = as_line(request)
        assert line.count(b"\n") == 1
        assert line.endswith(b"\n")
        SIDES["Request"].validate(json.loads(line))
        WHOLE.validate(json.loads(line))
        assert convert(json.loads(line), Request) == request


REPLIES: list[tuple[dict[str, Any], bool]] = [
    ({"re": "start", "protocol": 1, "name": "x", "version": "1", "more": 0}, True),
    ({"re": "start", "protocol": 2, "name": "x", "version": "1"}, False),
    ({"re": "start", "protocol": 1, "name": "x"}, False),
    ({"re": "fold", "id": 0, "answer": {}}, True),
    ({"re": "fold", "id": 2**64 - 1, "rejected": ""}, True),
    ({"re": "fold", "id": -1, "answer": {}}, False),
    ({"re": "fold", "id": "0", "answer": {}}, False),
    ({"re": "fold", "id": 0, "answer": None}, False),
    ({"re": "fold", "id": 0, "answer": "{}"}, False),
    ({"re": "fold", "id": 0, "answer": {}, "rejected": None}, False),
    ({"re": "check", "id": 0, "findings": []}, True),
    ({"re": "check", "id": 0, "findings": [{"code": "x", "line": 1}]}, True),
    ({"re": "check", "id": 0, "findings": [{"code": "x"}]}, False),
    ({"re": "check", "id": 0, "findings": {}}, False),
    ({"re": "stop"}, False),
    ({"id": 0, "answer": {}}, False),
]


@pytest.mark.parametrize(("reply", "fits"), REPLIES)
def test_what_is_taken_is_what_the_schema_allows(reply: dict[str, Any], fits: bool) -> None:
    assert SIDES["ProtocolReply"].is_valid(reply) == fits
    try:
        convert(reply, ProtocolReply)
    except ValidationError as error:
        assert not fits
        assert any(f"`{word}`" in str(error) or f"$.{word}" in str(error) for word in ("re", *reply, "version"))
    else:
        assert fits


def test_exactly_one_of_two_keys() -> None:
    both: dict[str, Any] = {"re": "fold", "id": 0, "answer": {}, "rejected": ""}
    for reply in ({"re": "fold", "id": 0}, both):
        assert not SIDES["ProtocolReply"].is_valid(reply)
    for request in ({"cmd": "check", "id": 0}, {"cmd": "check", "id": 0, "ledger": "", "ledger_base64": ""}):
        assert not SIDES["Request"].is_valid(request)


def test_every_message_is_in_the_schema() -> None:
    shapes = {shape.__name__ for side in (Request, ProtocolReply) for shape in get_args(side)}
    assert shapes <= SCHEMA["$defs"].keys()


def test_the_reference_takes_any_ledger_and_answers_in_turn() -> None:
    requests: tuple[Request, ...] = (
        Start(protocol=1, spec=SPEC),
        *(Fold(id=number, run=RUN, ledger_base64=b64encode(b"\xff\n").decode()) for number in (1, 2)),
        Check(id=3, ledger_base64=b64encode(b"\xff\n").decode()),
        Check(id=4, ledger=""),
        Stop(),
        Check(id=5, ledger=""),
    )
    replies = BytesIO()
    serve(BytesIO(b"".join(map(as_line, requests))), replies)
    said = [json.loads(line) for line in replies.getvalue().splitlines()]
    for reply in said:
        SIDES["ProtocolReply"].validate(reply)
    assert [reply.get("id") for reply in said] == [None, 1, 2, 3, 4]
    assert said[1]["answer"]["turns"] == []
    assert [reply["findings"] for reply in said[3:]] == [[{"code": "not-a-line", "line": 1}], []]


def test_the_published_cases_are_of_the_same_specification() -> None:
    assert json.loads((conformance_dir() / "index.json").read_bytes())["spec"] == SPEC


def test_the_reference_says_how_it_is_called(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["no", "such"]) == 2
    assert "fold RUN | check | lines" in capsys.readouterr().err
    assert main(["fold", "no-id"]) == 1
    assert "'no-id' is no run id" in capsys.readouterr().err
