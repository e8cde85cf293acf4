"""Claude Code session files, case by case: what each trap of foreign.md 3.1 gives, worked out by hand."""

import json
from pathlib import Path
from typing import Any

import pytest

from accounting.foreign import run_of, sources, unread
from accounting.foreign.fidelity import DamageCode, Standing
from tests.accounting.foreign.claude_files import (
    SESSION,
    Writer,
    answer,
    call,
    read_all,
    read_lines,
    result,
    said,
    text,
    write,
)
from wire.answer.note import Arrived, Note, Refused
from wire.answer.rounds import Outcome, Timing, Used

FIXTURES = Path(__file__).parent / "fixtures" / "claude_code"


def arrivals(notes: tuple[Note, ...]) -> list[str | None]:
    return [note.arrived.said for note in notes if isinstance(note.arrived, Arrived)]


def refusals(notes: tuple[Note, ...]) -> list[Any]:
    return [note.refused.error for note in notes if isinstance(note.refused, Refused)]


def test_one_request_on_several_lines_is_one_turn(tmp_path: Path) -> None:
    writer = Writer()
    writer.says("list the files")
    writer.replies("a", {"type": "thinking", "thinking": "hm", "signature": "s"}, output=1)
    writer.replies("a", text("Looking."), output=1)
    writer.replies("a", call("1", command="ls"), output=80, stop="tool_use")
    writer.answers(result("1", "a.py"))
    writer.replies("b", text("Done."), output=9, stop="end_turn")
    session = read_lines(tmp_path, writer.lines)[0]
    folded = answer(session)
    assert folded.opening is not None
    assert folded.opening.task == "list the files"
    first, second = folded.turns
    assert first.used == Used(input=432, output=80, cached=30, cache_write=400)
    assert (first.thought, first.said, first.stopped) == ("hm", "Looking.", "tool_use")
    assert [(made.tool, made.subject, made.outcome) for made in first.calls] == [("Bash", "ls", Outcome.answered)]
    assert (second.said, second.spent) == ("Done.", None)
    assert {turn.timing for turn in folded.turns} == {Timing.unmeasured}
    assert [turn.rows for turn in session.outline.turns] == [3, 1]
    assert [turn.figures for turn in session.outline.turns] == [Standing.deduplicated, Standing.exact]
    assert session.report.totals.standing is Standing.deduplicated
    assert session.places[first.opened].line == 2
    assert (session.id, session.run) == (SESSION, SESSION)


def test_results_between_the_lines_of_a_request(tmp_path: Path) -> None:
    writer = Writer()
    writer.says("go")
    writer.replies("a", call("1"))
    writer.replies("a", call("2"))
    writer.answers(result("2", "two"))
    writer.replies("a", call("3"), output=30)
    writer.answers(result("3", "three"), result("1", "one"))
    (turn,) = said(writer.lines, tmp_path).turns
    assert turn.used is not None
    assert turn.used.output == 30
    assert [made.output and made.output.head for made in turn.calls] == ["one", "two", "three"]


def test_a_line_that_lacks_its_request_joins_its_message(tmp_path: Path) -> None:
    writer = Writer()
    writer.says("go")
    writer.replies("a", text("hi"))
    del writer.replies("a", text("hi"))["requestId"]
    writer.replies("a", text("there"))
    session = read_lines(tmp_path, writer.lines)[0]
    assert [turn.said for turn in answer(session).turns] == ["hi\nthere"]
    assert [turn.key for turn in session.outline.turns] == ["claude:msg_a"]


def test_lines_without_a_message_id_are_requests_each(tmp_path: Path) -> None:
    writer = Writer()
    for words in ("one", "two"):
        del writer.replies("a", text(words))["message"]["id"]
    assert [turn.said for turn in said(writer.lines, tmp_path).turns] == ["one", "two"]


def test_one_message_id_under_two_requests_is_two(tmp_path: Path) -> None:
    writer = Writer()
    writer.replies("a", text("one"))
    writer.replies("a", text("two"))["requestId"] = "req_other"
    writer.replies("a", text("two more"))["requestId"] = "req_other"
    assert [turn.said for turn in said(writer.lines, tmp_path).turns] == ["one", "two\ntwo more"]


def test_copies_under_another_uuid_count_once(tmp_path: Path) -> None:
    writer = Writer()
    writer.replies("a", text("look"), call("1"))
    writer.replies("a", call("1"))
    writer.answers(result("1", "out"))
    writer.answers(result("1", "out"))
    writer.lines.append(writer.replies("b", call("f", ratio=0.5)))
    writer.lines.append(writer.lines[-1])
    session = read_lines(tmp_path, writer.lines)[0]
    assert [record.kind for record in session.records].count("tool_called") == 2
    assert [record.kind for record in session.records].count("tool_result") == 1
    assert sum(damage.count for damage in session.report.damage) == 4


def test_the_exit_code_is_in_the_text(tmp_path: Path) -> None:
    writer = Writer()
    writer.replies("a", call("1"), call("2"), call("3"))
    writer.answers(result("1", "Exit code 127\nnot found", is_error=True), toolUseResult="Error: Exit code 127")
    writer.answers(result("2", "Exit code 1 is what it said"))
    writer.answers(result("3", [text("first"), {"type": "image", "source": {}}, text("second")]))
    (turn,) = said(writer.lines, tmp_path).turns
    one, two, three = turn.calls
    assert (one.outcome, one.exit_code) == (Outcome.failed, 127)
    assert (two.outcome, two.exit_code) == (Outcome.answered, None)
    assert three.output is not None
    assert three.output.head == "first\nsecond"


def test_a_denied_call_says_so(tmp_path: Path) -> None:
    writer = Writer()
    writer.says("go")
    writer.replies("a", call("1"))
    told = "The user doesn't want to proceed with this tool use. The tool use was rejected."
    writer.answers(result("1", told, is_error=True))
    writer.answers(text("[Request interrupted by user for tool use]"))
    session = read_lines(tmp_path, writer.lines)[0]
    (made,) = answer(session).turns[0].calls
    assert made.outcome is Outcome.failed
    assert made.output is not None
    assert made.output.head == told
    assert [(stop.turn, stop.call, stop.denied) for stop in session.outline.stops] == [
        (1, "toolu_1", True),
        (1, None, False),
    ]
    assert [record.kind for record in session.records][-1] == "cancel_received"


def test_an_interrupted_call_says_so(tmp_path: Path) -> None:
    writer = Writer()
    writer.replies("a", call("1"), call("2"))
    writer.answers(result("1", "[Request interrupted by user for tool use]", is_error=True))
    writer.answers(result("2", "partial"), toolUseResult={"stdout": "partial", "interrupted": True})
    session = read_lines(tmp_path, writer.lines)[0]
    assert [(stop.call, stop.denied) for stop in session.outline.stops] == [("toolu_1", False), ("toolu_2", False)]


def test_what_people_say_is_in_the_turn_it_reached(tmp_path: Path) -> None:
    writer = Writer()
    writer.says("first")
    writer.replies("a", text("one"))
    writer.says("second")
    queued = {"type": "queued_command", "prompt": "third", "commandMode": "prompt"}
    writer.line("attachment", attachment=queued)
    writer.says("never mind me", isMeta=True)
    writer.says("<local-command-stdout>ok</local-command-stdout>")
    writer.replies("b", text("two"))
    writer.says("last words")
    session = read_lines(tmp_path, writer.lines)[0]
    first, second = answer(session).turns
    assert arrivals(first.notes) == []
    assert arrivals(second.notes) == ["second", "third", "last words"]


def test_what_others_say_is_not_the_persons(tmp_path: Path) -> None:
    writer = Writer()
    writer.says("go", origin={"kind": "human"})
    writer.replies("a", text("one"))
    writer.says("a task is done", origin={"kind": "task-notification"})
    writer.says("<task-notification>x</task-notification>")
    writer.replies("b", text("two"))
    notes = said(writer.lines, tmp_path).turns[1].notes
    assert [note.arrived.by for note in notes if isinstance(note.arrived, Arrived)] == ["city", "city"]


def test_a_failed_request_is_no_turn(tmp_path: Path) -> None:
    writer = Writer()
    writer.says("go")
    error = {"status": 529, "error": {"message": "Overloaded"}}
    writer.line("system", subtype="api_error", error=error, retryInMs=612.5, retryAttempt=1)
    writer.replies("a", text("at last"))
    failed = {"model": "<synthetic>", "content": [text("API Error: 500")], "usage": {"input_tokens": 0}}
    writer.line("assistant", message=failed, isApiErrorMessage=True, apiErrorStatus=500, error="server_error")
    session = read_lines(tmp_path, writer.lines)[0]
    (turn,) = answer(session).turns
    retry, refused = refusals(turn.notes)
    assert (retry.retry, retry.retry_after_ms, retry.provider.status) == ("yes", 612, 529)
    assert (refused.recovery, refused.provider.status) == ("API Error: 500", 500)
    assert [(one.after, one.retried, one.status) for one in session.outline.failed_requests] == [
        (0, True, 529),
        (1, False, 500),
    ]
    assert session.report.totals.requests == 1


def test_text_of_the_agent_itself_is_no_turn(tmp_path: Path) -> None:
    writer = Writer()
    writer.says("go")
    writer.line("assistant", message={"model": "<synthetic>", "content": [text("No response requested.")]})
    assert said(writer.lines, tmp_path).turns == ()


def test_a_rewind_leaves_turns_off_the_live_branch(tmp_path: Path) -> None:
    writer = Writer()
    writer.says("go", uuid="root")
    writer.replies("a", text("one"), uuid="a")
    writer.says("this way")
    writer.replies("b", text("wrong"))
    writer.parent = "a"
    writer.says("no, that way")
    writer.replies("c", text("right"))
    session = read_lines(tmp_path, writer.lines)[0]
    assert len(answer(session).turns) == 3
    assert [turn.live for turn in session.outline.turns] == [True, False, True]
    assert [rewind.turns for rewind in session.outline.rewinds] == [(2,)]


def test_the_live_branch_ends_in_the_conversation(tmp_path: Path) -> None:
    writer = Writer()
    writer.says("go", uuid="root")
    writer.replies("a", text("one"))
    writer.parent = "root"
    writer.says("put in by the agent", isMeta=True)
    writer.parent = "root"
    writer.says("of a team", teamName="t")
    session = read_lines(tmp_path, writer.lines)[0]
    assert [turn.live for turn in session.outline.turns] == [True]


def test_lines_that_name_no_line_before_them_are_no_tree(tmp_path: Path) -> None:
    writer = Writer()
    for name in ("a", "b", "c"):
        writer.parent = None
        writer.replies(name, text(name))
    writer.replies("d", text("d"))
    session = read_lines(tmp_path, writer.lines)[0]
    assert [turn.live for turn in session.outline.turns] == [None] * 4


def test_one_line_alone_is_no_tree_and_two_are(tmp_path: Path) -> None:
    writer = Writer()
    writer.replies("a", text("one"))
    assert [turn.live for turn in read_lines(tmp_path, writer.lines)[0].outline.turns] == [None]
    writer.replies("b", text("two"))
    assert [turn.live for turn in read_lines(tmp_path, writer.lines)[0].outline.turns] == [True, True]


def test_a_lost_line_does_not_put_turns_off_the_branch(tmp_path: Path) -> None:
    writer = Writer()
    writer.says("go")
    writer.replies("a", text("one"))
    writer.says("lost")
    writer.replies("b", text("two"))
    writer.replies("c", text("three"))
    del writer.lines[2]
    session = read_lines(tmp_path, writer.lines)[0]
    assert [turn.live for turn in session.outline.turns] == [None, True, True]
    assert session.outline.rewinds == ()


def test_a_compaction_is_told_beside(tmp_path: Path) -> None:
    writer = Writer()
    writer.says("go")
    writer.replies("a", text("one"))
    writer.parent = None
    meta = {"trigger": "auto", "preTokens": 1000, "postTokens": 10, "durationMs": 1500}
    writer.line("system", subtype="compact_boundary", compactMetadata=meta)
    writer.says("This session goes on from …", isCompactSummary=True)
    writer.replies("b", text("two"))
    session = read_lines(tmp_path, writer.lines)[0]
    (compaction,) = session.outline.compactions
    assert (compaction.after, compaction.trigger) == (1, "auto")
    assert (compaction.tokens_before, compaction.tokens_after, compaction.took_us) == (1000, 10, 1_500_000)
    assert compaction.summary == "This session goes on from …"
    assert session.outline.rewinds == ()
    assert [arrivals(turn.notes) for turn in answer(session).turns] == [[], []]


def side(writer: Writer, agent: str | None, prompt: str, name: str) -> None:
    parent = writer.parent
    more: dict[str, Any] = {"isSidechain": True} if agent is None else {"isSidechain": True, "agentId": agent}
    root = writer.says(prompt, **more, parentUuid=None)
    first = writer.replies(f"{name}1", call(f"{name}1"), **more, parentUuid=root["uuid"])
    second = writer.answers(result(f"{name}1"), **more, parentUuid=first["uuid"])
    writer.replies(f"{name}2", text(f"{name} done"), **more, parentUuid=second["uuid"])
    writer.parent = parent


@pytest.mark.parametrize("named", [True, False])
def test_sub_agents_inside_the_file(tmp_path: Path, *, named: bool) -> None:
    writer = Writer()
    writer.says("go")
    writer.replies("a", call("x", "Task", prompt="look", description="Look"), call("y", "Task", prompt="find"))
    side(writer, "ag1" if named else None, "look", "x")
    side(writer, "ag2" if named else None, "find", "y")
    writer.answers(result("y"), toolUseResult={"agentId": "ag2"} if named else {})
    writer.answers(result("x"), toolUseResult={"agentId": "ag1"} if named else {})
    writer.replies("b", text("both done"))
    main, look, find = read_lines(tmp_path, writer.lines)
    assert [turn.said for turn in answer(main).turns] == [None, "both done"]
    assert [(child.run, child.call, child.turn) for child in main.outline.children] == [
        (look.run, "toolu_x", 1),
        (find.run, "toolu_y", 1),
    ]
    assert (look.parent, look.started_by, find.started_by) == (main.run, "toolu_x", "toolu_y")
    folded = answer(look)
    assert folded.opening is not None
    assert (folded.opening.task, folded.opening.parent) == ("look", main.run)
    assert [turn.said for turn in folded.turns] == [None, "x done"]
    if named:
        assert look.run == run_of("claude_code", f"{SESSION}/ag1")


def test_a_call_that_names_its_agent_is_no_other_agents(tmp_path: Path) -> None:
    writer = Writer()
    writer.says("go")
    writer.replies("a", call("x", "Task", prompt="look"), call("y", "Task", prompt="look"))
    side(writer, "ag1", "look", "x")
    writer.answers(result("x"), toolUseResult={"agentId": "elsewhere"})
    _, look = read_lines(tmp_path, writer.lines)
    assert look.started_by == "toolu_y"


def test_a_lost_line_of_a_sub_agent_does_not_make_another(tmp_path: Path) -> None:
    writer = Writer()
    writer.says("go")
    side(writer, None, "look", "x")
    del writer.lines[2]
    assert [len(answer(session).turns) for session in read_lines(tmp_path, writer.lines)] == [0, 1]


def test_sub_agents_lie_at_any_depth_beside(tmp_path: Path) -> None:
    writer = Writer()
    writer.says("go")
    path = write(tmp_path / f"{SESSION}.jsonl", writer.lines)
    for place in (tmp_path / SESSION / "subagents" / "workflows" / "w1", tmp_path):
        place.mkdir(parents=True, exist_ok=True)
        part = Writer()
        part.says(f"look in {place.name}", isSidechain=True, agentId=f"ag{len(place.name)}")
        write(place / f"agent-{len(place.name)}.jsonl", part.lines)
    main, *others = read_all(path)
    assert len(others) == 2
    assert {one.parent for one in others} == {main.run}
    assert len(read_all(tmp_path)) == 3


def test_sub_agents_in_files_of_their_own() -> None:
    sessions = read_all(FIXTURES / "c0ffee00-1111-4222-8333-444444444444.jsonl")
    main, outer, inner = sessions
    assert [session.id.rpartition("/")[2] for session in sessions[1:]] == ["outer", "inner"]
    assert (outer.parent, outer.started_by) == (main.run, "toolu_outer")
    assert (inner.parent, inner.started_by) == (outer.run, "toolu_inner")
    alone = read_all(FIXTURES / main.id / "subagents" / "agent-outer.jsonl")
    assert [(one.run, one.parent, one.started_by) for one in alone] == [(outer.run, main.run, "toolu_outer")]
    assert answer(alone[0]) == answer(outer)


def test_a_directory_gives_each_session_once() -> None:
    assert len(read_all(FIXTURES)) == 3


def test_copied_lines_keep_their_key_in_another_file(tmp_path: Path) -> None:
    writer = Writer()
    writer.says("go")
    writer.replies("a", text("one"))
    old = read_all(write(tmp_path / "old.jsonl", writer.lines))[0]
    for line in writer.lines:
        line["sessionId"] = "another"
    writer.replies("b", text("two"), sessionId="another")
    new = read_all(write(tmp_path / "new.jsonl", writer.lines))[0]
    assert old.run != new.run
    assert [turn.key for turn in new.outline.turns[:1]] == [turn.key for turn in old.outline.turns]


def test_titles_and_other_sessions_summaries(tmp_path: Path) -> None:
    writer = Writer()
    writer.says("go", uuid="leaf", cwd="/home/me", version="2.1", gitBranch="main")
    writer.lines.insert(0, {"type": "summary", "summary": "Another's", "leafUuid": "elsewhere"})
    writer.lines.append({"type": "summary", "summary": "Ours", "leafUuid": "leaf"})
    writer.lines.append({"type": "custom-title", "customTitle": "Mine", "sessionId": SESSION})
    session = read_lines(tmp_path, writer.lines)[0]
    facts = {fact.name: fact.value for fact in session.outline.facts}
    expected = {"custom_title": "Mine", "summary": "Ours", "cwd": "/home/me", "version": "2.1", "git_branch": "main"}
    assert facts == expected


def test_output_kept_elsewhere_is_told(tmp_path: Path) -> None:
    writer = Writer()
    writer.replies("a", call("1"))
    kept = "<persisted-output>\nOutput too large. Full output saved to: /t/x.txt\n</persisted-output>"
    writer.answers(result("1", kept))
    session = read_lines(tmp_path, writer.lines)[0]
    (made,) = answer(session).turns[0].calls
    assert made.output is not None
    assert (made.output.head, made.output.pinned) == (kept, None)
    assert any(tally.field == "content (persisted output)" for tally in session.report.tallies)


def test_arguments_no_payload_may_hold(tmp_path: Path) -> None:
    deep: Any = "x"
    for _ in range(200):
        deep = [deep]
    writer = Writer()
    writer.replies("a", call("1", "T", ratio=0.50, big=2**70, deep=deep), call("2", "T"), {"type": "tool_use"})
    writer.lines[0]["message"]["content"][1]["input"] = "free text"
    session = read_lines(tmp_path, writer.lines)[0]
    first, second, third = [record.data for record in session.records if record.kind == "tool_called"]
    args = first["args"]
    assert isinstance(args, dict)
    assert (args["ratio"], args["big"]) == ("0.5", str(2**70))
    assert second["args"] == {"arguments": "free text"}
    assert third == {"args": {}}


def test_very_old_lines_state_cost_and_duration(tmp_path: Path) -> None:
    writer = Writer()
    writer.replies("a", text("one"), costUSD=0.0129, durationMs=4321)
    writer.replies("b", text("two"), costUSD=-1, durationMs="long")
    session = read_lines(tmp_path, writer.lines)[0]
    first, second = answer(session).turns
    assert (first.spent, first.used and first.used.took_us) == (12_900, 4_321_000)
    assert (second.spent, second.used and second.used.took_us) == (None, None)
    assert (session.report.totals.spent, session.report.totals.priced) == (12_900, 1)


def test_absent_counts_are_not_zero(tmp_path: Path) -> None:
    writer = Writer()
    del writer.replies("a", text("one"))["message"]["usage"]
    counted = {"input_tokens": 7, "output_tokens": 1}
    writer.replies("b", text("two"))["message"]["usage"] = counted
    writer.replies("c", text("three"))["message"]["usage"] = {"output_tokens": 1}
    session = read_lines(tmp_path, writer.lines)[0]
    used = [turn.used for turn in answer(session).turns]
    assert used == [None, Used(input=7, output=1, cached=None, cache_write=None), None]
    assert session.report.totals.standing is Standing.unknown
    assert session.report.totals.unmetered == 2
    assert session.report.totals.cached is None


def test_lines_that_share_an_id_by_mistake_are_two(tmp_path: Path) -> None:
    writer = Writer()
    writer.says("go")
    writer.replies("a", text("one"), uuid="same")
    writer.replies("b", text("two"), uuid="same")
    writer.replies("b", text("two"), uuid="same")
    writer.lines[-1]["timestamp"] = writer.lines[-2]["timestamp"]
    session = read_lines(tmp_path, writer.lines)[0]
    assert [turn.said for turn in answer(session).turns] == ["one", "two"]
    assert [damage.code for damage in session.report.damage] == [DamageCode.repeated_row]


def test_what_a_newer_version_brings_is_counted(tmp_path: Path) -> None:
    writer = Writer()
    writer.says("go")
    writer.line("brand-new")
    writer.replies("a", {"type": "new_block", "x": 1}, text("one"))
    session = read_lines(tmp_path, writer.lines)[0]
    assert [turn.said for turn in answer(session).turns] == ["one"]
    unknown = [(tally.kind, tally.count) for tally in session.report.tallies if not tally.known]
    assert unknown == [("assistant/new_block", 1), ("brand-new", 1)]


def test_fields_that_are_not_read_are_told_when_asked(tmp_path: Path) -> None:
    writer = Writer()
    writer.says("go", userType="external", toolUseResult={"agentId": "x", "stdout": "y"})
    writer.replies("a", text("one"), call("1"))["message"]["content"][1]["caller"] = {}
    writer.replies("b", text("two"))
    path = write(tmp_path / "x.jsonl", writer.lines)
    (source,) = sources(path)
    told = {(tally.kind, tally.field): tally.count for tally in unread(source)}
    assert told == {
        ("user", "userType"): 1,
        ("user", "message.role"): 1,
        ("user", "toolUseResult.stdout"): 1,
        ("assistant", "message.role"): 2,
        ("assistant", "message.usage.service_tier"): 2,
        ("assistant", "message.content[].caller"): 1,
    }


def test_a_bad_time_takes_the_latest_before_it(tmp_path: Path) -> None:
    writer = Writer()
    writer.says("go")
    writer.replies("a", text("one"), timestamp="soon")
    writer.replies("b", text("two"), timestamp="2026-03-01T10:00:00+02:00")
    session = read_lines(tmp_path, writer.lines)[0]
    first, second = answer(session).turns
    assert first.t == session.records[0].t
    assert second.t == 1_772_352_000_000
    assert any(damage.code is DamageCode.bad_time for damage in session.report.damage)


def test_the_fixture_on_disk_is_what_it_says() -> None:
    folder = FIXTURES / "c0ffee00-1111-4222-8333-444444444444" / "subagents"
    assert json.loads((folder / "agent-inner.meta.json").read_text())["parentAgentId"] == "outer"


def test_pages_that_a_search_found_are_its_answer(tmp_path: Path) -> None:
    writer = Writer()
    writer.says("go")
    pages = [
        {"type": "web_search_result", "title": "Lighthouses", "url": "https://example.org/l", "encrypted_content": "x"},
        {"type": "web_search_result", "url": "https://example.org/m"},
    ]
    asked = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "lighthouse"}}
    writer.replies("a", asked, {"type": "web_search_tool_result", "tool_use_id": "s", "content": pages})
    broke = {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"}
    writer.replies("b", {**asked, "id": "t"}, {"type": "web_search_tool_result", "tool_use_id": "t", "content": broke})
    told = said(writer.lines, tmp_path)
    heads = [made.output.head for turn in told.turns for made in turn.calls if made.output is not None]
    assert heads == ["Lighthouses\nhttps://example.org/l\nhttps://example.org/m", "max_uses_exceeded"]


def test_a_permission_that_was_not_granted_is_a_denial(tmp_path: Path) -> None:
    writer = Writer()
    writer.says("go")
    writer.replies("a", call("c"))
    words = "Claude requested permissions to use Bash, but you haven't granted it yet."
    writer.answers(result("c", words, is_error=True))
    (session,) = read_lines(tmp_path, writer.lines)
    assert [(stop.call, stop.denied) for stop in session.outline.stops] == [("toolu_c", True)]
