"""JSON as a view shows it: the encoder's, and the same without recursion where nesting is deep."""

from typing import Any

import pytest
from hypothesis import given

from accounting.conformance.strategies.values import json_values
from wire.reading.texts import _write, arguments, compact, output, pretty  # pyright: ignore[reportPrivateUsage]


@given(json_values())
def test_with_and_without_recursion_write_alike(value: Any) -> None:
    assert _write(value, indented=False) == compact(value)
    assert _write(value, indented=True) == pretty(value)


def nested(depth: int) -> Any:
    value: Any = ["innermost"]
    for _ in range(depth):
        value = {"b": [value], "a": {}}
    return value


@pytest.mark.parametrize("depth", [10, 5000])
def test_deep_values_are_shown_whole(depth: int) -> None:
    expected = '{"a":{},"b":[' * depth + '["innermost"]' + "]}" * depth
    shown = output(nested(depth))
    assert shown is not None
    assert shown.head == expected
    called = arguments(nested(depth))
    assert called is not None
    assert called.head.split("\n")[:4] == ["{", '  "a": {},', '  "b": [', "    {"]
    # Three lines open each level and two close it; the innermost list has three.
    assert called.cut == 5 * depth + 3 - 12


def test_a_string_key_and_what_stands_under_it_are_escaped_alike() -> None:
    assert compact({'"\n': "\x1f/\u2028"}) == '{"\\"\\n":"\\u001f/\u2028"}'
