"""The tolerant parser beside the standard library's: the same texts, the same values."""

import json
import math
from decimal import Decimal
from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from accounting.conformance.strategies.values import json_values
from accounting.ledger.parse import NotJsonError, parse
from tests.compare import same
from tests.lines import damage


def _no_constants(name: str) -> Any:
    raise ValueError(name)


def _standard(text: str) -> Any:
    return json.loads(text, parse_constant=_no_constants)


def _plain(value: Any) -> Any:
    """What the standard library makes of the same: halves of pairs kept, numbers as Python has them."""
    if isinstance(value, dict):
        return {_plain(key): _plain(item) for key, item in value.items()}  # pyright: ignore
    if isinstance(value, list):
        return [_plain(item) for item in value]  # pyright: ignore
    if isinstance(value, str):
        return "".join("\ufffd" if "\ud800" <= character <= "\udfff" else character for character in value)
    if isinstance(value, Decimal):
        return int(value) if value.as_tuple().exponent == 0 else None
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


@given(json_values(floats=True), st.integers(0, 10**6), st.booleans(), st.sampled_from([None, 1, "\t"]))
def test_accepts_and_reads_what_the_standard_parser_does(value: Any, seed: int, ascii_: bool, indent: Any) -> None:
    text = json.dumps(value, ensure_ascii=ascii_, indent=indent)
    random = Random(seed)
    if random.random() < 0.6:
        text = damage(text.encode(), random).decode(errors="replace")
    try:
        expected = _plain(_standard(text))
    except ValueError:
        try:
            parse(text)
        except NotJsonError:
            return
        raise AssertionError(f"took {text!r} for JSON") from None
    found = parse(text)[0]
    assert same(_plain(found), expected)


@given(st.text(alphabet='{}[]",:0123456789.eE+-\\untrfalse \n\t'), st.booleans())
def test_never_raises_anything_else(text: str, wrapped: bool) -> None:
    text = f'{{"a":{text}}}' if wrapped else text
    try:
        parse(text)
    except NotJsonError as error:
        assert 0 <= error.position <= len(text)
