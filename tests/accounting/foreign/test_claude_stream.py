"""`claude -p --output-format stream-json`: a fixture worked out by hand, and each trap of foreign.md 3.2."""

import json
from pathlib import Path
from typing import Any

import pytest

from accounting.foreign import Session, read, run_of, sessions, sources
from accounting.foreign.claude_stream import READER, ClaudeStream
from accounting.foreign.fidelity import DamageCode, Fate, Standing
from accounting.foreign.registry import recognise
from accounting.foreign.sample import take_sample
from accounting.views.rounds import rounds
from wire import RoundsAnswer
from wire.answer.rounds import Call, Outcome, Used

FIXTURE = Path(__file__).parent / "fixtures" / "claude_stream" / "day.jsonl"
SESSION = "5e5e5e5e-0001-4000-8000-000000000001"
Event = dict[str, Any]


def init(session: str = SESSION) -> Event:
    return {"type": "system", "subtype": "init", "session_id": session, "cwd": "/srv", "model": "m"}


def replies(name: str | None, *blocks: Event, output: int = 5, of: str | None = None, **more: Any) -> Event:
    usage = {
        "input_tokens": 2,
        "cache_read_input_tokens": 30,
        "cache_creation_input_tokens": 4,
        "output_tokens": output,
    }
    message = {"id": name, "role": "assistant", "model": "m", "content": list(blocks), "usage": usage}
    return {"type": "assistant", "message": message, "parent_tool_use_id": of, "session_id": SESSION, **more}


def text(words: str) -> Event:
    return {"type": "text", "text": words}


def call(name: str, tool: str = "Bash", **given: Any) -> Event:
    return {"type": "tool_use", "id": name, "name": tool, "input": given}


def answers(name: str, content: Any = "done", of: str | None = None, **more: Any) -> Event:
    block = {"type": "tool_result", "tool_use_id": name, "content": content, **more}
    message = {"role": "user", "content": [block]}
    return {"type": "user", "message": message, "parent_tool_use_id": of, "session_id": SESSION}


def result(**more: Any) -> Event:
    return {"type": "result", "subtype": "success", "is_error": False, "session_id": SESSION, **more}


def read_all(path: Path) -> list[Session]:
    return list(sessions(path, "claude_stream"))


def written(folder: Path, *events: Event) -> Path:
    path = folder / "log.jsonl"
    path.write_text("".join(json.dumps(event) + "\n" for event in events), "utf-8")
    return path


def told(folder: Path, *events: Event) -> Session:
    return read_all(written(folder, *events))[0]


def answer(session: Session) -> RoundsAnswer:
    return rounds(session.records, session.run).answer


def facts(session: Session) -> dict[str, str]:
    return {fact.name: fact.value for fact in session.outline.facts}


def tally(session: Session, kind: str) -> list[tuple[str | None, Fate, int, bool]]:
    return [(one.field, one.fate, one.count, one.known) for one in session.report.tallies if one.kind == kind]


def completion(session: Session) -> str | None:
    closing = answer(session).closing
    return None if closing is None else closing.completion


# The fixture.


def test_the_fixture_is_two_runs_of_three_turns_and_one() -> None:
    main, side = sessions(FIXTURE)
    assert (main.agent, main.id, str(main.run), main.parent) == ("claude_stream", SESSION, SESSION, None)
    folded = answer(main)
    assert [turn.said for turn in folded.turns] == ["Two things to look at.", None, "I may not write."]
    assert [turn.used for turn in folded.turns] == [
        Used(input=129, output=31, cached=100, cache_write=20),
        Used(input=125, output=11, cached=120, cache_write=0),
        Used(input=131, output=8, cached=125, cache_write=0),
    ]
    assert [turn.stopped for turn in folded.turns] == ["tool_use", "tool_use", "end_turn"]
    made = [made for turn in folded.turns for made in turn.calls]
    assert [(one.tool, one.subject, one.outcome, one.exit_code) for one in made] == [
        ("Bash", "make", Outcome.failed, 2),
        ("Task", "look around", Outcome.answered, None),
        ("Write", "/srv/shop/Makefile", Outcome.failed, None),
    ]
    assert '"ratio": "0.50"' in head(made[0])
    assert completion(main) == "done"
    assert folded.opening is not None
    assert folded.opening.task == ""
    assert side.parent == main.run
    assert (side.started_by, side.run) == ("toolu_2", run_of("claude_stream", f"{SESSION}/toolu_2"))
    below = answer(side)
    assert below.opening is not None
    assert (below.opening.task, str(below.opening.parent)) == ("find the rule", SESSION)
    assert [turn.used for turn in below.turns] == [Used(input=53, output=7, cached=0, cache_write=50)]
    assert [made.tool for turn in below.turns for made in turn.calls] == ["Grep"]
    assert below.closing is None


def head(made: Call) -> str:
    assert made.arguments is not None
    return made.arguments.head


def test_the_fixture_beside_the_answer() -> None:
    main, side = sessions(FIXTURE)
    outline = main.outline
    assert [(one.run, one.call, one.turn) for one in outline.children] == [(side.run, "toolu_2", 1)]
    assert [(stop.call, stop.turn, stop.denied) for stop in outline.stops] == [("toolu_4", 2, True)]
    assert [(turn.key, turn.rows, turn.figures, turn.live) for turn in outline.turns] == [
        ("claude:msg_a", 3, Standing.deduplicated, None),
        ("claude:msg_b", 1, Standing.exact, None),
        ("claude:msg_c", 1, Standing.exact, None),
    ]
    assert facts(main) == {
        "cwd": "/srv/shop",
        "duration_api_ms": "3100",
        "duration_ms": "4200",
        "num_turns": "4",
        "result": "success",
        "total_cost_usd": "0.012345",
        "version": "2.1.0",
    }
    totals = main.report.totals
    assert (totals.requests, totals.input, totals.output, totals.cached, totals.cache_write) == (3, 385, 50, 345, 20)
    assert (totals.spent, totals.priced, totals.standing) == (12_345, 0, Standing.deduplicated)
    assert [(one.code, one.count) for one in main.report.damage] == [(DamageCode.not_json, 1)]
    assert tally(main, "brand_new") == [(None, Fate.dropped, 1, False)]
    assert tally(main, "stream_event") == [(None, Fate.dropped, 1, True)]


def test_places_point_back() -> None:
    data = FIXTURE.read_bytes()
    for session in sessions(FIXTURE):
        for place in session.places:
            assert data[place.offset : place.offset + 7] == b'{"type"'
            assert data[: place.offset].count(b"\n") + 1 == place.line


def test_one_array_reads_as_the_lines_do(tmp_path: Path) -> None:
    lines = [line for line in FIXTURE.read_text("utf-8").splitlines() if line.startswith("{")]
    for name, spread in (("flat", "[" + ",".join(lines) + "]"), ("open", "[\n" + ",\n".join(lines) + "\n]\n")):
        path = tmp_path / f"{name}.json"
        path.write_text(spread, "utf-8")
        assert [one.records for one in sessions(path)] == [one.records for one in sessions(FIXTURE)]
    indented = tmp_path / "indented.json"
    indented.write_text(json.dumps([json.loads(line) for line in lines], indent=2), "utf-8")
    assert [answer(one).turns[0].used for one in sessions(indented)] == [
        answer(one).turns[0].used for one in sessions(FIXTURE)
    ]


# Each trap.


def test_partial_messages_change_nothing(tmp_path: Path) -> None:
    plain = [init(), replies("a", text("hello"), call("c")), answers("c"), result()]
    delta = {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "hel"}}
    partial = {"type": "stream_event", "event": delta, "session_id": SESSION, "parent_tool_use_id": None}
    mixed = [plain[0], partial, partial, plain[1], partial, *plain[2:]]
    assert told(tmp_path, *mixed).records == told(tmp_path, *plain).records


def test_a_process_that_died_has_no_closing(tmp_path: Path) -> None:
    session = told(tmp_path, init(), replies("a", call("c")))
    assert completion(session) is None
    assert session.report.totals.spent is None
    assert answer(session).turns[0].calls[0].outcome is Outcome.waiting


@pytest.mark.parametrize(
    ("ended", "expected"),
    [
        ({}, "done"),
        ({"subtype": "error_max_turns", "is_error": True}, "limit"),
        ({"subtype": "error_max_turns"}, "limit"),
        ({"subtype": "error_max_budget_usd"}, "limit"),
        ({"subtype": "error_max_structured_output_retries"}, "limit"),
        ({"subtype": "error_during_execution", "is_error": True}, None),
        ({"subtype": "error_during_execution", "errors": ["[Request interrupted by user]"]}, "cancelled"),
        ({"subtype": "error_during_execution", "terminal_reason": "aborted_tools"}, "cancelled"),
        ({"is_error": True, "result": "API Error: 529 overloaded"}, None),
        ({"subtype": "brand_new"}, None),
    ],
)
def test_how_it_ended(tmp_path: Path, ended: Event, expected: str | None) -> None:
    assert completion(told(tmp_path, init(), replies("a", text("x")), result(**ended))) == expected


def test_an_old_result_names_neither_subtype_nor_error(tmp_path: Path) -> None:
    old = {"type": "result", "total_cost_usd": 0.0347, "duration_ms": 18_750, "result": "done"}
    session = told(tmp_path, init(), replies("a", text("x")), old)
    assert completion(session) == "done"
    assert session.report.totals.spent == 34_700
    assert "result" not in facts(session)


def test_a_success_that_is_an_error_is_a_failed_request(tmp_path: Path) -> None:
    session = told(tmp_path, init(), result(is_error=True, result="API Error: 500 down"))
    assert [(one.text, one.after) for one in session.outline.failed_requests] == [("API Error: 500 down", 0)]
    assert session.report.totals.requests == 0


def test_what_the_agent_wrote_in_a_models_place_is_no_turn(tmp_path: Path) -> None:
    failed = replies("x", text("API Error: 429 slow down"), error="rate_limit")
    failed["message"]["model"] = "<synthetic>"
    blank = replies("y", text("No response requested."))
    blank["message"]["model"] = "<synthetic>"
    told_twice = result(is_error=True, result="API Error: 429 slow down")
    session = told(tmp_path, init(), failed, blank, replies("a", text("x")), told_twice)
    assert session.report.totals.requests == 1
    assert [(one.code, one.text) for one in session.outline.failed_requests] == [
        ("rate_limit", "API Error: 429 slow down")
    ]
    assert len(answer(session).turns[0].notes) == 1


def test_a_retry_is_told(tmp_path: Path) -> None:
    retry = {
        "type": "system",
        "subtype": "api_retry",
        "attempt": 1,
        "max_retries": 10,
        "retry_delay_ms": 515.5,
        "error_status": 529,
        "error": "overloaded",
        "session_id": SESSION,
    }
    session = told(tmp_path, init(), retry, replies("a", text("x")))
    assert [(one.status, one.text, one.retried) for one in session.outline.failed_requests] == [
        (529, "overloaded", True)
    ]


def test_the_sum_of_the_session_is_not_added(tmp_path: Path) -> None:
    usage = {"input_tokens": 2, "cache_read_input_tokens": 30, "cache_creation_input_tokens": 4, "output_tokens": 5}
    session = told(tmp_path, init(), replies("a", text("x")), result(usage=usage))
    assert (session.report.totals.input, session.report.totals.output) == (36, 5)
    assert session.report.totals.standing is Standing.exact


def test_a_sum_that_is_larger_says_that_something_was_not_told(tmp_path: Path) -> None:
    usage = {"input_tokens": 2, "cache_read_input_tokens": 30, "cache_creation_input_tokens": 4, "output_tokens": 90}
    session = told(tmp_path, init(), replies("a", text("x")), result(usage=usage))
    assert session.report.totals.output == 5
    assert session.report.totals.standing is Standing.unknown


def test_a_sub_agent_of_a_sub_agent(tmp_path: Path) -> None:
    events = [
        init(),
        replies("a", call("t1", "Agent", prompt="go down", description="d")),
        replies("c", text("deep"), of="t2"),
        replies("b", call("t2", "Agent", prompt="deeper", description="d"), of="t1"),
        answers("t2", "up", of="t1"),
        answers("t1", "up"),
    ]
    main, first, second = read_all(written(tmp_path, *events))
    assert [one.started_by for one in (main, first, second)] == [None, "t1", "t2"]
    assert (first.parent, second.parent) == (main.run, first.run)
    opened = answer(second).opening
    assert opened is not None
    assert opened.task == "deeper"
    assert [child.call for child in main.outline.children] == ["t1"]


def test_a_sub_agent_whose_call_was_lost_is_still_a_run(tmp_path: Path) -> None:
    main, side = read_all(written(tmp_path, init(), replies("b", text("x"), of="gone")))
    assert (side.parent, side.started_by, main.outline.children[0].turn) == (main.run, "gone", None)
    assert len(answer(main).turns) == 0


def test_sub_agents_in_a_ring_end(tmp_path: Path) -> None:
    ring = [replies("b", call("t2", "Task"), of="t1"), replies("c", call("t1", "Task"), of="t2")]
    assert len(read_all(written(tmp_path, init(), *ring))) == 3


def test_two_sessions_in_one_log_are_two(tmp_path: Path) -> None:
    other = "5e5e5e5e-0002-4000-8000-000000000002"
    second = replies("z", text("second"))
    second["session_id"] = other
    ended = result(total_cost_usd=0.5)
    found = read_all(written(tmp_path, init(), replies("a", text("x")), ended, init(other), second, ended))
    assert [(one.id, len(answer(one).turns)) for one in found] == [(SESSION, 1), (other, 1)]


def test_what_a_person_added_is_a_steer(tmp_path: Path) -> None:
    said = {"type": "user", "message": {"role": "user", "content": "and then"}, "session_id": SESSION}
    own = {"type": "user", "message": {"role": "user", "content": "note"}, "session_id": SESSION, "isSynthetic": True}
    first = {"type": "user", "message": {"role": "user", "content": "begin"}, "session_id": SESSION}
    folded = answer(
        told(tmp_path, init(), first, replies("a", text("x")), said, own, replies("b", text("y")), result())
    )
    assert folded.opening is not None
    assert folded.opening.task == "begin"
    assert [len(turn.notes) for turn in folded.turns] == [0, 1]


def test_a_session_that_goes_on_after_a_result_has_not_ended(tmp_path: Path) -> None:
    events = [init(), replies("a", text("x")), result(total_cost_usd=0.5), replies("b", text("y"))]
    session = told(tmp_path, *events)
    assert (completion(session), session.report.totals.spent) == (None, 500_000)
    again = told(tmp_path, *events, result(total_cost_usd=0.75))
    assert (completion(again), again.report.totals.spent) == ("done", 750_000)


def test_a_tool_that_was_denied_is_told_once(tmp_path: Path) -> None:
    denied = answers("c", "The user doesn't want to proceed with this tool use.", is_error=True)
    ended = result(permission_denials=[{"tool_use_id": "c"}, {"tool_use_id": "gone"}, {}])
    session = told(tmp_path, init(), replies("a", call("c")), denied, ended)
    assert [(stop.call, stop.denied) for stop in session.outline.stops] == [("c", True)]
    assert ("permission_denials", Fate.dropped, 1, True) in tally(session, "result")


def test_two_events_that_share_an_id_are_two(tmp_path: Path) -> None:
    session = told(tmp_path, init(), replies("a", text("x"), uuid="1"), replies("b", text("y"), uuid="1"))
    assert session.report.totals.requests == 2


def test_an_event_told_twice_counts_once(tmp_path: Path) -> None:
    on = {"type": "user", "message": {"role": "user", "content": "on"}, "session_id": SESSION, "uuid": "3"}
    events = [init(), replies("a", call("c"), uuid="1"), replies("b", text("x"), uuid="2"), on]
    once, twice = told(tmp_path, *events), told(tmp_path, *events, events[1], on)
    assert once.records == twice.records
    assert [(one.code, one.count) for one in twice.report.damage] == [(DamageCode.repeated_row, 2)]


def test_the_single_object_of_output_format_json(tmp_path: Path) -> None:
    for indent in (None, 2):
        path = tmp_path / f"{indent}.json"
        path.write_text(json.dumps(result(total_cost_usd=0.25, num_turns=3), indent=indent), "utf-8")
        session = read(path)
        assert (session.agent, session.id, completion(session)) == ("claude_stream", SESSION, "done")
        assert (session.report.totals.spent, session.report.totals.requests) == (250_000, 0)


def test_costs_that_are_none_are_unknown(tmp_path: Path) -> None:
    for cost in (None, -1, "much", True, 1e300):
        session = told(tmp_path, init(), replies("a", text("x")), result(total_cost_usd=cost))
        assert session.report.totals.spent is None
        assert completion(session) == "done"


def test_times_are_read_where_there_are_some(tmp_path: Path) -> None:
    stamped = replies("a", text("x"), timestamp="2026-03-01T08:00:00.250Z")
    folded = answer(told(tmp_path, init(), stamped))
    assert folded.turns[0].t == 1_772_352_000_250
    bad = told(tmp_path, init(), replies("a", text("x"), timestamp="soon"))
    assert [one.code for one in bad.report.damage] == [DamageCode.bad_time]


def test_it_tells_its_own_files_from_session_files(tmp_path: Path) -> None:
    known = recognise(FIXTURE)
    assert known is not None
    assert known[0].name == "claude_stream"
    on_disk = {"sessionId": SESSION, "parentUuid": None, "isSidechain": False, "uuid": "u", "timestamp": "x"}
    line = {**on_disk, "type": "user", "message": {"role": "user", "content": "x"}}
    other = recognise(written(tmp_path, line, line))
    assert other is not None
    assert other[0].name == "claude_code"
    assert READER.recognise(other[1]) == 0
    older = {"sessionId": SESSION, "type": "user", "message": {"role": "user", "content": "x"}}
    assert READER.recognise(take_sample(written(tmp_path, older))) == 0


def test_the_sample(tmp_path: Path) -> None:
    path = Path(__file__).resolve().parents[4] / "shared" / "data" / "samples" / "claude_stream_json_array.json"
    if not path.is_file():
        pytest.skip(f"no sample file at {path}")
    (session,) = sessions(path)
    totals = session.report.totals
    assert session.agent == "claude_stream"
    assert (totals.requests, totals.calls, totals.answered, totals.failed, totals.waiting) == (4, 3, 3, 0, 0)
    assert (totals.input, totals.output, totals.cached, totals.cache_write) == (945, 265, 315, 0)
    assert (totals.spent, completion(session)) == (34_700, "done")
    assert path.read_bytes()[session.places[1].offset :].startswith(b'{\n    "type": "assistant"')


def test_what_is_not_read_can_be_asked_for() -> None:
    (source,) = sources(FIXTURE)
    fields = {(one.kind, one.field) for one in ClaudeStream().unread(source)}
    assert {("system/init", "model"), ("result", "modelUsage"), ("stream_event", "event")} <= fields


def test_an_error_after_an_interruption_is_a_cancellation(tmp_path: Path) -> None:
    broke_in = answers("1")
    broke_in["message"]["content"] = [text("[Request interrupted by user]")]
    session = told(tmp_path, init(), replies("a", text("x")), broke_in, result(subtype="error_during_execution"))
    assert completion(session) == "cancelled"
    assert not session.outline.failed_requests


@pytest.mark.parametrize(
    ("ended", "text_of_it", "code"),
    [
        ({"subtype": "error_during_execution", "errors": ["no network", 7, "gave up"]}, "no network\ngave up",
         "error_during_execution"),
        ({"is_error": True, "result": "API Error: 529 overloaded"}, "API Error: 529 overloaded", None),
    ],
)  # fmt: skip
def test_a_session_that_failed_says_why(tmp_path: Path, ended: Event, text_of_it: str, code: str | None) -> None:
    session = told(tmp_path, init(), replies("a", text("x")), result(**ended))
    assert [(one.text, one.code) for one in session.outline.failed_requests] == [(text_of_it, code)]
    assert [record.data["recovery"] for record in session.records if record.kind == "provider_degraded"] == [text_of_it]


def test_an_ending_that_is_not_known_is_no_failure(tmp_path: Path) -> None:
    session = told(tmp_path, init(), replies("a", text("x")), result(subtype="brand_new"))
    assert not session.outline.failed_requests


def test_a_denied_call_that_is_in_the_stream(tmp_path: Path) -> None:
    denied = result(permission_denials=[{"tool_name": "Bash", "tool_use_id": "c", "tool_input": {}}])
    session = told(tmp_path, init(), replies("a", call("c", command="ls")), denied)
    assert [(stop.call, stop.turn, stop.denied) for stop in session.outline.stops] == [("c", 1, True)]


def test_a_stream_without_times_says_so(tmp_path: Path) -> None:
    session = told(tmp_path, init(), replies("a", text("x")), result())
    assert not session.has_times
    assert {tally.why for tally in session.report.tallies if tally.field == "t"} == {
        "no row has a time: 0 stands for it"
    }
    timed = told(tmp_path, init(), replies("a", text("x"), timestamp="2026-03-01T08:00:00Z"), result())
    assert timed.has_times
