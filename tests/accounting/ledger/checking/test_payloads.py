"""Whether a payload reads as its kind: the checker's quick way and `wire.payload` give one answer for every kind."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw, ValidationError

from accounting.conformance.strategies.payloads import payloads as pooled
from accounting.conformance.strategies.pools import POLICY
from accounting.ledger.canonical import GENESIS
from accounting.ledger.checking.payloads import misfit
from accounting.ledger.line import Line
from tests.accounting.ledger.checking import naive
from wire import PAYLOADS, EventRecord, payload
from wire.record.kinds import Kind
from wire.scalars import NIL_RUN

HASH, OID, CAS = "a" * 64, "c" * 40, "cas:b3-" + "a" * 64
ERROR = {"code": "E_TIMEOUT", "action": "a", "subject": "s", "nearby": ["n"], "recovery": "r", "retry": "no"}
CLUSTER = {"class": "question", "detail": "d"}
FITS: dict[str, list[dict[str, Any]]] = {
    "run_started": [
        {},
        {
            "task": "t", "goal": "", "job": CAS + "#L1-2", "parent": NIL_RUN, "predecessor": None,
            "skills": [{"name": "n", "hash": HASH}], "dispatched_by": "hall/desk", "policy": POLICY,
            "naming": HASH, "opening": "with_person", "effort": "none", "zz": [],
        },
    ],
    "run_frozen": [
        {"completion": "later"},
        {"completion": "", "evidence": [{"seq": 2**64 - 1, "kind": "x"}], "cause": "process_died"},
    ],
    "worktree_opened": [{"name": "", "disk_bytes": 0}],
    "model_called": [{"segments": [HASH, HASH], "model": "m"}],
    "model_returned": [
        {"message": {}, "calls": 2**64 - 1},
        {
            "message": {
                "role": "assistant",
                "content": [
                    {"kind": "text", "text": ""}, {"kind": "thinking", "thinking": "t", "signature": "s"},
                    {"kind": "redacted_thinking", "data": "d"},
                    {"kind": "tool_use", "id": "i", "name": "n", "input": [1]},
                    {"kind": "image", "locator": CAS, "media_type": "m", "width": 2**32 - 1, "height": 0},
                    {"kind": "tool_result", "tool_use_id": "i", "content": None, "is_error": True, "attachments": [{}]},
                ],
            },
            "calls": 0,
            "usage": {
                "input_tokens": 1, "output_tokens": 2, "cache_read_tokens": None, "cache_write_tokens": 9, "v": 1,
                "dialect": "open_ai",
            },
            "stop": "s", "billed_usd_micros": 1, "first_at": 2, "first_us": 3, "took_us": 4,
        },
        {
            "message": {"content": None}, "calls": 0,
            "usage": {"input_tokens": 5, "output_tokens": 0, "cache_read_tokens": 2**63},
        },
    ],
    "tool_called": [
        {"id": "", "name": "Bash", "args": {}},
        {
            "id": "i", "name": "n", "args": {"a": 1}, "subject": "s", "effect": {"write": {"domain": "a/b"}},
            "render": {"diff": {"locations": ["a"]}},
        },
        {"id": "i", "name": "n", "args": {}, "effect": {"attach_user_browser": {"address": None}}, "render": "generic"},
        {"id": "i", "name": "n", "args": {}, "effect": {"connector": {"label": "x9"}}, "render": None},
        {"id": "i", "name": "n", "args": {}, "effect": "govern"},
    ],
    "tool_result": [
        {"tool_use_id": "", "name": "n", "result": {"exit_code": 1}, "took_us": 1, "exit_code": -1},
        {"tool_use_id": "i", "name": "n", "result": "text"},
        {"tool_use_id": "i", "name": "n", "error": ERROR},
        {"tool_use_id": "i", "name": "n", "error": "text", "result": None},
        {"tool_use_id": "i", "name": "n", "error": None},
    ],
    "checkpoint_committed": [
        {"job": CAS},
        {"oid": OID, "model": "m", "effort": "max", "predecessor": OID, "scope": ["a"], "files": []},
        {"job": 5, "oid": OID},
    ],
    "gate_denied": [ERROR | {"gate": {"rule": "r", "violation": "v", "alternative": "a"}, "retry_after_ms": 1}],
    "budget_limit": [ERROR | {"provider": {"kind": "refused", "status": 429}, "retry": "unknown", "gate": None}],
    "provider_degraded": [ERROR, {"component": "c", "fallback": "f", "persistence": "p", "reason": "r"}],
    "watchdog_fired": [
        {"action": "steer", "text": "t", "corrections": 0, "provider_failures": 2**32 - 1},
        {
            "action": "back_off", "until_ms": 1, "code": "E_BUSY", "subject": "s", "corrections": 0,
            "provider_failures": 0,
        },
        {"action": "switch", "to": "m", "code": "E_BUSY", "subject": "s", "corrections": 0, "provider_failures": 0},
        {"action": "freeze", "reason": "r", "corrections": 0, "provider_failures": 0},
    ],
    "approval_requested": [
        {
            "id": "i", "actor": "a", "action_desc": "d", "artifact": CAS, "cluster_key": CLUSTER, "created": 1,
            "tainted": False,
        }
    ],
    "approval_resolved": [{"id": "i", "verdict": "deny", "cluster": CLUSTER | {"class": "x"}}],
    "steer_received": [{"source": "user", "text": ""}],
    "signal_enqueued": [
        {
            "id": "s", "kind": "thread", "from": "f", "room": "a/b", "room_version": 0, "payload": {}, "at": 1,
            "lane": "urgent",
        }
    ],
    "signal_consumed": [{"id": "s", "by": "b"}],
    "signal_landed": [{"signal": "s", "landing": "knocked"}],
    "signal_wait_started": [{"on": "a", "signal": "s", "deadline_ms": 1}],
    "signal_wait_ended": [
        {"signal": "s", "by": {"end": "reply", "reply": "r"}},
        {"signal": "s", "by": {"end": "timeout"}},
        {"signal": "s", "by": {"end": "left"}},
    ],
    "file_discarded": [
        {"paths": []},
        {"paths": ["a"], "restoration": {"any": [1, {}]}},
        {"paths": ["a"], "restoration": None},
    ],
    "log_truncated": [{"dropped_bytes": 2**64 - 1}],
}  # fmt: skip
"""Payloads that read, of every kind and form that has a shape."""

LIKE_ODDS: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2**32, 2**63, 2**64 - 1, "", "a", "a.", "1", [], {}, [None], ["a"], {"kind": "text"},
    {"kind": "cut"}, {"end": "left"}, "read", "E_BUSY", "yes", HASH, OID, CAS, CAS + "#L2-1", CAS + "#B0-0",
    HASH.upper(), NIL_RUN,
)  # fmt: skip


def line(kind: str, data: dict[str, Any]) -> Line:
    return Line(v=2, run=NIL_RUN, seq=0, prev=GENESIS, t=0, who="city", kind=kind, data=data)


def reads(kind: str, data: dict[str, Any]) -> str | None:
    """Why `wire.payload` does not take it; `None` when it does."""
    spelled = json.dumps(data, ensure_ascii=False, sort_keys=True).encode()
    record = EventRecord(v=2, run=NIL_RUN, seq=0, prev=GENESIS, t=0, who="city", kind=Kind(kind), data=Raw(spelled))
    try:
        payload(record)
    except ValidationError as error:
        return str(error)
    return None


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every container with every key or index in it."""
    items: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        items = [*value.items()]  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]
    if isinstance(value, list):
        items = [*enumerate(value)]  # pyright: ignore[reportUnknownArgumentType]
    for key, item in items:
        yield value, key
        yield from places(item)


def test_there_is_a_payload_for_every_shape() -> None:
    assert FITS.keys() == {kind.value for kind in PAYLOADS}
    for kind, forms in PAYLOADS.items():
        assert len(FITS[kind]) >= len(forms)


@pytest.mark.parametrize("kind", Kind)
def test_what_fits_fits(kind: Kind) -> None:
    for data in FITS.get(kind, [{}, {"anything": [1, None]}]):
        assert reads(kind, data) is None
        assert misfit(line(kind, data)) is None


@pytest.mark.parametrize("kind", FITS)
def test_one_value_anywhere_in_a_payload_is_another(kind: str) -> None:
    """Every value of every payload in turn is each of the odd ones, or is gone, or has another beside it."""
    answers: set[bool] = set()
    for original in FITS[kind]:
        for at in range(len(list(places(original)))):
            for change in range(len(LIKE_ODDS) + 1):
                data = json.loads(json.dumps(original))
                container, key = list(places(data))[at]
                if change < len(LIKE_ODDS):
                    container[key] = LIKE_ODDS[change]
                else:
                    del container[key]
                why = reads(kind, data)
                assert misfit(line(kind, data)) == why
                answers.add(why is None)
    assert answers == {True, False}


@given(st.data(), st.sampled_from(sorted(kind.value for kind in Kind)))
def test_any_payload(data: st.DataObject, kind: str) -> None:
    drawn = data.draw(pooled(kind))
    if naive.plain(drawn):
        assert misfit(line(kind, drawn)) == reads(kind, drawn)


@given(st.data(), st.sampled_from(sorted(FITS)))
def test_a_payload_with_fields_of_another(data: st.DataObject, kind: str) -> None:
    drawn = data.draw(st.sampled_from(FITS[kind])) | data.draw(pooled(kind))
    if naive.plain(drawn):
        assert misfit(line(kind, drawn)) == reads(kind, drawn)


@pytest.mark.parametrize("kind", FITS)
def test_a_payload_of_another_kind(kind: str) -> None:
    for payloads in FITS.values():
        for data in payloads:
            assert misfit(line(kind, data)) == reads(kind, data)
