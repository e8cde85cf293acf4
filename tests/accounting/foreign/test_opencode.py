"""OpenCode: one story read three ways, worked out by hand, and the rules of foreign.md 3.5 one by one."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from accounting.foreign import Session, read, sqlite_reading
from accounting.foreign.registry import recognise, sources
from tests.accounting.foreign.opencode_files import (
    CHILD,
    ROOT,
    T0,
    Object,
    Talk,
    answer_of,
    asks,
    fill,
    read_all,
    replies,
    session,
    step,
    story,
    talks,
    text,
    tokens,
    tool,
    write_database,
    write_events,
    write_tree,
)
from wire.answer.rounds import Outcome, Timing, Used

FIXTURES = Path(__file__).parent / "fixtures" / "opencode"
WAYS = ("events", "wrapped", "tree", "database")


def kept(tmp_path: Path, way: str, talk: Talk) -> Path:
    if way == "tree":
        return write_tree(tmp_path / "storage", talk)
    if way == "database":
        return write_database(tmp_path / "opencode.db", talk)
    return write_events(tmp_path / f"{way}.jsonl", talk, wrapped=way == "wrapped")


@pytest.mark.parametrize("way", WAYS)
def test_the_story_by_hand(tmp_path: Path, way: str) -> None:
    root, child = read_all(kept(tmp_path, way, story()))
    assert (root.id, child.id, child.parent, child.started_by) == (ROOT, CHILD, root.run, "c2")
    answer = answer_of(root)
    assert answer.opening is not None
    assert (answer.opening.task, answer.opening.at) == ("Fix the build", T0)
    first, second, third = answer.turns
    assert first.used == Used(input=117, output=7, cached=100, cache_write=7)
    assert second.used == Used(input=123, output=4, cached=120, cache_write=0)
    assert third.used is None
    assert [turn.spent for turn in answer.turns] == [12_500, None, None]
    assert [turn.stopped for turn in answer.turns] == ["tool-calls", "stop", None]
    assert (first.said, first.thought, first.model, first.t) == ("I look.", "Look first.", "m1", T0 + 200)
    assert first.first_at == T0 + 500
    assert second.t == T0 + 1400  # it has no time of its own
    (make,) = first.calls
    assert (make.tool, make.subject, make.outcome, make.exit_code) == ("bash", "make", Outcome.answered, 2)
    assert (make.called, make.answered, make.took_us) == (T0 + 900, T0 + 1400, 500_000)
    assert (make.timing, first.timing) == (Timing.measured, Timing.unmeasured)
    assert root.records[make.at].data["args"] == {"command": "make", "ratio": "0.5"}
    (look,) = second.calls
    assert (look.subject, look.took_us) == ("look", 4_500_000)
    denied, waiting = third.calls
    assert (denied.outcome, denied.subject) == (Outcome.failed, "/b")
    assert (waiting.outcome, waiting.subject, waiting.answered) == (Outcome.waiting, "/a", None)
    assert third.returned is None
    assert len(third.notes) == 2
    outline = root.outline
    (failed,) = outline.failed_requests
    assert (failed.after, failed.status, failed.code, failed.text) == (2, 529, "APIError", "overloaded")
    (stop,) = outline.stops
    assert (stop.turn, stop.call, stop.denied) == (3, "c3", True)
    (link,) = outline.children
    assert (link.run, link.call, link.turn) == (child.run, "c2", 2)
    (only,) = answer_of(child).turns
    assert (only.used, only.spent) == (Used(input=20, output=10), 500_000)
    total = root.report.totals
    assert (total.requests, total.calls, total.answered, total.failed, total.waiting) == (3, 4, 2, 1, 1)
    assert (total.input, total.output, total.unmetered, total.spent) == (240, 11, 1, 12_500)
    assert not root.report.damage


@given(talk=talks())
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_way_of_keeping_gives_the_same(tmp_path_factory: pytest.TempPathFactory, talk: Talk) -> None:
    ways = [read_all(kept(tmp_path_factory.mktemp("oc"), way, talk)) for way in WAYS]
    for other in ways[1:]:
        assert {one.id: one.records for one in other} == {one.id: one.records for one in ways[0]}
    finishes = [
        part
        for one in talk
        for message in one["messages"]
        for part in message["parts"]
        if part["type"] == "step-finish" and part["tokens"] != tokens(0, 0, 0, 0, 0)
    ]
    told = [one.report.totals for one in ways[0]]
    assert sum(total.requests for total in told) - sum(total.unmetered for total in told) == len(finishes)
    used = [finish["tokens"] for finish in finishes]
    whole = sum(one["input"] + one["cache"]["read"] + one["cache"]["write"] for one in used)
    assert sum(total.input or 0 for total in told) == whole
    assert sum(total.output or 0 for total in told) == sum(one["output"] + one["reasoning"] for one in used)
    assert (
        sum(total.spent or 0 for total in told) == 250_000 * sum(part["cost"] == 0.25 for part in finishes) or not used
    )


@pytest.mark.parametrize("way", WAYS)
def test_places_say_where(tmp_path: Path, way: str) -> None:
    path = kept(tmp_path, way, story())
    if way == "database":
        with closing(sqlite3.connect(path)) as database:
            database.execute("DELETE FROM part WHERE rowid = 1")
            database.commit()
    root = read_all(path)[0]
    for record, place in zip(root.records, root.places, strict=True):
        if record.kind == "tool_called" and record.data["id"] == "c1":
            if way == "database":
                with closing(sqlite3.connect(path)) as database:
                    row = database.execute("SELECT data FROM part WHERE rowid = ?", (place.line,)).fetchone()
                assert place.segment == f"{path}#part"
                assert '"c1"' in row[0]
            else:
                line = Path(place.segment).read_bytes()[place.offset :].splitlines()[0]
                assert b'"c1"' in line


def one_reply(*parts: Object, **more: Any) -> Talk:
    return [session(ROOT, asks(0, text("go")), replies(10, 20, *parts, **more))]


def the_turns(tmp_path: Path, talk: Talk) -> Session:
    (one,) = read_all(kept(tmp_path, "events", talk))
    return one


def test_a_message_without_counted_steps_counts_once_from_the_message(tmp_path: Path) -> None:
    talk = one_reply({"type": "step-start"}, text("a"), tokens=tokens(5, 3, 1, 2, 0), cost=0.001)
    one = the_turns(tmp_path, talk)
    (turn,) = answer_of(one).turns
    assert (turn.used, turn.spent) == (Used(input=7, output=4, cached=2, cache_write=0), 1000)
    assert one.report.totals.standing == "exact"


def test_the_sum_of_uncounted_steps_is_an_estimate_of_the_last(tmp_path: Path) -> None:
    talk = one_reply({"type": "step-start"}, text("a"), {"type": "step-start"}, text("b"), tokens=tokens(5, 3, 1, 2, 0))
    one = the_turns(tmp_path, talk)
    assert [turn.used and turn.used.input for turn in answer_of(one).turns] == [None, 7]
    assert [turn.figures.value for turn in one.outline.turns] == ["unknown", "estimated"]


def test_noughts_are_unknown(tmp_path: Path) -> None:
    one = the_turns(tmp_path, one_reply(*step(text("a"), used=tokens(0, 0, 0, 0, 0))))
    assert one.report.totals.input is None
    assert one.report.totals.spent is None
    assert one.report.totals.unmetered == 1


def test_a_lost_start_or_finish_costs_no_request(tmp_path: Path) -> None:
    first = step(text("a"), used=tokens(1, 1, 0, 0, 0))
    second = step(text("b"), used=tokens(2, 1, 0, 0, 0))
    whole = answer_of(the_turns(tmp_path, one_reply(*first, *second)))
    assert [turn.said for turn in whole.turns] == ["a", "b"]
    for lost in (first[1:] + second, first + second[1:]):
        answer = answer_of(the_turns(tmp_path, one_reply(*lost)))
        assert [(turn.said, turn.used and turn.used.input) for turn in answer.turns] == [("a", 1), ("b", 2)]
    unfinished = answer_of(the_turns(tmp_path, one_reply(*first[:-1], *second)))
    assert [(turn.said, turn.used and turn.used.input) for turn in unfinished.turns] == [("a", None), ("b", 2)]


def test_attempts_that_failed_are_no_turns(tmp_path: Path) -> None:
    busy = {"name": "APIError", "data": {"message": "busy", "statusCode": 503, "isRetryable": True}}
    again = {"type": "retry", "attempt": 1, "error": busy, "time": {"created": T0 + 15}}
    one = the_turns(tmp_path, one_reply(again, *step(text("a"), used=tokens(1, 1, 0, 0, 0))))
    (turn,) = answer_of(one).turns
    assert len(turn.notes) == 1
    (failed,) = one.outline.failed_requests
    assert (failed.after, failed.status, failed.text, failed.retried) == (0, 503, "busy", True)
    broken = the_turns(tmp_path, one_reply({"type": "step-start"}, text("par"), error=busy))
    assert len(answer_of(broken).turns) == 1
    assert not broken.outline.failed_requests


@pytest.mark.parametrize(("stated", "expected"), [({"created": T0 + 15}, T0 + 15), (None, T0 + 10)])
def test_when_an_attempt_failed(tmp_path: Path, stated: Object | None, expected: int) -> None:
    """Whichever way a session is kept: when a part was stored is in the database alone."""
    again = {"type": "retry", "attempt": 1, "error": {"name": "APIError", "data": {"message": "busy"}}}
    rows = one_reply(again if stated is None else {**again, "time": stated}, *step(text("a")))
    for way in WAYS:
        (one,) = read_all(kept(tmp_path, way, rows))
        assert [record.t for record in one.records if record.kind == "provider_degraded"] == [expected]


def test_a_session_tells_of_retries_and_errors(tmp_path: Path) -> None:
    path = kept(tmp_path, "events", one_reply(*step(text("a"), used=tokens(1, 1, 0, 0, 0))))
    retry = {"sessionID": ROOT, "status": {"type": "retry", "attempt": 1, "message": "overloaded", "next": 5}}
    key = {"sessionID": ROOT, "error": {"name": "ProviderAuthError", "data": {"message": "no key"}}}
    with path.open("a") as file:
        for event in [
            ("session.status", retry),
            ("session.status", retry),
            ("session.error", key),
            ("session.error", key),
        ]:
            file.write(json.dumps({"type": event[0], "properties": event[1]}) + "\n")
    (one,) = read_all(path)
    told = [(failed.after, failed.text, failed.code, failed.retried) for failed in one.outline.failed_requests]
    assert told == [(0, "overloaded", None, True), (1, "no key", "ProviderAuthError", False)]


def test_a_reply_that_was_too_long_is_a_turn(tmp_path: Path) -> None:
    long: Object = {"name": "MessageOutputLengthError", "data": {}}
    one = the_turns(tmp_path, one_reply(*step(text("a"), used=tokens(1, 1, 0, 0, 0), reason="length"), error=long))
    assert [turn.stopped for turn in answer_of(one).turns] == ["length"]
    assert not one.outline.failed_requests


def test_unknown_parts_and_events_are_counted(tmp_path: Path) -> None:
    path = kept(
        tmp_path, "events", one_reply({"type": "hologram", "x": 1}, *step(text("a"), used=tokens(1, 1, 0, 0, 0)))
    )
    with path.open("a") as file:
        file.write(json.dumps({"type": "moon.risen", "properties": {}}) + "\n")
    (one,) = read_all(path)
    assert {tally.kind: tally.count for tally in one.report.tallies if not tally.known} == {
        "part/hologram": 1,
        "moon.risen": 1,
    }


@pytest.mark.parametrize(
    ("used", "output"),
    [
        ({"input": 5, "output": 4, "reasoning": 3}, 7),
        ({"input": 5, "output": 4, "reasoning": 3, "total": 9}, 4),
        ({"input": 5, "output": 4, "reasoning": 3, "total": 12}, 7),
        ({"input": 5, "output": 4, "reasoning": 3, "total": 29, "cache": {"read": 20, "write": 0}}, 4),
        ({"input": 5, "output": 4, "reasoning": 3, "total": 32, "cache": {"read": 20, "write": 0}}, 7),
        ({"input": 5, "output": 4, "reasoning": 3, "total": 12, "cache": {"read": 3, "write": 0}}, 7),
        ({"input": 5, "output": 4, "reasoning": 3, "total": 999}, 7),
    ],
)
def test_the_total_says_whether_reasoning_is_in_the_output(tmp_path: Path, used: Object, output: int) -> None:
    (turn,) = answer_of(the_turns(tmp_path, one_reply(*step(text("a"), used=used)))).turns
    assert turn.used is not None
    assert turn.used.output == output
    assert turn.used.cached == used.get("cache", {}).get("read")


def test_an_aborted_request_is_the_persons_doing(tmp_path: Path) -> None:
    gone = {"name": "MessageAbortedError", "data": {"message": "The operation was aborted."}}
    one = the_turns(tmp_path, one_reply(error=gone))
    assert not answer_of(one).turns
    assert [(stop.turn, stop.call) for stop in one.outline.stops] == [(0, None)]
    assert not one.outline.failed_requests
    halfway = the_turns(tmp_path, one_reply({"type": "step-start"}, text("par"), error=gone))
    (turn,) = answer_of(halfway).turns
    assert (turn.said, turn.used) == ("par", None)
    assert halfway.outline.stops[0].turn == 1


def test_what_was_billed_is_a_turn_whatever_is_left_of_it(tmp_path: Path) -> None:
    gone = {"name": "MessageAbortedError", "data": {"message": "The operation was aborted."}}
    for more in ({}, {"error": gone}):
        one = the_turns(tmp_path, one_reply(tokens=tokens(3, 2, 0, 0, 0), **more))
        assert [turn.used and turn.used.input for turn in answer_of(one).turns] == [3]


def test_a_call_id_used_again_is_another_call(tmp_path: Path) -> None:
    done: Object = {"status": "completed", "input": {}, "output": "1"}
    running: Object = {"status": "running", "input": {}}
    one = the_turns(tmp_path, one_reply(*step(tool("a", "c", running), tool("b", "c", done))))
    (turn,) = answer_of(one).turns
    assert [(call.tool, call.outcome) for call in turn.calls] == [("a", Outcome.waiting), ("b", Outcome.answered)]


@pytest.mark.parametrize(
    ("state", "expected", "timing"),
    [
        ({"status": "pending", "input": {}, "raw": '{"pa', "output": "stray"}, Outcome.waiting, Timing.unmeasured),
        (
            {"status": "running", "input": {}, "output": "so far", "time": {"start": T0}},
            Outcome.waiting,
            Timing.measured,
        ),
        (
            {"status": "completed", "input": {}, "output": "x", "time": {"start": T0}},
            Outcome.answered,
            Timing.unmeasured,
        ),
        ({"status": "completed", "input": {}, "output": None}, Outcome.answered, Timing.unmeasured),
        ({"status": "error", "input": {}, "error": {"a": 1}}, Outcome.failed, Timing.unmeasured),
        ({"status": "later", "input": {}}, Outcome.waiting, Timing.unmeasured),
        ({"status": None, "output": "x"}, Outcome.answered, Timing.unmeasured),
        ({"error": "x"}, Outcome.failed, Timing.unmeasured),
        (None, Outcome.waiting, Timing.unmeasured),
    ],
)
def test_states_and_outcomes(tmp_path: Path, state: Object | None, expected: Outcome, timing: Timing) -> None:
    one = the_turns(tmp_path, one_reply(*step(tool("x", "c", state))))
    ((call,),) = [turn.calls for turn in answer_of(one).turns]
    assert (call.outcome, call.timing) == (expected, timing)
    if state is not None and state.get("raw"):
        assert one.records[call.at].data["args"] == {"arguments": '{"pa'}


def test_a_tool_that_was_interrupted(tmp_path: Path) -> None:
    one = the_turns(
        tmp_path, one_reply(*step(tool("x", "c", {"status": "error", "input": {}, "error": "Tool execution aborted"})))
    )
    assert [(stop.turn, stop.call, stop.denied) for stop in one.outline.stops] == [(1, "c", False)]


def test_a_child_that_does_not_name_its_parent(tmp_path: Path) -> None:
    talk = story()
    del talk[1]["info"]["parentID"]
    root, child = read_all(kept(tmp_path, "events", talk[::-1]))
    assert (root.id, child.parent, child.started_by) == (ROOT, root.run, "c2")


def test_a_compaction_and_its_summary(tmp_path: Path) -> None:
    used = tokens(1, 1, 0, 0, 0)
    talk = [
        session(
            ROOT,
            asks(0, text("go")),
            replies(10, 20, *step(text("a"), used=used)),
            asks(30, {"type": "compaction", "auto": True}),
            replies(40, 50, *step(text("All so far."), used=used), summary=True),
            replies(60, 70, *step(text("b"), used=used)),
        )
    ]
    talk[0]["messages"][3]["info"]["parentID"] = talk[0]["messages"][2]["info"]["id"]
    one = the_turns(tmp_path, talk)
    (told,) = one.outline.compactions
    assert (told.after, told.trigger, told.summary) == (1, "auto", "All so far.")
    assert one.report.totals.requests == 3


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("message", "part", "turns"),
    [(2, None, (2, 3)), (3, None, (2, 3)), (4, None, (3,)), (1, 3, (2, 3, 4)), (9, None, ())],
)
def test_a_revert_puts_turns_off_the_live_branch(
    tmp_path: Path, way: str, message: int, part: int | None, turns: tuple[int, ...]
) -> None:
    used = tokens(1, 1, 0, 0, 0)
    pairs = [(asks(at, text("go")), replies(at + 10, at + 20, *step(text("a"), used=used))) for at in (0, 100, 200)]
    talk = [session(ROOT, *(message for pair in pairs for message in pair))]
    messages = talk[0]["messages"]
    revert = {"messageID": messages[message]["info"]["id"] if message < 6 else "msg_ffffffffffffZZ"}
    if part is not None:  # of a message of two requests, the second
        more = step(text("b"), used=used)
        for number, one in enumerate(more):
            one |= messages[1]["parts"][0] | one | {"id": f"prt_00000100000{number + 3}" + ROOT[4:18]}
        messages[1]["parts"] += more
        revert["partID"] = messages[1]["parts"][part]["id"]
    talk[0]["info"]["revert"] = revert
    (read_,) = read_all(kept(tmp_path, way, talk))
    assert [rewind.turns for rewind in read_.outline.rewinds] == [turns]
    assert tuple(turn.number for turn in read_.outline.turns if not turn.live) == turns
    assert read_.report.totals.input == 3 + (part is not None)


def test_a_revert_to_a_message_that_is_gone(tmp_path: Path) -> None:
    used = tokens(1, 1, 0, 0, 0)
    pairs = [(asks(at, text("go")), replies(at + 10, at + 20, *step(text("a"), used=used))) for at in (0, 100)]
    talk = [session(ROOT, *(message for pair in pairs for message in pair))]
    talk[0]["info"]["revert"] = {"messageID": talk[0]["messages"].pop(2)["info"]["id"]}
    assert [rewind.turns for rewind in the_turns(tmp_path, talk).outline.rewinds] == [(2,)]


def test_what_was_removed_was_billed(tmp_path: Path) -> None:
    used = tokens(1, 1, 0, 0, 0)
    pairs = [(asks(at, text("go")), replies(at + 10, at + 20, *step(text("a"), used=used))) for at in (0, 100)]
    talk = [session(ROOT, *(message for pair in pairs for message in pair))]
    path = kept(tmp_path, "events", talk)
    with path.open("a") as file:
        for message in talk[0]["messages"][2:]:
            about = {"sessionID": ROOT, "messageID": message["info"]["id"]}
            file.write(json.dumps({"type": "message.removed", "properties": about}) + "\n")
        gone = talk[0]["messages"][1]["parts"][1]
        about = {"sessionID": ROOT, "messageID": gone["messageID"], "partID": gone["id"]}
        file.write(json.dumps({"type": "message.part.removed", "properties": about}) + "\n")
    (one,) = read_all(path)
    assert [turn.live for turn in one.outline.turns] == [False, False]
    assert [rewind.turns for rewind in one.outline.rewinds] == [(1, 2)]
    assert one.report.totals.input == 2


def test_pieces_of_text_add_up_until_the_whole_comes(tmp_path: Path) -> None:
    talk = one_reply({"type": "step-start"}, text(""))
    path = kept(tmp_path, "events", talk)
    part = talk[0]["messages"][1]["parts"][1]
    about = {"sessionID": ROOT, "messageID": part["messageID"], "partID": part["id"], "field": "text"}
    with path.open("a") as file:
        for piece in ("wor", "ld"):
            file.write(json.dumps({"type": "message.part.delta", "properties": about | {"delta": piece}}) + "\n")
    assert answer_of(read_all(path)[0]).turns[0].said == "world"
    with path.open("a") as file:
        whole = part | {"text": "world!"}
        file.write(json.dumps({"type": "message.part.updated", "properties": {"part": whole}}) + "\n")
    assert answer_of(read_all(path)[0]).turns[0].said == "world!"


def test_what_the_command_prints_reads_too(tmp_path: Path) -> None:
    parts = one_reply(*step(text("a"), used=tokens(4, 1, 0, 0, 0)))[0]["messages"][1]["parts"]
    path = tmp_path / "printed.jsonl"
    lines = [
        {"type": part["type"].replace("-", "_"), "timestamp": T0, "sessionID": ROOT, "part": part} for part in parts
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    one = read(path)
    assert (one.agent, one.id, one.report.totals.requests, one.report.totals.input) == ("opencode", ROOT, 1, 4)


def test_a_fork_is_one_request_by_its_key(tmp_path: Path) -> None:
    used = tokens(9, 1, 0, 0, 0)
    talks_ = [
        [session(own, asks(0, text("go")), replies(10, 20, *step(text("a"), used=used)))]
        for own in (ROOT, "ses_00000000c001CCCCCCCCCCCCCC")
    ]
    first, second = (the_turns(tmp_path, talk).outline.turns[0] for talk in talks_)
    assert first.key is not None
    assert first.key == second.key


def test_a_tree_is_found_by_its_root_its_parts_and_its_files(tmp_path: Path) -> None:
    root = kept(tmp_path, "tree", story())
    wanted = {source.run for source in sources(tmp_path)}
    assert len(wanted) == 1
    for folder in (root, root / "session", root / "session" / "p1", root / "message" / ROOT):
        assert {source.run for source in sources(folder)} == wanted, folder
    file = root / "session" / "p1" / f"{ROOT}.json"
    assert [one.id for one in read_all(file)] == [ROOT, CHILD]
    assert read(file).agent == "opencode"
    message = next((root / "message" / ROOT).iterdir())
    assert [one.id for one in read_all(message)] == [ROOT, CHILD]
    alone = read(root / "session" / "p1" / f"{CHILD}.json")
    assert (alone.id, alone.parent) == (CHILD, read(file).run)


def test_a_database_gives_each_session_as_a_source(tmp_path: Path) -> None:
    other = session("ses_00000000d001DDDDDDDDDDDDDD", asks(0, text("hi")))
    path = kept(tmp_path, "database", [*story(), other])
    assert [source.within for source in sources(path)] == [ROOT, other["info"]["id"]]
    known = recognise(path)
    assert known is not None
    assert known[0].name == "opencode"


def test_a_database_is_read_while_it_is_written(tmp_path: Path) -> None:
    path = kept(tmp_path, "database", story())
    later = session("ses_00000000d001DDDDDDDDDDDDDD", asks(0, text("hi")))
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("PRAGMA wal_autocheckpoint=0")
        writer.execute("BEGIN IMMEDIATE")
        fill(writer, later)
        assert [one.id for one in read_all(path)] == [ROOT, CHILD]
        writer.execute("COMMIT")
        assert [one.id for one in read_all(path)] == [ROOT, CHILD, later["info"]["id"]]
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("DELETE FROM part")
        assert read_all(path)[0].report.totals.input == 240
        writer.execute("ROLLBACK")


def test_a_database_that_is_locked_cannot_be_read_now(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_reading, "_WAIT_S", 0)
    path = kept(tmp_path, "database", story())
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("PRAGMA journal_mode=DELETE")
        writer.execute("BEGIN EXCLUSIVE")
        with pytest.raises(OSError, match="locked"):
            read_all(path)
    assert read_all(path)[0].report.totals.input == 240


def test_a_database_is_left_as_it_was(tmp_path: Path) -> None:
    path = kept(tmp_path, "database", story())
    before = [(one.name, one.read_bytes(), one.stat().st_mtime_ns) for one in sorted(path.parent.iterdir())]
    read_all(path)
    assert [(one.name, one.read_bytes(), one.stat().st_mtime_ns) for one in sorted(path.parent.iterdir())] == before


@pytest.mark.parametrize(
    ("change", "input_"),
    [
        ("DROP TABLE session", 240),
        ("ALTER TABLE session DROP COLUMN parent_id", 240),
        ("ALTER TABLE part DROP COLUMN session_id", 240),
        ("ALTER TABLE part DROP COLUMN time_created", 240),
        ("ALTER TABLE message DROP COLUMN time_created", 240),
        ("ALTER TABLE message DROP COLUMN data", 240),
        ("ALTER TABLE session ADD COLUMN later text", 240),
        ("DELETE FROM part", 240),
        ("DROP TABLE part", 240),
        ("ALTER TABLE part DROP COLUMN data", 240),
    ],
)
def test_tables_and_columns_are_asked_for(tmp_path: Path, change: str, input_: int) -> None:
    path = kept(tmp_path, "database", story())
    with closing(sqlite3.connect(path)) as database:
        database.execute(change)
        database.commit()
    root = next(one for one in read_all(path) if one.id == ROOT)
    if "part" in change and ("DELETE" in change or "DROP TABLE" in change or "data" in change):
        assert (root.report.totals.input, root.report.totals.requests) == (13 + 220 + 7, 1)
    else:
        assert (root.report.totals.input, root.report.totals.requests) == (input_, 3)


def test_sessions_that_are_json_in_the_database_too(tmp_path: Path) -> None:
    path = kept(tmp_path, "database", story())
    with closing(sqlite3.connect(path)) as database:
        database.executescript(
            "DROP TABLE session; CREATE TABLE session (id text PRIMARY KEY, data text) WITHOUT ROWID"
        )
        for one in story():
            database.execute("INSERT INTO session VALUES (?, ?)", (one["info"]["id"], json.dumps(one["info"])))
        database.commit()
    root, child = read_all(path)
    assert (root.id, child.id, child.parent, child.started_by) == (ROOT, CHILD, root.run, "c2")
    assert root.records[0].t == T0


def test_the_committed_stream(tmp_path: Path) -> None:
    root, child = read_all(FIXTURES / "events.jsonl")
    assert read(FIXTURES / "events.jsonl").agent == "opencode"
    assert (root.report.totals.requests, child.report.totals.requests) == (3, 1)
    assert [one.id for one in read_all(FIXTURES / "storage")] == [ROOT, CHILD]
    copy = write_events(tmp_path / "again.jsonl", story())
    assert copy.read_text() == (FIXTURES / "events.jsonl").read_text()
