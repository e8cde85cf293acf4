"""Wire compatibility of every shape: defaulted fields there or not, unknown fields added, keys in any order."""

import json
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET, Struct, structs

import wire
from tests.wire.shapes import ONE_KEY, compact, values, with_unknown_keys

# A newer note has no keys of its own; a Record is not a shape of the wire.
_HELD: list[Any] = [getattr(wire, name) for name in wire.__all__ if name not in ("NewerNote", "Record")]
SHAPES: list[type[Struct]] = [held for held in _HELD if isinstance(held, type) and issubclass(held, Struct)]


def left_out(value: Any, spelled: Any, random: Random) -> Any:
    """The JSON of a value, with a field that holds its default left out here and there."""
    if isinstance(value, tuple):
        return [left_out(one, spelled[at], random) for at, one in enumerate(value)]  # pyright: ignore
    if not isinstance(value, Struct) or isinstance(value, wire.NewerNote):
        return spelled
    kept: dict[str, Any] = {}
    for field in structs.fields(value):
        held = getattr(value, field.name)
        if field.encode_name not in spelled or (held == field.default is not UNSET and random.random() < 0.7):
            continue
        kept[field.encode_name] = left_out(held, spelled[field.encode_name], random)
    tag = type(value).__struct_config__.tag_field
    return kept if tag is None else {tag: spelled[tag], **kept}


def shuffled(value: Any, random: Random) -> Any:
    """The same JSON, keys in another order."""
    if isinstance(value, list):
        return [shuffled(one, random) for one in value]  # pyright: ignore
    if not isinstance(value, dict):
        return value
    items: list[tuple[str, Any]] = [(key, shuffled(one, random)) for key, one in value.items()]  # pyright: ignore
    random.shuffle(items)
    return dict(items)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
@settings(max_examples=25)
@given(st.data(), st.integers(0, 10**6))
def test_left_out_added_and_shuffled_fields_read_alike(shape: type[Any], data: st.DataObject, seed: int) -> None:
    random = Random(seed)
    value = data.draw(values(shape))
    text = wire.encode(value)
    spelled = json.loads(text)
    assert wire.decode(text, shape) == value
    assert wire.encode(wire.decode(text, shape)) == text
    assert wire.decode(compact(left_out(value, spelled, random)), shape) == value
    assert wire.decode(compact(shuffled(spelled, random)), shape) == value
    # What is open to newer fields is every object but an envelope and the one-key objects of a union.
    if shape not in (wire.EventRecord, wire.AnyEvent):
        assert wire.decode(compact(shuffled(with_unknown_keys(value, spelled), random)), shape) == value
    if shape in ONE_KEY and not isinstance(value, wire.NewerNote):
        assert len(spelled) == 1
