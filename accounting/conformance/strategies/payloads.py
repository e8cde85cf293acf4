"""Payloads of every kind that something reads: good values, near misses, junk, and fields left out.

A payload is one string of bytes, a byte for each field: most of a byte's range names good values and near misses, the
end of it no field at all or junk. Byte 0 is the plainest choice everywhere, so that is what a failure shrinks to.
"""

from functools import cache
from types import FunctionType
from typing import Any, TypeAlias, cast

from hypothesis import strategies as st

from accounting.conformance.strategies.pools import (
    ABSENT,
    ADDRESSES,
    ANY_SIGNAL,
    APPROVALS,
    ASTRAL,
    BAD_ADDRESSES,
    BAD_LOCATORS,
    BLOCKS,
    BREAKS,
    CALL_IDS,
    EFFECTS,
    ELEVEN,
    HASHES,
    LOCATORS,
    OIDS,
    POLICIES,
    RENDERS,
    ROOMS,
    RUNS,
    STORED,
)
from accounting.conformance.strategies.values import LONG, Pool, chosen, json_objects, json_values, texts
from wire.scalars import NIL_RUN, Json, JsonObject

Drawn: TypeAlias = st.SearchStrategy[Any]


def _any(*, floats: bool) -> Drawn:
    return json_values(floats=floats)


def _object(*, floats: bool) -> Drawn:
    return json_objects(floats=floats)


def _usage(*, floats: bool) -> Drawn:
    return _filled(USAGE, floats=floats)


def _error(*, floats: bool) -> Drawn:
    return _filled(ERROR, floats=floats)


def _result(*, floats: bool) -> Drawn:
    return _filled(RESULT, floats=floats)


def _one(*, floats: bool) -> Drawn:
    return st.just(1.0 if floats else 1)


TEXT = texts()
JUNK: Pool = (None, 0, "", "x", True, [], {}, -1, 2**64, " ", [None], ["x"], {"a": 1}, _one, _any)
GOOD = 256 - 7 - len(JUNK)


def _field(*choices: object) -> Pool:
    """What a field's byte means: a choice, then no field at all, then junk."""
    return (*(choices[byte * len(choices) // GOOD] for byte in range(GOOD)), *[ABSENT] * 7, *JUNK)


def weighted(*choices: tuple[int, Any]) -> Pool:
    """What any other byte means: choices by weight."""
    spread = tuple(choice for weight, choice in choices for _ in range(weight))
    return tuple(chosen(spread, byte) for byte in range(256))


def _deep(levels: int) -> Json:
    value: Json = 1
    for _ in range(levels):
        value = [value]
    return {"a": value}


# fmt: off
BOOLS = (False, True)
U64S: Pool = (1, 7, 0, 2**53 + 1, 2**64 - 1)
MAYBE_U64 = (ABSENT, *U64S, 2**64)
MESSAGES = st.binary(min_size=1, max_size=5).map(lambda raw: {"content": [chosen(BLOCKS, byte) for byte in raw]})
ENDS: Pool = (
    {"end": "reply", "reply": "s1"}, {"end": "timeout"}, {"end": "left"}, {"end": "new"}, "left", {"end": []},
)
COUNTS: Pool = (1, 5, 0, 100, 2**63, 2**64 - 1)
USAGE: dict[str, Pool] = {
    "input_tokens": _field(*COUNTS),
    "output_tokens": _field(*COUNTS),
    "cache_read_tokens": _field(ABSENT, *COUNTS, None),
    "cache_write_tokens": _field(ABSENT, *COUNTS, None),
    "v": _field(1, ABSENT, 1, ABSENT, None, 2, 0, "1"),
    "dialect": _field(ABSENT, "anthropic", "new"),
}
CODE = _field("E_TIMEOUT", "E_GATE_DENIED", "E_TOOL_OUTCOME_UNKNOWN", "E_PLAN_MISSING", "E_BUSY", "E_timeout")
ERROR: dict[str, Pool] = {
    "code": CODE,
    "action": _field("call", ""),
    "subject": _field("it"),
    "nearby": _field([], ["x"], ["x", ""], [], ["x"], ["x", 1]),
    "recovery": _field("wait"),
    "retry": _field("no", "yes", "unknown", ABSENT),
    "retriable": _field(ABSENT, *BOOLS),
    "retry_after_ms": _field(*MAYBE_U64),
    "gate": _field(ABSENT, {"rule": "r", "violation": "v", "alternative": "", "z": 1}, {"rule": "r"}),
    "provider": _field(
        ABSENT, {"kind": "cut"}, {"kind": "refused", "status": 429}, {"kind": "overflow", "status": 2**32},
        {"kind": "new"}, {"kind": "refused"}, {"kind": "unbuilt", "status": -1, "z": 1}, {"kind": ["cut"]},
        "cut", {"status": 1},
    ),
}
RESULT: dict[str, Pool] = {
    "exit_code": _field(0, 1, -1, 2**63 - 1, -(2**63), 2**63, ABSENT),
    "sieve": _field(*STORED[:3], *STORED),
    "offload": _field(*STORED[:3], *STORED),
    "stdout": _field("x", ABSENT, TEXT),
}
PAYLOADS: dict[str, dict[str, Pool]] = {
    "model_called": {"model": _field("m1", "m2", "", ABSENT), "segments": _field([], [HASHES[0]])},
    "model_returned": {
        "message": _field({"role": "assistant"}, MESSAGES, MESSAGES, MESSAGES, _object, {"content": {}}),
        "usage": _field(ABSENT, _usage, _usage, _usage, _object),
        "stop": _field("end_turn", "tool_use", "", ABSENT),
        "billed_usd_micros": _field(*MAYBE_U64),
        "first_at": _field(*MAYBE_U64),
        "first_us": _field(*MAYBE_U64),
        "took_us": _field(*MAYBE_U64),
        "calls": _field(0, 1),
    },
    "tool_called": {
        "id": _field(*CALL_IDS),
        "name": _field("read_file", "Bash", "", TEXT),
        "args": _field(
            {}, {"path": "a"}, {"to": "hall"}, {"to": "attic/desk"}, _object, {f"k{i}": i for i in range(10)},
            None, _any, ELEVEN, ASTRAL, "text", {"to": "hall "}, [{"to": "hall"}], ABSENT,
            _deep(130),
        ),
        "subject": _field(ABSENT, "a", "", TEXT, None),
        "effect": _field(*EFFECTS),
        "render": _field(*RENDERS),
    },
    "tool_result": {
        "tool_use_id": _field(*CALL_IDS),
        "name": _field("read_file"),
        "result": _field(
            {}, TEXT, _result, TEXT, _result, _result, _result, *LONG, ABSENT, "ok", None, _any, TEXT, _object,
            *BREAKS, ASTRAL,
        ),
        "error": _field(*[ABSENT] * 6, _error, _error, _result, "no", None, {"code": "E_TOOL_OUTCOME_UNKNOWN"}),
        "exit_code": _field(ABSENT, 0, 1, -(2**63), 2**63, 2**63 - 1, "0"),
        "took_us": _field(*MAYBE_U64),
    },
    "run_started": {
        "task": _field("do it", "", ABSENT, TEXT),
        "goal": _field(ABSENT, "", "done", TEXT),
        "dispatched_by": _field(ABSENT, "city", "person", *ADDRESSES, *BAD_ADDRESSES),
        "policy": _field(*POLICIES),
        "effort": _field(ABSENT, "none", "low", "medium", "high", "xhigh", "max", "Max", "low "),
        "naming": _field(ABSENT, *HASHES, *HASHES, "A" * 64, "a" * 63, "a" * 64 + "\n"),
        "parent": _field(ABSENT, *RUNS, RUNS[0].upper(), RUNS[0].replace("-", ""), RUNS[0] + "\n"),
        "opening": _field(ABSENT, "from_job", "inherited"),
        "job": _field(ABSENT, *LOCATORS, *BAD_LOCATORS),
    },
    "run_frozen": {"completion": _field("done", "limit", "cancelled", "", "later", 1, TEXT, None)},
    "worktree_opened": {"name": _field("wt", "", TEXT, None), "disk_bytes": _field(*U64S)},
    "checkpoint_committed": {
        "oid": _field(*OIDS[:2] * 3, *OIDS, ABSENT),
        "job": _field(*[ABSENT] * 40, *LOCATORS, *BAD_LOCATORS),
        "files": _field(ABSENT, ["a"]),
    },
    "gate_denied": ERROR,
    "budget_limit": ERROR,
    "provider_degraded": ERROR | {"component": _field(ABSENT, "vault", "", 1)},
    "watchdog_fired": {
        "action": _field("back_off", "steer", "back_off", "switch", "back_off", "freeze", "back_off", "new"),
        "until_ms": _field(*U64S, 2**64),
        "code": CODE,
        "subject": _field("m1", "", TEXT),
    },
    "approval_requested": {"id": _field(*APPROVALS), "tainted": _field(*BOOLS)},
    "approval_resolved": {"id": _field(*APPROVALS), "verdict": _field("allow", "deny", "new")},
    "steer_received": {
        "source": _field("user", "city", "user", "city", "@hall", "", "User"),
        "text": _field("go on", "", TEXT),
    },
    "signal_enqueued": {
        "id": _field(*ANY_SIGNAL),
        "room": _field(*ROOMS, *ROOMS, "hall "),
        "kind": _field("mention", "thread", "broadcast", "steer", "new", "Mention"),
        "from": _field("hall", "", ABSENT, TEXT),
        "payload": _field({"text": "hi"}, {}, {"text": ""}, {"text": 1}, _object, "hi"),
    },
    "signal_consumed": {"id": _field(*ANY_SIGNAL), "by": _field("hall")},
    "signal_landed": {
        "signal": _field(*ANY_SIGNAL),
        "landing": _field("delivered", "knocked", "queued", "Queued"),
    },
    "signal_wait_started": {
        "on": _field(*ADDRESSES * 8, *BAD_ADDRESSES),
        "signal": _field(*ANY_SIGNAL),
        "deadline_ms": _field(*U64S * 2, 2**64),
    },
    "signal_wait_ended": {
        "signal": _field(*ANY_SIGNAL),
        "by": _field(*ENDS),
    },
    "file_discarded": {
        "paths": _field([], ["a"], ["a", ""], ["a", 1], "a"),
        "restoration": _field(ABSENT, {}, _any),
    },
}
EXTRAS = weighted(
    (40, {}), (1, {"zz": 1}), (1, {"": {"a": []}, "\U00010000": None}), (1, {"at": 1, "t": 2, "seq": "x"}),
    (1, {"run": NIL_RUN}),
)
# fmt: on


def filled(draw: st.DrawFn, raw: bytes, fields: dict[str, Pool], *, floats: bool) -> JsonObject:
    """Draw a payload by its bytes: one for each field, and a last one for keys that nobody knows."""
    data: JsonObject = {}
    for byte, (name, pool) in zip(raw, fields.items(), strict=False):
        value = pool[byte]
        if isinstance(value, FunctionType):
            value = value(floats=floats)
        if isinstance(value, st.SearchStrategy):
            value = draw(cast("Drawn", value))  # type: ignore[redundant-cast]
        if value is not ABSENT:
            data[name] = value
    extra: JsonObject = EXTRAS[raw[len(fields)]]
    return data | extra if extra else data


@cache
def _bytes(size: int) -> st.SearchStrategy[bytes]:
    return st.binary(min_size=size, max_size=size)


@st.composite
def _filled(draw: st.DrawFn, fields: dict[str, Pool], *, floats: bool) -> JsonObject:
    return filled(draw, draw(_bytes(len(fields) + 1)), fields, floats=floats)


@cache
def payloads(kind: str, *, floats: bool = False) -> st.SearchStrategy[JsonObject]:
    """Payloads of one kind; of a kind that nothing reads, any object. `floats` adds floats, which no writer writes.

    Values are shared between examples: read them, never change them.
    """
    fields = PAYLOADS.get(kind)
    return _filled(fields, floats=floats) if fields else json_objects(floats=floats)
