"""Histories: plain records of up to three runs in rising `seq`, drawn from small pools.

The pools are small so that ids meet again: within a turn, across turns and across runs. A scene of a few records that
belong together agree on their ids, and each may be left out: a failure shrinks to the records it needs. A record is one
string of bytes, whose zeros are the plainest choices.
"""

from functools import cache
from typing import Final, TypeAlias

from hypothesis import strategies as st

from accounting.conformance.strategies.payloads import PAYLOADS, filled, weighted
from accounting.conformance.strategies.pools import APPROVALS, CALL_IDS, ROOMS, RUNS, SIGNALS
from accounting.conformance.strategies.values import Pool, chosen, json_objects
from wire.scalars import NIL_RUN, Json, JsonObject

PlainRecord: TypeAlias = JsonObject
"""A record as JSON: `v run seq t kind data`."""

# fmt: off
OTHERS: Pool = (
    "prompt_assembled", "session_named", "log_truncated", "policy_created", "harness_reported", "went_back",
    "brand_new", "", "Model_called", "tool_result ", "note", "\u2028", "é",
)
KINDS = weighted(
    *[(3, kind) for kind in PAYLOADS], (2, "model_called"), (1, "model_returned"), (2, "tool_called"),
    (3, "tool_result"), (3, "steer_received"), (2, "provider_degraded"), (3, "watchdog_fired"),
    (1, "run_frozen"), (2, "worktree_opened"), (1, "budget_limit"), *[(1, kind) for kind in OTHERS],
)
# Scenes: records that belong together, each by whose run it is and its kind. No scene: any one record.
SCENES = weighted(
    (24, ""), (2, "own model_called"), (4, "own model_called,own model_returned"),
    (7, "own tool_called,own tool_result"), (3, "own sending,own signal_enqueued,own signal_landed"),
    (2, "other signal_enqueued,own signal_consumed"), (1, "own signal_enqueued,own signal_consumed"),
    (2, "own approval_requested,nil approval_resolved"), (3, "own signal_wait_started,own signal_wait_ended"),
    (1, "own run_started,own checkpoint_committed,own model_called"), (1, "own run_started,own model_called"),
    (1, "own worktree_opened,own worktree_opened"), (1, "own run_frozen,own run_frozen"),
    (2, "own sending,own signal_enqueued,own signal_landed,own signal_landed"),
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
RUN = weighted((4, RUNS[0]), (2, RUNS[1]), (1, RUNS[2]))
VERSION = weighted((5, 2), (2, 1), (1, 3))
GAP = weighted((60, 1), (3, 2), (1, 7), (1, 4095), (1, 4096), (1, 4097), (1, 5000))
LAG = weighted((6, 0), (1, 1), (1, 2), (1, 3), (1, 5), (1, 9), (1, -2))
FAR = 2**40
DRIFT = weighted((30, 0), (3, 1000), (3, -25), (2, -1000), (1, FAR), (1, 2**53 + 1), (1, 2**64 - 1))
FIRST_SEQS = (0, 1, 4096, 2**53 - 3, 2**63 - 3, 2**64 - 10**6)
OPENED: Pool = ((), (), RUNS[:1], RUNS[:1], RUNS[:2], RUNS)
# fmt: on

_BYTE: Final = st.integers(0, 255)
# Few bytes at a time: shrinking tries each of them, and gives up when too many tries in a row come to nothing.
_OF_ONE: Final = st.binary(min_size=2, max_size=2)
_OF_SCENE: Final = st.binary(min_size=7, max_size=7)
_KEPT: Final = st.integers(0, 63)
_AROUND: Final = 3


class _Body:
    """A record on its way: its `seq` is still the way to the next one and its `t` a drift."""

    __slots__ = ("data", "drift", "kind", "run", "v", "way")

    def __init__(self, draw: st.DrawFn, run: str, kind: str, *, floats: bool) -> None:
        fields = PAYLOADS.get(kind)
        raw = draw(_bytes(_AROUND + (len(fields) + 1 if fields else 0)))
        self.run, self.kind = run, kind
        self.v: int = VERSION[raw[0]]
        self.way: int = GAP[raw[1]]
        self.drift: int = DRIFT[raw[2]]
        self.data: JsonObject = (
            filled(draw, raw[_AROUND:], fields, floats=floats) if fields else draw(json_objects(floats=floats))
        )


@cache
def _bytes(size: int) -> st.SearchStrategy[bytes]:
    return st.binary(min_size=size, max_size=size)


_OPENED_BY: Final[JsonObject] = {"model": "m1"}


def _opening(run: str) -> _Body:
    """A plain opening of a turn, which draws nothing."""
    body = _Body.__new__(_Body)
    body.v, body.run, body.kind, body.way, body.drift, body.data = 2, run, "model_called", 1, 0, dict(_OPENED_BY)
    return body


def _line_up(bodies: list[_Body], first: int) -> list[PlainRecord]:
    """Make rising seqs of the ways, and times that wander but seldom repeat."""
    lines: list[PlainRecord] = []
    seq = first
    for place, body in enumerate(bodies):
        t = body.drift if body.drift >= FAR else max(0, 1700 + 10 * place + body.drift)
        lines.append({"v": body.v, "run": body.run, "seq": seq, "t": t, "kind": body.kind, "data": body.data})
        seq += body.way
    return lines


@st.composite
def _scenes(draw: st.DrawFn, *, floats: bool) -> tuple[int, list[_Body | None]]:
    """Draw records that belong together, `None` for one left out; and how many places each slips behind the last."""
    scene: str = SCENES[draw(_BYTE)]
    if not scene:
        run, kind = draw(_OF_ONE)
        return 0, [_Body(draw, RUN[run], KINDS[kind], floats=floats)]
    own, other, *links, lag = draw(_OF_SCENE)
    runs = {"own": RUN[own], "other": RUN[other], "nil": NIL_RUN}
    room, call, signal, approval = map(chosen, (ROOMS, CALL_IDS, SIGNALS, APPROVALS), links)
    values: dict[str, Json] = {"room": room, "call": call, "signal": signal, "approval": approval}
    values |= {"args": {"to": room}, "render": "signal"}
    bodies: list[_Body | None] = []
    for part in scene.split(","):
        if not draw(_KEPT):
            bodies.append(None)
            continue
        whose, _, name = part.partition(" ")
        body = _Body(draw, runs[whose], "tool_called" if name == "sending" else name, floats=floats)
        body.data |= {field: values[value] for field, value in LINKS.get(name, {}).items()}
        bodies.append(body)
    return LAG[lag], bodies


@st.composite
def plain_records(draw: st.DrawFn, *, kinds: tuple[str, ...] = (), floats: bool = False) -> PlainRecord:
    """Draw one record, of any kind or of the given ones."""
    kind = draw(st.sampled_from(kinds)) if kinds else KINDS[draw(_BYTE)]
    body = _Body(draw, RUN[draw(_BYTE)], kind, floats=floats)
    return _line_up([body], draw(st.sampled_from(FIRST_SEQS)))[0]


@st.composite
def histories(draw: st.DrawFn, *, max_size: int = 24, floats: bool = False) -> list[PlainRecord]:
    """Draw the records of up to three runs, their scenes interleaved; `seq` rises, by more than one now and then.

    Integers past 64 bits and one value nested past 126 occur, a float only with `floats`, half of a surrogate pair
    never. Payloads are shared between examples: read them, never change them.
    """
    scenes = _scenes(floats=floats)
    few = st.lists(scenes, max_size=max_size)
    many = st.lists(scenes, min_size=max_size // 4, max_size=max_size)
    placed: list[tuple[int, _Body | None]] = [(0, _opening(run)) for run in draw(st.sampled_from(OPENED))]
    for lag, bodies in draw(st.one_of(few, many)):
        # One left out keeps its place, so that leaving it out moves no other.
        start = len(placed)
        placed += [(start + step + step * lag, body) for step, body in enumerate(bodies)]
    placed.sort(key=lambda item: item[0])
    kept = [body for _, body in placed if body is not None]
    return _line_up(kept[:max_size], draw(st.sampled_from(FIRST_SEQS)))
