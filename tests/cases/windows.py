"""Windows: the newest records of the run and no other, and what is null because older ones were left out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .build import (
    HASH,
    NIL,
    OID,
    OID2,
    OTHER,
    Case,
    Json,
    Line,
    Obj,
    awaits,
    called,
    case,
    checkpoint,
    consumed,
    enqueued,
    landed,
    line,
    model,
    of,
    replied,
    requested,
    resolved,
    result,
    wait_ended,
    x_answer,
    x_arrived,
    x_awaiting,
    x_call,
    x_turn,
    x_waiting,
)

LETTER: Obj = {"sender": "anna", "said": "hello", "kind": "mention", "session": OTHER}


def _send(id: str, /, to: Json = "hall") -> Line:
    """A call that sends a letter."""
    return called(id, render="signal", args={"to": to})


def _lands(id: str, about: str, lines: Iterable[Line], wanted: Sequence[str | None], *, window: int) -> Case:
    """Records, and the landing of each call of the first turn."""
    expect = {f"turn.calls.{i}.landing": word for i, word in enumerate(wanted)}
    return case(id, "rounds.md 3 landings", about, lines, expect, window=window)


CASES: tuple[Case, ...] = (
    case(
        "window-newest",
        "rounds.md 3",
        "The newest records of the run; what is older is as if absent. Numbers count from 1.",
        [line("run_started"), model(), replied(), model(), called("c1")],
        {
            "answer": x_answer(turns=[x_turn(1, 3, calls=[x_call(4)])]),
            "outside": {},
            "passed": {},
        },
        window=2,
    ),
    case(
        "window-larger",
        "rounds.md 3",
        "A window larger than the run is the run.",
        [line("run_started"), model(), replied()],
        {"answer.turns": [x_turn(1, 1, returned=1020)], "answer.opening.at": 1000, "outside": {}},
        window=50,
    ),
    case(
        "window-exact",
        "rounds.md 3",
        "So is one exactly as large.",
        [line("run_started"), model(), replied()],
        {"answer.turns": [x_turn(1, 1, returned=1020)], "answer.opening.at": 1000, "outside": {}},
        window=3,
    ),
    case(
        "window-counts-own",
        "rounds.md 3",
        "Only records of the run are counted, wherever others stand.",
        [
            of(OTHER, model()),
            model(),
            of(OTHER, replied()),
            of(NIL, line("teleported")),
            replied({"kind": "text", "text": "x"}),
            of(OTHER, model()),
        ],
        {"answer.turns": [x_turn(1, 1, said="x", returned=1040)], "outside": {}, "passed": {}},
        window=2,
    ),
    case(
        "window-counts-passed",
        "rounds.md 3",
        "Records that a view does not draw count into the window.",
        [model(), line("prompt_assembled"), line("teleported"), replied()],
        {
            "answer.turns": [],
            "outside": {"model_returned": 1},
            "passed": {"prompt_assembled": 1, "teleported": 1},
        },
        window=3,
    ),
    case(
        "window-begins-after-call",
        "rounds.md 3.3",
        "The answer to a call that was cut falls outside, and goes to no other call.",
        [model(), called("c1"), model(), called("c2"), result("c1", result="x")],
        {"answer.turns": [x_turn(1, 2, calls=[x_call(3)])], "outside": {"tool_result": 1}},
        window=3,
    ),
    case(
        "window-begins-in-turn",
        "rounds.md 3",
        "What belonged to a turn that was cut falls outside, until a turn opens.",
        [
            model(),
            called("c1"),
            result("c1", result="x"),
            line("gate_denied"),
            replied(),
            line("gate_checked"),
            model(),
        ],
        {
            "answer.turns": [x_turn(1, 6)],
            "outside": {"tool_called": 1, "tool_result": 1, "gate_denied": 1, "model_returned": 1},
            "passed": {"gate_checked": 1},
        },
        window=6,
    ),
    case(
        "window-last-one",
        "rounds.md 3",
        "A window of one.",
        [model("a"), model("b")],
        {"answer.turns": [x_turn(1, 1, model="b")], "outside": {}},
        window=1,
    ),
    case(
        "window-opening-cut",
        "rounds.md 3",
        "A first that was cut is absent; the next in the window is then the first.",
        [
            line("run_started", task="one"),
            line("worktree_opened", name="one"),
            checkpoint(OID),
            line("run_frozen", completion=5),
            line("run_started", task="two", naming=HASH),
            line("worktree_opened", name="two"),
            checkpoint(OID2),
            line("run_frozen", completion="done"),
        ],
        {
            "answer.opening.task": "two",
            "answer.opening.names": {"mayor": "Anna"},
            "answer.worktree": "two",
            "answer.opened_at": OID2,
            "answer.closing.completion": "done",
            "outside": {},
            "passed": {},
            "problems": [],
        },
        window=4,
        names={HASH: {"mayor": "Anna"}},
    ),
    case(
        "window-nothing-stands-in",
        "rounds.md 3",
        "What was cut is null, never guessed.",
        [
            line("run_started", task="one"),
            line("worktree_opened", name="one"),
            checkpoint(OID),
            line("run_frozen", completion="done"),
            model(),
        ],
        {"answer": x_answer(turns=[x_turn(1, 4)]), "problems": []},
        window=1,
    ),
    case(
        "window-pairs-inside",
        "rounds.md 3",
        "A wait inside the window is ended inside it; one whose start was cut leaves its end passed.",
        [
            awaits("s1"),
            model(),
            awaits("s2"),
            wait_ended("s2", "left"),
            wait_ended("s1", "left"),
            consumed("s3"),
        ],
        {
            "turn.notes.0": x_awaiting(2, {"by": "left", "t": 1030}),
            "turn.notes.1.arrived.at": 5,
            "passed": {"signal_wait_ended": 2},
            "outside": {},
        },
        window=5,
    ),
    case(
        "window-nil-run",
        "rounds.md 3",
        "Asked for, the nil run has a window of its own records, and its own resolutions answer in it.",
        [
            of(NIL, model()),
            of(NIL, model()),
            model(),
            of(NIL, requested("a1")),
            resolved("a1"),
        ],
        {
            "answer": x_answer(NIL, turns=[x_turn(1, 1, notes=[x_waiting(3, 1040)])]),
            "passed": {"approval_resolved": 1},
        },
        run=NIL,
        window=3,
    ),
    case(
        "wait-window",
        "rounds.md 3",
        "Records of the nil run do not count into the window of another.",
        [model(), replied(), model(), requested("a1"), resolved("a2"), resolved("a1"), resolved("a3")],
        {"answer.turns.0.opened": 2, "turn.notes": [x_waiting(3, 1050)], "outside": {}, "passed": {}},
        window=2,
    ),
    case(
        "arrival-window-other",
        "rounds.md 3",
        "A window cuts own records only: an older letter of another run still tells.",
        [of(OTHER, enqueued("s1")), model(), replied(), model(), consumed("s1")],
        {"answer.turns.0.opened": 3, "turn.notes": [x_arrived(4, **LETTER)]},
        window=2,
    ),
    case(
        "arrival-window-own",
        "rounds.md 3",
        "An own letter that was cut is as if absent; an older one of another run is then the nearest.",
        [of(OTHER, enqueued("s1")), enqueued("s1", payload={"text": "own"}), model(), consumed("s1")],
        {"turn.notes": [x_arrived(3, **LETTER)], "passed": {}},
        window=2,
    ),
    _lands(
        "landing-window-whole",
        "A window that leaves nothing out is not cut.",
        [model(), _send("c1"), enqueued("s1"), landed("s1", "delivered")],
        ["delivered"],
        window=4,
    ),
    _lands(
        "landing-window-other-runs",
        "Other runs' records cut nothing.",
        [
            of(OTHER, model()),
            of(OTHER, replied()),
            model(),
            _send("c1"),
            enqueued("s1"),
            landed("s1", "delivered"),
        ],
        ["delivered"],
        window=4,
    ),
    _lands(
        "landing-window-cut",
        "In a cut window every landing is null, though call, letter and landing are inside.",
        [line("run_started"), model(), _send("c1"), enqueued("s1"), landed("s1", "delivered")],
        [None],
        window=4,
    ),
)
