"""Ledgers that look for trouble: lists of decoded records in rising seq, drawn from small pools.

The pools are small so that ids meet again: within a turn, across turns and across runs. A scene of a few
records is one string of bytes, a byte for each field: most of a byte's range names good values and near
misses, the end of it junk or no field at all. Byte 0 is the plainest choice everywhere, so that is what a
failure shrinks to. Values are shared between examples: read them, never change them. Integers past 64 bits
and one value nested past 126 occur; a float only where floats are asked for; half of a surrogate pair never.
"""

from collections.abc import Iterator
from functools import cache
from types import FunctionType
from typing import Any

from hypothesis import strategies as st

Json = Any
Record = dict[str, Any]
Pool = tuple[Json, ...]  # A function in a pool stands for what its strategy draws.

NIL = "00000000-0000-0000-0000-000000000000"
RUNS = ("0aaaaaaa-0000-4000-8000-00000000000a", "0bbbbbbb-0000-4000-8000-00000000000b", NIL)
HASHES = ("a" * 64, "0123456789abcdef" * 4, "b" * 64)
NAMES: dict[str, str | None] = {HASHES[0]: "Ada", HASHES[1]: None}
ABSENT = object()

# fmt: off
INTS: Pool = (
    0, 1, 12, -1, 2**32 - 1, 2**32, 2**53 - 1, 2**53, 2**53 + 1, 2**63 - 1, 2**63, 2**63 + 1, 2**64 - 1,
    2**64, -(2**53) - 1, -(2**63), -(2**63) - 1, 10**30,
)
FLOATS: Pool = (0.5, 1.0, -0.0, 1e3, 1e16, 5e-324, 1e300, 2.0**64)
LONG: Pool = ("l\n" * 12 + "\r", "l\n" * 13, "\r\n" * 12 + "z")
STRINGS: Pool = (
    "", "a", "two\nlines", "\n", " ", "\r", "\r\n", "a\r", "a\r\n", "a\r\r\n", "\na", "a\n\n", '"\\/', "null",
    "1", "\x1c", "\x1c\n\x1f", "\x85\u2028\u3000", "a\x85b\u2028c\vd", "\u200b", "\ufeff", "\x00\x1f\x7f",
    "ünï \U0001f600", *LONG, "l\n" * 11 + "l", "l\n" * 12, "\n" * 40,
)
PIECES: Pool = (
    "a", "\n", "\r\n", "\r", "b c", '"', "\\", "/", "\n\n\n\n", "\n" * 12, "é", "\U0001f600", "\x00",
    "x" * 300, "\x07", "\b", "\x7f", "\uffff", "e\u0301",
    *" \t\v\f\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2003\u2028\u2029\u202f\u205f\u3000", "\u200b", "\u2060",
    "\ufeff",
)
# In keys, U+FFFF comes before U+10000 by UTF-8 and after it by UTF-16.
KEYS: Pool = (
    "a", "b", "", "B", "aa", "é", "\uffff", "\U00010000", "a\nb", '"', "text", "id", "\x00", "\u2028",
    "10", "9",
)
# fmt: on


def _at(pool: Pool, byte: int) -> Json:
    return pool[byte * len(pool) // 256]


def _spell(raw: bytes) -> str:
    text: str = _at(STRINGS, raw[0] * 2) if raw[0] < 128 else "".join(_at(PIECES, byte) for byte in raw[1:])
    return text


def _grow(raw: Iterator[int], scalars: Pool) -> Json:
    byte = next(raw, 0)
    if byte < 176:
        return scalars[byte * len(scalars) // 176]
    parts = range(next(raw, 0) % 4)
    if byte < 192:
        return "".join(_at(PIECES, next(raw, 0)) for _ in parts)
    if byte < 224:
        return [_grow(raw, scalars) for _ in parts]
    return {_at(KEYS, next(raw, 0)): _grow(raw, scalars) for _ in parts}


@cache
def texts() -> st.SearchStrategy[str]:
    """Strings, most of them chosen for their line breaks and white space."""
    return st.binary(min_size=1, max_size=16).map(_spell)


@cache
def json_values(*, floats: bool = False, objects: bool = False) -> st.SearchStrategy[Json]:
    """Any JSON; `objects` keeps to objects at the top."""
    scalars = (None, True, False, *INTS, *STRINGS, *(FLOATS if floats else ()))
    raw = st.binary(min_size=12, max_size=40)
    return raw.map(lambda raw: _grow(iter(b"\xff" + raw if objects else raw), scalars))


def _any(*, floats: bool) -> st.SearchStrategy[Json]:
    return json_values(floats=floats)


def _object(*, floats: bool) -> st.SearchStrategy[Json]:
    return json_values(floats=floats, objects=True)


def _text(*, floats: bool) -> st.SearchStrategy[Json]:
    return texts()


def _usage(*, floats: bool) -> st.SearchStrategy[Json]:
    return _filled(USAGE, floats=floats)


def _error(*, floats: bool) -> st.SearchStrategy[Json]:
    return _filled(ERROR, floats=floats)


def _result(*, floats: bool) -> st.SearchStrategy[Json]:
    return _filled(RESULT, floats=floats)


def _message(*, floats: bool) -> st.SearchStrategy[Json]:
    return MESSAGES


def _one(*, floats: bool) -> st.SearchStrategy[Json]:
    return st.just(1.0 if floats else 1)


JUNK: Pool = (None, 0, "", "x", True, [], {}, -1, 2**64, " ", [None], ["x"], {"a": 1}, _one, _any)
GOOD = 256 - 7 - len(JUNK)


def _field(*choices: Json) -> Pool:
    """What a field's byte means: a choice, then no field at all, then junk."""
    return (*(choices[byte * len(choices) // GOOD] for byte in range(GOOD)), *[ABSENT] * 7, *JUNK)


def _table(*weighted: tuple[int, Json]) -> Pool:
    """What any other byte means: choices by weight."""
    spread = tuple(choice for weight, choice in weighted for _ in range(weight))
    return tuple(_at(spread, byte) for byte in range(256))


def _deep(levels: int) -> Json:
    value: Json = 1
    for _ in range(levels):
        value = [value]
    return {"a": value}


# fmt: off
OIDS: Pool = ("c" * 40, "0123456789" * 4, "C" * 40, "c" * 39, "c" * 41, "c" * 40 + "\n")
ROOMS = ("hall", "attic/desk")
ADDRESSES: Pool = (*ROOMS, " lead", ".a/..b", "a@b#L1-2", "é\u200b", "a\u2026")
BAD_ADDRESSES: Pool = (
    "", "/a", "a/", "a//b", "a\\b", "a:b", "a/./b", "..", "a.", "a ", "a\u3000/b", "a\x85", "a\x07b",
    "a\u2028",
)
CAS, FILE = "cas:b3-" + HASHES[1], f"file:attic/desk@{OIDS[0]}"
LOCATORS: Pool = (
    CAS, FILE, CAS + "#L1-2", FILE + "#B0-0", f"{CAS}#B0-{2**64 - 1}", f"file:a@b#L1-2@{OIDS[1]}#L3-3",
)
BAD_LOCATORS: Pool = (
    CAS + "#L0-1", CAS + "#L2-1", CAS + "#L01-2", f"{CAS}#B0-{2**64}", CAS + "#L1", CAS + "#L1-2#B0-1",
    CAS[:-1], CAS.upper(), CAS + "\n", CAS + "#L\u0661-\u0662", CAS + "#L+1-2", CAS + "#l1-2", FILE[:-1],
    f"file:@{OIDS[0]}", f"file:a:b@{OIDS[0]}", f"file:a./b@{OIDS[0]}", "file:hall", "secret:x",
    "b3-" + HASHES[0],
)
CALL_IDS, SIGNALS, APPROVALS = ("c1", "c2", ""), ("s1", "s2", "s\u200b\x1c"), ("a1", "a2", "")
ANY_SIGNAL = (*SIGNALS, "s1", "s2", "", "s 1", "s1\u2003")
BOOLS = (False, True)
U64S: Pool = (1, 7, 0, 2**53 + 1, 2**64 - 1)
MAYBE_U64 = (ABSENT, *U64S, 2**64)
POLICY = {"mode": "work", "write": "full", "admit": "tested", "landing": "ordinary"}
POLICIES: Pool = (
    ABSENT, POLICY, {"mode": "chat", "write": "create", "admit": "standing", "landing": "experiment", "z": 1},
    POLICY | {"mode": "Work"}, {"mode": "chat", "write": "create"}, POLICY | {"admit": None},
)
EFFECTS: Pool = (
    ABSENT, "read", {"write": {"domain": "hall"}}, {"connector": {"label": "x9"}}, "spend", "egress",
    "govern", "spawn", {"attach_user_browser": {}}, {"attach_user_browser": {"address": "a", "z": 1}},
    {"attach_user_browser": None}, {"write": {"domain": "a:"}}, {"connector": {"label": "X-"}},
    {"read": None}, {"read": {}}, "write", "Read", {"write": {"domain": "a"}, "connector": {"label": "x"}},
    {"attach_user_browser": {"address": 1}}, {"write": "a"},
)
RENDERS: Pool = (
    ABSENT, "generic", "signal", "terminal", {"diff": {"locations": ["hall"]}}, {"diff": {"locations": []}},
    "diff", {"diff": {"locations": ["a", "b."]}}, {"diff": {}}, {"signal": {}}, {"signal": None},
    {"diff": {"locations": "a"}}, {"diff": {"locations": ["a"], "z": 1}},
    {"diff": {"locations": ["a"]}, "z": 1}, {"diff": ["a"]}, "Signal", "signal",
)
STORED: Pool = (
    ABSENT, [{"original": CAS, "len": 9, "rest_path": "x"}], [{"original": FILE + "#L1-9"}, 1], [], [{}],
    None, [{"original": "cas:b3-"}, {"original": CAS}], [None, {"original": CAS}], {"original": CAS}, [[CAS]],
    [CAS],
)
BLOCKS: Pool = (
    {"kind": "text", "text": "hi"}, {"kind": "thinking", "thinking": "hm", "signature": "s"},
    {"kind": "text", "text": ""}, {"kind": "thinking", "thinking": "two\nlines"},
    {"kind": "text", "text": "\r\n \x1c", "z": 1}, {"kind": "text"},
    {"kind": "tool_use", "id": "c1", "name": "x", "input": {}},
    {"kind": "redacted_thinking", "data": "x", "text": "no"}, {"kind": "thinking", "text": "no"},
    {"kind": "text", "text": 1}, {"text": "no"}, {"kind": ["text"], "text": "no"},
    {"kind": "tool_result", "tool_use_id": "c1", "content": "x", "is_error": False},
    {"kind": "Text", "text": "no"}, None, "text", [],
)
MESSAGES = st.binary(min_size=1, max_size=5).map(lambda raw: {"content": [_at(BLOCKS, byte) for byte in raw]})
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
    "sieve": _field(*STORED[:3] * 3, *STORED),
    "offload": _field(*STORED[:3] * 3, *STORED),
    "stdout": _field("x", ABSENT, _text),
}
PAYLOADS: dict[str, dict[str, Pool]] = {
    "model_called": {"model": _field("m1", "m2", "", ABSENT), "segments": _field([], [HASHES[0]])},
    "model_returned": {
        "message": _field({"role": "assistant"}, _message, _message, _message, _object, {"content": {}}),
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
        "name": _field("read_file", "Bash", "", _text),
        "args": _field(
            {}, {"path": "a"}, {"to": "hall"}, {"to": "attic/desk"}, _object, {f"k{i}": i for i in range(10)},
            None, _any, {f"k{i}": [] for i in range(11)}, "text", {"to": "hall "}, [{"to": "hall"}], ABSENT,
            _deep(130),
        ),
        "subject": _field(ABSENT, "a", "", _text, None),
        "effect": _field(*EFFECTS),
        "render": _field(*RENDERS),
    },
    "tool_result": {
        "tool_use_id": _field(*CALL_IDS),
        "name": _field("read_file"),
        "result": _field({}, _text, _result, _text, _result, *LONG, ABSENT, "ok", None, _any),
        "error": _field(*[ABSENT] * 6, _error, _error, "no", None, {"code": "E_TOOL_OUTCOME_UNKNOWN"}),
        "exit_code": _field(ABSENT, 0, 1, -(2**63), 2**63, 2**63 - 1, "0"),
        "took_us": _field(*MAYBE_U64),
    },
    "run_started": {
        "task": _field("do it", "", ABSENT, _text),
        "goal": _field(ABSENT, "", "done", _text),
        "dispatched_by": _field(ABSENT, "city", "person", *ADDRESSES, *BAD_ADDRESSES),
        "policy": _field(*POLICIES),
        "effort": _field(ABSENT, "none", "low", "medium", "high", "xhigh", "max", "Max", "low "),
        "naming": _field(ABSENT, *HASHES, *HASHES, "A" * 64, "a" * 63, "a" * 64 + "\n"),
        "parent": _field(ABSENT, *RUNS, RUNS[0].upper(), RUNS[0].replace("-", ""), RUNS[0] + "\n"),
        "opening": _field(ABSENT, "from_job", "inherited"),
        "job": _field(ABSENT, *LOCATORS, *BAD_LOCATORS),
    },
    "run_frozen": {"completion": _field("done", "limit", "cancelled", "", "later", 1, _text, None)},
    "worktree_opened": {"name": _field("wt", "", _text), "disk_bytes": _field(*U64S)},
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
        "subject": _field("m1", "", _text),
    },
    "approval_requested": {"id": _field(*APPROVALS), "tainted": _field(*BOOLS)},
    "approval_resolved": {"id": _field(*APPROVALS), "verdict": _field("allow", "deny", "new")},
    "steer_received": {
        "source": _field("user", "city", "user", "city", "@hall", "", "User"),
        "text": _field("go on", "", _text),
    },
    "signal_enqueued": {
        "id": _field(*ANY_SIGNAL),
        "room": _field(*ROOMS, *ROOMS, "hall "),
        "kind": _field("mention", "thread", "broadcast", "steer", "new", "Mention"),
        "from": _field("hall", "", ABSENT, _text),
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
OTHERS: Pool = (
    "prompt_assembled", "session_named", "log_truncated", "policy_created", "harness_reported", "went_back",
    "brand_new", "", "Model_called", "tool_result ", "note", "\u2028", "é",
)
EXTRAS = _table(
    (40, {}), (1, {"zz": 1}), (1, {"": {"a": []}, "\U00010000": None}), (1, {"at": 1, "t": 2, "seq": "x"}),
    (1, {"run": NIL}),
)
KINDS = _table(
    *[(3, kind) for kind in PAYLOADS], (2, "model_called"), (1, "model_returned"), (2, "tool_called"),
    (3, "tool_result"), (3, "steer_received"), (2, "provider_degraded"), (3, "watchdog_fired"),
    (1, "run_frozen"), (2, "worktree_opened"), (1, "budget_limit"), *[(1, kind) for kind in OTHERS],
)
# Scenes: records that belong together, each by whose run it is and its kind. No scene: any one record.
SCENES = _table(
    (24, ""), (2, "own model_called"), (4, "own model_called,own model_returned"),
    (7, "own tool_called,own tool_result"), (3, "own sending,own signal_enqueued,own signal_landed"),
    (2, "other signal_enqueued,own signal_consumed"), (1, "own signal_enqueued,own signal_consumed"),
    (2, "own approval_requested,nil approval_resolved"), (3, "own signal_wait_started,own signal_wait_ended"),
    (1, "own run_started,own checkpoint_committed,own model_called"), (1, "own run_started,own model_called"),
)
# In a scene these fields agree: field -> which of the scene's own values it takes.
LINKS: dict[str, dict[str, str]] = {
    "tool_called": {"id": "call"}, "tool_result": {"tool_use_id": "call"},
    "sending": {"id": "call", "args": "args", "render": "render"},
    "signal_enqueued": {"id": "signal", "room": "room"}, "signal_consumed": {"id": "signal"},
    "signal_landed": {"signal": "signal"}, "signal_wait_started": {"signal": "signal"},
    "signal_wait_ended": {"signal": "signal"}, "approval_requested": {"id": "approval"},
    "approval_resolved": {"id": "approval"},
}
RUN = _table((4, RUNS[0]), (2, RUNS[1]), (1, RUNS[2]))
VERSION = _table((5, 2), (2, 1), (1, 3))
GAP = _table((60, 1), (3, 2), (1, 7), (1, 4095), (1, 4096), (1, 4097), (1, 5000))
LAG = _table((6, 0), (1, 1), (1, 2), (1, 3), (1, 5), (1, 9), (1, -2))
FAR = 2**40
DRIFT = _table((30, 0), (3, 1000), (3, -25), (2, -1000), (1, FAR), (1, 2**53 + 1), (1, 2**64 - 1))
FIRST_SEQS = (0, 1, 4096, 2**53 - 3, 2**63 - 3, 2**64 - 10**6)
OPENED: Pool = ((), (), RUNS[:1], RUNS[:1], RUNS[:2], RUNS)
# fmt: on

WIDTH, HEAD, BODY = 12, 9, 16
HEADS = st.binary(min_size=HEAD + 3 * BODY, max_size=HEAD + 3 * BODY)
BODIES = st.binary(min_size=BODY, max_size=BODY)


def _fill(draw: st.DrawFn, raw: bytes, fields: dict[str, Pool], *, floats: bool) -> dict[str, Json]:
    """Draw a payload by its bytes, the last of which adds keys that nobody knows."""
    data: dict[str, Json] = {}
    for byte, (name, pool) in zip(raw, fields.items(), strict=False):
        value = pool[byte]
        while isinstance(value, FunctionType):
            value = draw(value(floats=floats))
        if value is not ABSENT:
            data[name] = value
    extra: dict[str, Json] = EXTRAS[raw[WIDTH]]
    return data | extra


@st.composite
def _filled(draw: st.DrawFn, fields: dict[str, Pool], *, floats: bool) -> dict[str, Json]:
    return _fill(draw, draw(BODIES), fields, floats=floats)


@cache
def payloads(kind: str, *, floats: bool = False) -> st.SearchStrategy[dict[str, Json]]:
    """Payloads of one kind; of a kind that nothing reads, any object."""
    fields = PAYLOADS.get(kind)
    return _filled(fields, floats=floats) if fields else json_values(floats=floats, objects=True)


def _body(draw: st.DrawFn, raw: bytes, run: str, kind: str, *, floats: bool) -> Record:
    """Draw a record whose seq is still the way to the next one and whose t is still a drift."""
    fields = PAYLOADS.get(kind)
    data = _fill(draw, raw[3:], fields, floats=floats) if fields else draw(_object(floats=floats))
    v, seq, t = VERSION[raw[0]], GAP[raw[1]], DRIFT[raw[2]]
    return {"v": v, "run": run, "seq": seq, "t": t, "kind": kind, "data": data}


def _line_up(bodies: list[Record], first: int) -> list[Record]:
    """Make rising seqs of the ways, and times that wander but seldom repeat."""
    lines: list[Record] = []
    seq = first
    for place, body in enumerate(bodies):
        t = body["t"] if body["t"] >= FAR else max(0, 1700 + 10 * place + body["t"])
        lines.append(body | {"seq": seq, "t": t})
        seq += body["seq"]
    return lines


@st.composite
def _scenes(draw: st.DrawFn, *, floats: bool) -> tuple[int, list[Record]]:
    """Draw records that belong together, and how many places each slips behind the one before."""
    raw = draw(HEADS)
    runs = {"own": RUN[raw[1]], "other": RUN[raw[2]], "nil": NIL}
    room, call, signal, approval = map(_at, (ROOMS, CALL_IDS, SIGNALS, APPROVALS), raw[3:7])
    values: dict[str, Json] = {"room": room, "call": call, "signal": signal, "approval": approval}
    values |= {"args": {"to": room}, "render": "signal"}
    if not SCENES[raw[0]]:
        return 0, [_body(draw, raw[HEAD:], runs["own"], KINDS[raw[7]], floats=floats)]
    bodies: list[Record] = []
    for step, part in enumerate(SCENES[raw[0]].split(",")):
        whose, name = part.split(" ")
        kind = "tool_called" if name == "sending" else name
        body = _body(draw, raw[HEAD + step * BODY :], runs[whose], kind, floats=floats)
        body["data"] |= {field: values[value] for field, value in LINKS.get(name, {}).items()}
        bodies.append(body)
    return LAG[raw[8]], bodies


@st.composite
def records(draw: st.DrawFn, *, kinds: tuple[str, ...] = (), floats: bool = False) -> Record:
    """Draw one record, of any kind or of the given ones."""
    raw = draw(HEADS)
    kind = _at(kinds, raw[0]) if kinds else KINDS[raw[0]]
    return _line_up([_body(draw, raw[HEAD:], RUN[raw[1]], kind, floats=floats)], _at(FIRST_SEQS, raw[2]))[0]


@st.composite
def ledgers(draw: st.DrawFn, *, max_size: int = 24, floats: bool = False) -> list[Record]:
    """Draw a ledger of up to three runs, its scenes interleaved."""
    scenes = _scenes(floats=floats)
    few = st.lists(scenes, max_size=max_size)
    many = st.lists(scenes, min_size=max_size // 4, max_size=max_size)
    called = {"v": 2, "seq": 1, "t": 0, "kind": "model_called", "data": {"model": "m1"}}
    placed: list[tuple[int, Record]] = [(0, called | {"run": run}) for run in draw(st.sampled_from(OPENED))]
    for lag, bodies in draw(st.one_of(few, many)):
        start = len(placed)
        placed += [(start + step + step * lag, body) for step, body in enumerate(bodies)]
    placed.sort(key=lambda item: item[0])
    return _line_up([body for _, body in placed[:max_size]], draw(st.sampled_from(FIRST_SEQS)))
