"""Random values: the exported documents and the codec say the same of them."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from msgspec import ValidationError

import wire
from wire.export import ROOTS

from .shapes import ROOT_SHAPES, RUN, Json, compact, damaged, judge, values, with_unknown_keys

ANSWERS = values(wire.RoundsAnswer)
LEDGERS = {"rounds-answer", "event-record", "any-event"}
WRITTEN_WHOLE = {
    root.name: (root.type, values(root.type))
    for root in ROOTS
    if root.name not in LEDGERS and not root.name.startswith("payload-")
}
FORMS = [(kind, form) for kind, forms in wire.PAYLOADS.items() for form in forms]
ROOT_OF = {kind: ROOT_SHAPES[f"payload-{kind.replace('_', '-')}"] for kind in wire.PAYLOADS}
PAYLOADS = st.sampled_from(FORMS).flatmap(lambda one: st.tuples(st.just(one[0]), values(one[1])))


def quick(examples: int) -> settings:
    slow = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]
    return settings(max_examples=examples, deadline=None, suppress_health_check=slow)


def record_of(kind: wire.Kind, data: Json) -> Json:
    return {"v": 2, "run": RUN, "seq": 0, "prev": "0" * 64, "t": 0, "who": "", "kind": kind.value, "data": data}


def payload_of(record: Json) -> Any:
    return wire.payload(wire.decode(compact(record), wire.EventRecord))


@quick(80)
@given(ANSWERS)
def test_answers_validate_and_come_back(answer: wire.RoundsAnswer) -> None:
    text = wire.encode(answer)
    spelled = json.loads(text)
    assert judge("rounds-answer", "RoundsAnswer").accepts(spelled)
    assert wire.decode(text, wire.RoundsAnswer) == answer
    wider = with_unknown_keys(answer, spelled)
    assert judge("rounds-answer", "RoundsAnswer").accepts(wider)
    assert wire.decode(compact(wider), wire.RoundsAnswer) == answer


@pytest.mark.parametrize("name", WRITTEN_WHOLE)
@quick(50)
@given(st.data())
def test_what_is_written_whole_validates_and_comes_back(name: str, data: st.DataObject) -> None:
    form, drawn = WRITTEN_WHOLE[name]
    value = data.draw(drawn)
    spelled = json.loads(wire.encode(value))
    for one in (spelled, with_unknown_keys(value, spelled)):
        assert judge(name, ROOT_SHAPES[name]).accepts(one)
        assert wire.decode(compact(one), form) == value


@quick(150)
@given(PAYLOADS)
def test_payloads_validate_and_come_back(drawn: tuple[wire.Kind, Any]) -> None:
    kind, payload = drawn
    for data in (spelled := json.loads(wire.encode(payload)), with_unknown_keys(payload, spelled)):
        record = record_of(kind, data)
        assert judge("event-record", "EventRecord").accepts(record)
        assert judge("any-event", "AnyEvent").accepts(record)
        assert judge(f"payload-{kind.replace('_', '-')}", ROOT_OF[kind]).accepts(data)
        assert payload_of(record) == payload


@quick(150)
@given(ANSWERS, st.data())
def test_a_damaged_answer_that_validates_reads_and_one_that_reads_validates_once_written(
    answer: wire.RoundsAnswer, data: st.DataObject
) -> None:
    broken = data.draw(damaged(json.loads(wire.encode(answer))))
    valid = judge("rounds-answer", "RoundsAnswer").accepts(broken)
    try:
        decoded = wire.decode(compact(broken), wire.RoundsAnswer)
    except ValidationError:
        assert not valid
    else:
        assert judge("rounds-answer", "RoundsAnswer").accepts(json.loads(wire.encode(decoded)))


@pytest.mark.parametrize("name", WRITTEN_WHOLE)
@quick(80)
@given(st.data())
def test_what_is_damaged_and_validates_reads_and_what_reads_validates_once_written(
    name: str, data: st.DataObject
) -> None:
    form, drawn = WRITTEN_WHOLE[name]
    broken = data.draw(damaged(json.loads(wire.encode(data.draw(drawn)))))
    valid = judge(name, ROOT_SHAPES[name]).accepts(broken)
    # Where a shape allows any JSON a schema allows any integer; the codec holds it to 64 bits all the same.
    assume(not valid or str(2**64).encode() not in compact(broken))
    try:
        decoded = wire.decode(compact(broken), form)
    except ValidationError:
        assert not valid
    else:
        assert judge(name, ROOT_SHAPES[name]).accepts(json.loads(wire.encode(decoded)))


@quick(200)
@given(PAYLOADS, st.data())
def test_a_damaged_payload_validates_exactly_when_it_reads(drawn: tuple[wire.Kind, Any], data: st.DataObject) -> None:
    kind, payload = drawn
    record = record_of(kind, data.draw(damaged(json.loads(wire.encode(payload)))))
    valid = judge("event-record", "EventRecord").accepts(record)
    assert judge("any-event", "AnyEvent").accepts(record) is valid
    assert judge(f"payload-{kind.replace('_', '-')}", ROOT_OF[kind]).accepts(record["data"]) is valid
    # Where a shape allows any JSON a schema allows any integer; the codec holds it to 64 bits all the same.
    assume(not valid or str(2**64).encode() not in compact(record))
    # Nor does a schema add up: the counts of an older row may come to more.
    usage: Any = record["data"].get("usage")
    assume(usage in (None, True) or '"v": 1' in json.dumps(usage) or str(2**64 - 1) not in json.dumps(usage))
    if valid:
        payload_of(record)
    else:
        with pytest.raises(ValidationError):
            payload_of(record)
