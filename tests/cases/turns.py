"""Turns: opening one, its reply, retries, and what a reply says."""

from __future__ import annotations

from collections.abc import Sequence

from .build import (
    NIL,
    OTHER,
    THIRD,
    U64,
    Case,
    Json,
    Line,
    called,
    case,
    line,
    model,
    of,
    replied,
    result,
    text,
    thinking,
    ver,
    when,
    x_answer,
    x_call,
    x_turn,
    x_used,
)

USAGE: Json = {"v": 1, "input_tokens": 10, "output_tokens": 2}
FULL = replied(
    text("hi"),
    thinking("hm"),
    usage=USAGE,
    stop="end_turn",
    billed_usd_micros=12,
    first_at=1005,
    first_us=5000,
    took_us=10000,
)


def _field(id: str, about: str, key: str, field: str, pairs: Sequence[tuple[Json, Json]]) -> Case:
    """One turn for each value of a payload field of the reply, and what it reads as."""
    lines: list[Line] = []
    for value, _ in pairs:
        lines += [model(), replied(**{key: value})]
    expect = {f"answer.turns.{i}.{field}": wanted for i, (_, wanted) in enumerate(pairs)}
    return case(id, "rounds.md 3.4", about, lines, expect)


def _prose(id: str, about: str, blocks: Json, said: str | None, thought: str | None) -> Case:
    """One reply whose `message.content` is as given."""
    lines = [model(), replied(message={"content": blocks})]
    return case(id, "rounds.md 2 said", about, lines, {"turn.said": said, "turn.thought": thought})


OPENED: tuple[Case, ...] = (
    case(
        "no-records",
        "rounds.md 1",
        "A run without records has an answer, every field written.",
        [],
        {"answer": x_answer(), "outside": {}, "passed": {}, "problems": []},
    ),
    case(
        "turn-shape",
        "rounds.md 3.1",
        "A model call alone is a whole turn without a reply.",
        [model()],
        {
            "answer": x_answer(turns=[x_turn(1, 0)]),
            "outside": {},
            "passed": {},
            "problems": [],
        },
    ),
    case(
        "turn-shape-full",
        "rounds.md 3.4",
        "Reply, call and result of one turn, every field of it.",
        [model(), FULL, called("c1"), result("c1", result="ok")],
        {
            "answer.turns": [
                x_turn(
                    1,
                    0,
                    first_at=1005,
                    returned=1010,
                    said="hi",
                    thought="hm",
                    spent=12,
                    used=x_used(10, 2, first_us=5000, took_us=10000),
                    stopped="end_turn",
                    calls=[
                        x_call(
                            2,
                            outcome="answered",
                            output={"head": "ok", "cut": 0, "pinned": None},
                            answered=1030,
                        )
                    ],
                )
            ],
            "outside": {},
            "passed": {},
            "problems": [],
        },
    ),
    case(
        "model-number",
        "rounds.md 2 text",
        "A model that is no string is absent; the turn opens all the same.",
        [line("model_called", model=7)],
        {"answer.turns": [x_turn(1, 0, model=None)]},
    ),
    case(
        "model-missing",
        "rounds.md 3.1",
        "An empty payload opens a turn of no known model.",
        [line("model_called")],
        {"answer.turns": [x_turn(1, 0, model=None)]},
    ),
    case(
        "model-empty-name",
        "rounds.md 2 text",
        "An empty string is a recorded string.",
        [model("")],
        {"turn.model": ""},
    ),
    case(
        "model-per-turn",
        "rounds.md 1 Turn",
        "Each turn has the model of its own line, and no neighbour's.",
        [model("a"), line("model_called"), model("b")],
        {"turn.model": "a", "answer.turns.1.model": None, "answer.turns.2.model": "b"},
    ),
    case(
        "turn-timing-v1",
        "rounds.md 3 timing",
        "A line of version 1 has no moment; its time stays.",
        [ver(1, model())],
        {"turn.timing": "unmeasured", "turn.t": 1000},
    ),
    case(
        "turn-timing-v3",
        "rounds.md 0",
        "A version beyond the known counts as the newest known: measured.",
        [ver(3, model()), ver(3, replied())],
        {"turn.timing": "measured", "turn.returned": 1010},
    ),
    case(
        "turn-numbers",
        "rounds.md 3.1",
        "Numbers count from 1 in the order of opening.",
        [model(), replied(), model(), replied(), model()],
        {
            "turn.number": 1,
            "turn.opened": 0,
            "answer.turns.1.number": 2,
            "answer.turns.1.opened": 2,
            "answer.turns.2.number": 3,
            "answer.turns.2.opened": 4,
        },
    ),
    case(
        "times-do-not-order",
        "ledger.md 1",
        "Order is seq: times that run backwards are carried as they are.",
        [when(9000, model()), when(10, replied(text("a"))), when(0, model())],
        {"turn.t": 9000, "turn.returned": 10, "turn.said": "a", "answer.turns.1.t": 0},
    ),
    case(
        "interleaved-runs",
        "rounds.md 3",
        "Lines of other runs open no turn, make no call, answer nothing.",
        [
            of(OTHER, model("x")),
            model(),
            of(OTHER, model("y")),
            replied(text("mine")),
            of(OTHER, called("c1")),
            called("c1"),
            of(OTHER, result("c1", result="theirs")),
            of(THIRD, line("file_discarded", paths=["a"])),
            result("c1", result="ours"),
        ],
        {
            "answer.turns": [
                x_turn(
                    1,
                    1,
                    said="mine",
                    returned=1030,
                    calls=[
                        x_call(
                            5,
                            outcome="answered",
                            answered=1080,
                            output={"head": "ours", "cut": 0, "pinned": None},
                        )
                    ],
                )
            ],
            "outside": {},
            "passed": {},
        },
    ),
    case(
        "nil-run-asked",
        "rounds.md 3",
        "The nil run may be asked for like any other.",
        [of(NIL, model()), model(), of(NIL, replied(text("city")))],
        {"answer": x_answer(NIL, turns=[x_turn(1, 0, said="city", returned=1020)]), "outside": {}},
        run=NIL,
    ),
    case(
        "run-unknown",
        "rounds.md 3",
        "A run that has no line at all gives the empty answer.",
        [of(OTHER, model()), of(OTHER, line("run_started", task="x"))],
        {"answer": x_answer(), "outside": {}, "passed": {}, "problems": []},
    ),
)

REPLIES: tuple[Case, ...] = (
    case(
        "reply-v1",
        "ledger.md 2",
        "A reply of version 1 has no moment of its own; the recorded fields stand.",
        [ver(1, model()), ver(1, FULL)],
        {
            "turn.returned": None,
            "turn.first_at": 1005,
            "turn.said": "hi",
            "turn.used": x_used(10, 2, first_us=5000, took_us=10000),
        },
    ),
    case(
        "reply-v2-to-v1-call",
        "rounds.md 3 timing",
        "Timing of a turn asks its own line alone, `returned` the reply's line alone.",
        [ver(1, model()), replied(), model(), ver(1, replied())],
        {
            "turn.timing": "unmeasured",
            "turn.returned": 1010,
            "answer.turns.1.timing": "measured",
            "answer.turns.1.returned": None,
        },
    ),
    case(
        "reply-before-call",
        "rounds.md 3.4",
        "A reply before any attempt falls outside and is not kept for a later one.",
        [replied(text("early")), model()],
        {"answer.turns": [x_turn(1, 1)], "outside": {"model_returned": 1}, "passed": {}},
    ),
    case(
        "retry-leaves-turn",
        "rounds.md 3.4",
        "A second model call is a retry: the attempt before it stays without a reply.",
        [model("a"), model("b"), replied(text("x"))],
        {
            "answer.turns": [x_turn(1, 0, model="a"), x_turn(2, 1, model="b", said="x", returned=1020)],
            "outside": {},
        },
    ),
    case(
        "reply-late-goes-to-latest",
        "rounds.md 3.4",
        "Two replies after two attempts both belong to the latest attempt.",
        [model(), model(), replied(text("one")), replied(text("two"))],
        {"turn.said": None, "turn.returned": None, "answer.turns.1.said": "two", "outside": {}},
    ),
    case(
        "reply-second-replaces-seven",
        "rounds.md 3.4",
        "A later reply replaces all seven fields, also with nothing.",
        [model(), FULL, ver(1, line("model_returned"))],
        {"answer.turns": [x_turn(1, 0)], "outside": {}, "passed": {}},
    ),
    case(
        "reply-second-replaces-values",
        "rounds.md 3.4",
        "None of the first reply's values survives beside the second's.",
        [model(), FULL, replied(text("again"), stop="length")],
        {"answer.turns": [x_turn(1, 0, said="again", stopped="length", returned=1020)]},
    ),
    case(
        "reply-second-keeps-rows",
        "rounds.md 3.4",
        "Calls and notes between two replies stay.",
        [model(), FULL, called("c1"), line("file_discarded", paths=["a"]), replied()],
        {
            "turn.calls": [x_call(2)],
            "turn.notes": [{"discarded": {"count": 1, "at": 3}}],
            "turn.said": None,
        },
    ),
    case(
        "reply-does-not-close",
        "rounds.md 3.5",
        "Turns never close: calls after the reply belong to the same turn.",
        [model(), replied(), called("c1"), result("c1"), called("c2")],
        {"turn.calls.0.at": 2, "turn.calls.1.at": 4},
    ),
    case(
        "reply-of-other-run",
        "rounds.md 3.4",
        "Another run's reply answers no attempt here and is not counted.",
        [model(), of(OTHER, replied(text("x")))],
        {"answer.turns": [x_turn(1, 0)], "outside": {}, "passed": {}},
    ),
    case(
        "reply-bad-field-alone",
        "rounds.md 2",
        "A message that does not read costs only the prose and the reasoning.",
        [model(), replied(message=5, usage=USAGE, stop="end_turn", billed_usd_micros=3, first_at=7)],
        {
            "turn.said": None,
            "turn.thought": None,
            "turn.used": x_used(10, 2),
            "turn.stopped": "end_turn",
            "turn.spent": 3,
            "turn.first_at": 7,
            "turn.returned": 1010,
        },
    ),
    _field(
        "reply-spent",
        "What was billed is a u64; 0 was said, null was not.",
        "billed_usd_micros",
        "spent",
        [
            (0, 0),
            (U64, U64),
            (2**53 + 1, 2**53 + 1),
            (U64 + 1, None),
            (-1, None),
            (True, None),
            ("5", None),
            (None, None),
        ],
    ),
    _field(
        "reply-stop",
        "The provider's own word, any string; numbers are not made into text.",
        "stop",
        "stopped",
        [("never seen", "never seen"), ("", ""), (5, None), (None, None), (["x"], None), (False, None)],
    ),
    _field(
        "reply-first-at",
        "The time of the first content is a u64; 0 is a time.",
        "first_at",
        "first_at",
        [
            (0, 0),
            (U64, U64),
            (U64 + 1, None),
            (-1, None),
            (True, None),
            ("5", None),
            (None, None),
            (1.0, None),
        ],
    ),
    case(
        "used-first-at-zero",
        "rounds.md 3.4",
        "A first_at of 0 reads, so first_us stands; durations of 0 are values.",
        [model(), replied(usage=USAGE, first_at=0, first_us=0, took_us=0)],
        {"turn.first_at": 0, "turn.used": x_used(10, 2, first_us=0, took_us=0)},
    ),
    case(
        "used-first-us-without-first-at",
        "rounds.md 3.4",
        "first_us is null wherever first_at is; took_us stands alone.",
        [
            model(),
            replied(usage=USAGE, first_us=5, took_us=9),
            model(),
            replied(usage=USAGE, first_at="x", first_us=5),
        ],
        {
            "turn.used": x_used(10, 2, took_us=9),
            "answer.turns.1.used": x_used(10, 2),
            "answer.turns.1.first_at": None,
        },
    ),
    case(
        "used-durations-bad",
        "rounds.md 2",
        "A duration that does not read is absent; the counts stand.",
        [
            model(),
            replied(usage=USAGE, first_at=7, first_us=-1, took_us=True),
            model(),
            replied(usage=USAGE, first_at=7, first_us="5", took_us=U64 + 1),
            model(),
            replied(usage=USAGE, first_at=7, first_us=U64, took_us=U64),
        ],
        {
            "turn.used": x_used(10, 2),
            "answer.turns.1.used": x_used(10, 2),
            "answer.turns.2.used": x_used(10, 2, first_us=U64, took_us=U64),
        },
    ),
    case(
        "used-absent-hides-durations",
        "rounds.md 3.4",
        "Without usage neither duration shows, though both were recorded; first_at does.",
        [model(), replied(first_at=7, first_us=5, took_us=9)],
        {"turn.used": None, "turn.first_at": 7},
    ),
)

PROSE: tuple[Case, ...] = (
    _prose(
        "said-join",
        "Prose joins by one newline, in order.",
        [text("a"), text("b"), text("c")],
        "a\nb\nc",
        None,
    ),
    _prose("thought-join", "So does reasoning.", [thinking("x"), thinking("y")], None, "x\ny"),
    _prose(
        "said-apart-from-thought",
        "Mixed blocks: each reading takes its own, in order.",
        [thinking("x"), text("a"), thinking("y"), text("b")],
        "a\nb",
        "x\ny",
    ),
    _prose(
        "said-other-blocks",
        "Blocks of other kinds say nothing, whatever fields they carry.",
        [
            {"kind": "tool_use", "id": "c1", "name": "n", "input": {}, "text": "no"},
            {"kind": "redacted_thinking", "data": "z", "thinking": "no", "text": "no"},
            {"kind": "image", "text": "no"},
            {"kind": "newer", "text": "no", "thinking": "no"},
            {"text": "no", "thinking": "no"},
            {"kind": "TEXT", "text": "no"},
            {"type": "text", "text": "no"},
        ],
        None,
        None,
    ),
    _prose(
        "said-field-of-own-name",
        "A text block's `thinking` and a thinking block's `text` are not read.",
        [{"kind": "text", "thinking": "no"}, {"kind": "thinking", "text": "no"}],
        None,
        None,
    ),
    _prose(
        "said-non-string-skipped",
        "A field that is no string is skipped without leaving an empty line.",
        [text("a"), text(5), text(None), text(["b"]), thinking(1), thinking("x"), text("c")],
        "a\nc",
        "x",
    ),
    _prose(
        "said-non-object-blocks",
        "Entries that are no objects are skipped.",
        ["a", 5, None, [text("no")], text("b")],
        "b",
        None,
    ),
    _prose("said-empty-string", "An empty string was said; it is not absent.", [text("")], "", None),
    _prose("said-two-empty", "Two empty blocks still join.", [text(""), text(""), thinking("")], "\n", ""),
    _prose(
        "said-not-trimmed",
        "Nothing is trimmed, nothing is bounded.",
        [text(" a \n"), text("\n b")],
        " a \n\n\n b",
        None,
    ),
    _prose("said-long", "Prose is not cut by lines.", [text("l\n" * 40)], "l\n" * 40, None),
    _prose("said-no-blocks", "No block, nothing said.", [], None, None),
    _prose("said-content-string", "Content that is a string is no list.", "hello", None, None),
    _prose("said-content-object", "Content that is one block is no list.", text("hello"), None, None),
    case(
        "said-message-shapes",
        "rounds.md 2 said",
        "A message that is null, a list or a string, or has no content, says nothing.",
        [
            model(),
            replied(message=None),
            model(),
            replied(message=[text("no")]),
            model(),
            replied(message="no"),
            model(),
            replied(message={"role": "assistant", "text": "no"}),
            model(),
            line("model_returned", content=[text("no")]),
        ],
        {f"answer.turns.{i}.said": None for i in range(5)},
    ),
)

CASES: tuple[Case, ...] = OPENED + REPLIES + PROSE
