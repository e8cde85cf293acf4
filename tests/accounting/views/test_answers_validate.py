"""Every answer that the fold can give validates against the committed schema, by two validators."""

import json
from importlib import import_module
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from accounting.conformance.strategies import RUNS
from accounting.conformance.strategies.history import histories
from accounting.conformance.strategies.pools import NAMES
from tests.compare import Plain, fold
from wire import encode

jsonschema: Any = import_module("jsonschema")
jsonschema_rs: Any = import_module("jsonschema_rs")

SCHEMA = json.loads((Path(__file__).parents[3] / "schema" / "rounds-answer.schema.json").read_bytes())
PYTHON = jsonschema.Draft202012Validator(SCHEMA, format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER)
RUST = jsonschema_rs.validator_for(SCHEMA, validate_formats=True)


@given(histories(floats=True), st.sampled_from(RUNS), st.none() | st.integers(0, 12))
def test_every_answer_validates(records: list[Plain], run: str, window: int | None) -> None:
    answer = json.loads(encode(fold(records, run, window, NAMES).answer))
    PYTHON.validate(answer)
    RUST.validate(answer)
