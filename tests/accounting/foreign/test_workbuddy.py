"""WorkBuddy transcripts: a fixture worked out by hand, and each rule of dispatch.md 2.4."""

import json
from pathlib import Path
from typing import Any

import pytest

from accounting.foreign import Session, run_of, sessions, sources
from accounting.foreign.fidelity import DamageCode, Fate, Standing
from accounting.foreign.registry import recognise
from accounting.foreign.sample import take_sample
from accounting.foreign.workbuddy import READER, WorkBuddy
from accounting.views.rounds import rounds
from wire import RoundsAnswer
from wire.answer.rounds import Outcome, Used

SESSION = "7b7b7b7b-0001-4000-8000-000000000001"
CHILD = "7b7b7b7b-0002-4000-8000-000000000002"
FIXTURE = Path(__file__).parent / "fixtures" / "workbuddy" / f"{SESSION}.jsonl"
Row = dict[str, Any]


class Rows:
    """Writes rows of dialect B, each following the one before it."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.parent: str | None = None

    def add(self, kind: str, *, id: str | None = None, **more: Any) -> Row:
        number = len(self.rows)
        own = id or f"r{number}"
        stamp = 1_772_352_000_000 + number * 1000
        row = {"id": own, "parentId": self.parent, "timestamp": stamp, "type": kind, "sessionId": SESSION, **more}
        self.parent = own
        self.rows.append(row)
        return row

    def says(self, words: str, role: str | None = "user", **more: Any) -> Row:
        return self.add("message", role=role, content=[{"type": "input_text", "text": words}], **more)

    def replies(
        self, name: str | None, words: str, raw: Row | None = None, role: str | None = "assistant", **more: Any
    ) -> Row:
        content = [{"type": "output_text", "text": words}]
        return self.add("message", role=role, content=content, providerData=provided(name, raw, more), **more)

    def thinks(self, name: str | None, words: str) -> Row:
        content = [{"type": "reasoning_text", "text": words}]
        return self.add("reasoning", content=[], rawContent=content, providerData=provided(name, None, {}))

    def calls(self, name: str | None, call: str, raw: Row | None = None, tool: str = "Bash", given: Any = "{}") -> Row:
        more: Row = {"name": tool, "callId": call, "arguments": given}
        return self.add("function_call", providerData=provided(name, raw, more), **more)

    def answers(self, call: str, output: Any = "done", twin: Row | None = None, **more: Any) -> Row:
        own: Row = {"callId": call, "name": "Bash", "status": "completed", "output": output, **more}
        own.setdefault("providerData", {"toolResult": twin or {}})
        return self.add("function_call_result", **own)


def provided(name: str | None, raw: Row | None, more: Row) -> Row:
    provider: Row = {"model": "glm", **more.pop("provider", {})}
    if name is not None:
        provider["messageId"] = name
    if raw is not None:
        provider["rawUsage"] = raw
    return provider


def tokens(prompt: int = 10, reply: int = 3, **more: Any) -> Row:
    return {"prompt_tokens": prompt, "completion_tokens": reply, **more}


def read_all(path: Path) -> list[Session]:
    return list(sessions(path, "workbuddy"))


def written(folder: Path, rows: list[Row], name: str = SESSION) -> Path:
    path = folder / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def told(folder: Path, rows: list[Row]) -> Session:
    return read_all(written(folder, rows))[0]


def answer(session: Session) -> RoundsAnswer:
    return rounds(session.records, session.run).answer


def facts(session: Session) -> dict[str, str]:
    return {fact.name: fact.value for fact in session.outline.facts}


def task(session: Session) -> str | None:
    opening = answer(session).opening
    return None if opening is None else opening.task


# The fixture.


def test_the_fixture_is_a_run_of_three_turns_and_its_sub_agent() -> None:
    main, side = sessions(FIXTURE)
    assert (main.agent, main.id, str(main.run), main.parent) == ("workbuddy", SESSION, SESSION, None)
    folded = answer(main)
    assert task(main) == "fix the build"
    assert [(turn.said, turn.thought) for turn in folded.turns] == [
        (None, "look first"),
        ("I add the rule.", None),
        ("In the old way.", None),
    ]
    assert [turn.used for turn in folded.turns] == [
        Used(input=1000, output=60, cached=800, cache_write=0),
        Used(input=1100, output=40, cached=900, cache_write=None),
        None,
    ]
    assert [turn.model for turn in folded.turns] == ["glm-4.6", "glm-4.6", None]
    made = [made for turn in folded.turns for made in turn.calls]
    assert [(one.tool, one.subject, one.outcome, one.exit_code) for one in made] == [
        ("Bash", "make", Outcome.failed, 2),
        ("Agent", "look around", Outcome.answered, None),
        ("Write", "/srv/shop/Makefile", Outcome.failed, None),
    ]
    assert made[0].arguments is not None
    assert '"timeout": "1.50"' in made[0].arguments.head
    assert [(one.called, one.answered) for one in made[:2]] == [
        (1_772_352_002_000, 1_772_352_004_000),
        (1_772_352_002_100, 1_772_352_009_000),
    ]
    assert folded.closing is None
    assert all(turn.spent is None for turn in folded.turns)
    assert (side.id, str(side.run), side.parent, side.started_by) == (CHILD, CHILD, main.run, "c2")
    assert task(side) == "find the rule"
    assert [turn.used for turn in answer(side).turns] == [Used(input=50, output=4)]


def test_the_fixture_beside_the_answer() -> None:
    main, side = sessions(FIXTURE)
    assert [(one.run, one.call, one.turn) for one in main.outline.children] == [(side.run, "c2", 1)]
    assert [(one.key, one.rows, one.figures, one.live) for one in main.outline.turns] == [
        ("workbuddy:m1", 3, Standing.exact, True),
        ("workbuddy:m2", 1, Standing.exact, True),
        (None, 1, Standing.unknown, None),
    ]
    assert facts(main) == {
        "ai_title": "Fixing the build",
        "credit": "1.75",
        "cwd": "/srv/shop",
        "topic": "Build",
    }
    assert [(one.after, one.status, one.text) for one in main.outline.failed_requests] == [
        (3, 429, "HTTP 429 too many requests")
    ]
    totals = main.report.totals
    assert (totals.requests, totals.calls, totals.answered, totals.failed) == (3, 3, 1, 2)
    assert (totals.input, totals.output, totals.cached, totals.unmetered, totals.spent) == (2100, 100, 1700, 1, None)
    known = {one.kind: one.known for one in main.report.tallies if one.fate is Fate.dropped}
    assert (known["brand-new"], known["session-meta"]) == (False, True)


def test_places_point_back() -> None:
    for session in sessions(FIXTURE):
        data = Path(session.places[0].segment).read_bytes()
        for place in session.places:
            assert data[place.offset : place.offset + 1] == b"{"
            assert data[: place.offset].count(b"\n") + 1 == place.line


def test_a_sub_agent_alone_knows_its_parent() -> None:
    (alone,) = sessions(FIXTURE.with_suffix("") / "subagents" / "agent-9f8e.jsonl")
    assert (str(alone.run), str(alone.parent), alone.started_by) == (CHILD, SESSION, None)


def test_a_directory_offers_sub_agents_once() -> None:
    assert [one.id for one in sessions(FIXTURE.parent)] == [SESSION, CHILD]


# Requests.


def test_one_request_is_all_rows_of_a_message_id(tmp_path: Path) -> None:
    rows = Rows()
    rows.says("go")
    rows.thinks("a", "hm")
    rows.calls("a", "c1", tokens(20, 4))
    rows.answers("c1")
    rows.calls("a", "c2")
    rows.replies("b", "x", tokens(30, 5))
    session = told(tmp_path, rows.rows)
    assert [len(turn.calls) for turn in answer(session).turns] == [2, 0]
    assert [turn.used for turn in answer(session).turns] == [Used(input=20, output=4), Used(input=30, output=5)]


def test_counts_that_are_told_twice_are_not_added(tmp_path: Path) -> None:
    rows = Rows()
    rows.calls("a", "c1", tokens(20, 4, cached_tokens=6))
    rows.calls("a", "c2", tokens(20, 9))
    rows.calls("a", "c3", tokens(19, 1))
    session = told(tmp_path, rows.rows)
    assert [turn.used for turn in answer(session).turns] == [Used(input=20, output=9, cached=6)]
    assert session.outline.turns[0].figures is Standing.deduplicated


CACHED: list[tuple[Row, int | None, int | None]] = [
    ({"prompt_cache_hit_tokens": 7, "cached_tokens": 5}, 7, None),
    ({"prompt_cache_hit_tokens": 0, "cached_tokens": 5}, 5, None),
    ({"prompt_cache_hit_tokens": 0, "cached_tokens": 0, "cache_read_input_tokens": 3}, 3, None),
    ({"prompt_cache_hit_tokens": 0, "cached_tokens": None}, 0, None),
    ({}, None, None),
    ({"cached_tokens": -4}, None, None),
    ({"prompt_cache_write_tokens": 0, "cache_creation_input_tokens": 6}, None, 6),
    ({"prompt_cache_write_tokens": 0}, None, 0),
]


@pytest.mark.parametrize(("stated", "cached", "written_"), CACHED)
def test_the_cache(tmp_path: Path, stated: Row, cached: int | None, written_: int | None) -> None:
    rows = Rows()
    rows.replies("a", "x", tokens(20, 4, **stated))
    used = answer(told(tmp_path, rows.rows)).turns[0].used
    assert used == Used(input=20, output=4, cached=cached, cache_write=written_)


def test_thinking_is_added_only_where_the_total_says_so(tmp_path: Path) -> None:
    for total, output in ((24, 4), (29, 9), (None, 4), (77, 4)):
        rows = Rows()
        rows.replies("a", "x", tokens(20, 4, completion_thinking_tokens=5, total_tokens=total))
        used = answer(told(tmp_path, rows.rows)).turns[0].used
        assert used is not None
        assert (used.input, used.output) == (20, output)


def test_other_copies_stand_in_for_the_provider_s(tmp_path: Path) -> None:
    sdk = {
        "inputTokens": 40,
        "outputTokens": 6,
        "totalTokens": 48,
        "inputTokensDetails": [{"cached_tokens": 9}],
        "outputTokensDetails": [{"reasoning_tokens": 2}],
    }
    for usage, raw, expected in (
        (sdk, None, Used(input=40, output=8, cached=9)),
        (sdk, tokens(0, 0), Used(input=40, output=8, cached=9)),
        (sdk, tokens(41, 7), Used(input=41, output=7, cached=9)),
        ({**sdk, "inputTokensDetails": {"cached_tokens": 1}}, None, Used(input=40, output=8, cached=1)),
        ({}, tokens(0, 0), None),
    ):
        rows = Rows()
        rows.replies("a", "x", raw, provider={"usage": usage})
        assert answer(told(tmp_path, rows.rows)).turns[0].used == expected


def test_a_message_s_own_counts_are_the_last_resort(tmp_path: Path) -> None:
    for usage, expected, figures in (
        ({"input_tokens": 90, "output_tokens": 2, "cache_read_input_tokens": 50}, (90, 50), Standing.exact),
        ({"input_tokens": 5, "output_tokens": 2, "cache_read_input_tokens": 50}, (55, 50), Standing.estimated),
    ):
        rows = Rows()
        rows.replies("a", "x", message={"usage": usage})
        session = told(tmp_path, rows.rows)
        used = answer(session).turns[0].used
        assert used is not None
        assert (used.input, used.cached) == expected
        assert session.outline.turns[0].figures is figures


def test_rows_without_a_message_id(tmp_path: Path) -> None:
    rows = Rows()
    rows.says("go")
    rows.thinks(None, "hm")
    rows.replies(None, "I look")
    rows.calls(None, "c1")
    rows.calls(None, "c2")
    rows.answers("c1")
    rows.answers("c2")
    rows.replies(None, "one")
    rows.replies(None, "two")
    turns = answer(told(tmp_path, rows.rows)).turns
    assert [(turn.thought, turn.said, len(turn.calls)) for turn in turns] == [
        ("hm", "I look", 2),
        (None, "one", 0),
        (None, "two", 0),
    ]


def test_rows_without_a_message_id_that_state_counts_are_requests_each(tmp_path: Path) -> None:
    rows = Rows()
    rows.calls(None, "c1", tokens(20, 4))
    rows.calls(None, "c2", tokens(30, 5))
    turns = answer(told(tmp_path, rows.rows)).turns
    assert [turn.used for turn in turns] == [Used(input=20, output=4), Used(input=30, output=5)]


def test_a_message_that_lost_its_role(tmp_path: Path) -> None:
    rows = Rows()
    rows.says("go", role=None)
    rows.replies("a", "x", role=None)
    session = told(tmp_path, rows.rows)
    assert (task(session), [turn.said for turn in answer(session).turns]) == ("go", ["x"])


def test_reasoning_without_a_name_is_of_the_request_that_follows(tmp_path: Path) -> None:
    rows = Rows()
    rows.thinks(None, "hm")
    rows.calls("a", "c1", tokens())
    (turn,) = answer(told(tmp_path, rows.rows)).turns
    assert (turn.thought, len(turn.calls)) == ("hm", 1)


# Calls and results.


def test_arguments_that_are_no_json_stay_text(tmp_path: Path) -> None:
    rows = Rows()
    for number, given in enumerate(('{"command": "ls', "[1]", "", None, {"command": "pwd"}, '"x"')):
        rows.calls("a", f"c{number}", given=given)
    made = answer(told(tmp_path, rows.rows)).turns[0].calls
    heads = [one.arguments.head if one.arguments is not None else None for one in made]
    assert [None if head is None else json.loads(head) for head in heads] == [
        {"arguments": '{"command": "ls'},
        {"arguments": "[1]"},
        {},
        {},
        {"command": "pwd"},
        {"arguments": '"x"'},
    ]
    assert made[4].subject == "pwd"


FAILED: list[tuple[Row, Row, Outcome, int | None]] = [
    ({"status": "completed"}, {}, Outcome.answered, None),
    ({"status": None}, {}, Outcome.answered, None),
    ({"status": "failed"}, {}, Outcome.failed, None),
    ({"status": "error"}, {}, Outcome.failed, None),
    ({"status": "incomplete"}, {}, Outcome.failed, None),
    ({}, {"isError": True}, Outcome.failed, None),
    ({}, {"isError": False, "rawResponse": {"exitCode": 0}}, Outcome.answered, 0),
    ({}, {"rawResponse": {"exitCode": 3}}, Outcome.failed, 3),
    ({}, {"rawResponse": {"exitCode": None, "tool_error_code": "E1"}}, Outcome.failed, None),
    ({}, {"rawResponse": {"tool_error_code": "0"}}, Outcome.answered, None),
    ({}, {"rawResponse": "text"}, Outcome.answered, None),
]


@pytest.mark.parametrize(("own", "twin", "outcome", "code"), FAILED)
def test_what_failed(tmp_path: Path, own: Row, twin: Row, outcome: Outcome, code: int | None) -> None:
    rows = Rows()
    rows.calls("a", "c1")
    rows.answers("c1", "out", twin, **own)
    (made,) = answer(told(tmp_path, rows.rows)).turns[0].calls
    assert (made.outcome, made.exit_code) == (outcome, code)
    assert made.output is not None
    assert made.output.head == "out"


def test_the_text_of_a_result(tmp_path: Path) -> None:
    for output, twin, expected in (
        ({"type": "text", "text": "a"}, {"content": "b"}, "a"),
        ([{"type": "text", "text": "a"}, "c"], {}, "a\nc"),
        (None, {"content": "b"}, "b"),
    ):
        rows = Rows()
        rows.calls("a", "c1")
        rows.answers("c1", output, twin)
        (made,) = answer(told(tmp_path, rows.rows)).turns[0].calls
        assert made.output is not None
        assert made.output.head == expected


def test_an_answer_that_stands_in_a_file_says_so(tmp_path: Path) -> None:
    rows = Rows()
    rows.calls("a", "c1")
    rows.answers("c1", "<persisted-output>\nFull output saved to: /x/tool-results/c1.txt")
    fields = [one.field for one in told(tmp_path, rows.rows).report.tallies if one.fate is Fate.derived]
    assert "output (persisted output)" in fields


def test_a_call_without_a_result_waits(tmp_path: Path) -> None:
    rows = Rows()
    rows.calls("a", "c1")
    assert answer(told(tmp_path, rows.rows)).turns[0].calls[0].outcome is Outcome.waiting


def test_a_denied_tool_and_an_interrupted_one(tmp_path: Path) -> None:
    rows = Rows()
    rows.calls("a", "c1")
    rows.calls("a", "c2")
    rows.answers("c1", "not allowed", providerData={"skipRun": True})
    rows.answers("c2", "half", {"rawResponse": {"interrupted": True}})
    session = told(tmp_path, rows.rows)
    assert [(stop.call, stop.denied, stop.turn) for stop in session.outline.stops] == [
        ("c1", True, 1),
        ("c2", False, 1),
    ]
    assert [one.outcome for one in answer(session).turns[0].calls] == [Outcome.failed, Outcome.answered]


# What people say.


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("<user_query>\nfix it\n</user_query>", "fix it"),
        (
            "<system-reminder>a\nb</system-reminder><user_query>one</user_query> <user_query>two</user_query>",
            "one\ntwo",
        ),
        ("<user_query>cut off", "cut off"),
        ("<system-reminder x='1'>be brief</system-reminder>\nplain", "plain"),
        ("plain", "plain"),
        ("<system-reminder>only</system-reminder>", ""),
        ("<command-name>/clear</command-name>", ""),
        ("<local-command-stdout>x</local-command-stdout>", ""),
    ],
)
def test_wrappers(tmp_path: Path, words: str, expected: str) -> None:
    rows = Rows()
    rows.says(words)
    rows.replies("a", "x")
    session = told(tmp_path, rows.rows)
    assert task(session) == expected
    assert answer(session).turns[0].notes == ()


def test_later_words_are_steers(tmp_path: Path) -> None:
    rows = Rows()
    rows.says("go")
    rows.replies("a", "x")
    rows.says("<user_query>on</user_query>")
    rows.says("<teammate-message teammate_id='b'>done</teammate-message>")
    rows.says("note", providerData={"isMeta": True})
    rows.replies("b", "y")
    session = told(tmp_path, rows.rows)
    steers = [record.data for record in session.records if record.kind == "steer_received"]
    assert [dict(steer) for steer in steers] == [
        {"source": "user", "text": "on"},
        {"source": "city", "text": "done"},
    ]


def test_what_skipped_the_model(tmp_path: Path) -> None:
    rows = Rows()
    rows.says("go")
    rows.replies("a", "x", tokens())
    rows.says("[Request interrupted by user]", providerData={"skipRun": True})
    rows.says("<command-name>/x</command-name>", providerData={"skipRun": True})
    rows.add("message", role="assistant", content="status 503 down", providerData={"skipRun": True})
    rows.add("message", role="user", content=[], providerData={"skipRun": True, "error": "quota"})
    session = told(tmp_path, rows.rows)
    assert len(answer(session).turns) == 1
    assert [(stop.turn, stop.call) for stop in session.outline.stops] == [(1, None)]
    failures = session.outline.failed_requests
    assert [(one.status, one.code, one.text) for one in failures] == [
        (503, None, "status 503 down"),
        (None, "quota", "quota"),
    ]


def test_a_skipped_row_that_was_billed_is_a_turn(tmp_path: Path) -> None:
    rows = Rows()
    rows.replies("a", "half", tokens(9, 1), provider={"skipRun": True})
    assert answer(told(tmp_path, rows.rows)).turns[0].used == Used(input=9, output=1)


# History.


def test_branches(tmp_path: Path) -> None:
    rows = Rows()
    rows.says("go")
    rows.replies("a", "x", id="fork")
    rows.says("left")
    rows.replies("b", "left behind")
    rows.parent = "fork"
    rows.says("other")
    rows.replies("c", "taken")
    session = told(tmp_path, rows.rows)
    assert [turn.live for turn in session.outline.turns] == [True, False, True]
    assert [rewind.turns for rewind in session.outline.rewinds] == [(2,)]


def test_the_agent_s_own_rows_end_no_branch(tmp_path: Path) -> None:
    rows = Rows()
    rows.says("go")
    rows.replies("a", "x", id="fork")
    rows.says("on")
    rows.replies("b", "y")
    rows.parent = "fork"
    rows.says("<command-name>/cost</command-name>", providerData={"skipRun": True})
    session = told(tmp_path, rows.rows)
    assert [turn.live for turn in session.outline.turns] == [True, True]


def test_a_session_that_a_person_did_not_begin_has_no_task(tmp_path: Path) -> None:
    rows = Rows()
    rows.replies("a", "x")
    rows.says("on")
    session = told(tmp_path, rows.rows)
    assert task(session) == ""
    assert [record.kind for record in session.records][-1] == "steer_received"


def test_compaction_is_where_the_live_branch_begins(tmp_path: Path) -> None:
    rows = Rows()
    rows.says("go")
    rows.replies("a", "x")
    meta = {"trigger": "auto", "preTokens": 900}
    rows.add("system", subtype="compact_boundary", compactMetadata=meta, logicalParentId=rows.parent)
    rows.parent = None
    rows.says("so far", isCompactSummary=True, logicalParentId="r1")
    rows.replies("b", "y")
    session = told(tmp_path, rows.rows)
    (compaction,) = session.outline.compactions
    assert (compaction.after, compaction.trigger, compaction.tokens_before) == (1, "auto", 900)
    assert compaction.summary == "so far"
    assert [turn.live for turn in session.outline.turns] == [False, True]
    assert session.outline.rewinds == ()
    assert task(session) == "go"


def test_a_lost_row_leaves_what_is_before_it_unknown(tmp_path: Path) -> None:
    rows = Rows()
    rows.says("go")
    rows.replies("a", "x")
    rows.says("lost")
    rows.replies("b", "y")
    session = told(tmp_path, [row for row in rows.rows if row["id"] != "r2"])
    assert [turn.live for turn in session.outline.turns] == [None, True]


def test_a_row_told_twice_counts_once(tmp_path: Path) -> None:
    rows = Rows()
    rows.says("go")
    rows.replies("a", "x", tokens())
    once, twice = told(tmp_path, rows.rows), told(tmp_path, [*rows.rows, *rows.rows])
    assert once.records == twice.records
    assert [(one.code, one.count) for one in twice.report.damage] == [(DamageCode.repeated_row, 2)]


# Files.


def test_sub_agents_by_text_and_by_session(tmp_path: Path) -> None:
    rows = Rows()
    rows.calls("a", "c1", tool="Agent")
    rows.calls("a", "c2", tool="Agent")
    rows.calls("a", "c3", tool="Agent")
    rows.answers("c1", "started, task_id: agent-one-1")
    rows.answers("c2", "done", {"subAgent": {"sessionId": CHILD}})
    main = written(tmp_path, rows.rows)
    for file, session in (("one-1", SESSION), ("two", CHILD), ("three", SESSION)):
        child = Rows()
        child.says("x")
        written(
            tmp_path / SESSION / "subagents", [{**row, "sessionId": session} for row in child.rows], f"agent-{file}"
        )
    _, *subs = read_all(main)
    assert [(one.id, one.started_by) for one in subs] == [
        (f"{SESSION}/agent-one-1", "c1"),
        (f"{SESSION}/agent-three", None),
        (CHILD, "c2"),
    ]
    assert subs[0].run == run_of("workbuddy", f"{SESSION}/agent-one-1")
    assert all(one.parent == subs[0].parent for one in subs)


def test_an_empty_file_is_a_session_without_records(tmp_path: Path) -> None:
    (session,) = read_all(written(tmp_path, []))
    assert (session.records, session.id) == ((), SESSION)


def test_an_unreadable_sub_agent_costs_itself(tmp_path: Path) -> None:
    rows = Rows()
    rows.says("go")
    path = written(tmp_path, rows.rows)
    (tmp_path / SESSION / "subagents" / "agent-x.jsonl").mkdir(parents=True)
    (session,) = read_all(path)
    assert "not readable" in session.report.files[1]


def test_times_that_are_none(tmp_path: Path) -> None:
    rows = Rows()
    rows.says("go", timestamp="2026-03-01T08:00:00Z")
    for stamp in (None, "soon", -1, 1.5, 12):
        rows.replies("a", "x", timestamp=stamp)
    rows.rows.append({"type": "message", "role": "assistant", "content": "of dialect A"})
    session = told(tmp_path, rows.rows)
    assert [turn.t for turn in answer(session).turns] == [1_772_352_000_000] * 2
    assert [(one.code, one.detail, one.count) for one in session.report.damage] == [
        (DamageCode.bad_time, "absent", 1),
        (DamageCode.bad_time, "", 4),
    ]


def test_both_dialects_are_recognised(tmp_path: Path) -> None:
    known = recognise(FIXTURE)
    assert known is not None
    assert known[0].name == "workbuddy"
    a: list[Row] = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]},
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "c", "name": "B", "input": {}}],
        },
        {"type": "file-history-snapshot", "snapshot": {}},
    ]
    known = recognise(written(tmp_path, a))
    assert known is not None
    assert known[0].name == "workbuddy"


def test_it_leaves_others_their_files() -> None:
    folder = Path(__file__).parent / "fixtures"
    for path in sorted(folder.rglob("*.json*")):
        known = recognise(path)
        ours = known is not None and known[0].name == "workbuddy"
        assert ours == ("workbuddy" in path.parts[len(folder.parts) :]), path
        if not ours:
            assert READER.recognise(take_sample(path)) < 0.8, path


def test_what_is_not_read_can_be_asked_for() -> None:
    (source,) = sources(FIXTURE)
    fields = {(one.kind, one.field) for one in WorkBuddy().unread(source)}
    assert ("function_call", "providerData.usage.requests") in fields
    assert ("function_call_result", "providerData.toolResult.rawResponse.signal") in fields
    assert not any(kind == "session-meta" for kind, _ in fields)
