"""Calls: who is answered by what, whether it was measured, its effect and its drawing."""

from __future__ import annotations

from collections.abc import Sequence

from .build import (
    OTHER,
    U64,
    Case,
    Json,
    Line,
    called,
    case,
    error,
    line,
    model,
    of,
    on,
    replied,
    result,
    ver,
    when,
    x_call,
    x_output,
    x_turn,
)


def _field(id: str, about: str, key: str, pairs: Sequence[tuple[Json, Json]], *, rule: str) -> Case:
    """One call for each value of a field of `tool_called`, and what the Call's field of that name is."""
    lines: list[Line] = [model()]
    lines += [called(f"c{i}", **{key: value}) for i, (value, _) in enumerate(pairs)]
    field = "tool" if key == "name" else key
    expect = {f"turn.calls.{i}.{field}": wanted for i, (_, wanted) in enumerate(pairs)}
    return case(id, rule, about, lines, expect)


def _timing(id: str, about: str, call_v: int, result_v: int | None, timing: str, **payload: Json) -> Case:
    """A call and its answer (None: still waiting) in these versions."""
    lines = [model(), ver(call_v, called("c1"))]
    if result_v is not None:
        lines.append(ver(result_v, result("c1", **payload)))
    expect: dict[str, Json] = {
        "call.timing": timing,
        "call.called": 1010,
        "call.answered": None if result_v is None else 1020,
    }
    return case(id, "rounds.md 3 timing", about, lines, expect)


PLACES: tuple[Case, ...] = (
    case(
        "call-waiting-shape",
        "rounds.md 3.2",
        "A call that nobody answered, every field of it.",
        [
            model(),
            called("c1", name="read", args={"path": "a"}, subject="a", effect="read", render="generic"),
        ],
        {
            "turn.calls": [
                x_call(
                    1,
                    tool="read",
                    subject="a",
                    arguments=x_output('{\n  "path": "a"\n}'),
                    effect="read",
                    render="generic",
                )
            ],
            "outside": {},
            "passed": {},
        },
    ),
    case(
        "call-answered-shape",
        "rounds.md 3.3",
        "A call that was answered, every field of it.",
        [model(), called("c1"), result("c1", result={"exit_code": 2}, took_us=77)],
        {
            "turn.calls": [
                x_call(
                    1,
                    outcome="answered",
                    output=x_output('{"exit_code":2}'),
                    answered=1020,
                    exit_code=2,
                    took_us=77,
                )
            ],
            "outside": {},
            "passed": {},
        },
    ),
    case(
        "call-without-turn",
        "rounds.md 3.2",
        "A call before any turn falls outside, and so does its answer; the next turn has neither.",
        [called("c1"), model(), result("c1", result="x")],
        {"answer.turns": [x_turn(1, 1)], "outside": {"tool_called": 1, "tool_result": 1}, "passed": {}},
    ),
    case(
        "call-to-last-turn",
        "rounds.md 3.2",
        "A call belongs to the last turn opened, replied to or not.",
        [model(), replied(), model(), called("c1")],
        {"turn.calls": [], "answer.turns.1.calls": [x_call(3)]},
    ),
    case(
        "call-empty-payload",
        "rounds.md 3.2",
        "A call whose payload is empty is a call all the same.",
        [model(), line("tool_called")],
        {"turn.calls": [x_call(1, tool="tool", arguments=None)], "outside": {}},
    ),
    case(
        "call-at-gaps",
        "rounds.md 3.2",
        "`at` is the line's seq, not a count.",
        [on(7, model()), on(40, called("c1")), on(2**53 + 1, called("c2"))],
        {"turn.opened": 7, "turn.calls.0.at": 40, "turn.calls.1.at": 2**53 + 1},
    ),
    _field(
        "call-tool-name",
        "Any recorded string is the name; only what is no string becomes `tool`.",
        "name",
        [
            ("mcp__x__y", "mcp__x__y"),
            ("Bash", "Bash"),
            ("", ""),
            (5, "tool"),
            (None, "tool"),
            (["a"], "tool"),
        ],
        rule="rounds.md 1 Call",
    ),
    _field(
        "call-subject",
        "The subject is what the record states; nothing else is turned into one.",
        "subject",
        [("a.txt", "a.txt"), ("", ""), (5, None), (None, None), ({"path": "a"}, None)],
        rule="rounds.md 1 Call",
    ),
    case(
        "call-subject-not-chosen",
        "rounds.md 1 Call",
        "A reader never chooses the subject from the arguments.",
        [model(), called("c1", args={"path": "a", "addr": "b", "program": "c", "arm": "d"})],
        {"call.subject": None},
    ),
)

ANSWERS: tuple[Case, ...] = (
    case(
        "answer-out-of-order",
        "rounds.md 3.3",
        "Answers find their calls by id; calls stay in the order called.",
        [model(), called("a"), called("b"), result("b", result="B"), result("a", result="A")],
        {
            "turn.calls": [
                x_call(1, outcome="answered", output=x_output("A"), answered=1040),
                x_call(2, outcome="answered", output=x_output("B"), answered=1030),
            ],
            "outside": {},
        },
    ),
    case(
        "answer-id-reused",
        "rounds.md 3.3",
        "An id used again after its answer: each answer goes to its own call.",
        [model(), called("c"), result("c", result="1"), called("c"), result("c", result="2")],
        {
            "turn.calls.0.output": x_output("1"),
            "turn.calls.1.output": x_output("2"),
            "turn.calls.0.answered": 1020,
            "turn.calls.1.answered": 1040,
            "outside": {},
        },
    ),
    case(
        "answer-duplicate-earliest",
        "rounds.md 3.3",
        "Of two calls waiting under one id, the earliest is answered.",
        [model(), called("c"), called("c"), result("c", result="1")],
        {
            "turn.calls": [
                x_call(1, outcome="answered", output=x_output("1"), answered=1030),
                x_call(2),
            ],
            "outside": {},
        },
    ),
    case(
        "answer-duplicate-both",
        "rounds.md 3.3",
        "Then the other; the third answer finds nobody.",
        [
            model(),
            called("c"),
            called("c"),
            result("c", result="1"),
            result("c", error="2"),
            result("c", result="3"),
        ],
        {
            "turn.calls.0.output": x_output("1"),
            "turn.calls.1.output": x_output("2"),
            "turn.calls.1.outcome": "failed",
            "outside": {"tool_result": 1},
        },
    ),
    case(
        "answer-second-outside",
        "rounds.md 3.3",
        "A second answer changes nothing and falls outside.",
        [
            model(),
            called("c"),
            result("c", result="1", took_us=5),
            result("c", error="2", took_us=6, exit_code=1),
        ],
        {
            "turn.calls": [x_call(1, outcome="answered", output=x_output("1"), answered=1020, took_us=5)],
            "outside": {"tool_result": 1},
            "passed": {},
        },
    ),
    case(
        "answer-before-call",
        "rounds.md 3.3",
        "An answer before its call answers nobody, and the call waits.",
        [model(), result("c", result="1"), called("c")],
        {"turn.calls": [x_call(2)], "outside": {"tool_result": 1}},
    ),
    case(
        "answer-other-id",
        "rounds.md 3.3",
        "An outcome goes to no other call, even when only one waits. Ids compare exactly.",
        [model(), called("c"), result("d", result="1"), result("C", result="2"), result("c ", result="3")],
        {"turn.calls": [x_call(1)], "outside": {"tool_result": 3}},
    ),
    case(
        "answer-across-turns",
        "rounds.md 3.3",
        "A call of an earlier turn is answered there while a later turn is open.",
        [model(), called("c"), model(), result("c", result="1")],
        {"turn.calls.0.output": x_output("1"), "turn.calls.0.answered": 1030, "answer.turns.1.calls": []},
    ),
    case(
        "answer-across-turns-earliest",
        "rounds.md 3.3",
        "The earliest waiting call of the run, not of the last turn.",
        [model(), called("c"), model(), called("c"), result("c", result="1")],
        {"turn.calls.0.outcome": "answered", "answer.turns.1.calls": [x_call(3)], "outside": {}},
    ),
    case(
        "answer-other-run",
        "rounds.md 3.3",
        "Another run's answer with the same id is not ours and not counted.",
        [model(), called("c"), of(OTHER, result("c", result="1"))],
        {"turn.calls": [x_call(1)], "outside": {}, "passed": {}},
    ),
    case(
        "answer-call-without-id",
        "rounds.md 3.2",
        "A call without id waits for ever; an answer without id answers nobody.",
        [model(), line("tool_called", name="probe", args={}), line("tool_result", name="probe", result="1")],
        {"turn.calls": [x_call(1)], "outside": {"tool_result": 1}},
    ),
    case(
        "answer-id-no-text",
        "rounds.md 2 text",
        "Ids that are no strings never match, equal or not.",
        [
            model(),
            line("tool_called", id=7, name="probe", args={}),
            line("tool_result", tool_use_id=7, result="1"),
            line("tool_called", id=None, name="probe", args={}),
            line("tool_result", tool_use_id=None, result="2"),
            line("tool_result", tool_use_id="7", result="3"),
        ],
        {"turn.calls": [x_call(1), x_call(3)], "outside": {"tool_result": 3}},
    ),
    case(
        "answer-id-empty",
        "rounds.md 2 text",
        "An empty string is text, so it is an id.",
        [model(), called(""), result("", result="1")],
        {"call.outcome": "answered", "call.output": x_output("1"), "outside": {}},
    ),
    case(
        "answer-name-ignored",
        "rounds.md 3.3",
        "The answer's tool name plays no part.",
        [model(), called("c", name="read"), result("c", name="write", result="1")],
        {"call.tool": "read", "call.outcome": "answered"},
    ),
    case(
        "answer-time-backwards",
        "rounds.md 3.3",
        "`answered` is the answer's own time, also one before the call, also 0.",
        [model(), called("c"), when(3, result("c")), called("d"), when(0, result("d"))],
        {
            "turn.calls.0.called": 1010,
            "turn.calls.0.answered": 3,
            "turn.calls.0.timing": "measured",
            "turn.calls.1.answered": 0,
            "turn.calls.1.outcome": "answered",
        },
    ),
    case(
        "answer-took-us",
        "rounds.md 3.3",
        "took_us is a u64, or absent.",
        [
            model(),
            *[
                one
                for i, value in enumerate((0, U64, U64 + 1, -1, True, "5", None, 5.0))
                for one in (called(f"c{i}"), result(f"c{i}", result="1", took_us=value))
            ],
        ],
        {
            "turn.calls.0.took_us": 0,
            "turn.calls.1.took_us": U64,
            "turn.calls.2.took_us": None,
            "turn.calls.3.took_us": None,
            "turn.calls.4.took_us": None,
            "turn.calls.5.took_us": None,
            "turn.calls.6.took_us": None,
            "turn.calls.7.took_us": None,
            "turn.calls.7.outcome": "answered",
        },
    ),
    case(
        "answer-took-us-inside",
        "rounds.md 3.3",
        "took_us stands beside the result, not in it and not on the call.",
        [model(), called("c", took_us=4), result("c", result={"took_us": 5})],
        {"call.took_us": None},
    ),
    case(
        "result-null-error-fails",
        "rounds.md 3.3",
        "The key `error` with null still means failed.",
        [model(), called("c1"), result("c1", error=None)],
        {"turn.calls": [x_call(1, outcome="failed", output=x_output("null"), answered=1020)]},
    ),
    case(
        "result-error-over-result",
        "rounds.md 3.3",
        "Where both keys stand, it failed, and the output is the error.",
        [model(), called("c1"), result("c1", result="fine", error="broke")],
        {"call.outcome": "failed", "call.output": x_output("broke")},
    ),
    case(
        "result-null-error-over-result",
        "rounds.md 3.3",
        "Also where the error is null.",
        [model(), called("c1"), result("c1", result="fine", error=None)],
        {"call.outcome": "failed", "call.output": x_output("null")},
    ),
    case(
        "result-error-false",
        "rounds.md 3.3",
        "Its presence decides, not its truth.",
        [model(), called("c1"), result("c1", error=False), called("c2"), result("c2", error="")],
        {
            "turn.calls.0.outcome": "failed",
            "turn.calls.0.output": x_output("false"),
            "turn.calls.1.outcome": "failed",
            "turn.calls.1.output": None,
        },
    ),
    case(
        "result-error-object",
        "rounds.md 3.3",
        "An error object is read as JSON, whether or not it has the error shape.",
        [
            model(),
            called("c1"),
            result("c1", error=error(nearby=[])),
            called("c2"),
            result("c2", error={"why": 1}),
        ],
        {
            "turn.calls.0.output": x_output(
                '{"action":"write","code":"E_GATE_DENIED","nearby":[],"recovery":"ask first",'
                '"retry":"no","subject":"a.txt"}'
            ),
            "turn.calls.1.output": x_output('{"why":1}'),
            "turn.notes": [],
        },
    ),
    case(
        "result-error-inside-result",
        "rounds.md 3.3",
        "An error inside the result is a result.",
        [model(), called("c1"), result("c1", result={"error": "x"})],
        {"call.outcome": "answered", "call.output": x_output('{"error":"x"}')},
    ),
)

TIMING: tuple[Case, ...] = (
    _timing("timing-waiting", "A waiting call asks its own line alone.", 2, None, "measured"),
    _timing("timing-waiting-v1", "Which in version 1 has no moment.", 1, None, "unmeasured"),
    _timing("timing-v2-v2", "Two moments are measured.", 2, 2, "measured", result="x"),
    _timing("timing-v2-v1", "An answer without a moment is not.", 2, 1, "unmeasured", result="x"),
    _timing("timing-v1-v2", "Nor one to a call without.", 1, 2, "unmeasured", result="x"),
    _timing("timing-v1-v1", "Nor two lines of one stamp.", 1, 1, "unmeasured", result="x"),
    _timing("timing-v3-v2", "A newer version counts as the newest known.", 3, 2, "measured", result="x"),
    _timing("timing-v2-v3", "On the answer too.", 2, 3, "measured", error="x"),
    _timing("timing-v3-v1", "But does not lend its moment.", 3, 1, "unmeasured", result="x"),
    _timing(
        "timing-outcome-unknown",
        "An answer supplied after a restart is no measurement; the times stay.",
        2,
        2,
        "unmeasured",
        error=error(code="E_TOOL_OUTCOME_UNKNOWN"),
    ),
    _timing(
        "timing-outcome-unknown-bare",
        "The code alone decides: the rest of the error need not read.",
        2,
        2,
        "unmeasured",
        error={"code": "E_TOOL_OUTCOME_UNKNOWN", "nearby": 5},
    ),
    _timing("timing-other-code", "Other codes are measured.", 2, 2, "measured", error=error(code="E_TIMEOUT")),
    _timing(
        "timing-outcome-unknown-text",
        "A text error has no code.",
        2,
        2,
        "measured",
        error="E_TOOL_OUTCOME_UNKNOWN",
    ),
    _timing(
        "timing-outcome-unknown-in-result",
        "A result has no error code.",
        2,
        2,
        "measured",
        result={"code": "E_TOOL_OUTCOME_UNKNOWN", "error": {"code": "E_TOOL_OUTCOME_UNKNOWN"}},
    ),
    _timing("timing-code-no-text", "A code that is no string is none.", 2, 2, "measured", error={"code": 5}),
    case(
        "timing-outcome-unknown-failed",
        "rounds.md 3.3",
        "The supplied answer is a failure like others.",
        [model(), called("c1"), result("c1", error={"code": "E_TOOL_OUTCOME_UNKNOWN"}, took_us=5)],
        {
            "turn.calls": [
                x_call(
                    1,
                    outcome="failed",
                    output=x_output('{"code":"E_TOOL_OUTCOME_UNKNOWN"}'),
                    answered=1020,
                    timing="unmeasured",
                    took_us=5,
                )
            ]
        },
    ),
    case(
        "timing-apart-from-turn",
        "rounds.md 3 timing",
        "Call and turn are measured each by its own lines.",
        [ver(1, model()), called("c1"), model(), ver(1, called("c2"))],
        {
            "turn.timing": "unmeasured",
            "turn.calls.0.timing": "measured",
            "answer.turns.1.timing": "measured",
            "answer.turns.1.calls.0.timing": "unmeasured",
        },
    ),
)

FORMS: tuple[Case, ...] = (
    case(
        "effect-render-absent",
        "rounds.md 1 Call",
        "Older lines have neither; null is absent.",
        [model(), called("c1"), called("c2", effect=None, render=None)],
        {
            "turn.calls.0.effect": None,
            "turn.calls.0.render": None,
            "turn.calls.1.effect": None,
            "turn.calls.1.render": None,
        },
    ),
    _field(
        "effect-words",
        "The words are read as they are.",
        "effect",
        [
            ("read", "read"),
            ("egress", "egress"),
            ("spawn", "spawn"),
            ("govern", "govern"),
            ("spend", "spend"),
        ],
        rule="ledger.md 6 Effect",
    ),
    _field(
        "effect-objects",
        "The object forms; unknown keys inside are dropped, a missing address is null.",
        "effect",
        [
            ({"write": {"domain": "src/a"}}, {"write": {"domain": "src/a"}}),
            ({"write": {"domain": "src", "more": 1}}, {"write": {"domain": "src"}}),
            ({"connector": {"label": "gh1"}}, {"connector": {"label": "gh1"}}),
            ({"connector": {"label": "0", "more": 1}}, {"connector": {"label": "0"}}),
            (
                {"attach_user_browser": {"address": "http://127.0.0.1:9222/"}},
                {"attach_user_browser": {"address": "http://127.0.0.1:9222/"}},
            ),
            ({"attach_user_browser": {"address": None}}, {"attach_user_browser": {"address": None}}),
            ({"attach_user_browser": {}}, {"attach_user_browser": {"address": None}}),
            ({"attach_user_browser": {"more": 1}}, {"attach_user_browser": {"address": None}}),
        ],
        rule="rounds.md 2 effect",
    ),
    _field(
        "effect-keys",
        "The object form has exactly one key, a known one.",
        "effect",
        [
            ({"write": {"domain": "src"}, "read": {}}, None),
            ({"write": {"domain": "src"}, "more": 1}, None),
            ({}, None),
            ({"fly": {}}, None),
            ("fly", None),
            ("Read", None),
            ("", None),
            ("write", None),
            ("attach_user_browser", None),
        ],
        rule="rounds.md 2 effect",
    ),
    _field(
        "effect-values",
        "A value that does not read costs the effect.",
        "effect",
        [
            ({"write": {"domain": "/src"}}, None),
            ({"write": {"domain": ""}}, None),
            ({"write": {}}, None),
            ({"write": "src"}, None),
            ({"write": None}, None),
            ({"connector": {"label": "GH"}}, None),
            ({"connector": {"label": "git-hub"}}, None),
            ({"connector": {"label": ""}}, None),
            ({"connector": {"label": "gh\n"}}, None),
            ({"connector": {"label": "\u0663"}}, None),
            ({"connector": {}}, None),
            ({"attach_user_browser": {"address": 5}}, None),
            ({"attach_user_browser": "x"}, None),
            (["read"], None),
            (5, None),
            (True, None),
        ],
        rule="rounds.md 2 effect",
    ),
    _field(
        "render-forms",
        "The words and the one object form; unknown keys inside are dropped.",
        "render",
        [
            ("generic", "generic"),
            ("terminal", "terminal"),
            ("signal", "signal"),
            ({"diff": {"locations": ["a.py", "b/c.py"]}}, {"diff": {"locations": ["a.py", "b/c.py"]}}),
            ({"diff": {"locations": []}}, {"diff": {"locations": []}}),
            ({"diff": {"locations": ["a"], "more": 1}}, {"diff": {"locations": ["a"]}}),
        ],
        rule="rounds.md 2 render",
    ),
    _field(
        "render-bad",
        "What does not read is null: one bad address costs the whole intent.",
        "render",
        [
            ({"diff": {"locations": ["a", "/b"]}}, None),
            ({"diff": {"locations": ["a", 5]}}, None),
            ({"diff": {"locations": "a"}}, None),
            ({"diff": {"locations": None}}, None),
            ({"diff": {}}, None),
            ({"diff": ["a"]}, None),
            ({"diff": {"locations": ["a"]}, "more": 1}, None),
            ("diff", None),
            ("table", None),
            ("Signal", None),
            ({}, None),
            ({"table": {}}, None),
            (5, None),
            (["signal"], None),
        ],
        rule="rounds.md 2 render",
    ),
    case(
        "effect-bad-alone",
        "rounds.md 2",
        "One bad field costs that field: call, arguments, render and pairing stand.",
        [
            model(),
            called("c1", effect=5, subject=5, render="terminal"),
            result("c1", result="x", took_us="no"),
        ],
        {"turn.calls": [x_call(1, outcome="answered", output=x_output("x"), answered=1020, render="terminal")]},
    ),
)

CASES: tuple[Case, ...] = PLACES + ANSWERS + TIMING + FORMS
