"""Builders for cases: what goes in as ledger records, what should come out as wire JSON.

A case lists its records as short calls (`model()`, `called("c1")`, `result("c1", result="ok")`); `case`
numbers them 0, 1, 2 ... and stamps each with t = 1000 + 10 * seq. `of`, `ver`, `on` and `when` give one
record another run, version, seq or time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
Obj: TypeAlias = dict[str, Json]

RUN = "11111111-1111-4111-8111-111111111111"
OTHER = "22222222-2222-4222-8222-222222222222"
THIRD = "33333333-3333-4333-8333-333333333333"
NIL = "00000000-0000-0000-0000-000000000000"

HASH = "ab" * 32
OID = "0123456789abcdef0123456789abcdef01234567"
OID2 = "f" * 40
LOC = "cas:b3-" + HASH

U32 = 2**32 - 1
U64 = 2**64 - 1
I64 = 2**63 - 1

ROOTS = ("answer", "outside", "passed", "problems")
_SHORT = {
    "turn": "answer.turns.0",
    "call": "answer.turns.0.calls.0",
    "note": "answer.turns.0.notes.0",
}


class Case(NamedTuple):
    """Records, the run asked for, and exact values at dotted paths of what the fold should give.

    `names` is the lookup that the caller supplies: hash of `naming` -> FrozenNames. A `cause` is written up
    to and with its colon.
    """

    id: str
    rule: str
    about: str
    records: tuple[Obj, ...]
    expect: Obj
    run: str = RUN
    window: int | None = None
    names: Mapping[str, Mapping[str, str | None]] | None = None


class Line(NamedTuple):
    """One record before it is numbered."""

    kind: str
    data: Obj
    run: str = RUN
    v: int = 2
    seq: int | None = None
    t: int | None = None


def steps(path: str) -> tuple[str | int, ...]:
    """The keys and indices of a dotted path."""
    return tuple(int(step) if step.isdecimal() else step for step in path.split("."))


def case(
    id: str,
    rule: str,
    about: str,
    lines: Iterable[Line],
    expect: Mapping[str, Json],
    *,
    run: str = RUN,
    window: int | None = None,
    names: Mapping[str, Mapping[str, str | None]] | None = None,
) -> Case:
    """A case; `turn`, `call` and `note` at the head of a path mean the first of each (in the first turn)."""
    records: list[Obj] = []
    following = 0
    for one in lines:
        seq = following if one.seq is None else one.seq
        t = 1000 + 10 * seq if one.t is None else one.t
        records.append({"v": one.v, "run": one.run, "seq": seq, "t": t, "kind": one.kind, "data": one.data})
        following = seq + 1
    full: Obj = {}
    for path, value in expect.items():
        head, dot, rest = path.partition(".")
        full[_SHORT.get(head, head) + dot + rest] = value
    return Case(id, rule, about, tuple(records), full, run, window, names)


# --- where and when -------------------------------------------------------------------------------------


def of(run: str, one: Line) -> Line:
    """The record under another run."""
    return one._replace(run=run)


def ver(v: int, one: Line) -> Line:
    """The record written by another version of the format."""
    return one._replace(v=v)


def on(seq: int, one: Line) -> Line:
    """The record at a fixed place; those after it count on from there."""
    return one._replace(seq=seq)


def when(t: int, one: Line) -> Line:
    """The record with a time of its own."""
    return one._replace(t=t)


# --- records --------------------------------------------------------------------------------------------


def line(kind: str, /, **data: Json) -> Line:
    """Any record, its payload as keywords."""
    return Line(kind, data)


def model(name: str = "m-1") -> Line:
    """`model_called`."""
    return line("model_called", model=name, segments=[])


def replied(*blocks: Json, **data: Json) -> Line:
    """`model_returned` whose message holds these blocks."""
    base: Obj = {"message": {"role": "assistant", "content": list(blocks)}, "calls": 0}
    return Line("model_returned", base | data)


def called(id: str, /, **data: Json) -> Line:
    """`tool_called`."""
    base: Obj = {"id": id, "name": "probe", "args": {}}
    return Line("tool_called", base | data)


def result(id: str, /, **data: Json) -> Line:
    """`tool_result`; give `result`, `error`, both or neither."""
    return Line("tool_result", {"tool_use_id": id, "name": "probe"} | data)


def checkpoint(oid: Json = OID, **data: Json) -> Line:
    """`checkpoint_committed` of the commit form."""
    return Line("checkpoint_committed", {"oid": oid, "scope": [], "files": []} | data)


def enqueued(id: Json, /, **data: Json) -> Line:
    """`signal_enqueued` from anna to the hall."""
    base: Obj = {"id": id, "kind": "mention", "from": "anna", "room": "hall", "room_version": 1}
    return Line("signal_enqueued", base | {"payload": {"text": "hello"}, "at": 5} | data)


def consumed(id: Json, /) -> Line:
    """`signal_consumed`."""
    return line("signal_consumed", id=id, by="bert")


def landed(signal: Json, word: Json, /) -> Line:
    """`signal_landed`."""
    return line("signal_landed", signal=signal, landing=word)


def awaits(signal: Json, /, **data: Json) -> Line:
    """`signal_wait_started` on the hall, until 9000."""
    return Line("signal_wait_started", {"on": "hall", "signal": signal, "deadline_ms": 9000} | data)


def wait_ended(signal: Json, end: Json, /, **by: Json) -> Line:
    """`signal_wait_ended`."""
    return line("signal_wait_ended", signal=signal, by={"end": end} | by)


def requested(id: Json, /) -> Line:
    """`approval_requested`."""
    return line("approval_requested", id=id, actor="anna", action_desc="send", tainted=False)


def resolved(id: Json, /, verdict: Json = "allow") -> Line:
    """`approval_resolved`, under the nil run as the city writes it."""
    return of(NIL, line("approval_resolved", id=id, verdict=verdict))


def text(words: Json) -> Obj:
    """A block of prose."""
    return {"kind": "text", "text": words}


def thinking(words: Json) -> Obj:
    """A block of reasoning."""
    return {"kind": "thinking", "thinking": words, "signature": "sig"}


ERROR: Obj = {
    "code": "E_GATE_DENIED",
    "action": "write",
    "subject": "a.txt",
    "nearby": ["b.txt"],
    "recovery": "ask first",
    "retry": "no",
}


def error(**changes: Json) -> Obj:
    """The error shape with these parts changed or added."""
    return ERROR | changes


def without(shape: Mapping[str, Json], *keys: str) -> Obj:
    """An object less some of its keys."""
    return {key: value for key, value in shape.items() if key not in keys}


# --- expected wire values -------------------------------------------------------------------------------


def x_output(head: str, cut: int = 0, pinned: str | None = None) -> Obj:
    """An Output."""
    return {"head": head, "cut": cut, "pinned": pinned}


def x_call(at: int, **changes: Json) -> Obj:
    """A whole Call: a waiting, measured `probe` with empty arguments unless changed."""
    base: Obj = {
        "tool": "probe",
        "subject": None,
        "arguments": x_output("{}"),
        "outcome": "waiting",
        "at": at,
        "output": None,
        "called": 1000 + 10 * at,
        "answered": None,
        "timing": "measured",
        "effect": None,
        "render": None,
        "exit_code": None,
        "took_us": None,
        "landing": None,
    }
    return base | changes


def x_turn(number: int, opened: int, **changes: Json) -> Obj:
    """A whole Turn: measured, of model `m-1`, without a reply unless changed."""
    base: Obj = {
        "number": number,
        "opened": opened,
        "t": 1000 + 10 * opened,
        "timing": "measured",
        "first_at": None,
        "returned": None,
        "model": "m-1",
        "said": None,
        "thought": None,
        "spent": None,
        "used": None,
        "stopped": None,
        "calls": [],
        "notes": [],
    }
    return base | changes


def x_arrived(at: int, /, **changes: Json) -> Obj:
    """An `arrived` note; `sender` is its `from`."""
    base: Obj = {
        "from": changes.pop("sender", None),
        "said": None,
        "by": "resident",
        "t": 1000 + 10 * at,
        "handback": None,
        "kind": None,
        "session": None,
        "at": at,
    }
    return {"arrived": base | changes}


def x_waiting(at: int, answered: int | None = None) -> Obj:
    """A `waiting` note."""
    return {"waiting": {"at": at, "t": 1000 + 10 * at, "answered": answered}}


def x_awaiting(at: int, ended: Mapping[str, Json] | None = None) -> Obj:
    """An `awaiting_reply` note of what `awaits` writes."""
    return {"awaiting_reply": {"on": "hall", "until": 9000, "t": 1000 + 10 * at, "ended": ended, "at": at}}


def x_answer(run: str = RUN, **changes: Json) -> Obj:
    """A whole RoundsAnswer: empty unless changed."""
    base: Obj = {
        "run": run,
        "turns": [],
        "opened_at": None,
        "opening": None,
        "closing": None,
        "worktree": None,
    }
    return base | changes
