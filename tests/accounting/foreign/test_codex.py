"""Codex rollouts: each rule and trap of foreign.md 3.3 on small files worked out by hand."""

import json
from pathlib import Path
from typing import Any

import pytest

from accounting.foreign import Session, Source, read_source, sources, unread
from accounting.foreign.codex.output import read_output
from accounting.foreign.fidelity import DamageCode, Fate, Standing
from accounting.foreign.outline import Stop
from tests.accounting.foreign.codex_files import (
    FIXTURES,
    NAME,
    SESSION,
    Writer,
    answer,
    counts,
    read,
    sure,
    turns,
    written,
)
from wire.answer.rounds import Call, Outcome, Timing, Turn


def used(turn: Turn) -> tuple[int, int, int | None, int | None] | None:
    return None if turn.used is None else (turn.used.input, turn.used.output, turn.used.cached, turn.used.cache_write)


def head(call: Call) -> str | None:
    return None if call.output is None else call.output.head


def line_of(session: Session, seq: int) -> int:
    return session.places[seq].line


class TestClassic:
    """What an ordinary session keeps: texts twice, repeated counts, a person's texts that are none."""

    @pytest.fixture
    def session(self) -> Session:
        return read(FIXTURES / "classic.jsonl")

    def test_task_and_steer(self, session: Session) -> None:
        told = answer(session)
        assert told.opening is not None
        assert told.opening.task == "Why does the build fail?"
        steers = [record.data["text"] for record in session.records if record.kind == "steer_received"]
        assert steers == ["Put it back."]
        assert told.closing is None

    def test_each_request_is_a_turn(self, session: Session) -> None:
        assert [used(turn) for turn in answer(session).turns] == [
            (100, 10, 40, None),
            (160, 20, 100, None),
            (240, 40, 160, None),  # the difference of the sums, for it lacks a count of its own
            (50, 5, 20, None),  # the counter began anew
            None,  # broken off
            None,  # without a count
        ]
        assert [standing.figures for standing in session.outline.turns] == [
            Standing.exact,
            Standing.exact,
            Standing.estimated,
            Standing.estimated,
            Standing.unknown,
            Standing.unknown,
        ]
        assert (session.report.totals.input, session.report.totals.output) == (550, 75)

    def test_the_model_is_that_of_the_context(self, session: Session) -> None:
        assert [turn.model for turn in answer(session).turns] == ["model-one"] * 2 + ["model-two"] * 4

    def test_texts_come_once(self, session: Session) -> None:
        told = answer(session).turns
        assert [turn.said for turn in told] == [None, "A file is missing.", None, None, None, "Stopped."]
        assert told[0].thought == "Run it first."

    def test_calls(self, session: Session) -> None:
        first, second, third, fourth = (call for turn in answer(session).turns for call in turn.calls)
        assert (first.subject, first.outcome, first.exit_code, first.took_us) == (
            "make all",
            Outcome.failed,
            2,
            300_000,
        )
        assert head(first) == "make: *** [all] Error 2"
        assert (second.subject, second.outcome) == ('{"command": ["touch"', Outcome.failed)
        assert second.arguments is not None
        assert json.loads(second.arguments.head) == {"arguments": '{"command": ["touch"'}
        assert (third.tool, third.subject, third.outcome, head(third)) == (
            "apply_patch",
            "src/a.c",
            Outcome.answered,
            "Done",
        )
        assert (fourth.subject, fourth.outcome) == ("sleep 99", Outcome.waiting)
        assert {call.timing for call in (first, second, third, fourth)} == {Timing.unmeasured}

    def test_floats_are_text_and_told(self, session: Session) -> None:
        (call,) = (r for r in session.records if r.kind == "tool_called" and r.data["id"] == "call_1")
        assert call.data["args"] == {"command": ["bash", "-lc", "make all"], "timeout_ms": "1.5"}
        assert [
            (tally.count, tally.fate)
            for tally in session.report.tallies
            if (tally.kind, tally.field) == ("response_item/function_call", "arguments")
        ] == [(2, Fate.derived)]

    def test_a_person_broke_in(self, session: Session) -> None:
        assert session.outline.stops == (Stop(turn=5, place=session.outline.stops[0].place, t=1772445626000),)
        assert session.outline.stops[0].place.line == 27

    def test_places(self, session: Session) -> None:
        data = (FIXTURES / "classic.jsonl").read_bytes()
        rows = data.split(b"\n")
        for place in session.places:
            assert data[place.offset :].startswith(rows[place.line - 1])
        assert [line_of(session, turn.opened) for turn in answer(session).turns] == [8, 13, 20, 25, 26, 29]

    def test_what_is_not_carried_is_counted(self, session: Session) -> None:
        dropped = {(t.kind, t.field): t.count for t in session.report.tallies if t.fate is Fate.dropped}
        assert dropped == {
            ("event_msg/agent_reasoning", None): 1,
            ("event_msg/token_count", "no_counts"): 1,
            ("event_msg/token_count", "repeated"): 1,
            ("response_item/message", None): 6,
        }
        assert session.report.damage == ()
        assert session.report.rows == 29


class TestExtended:
    """Events that end calls: exit codes, durations, failures, calls that stand nowhere else."""

    @pytest.fixture
    def session(self) -> Session:
        return read(FIXTURES / "extended.jsonl")

    def test_calls(self, session: Session) -> None:
        calls = {call.subject: call for turn in answer(session).turns for call in turn.calls}
        told = {subject: (call.tool, call.outcome, call.exit_code, call.took_us) for subject, call in calls.items()}
        assert told == {
            "pytest -q": ("exec_command", Outcome.failed, 1, 2_500_001),
            "tail -f log": ("exec_command", Outcome.answered, None, 10_000_000),  # still running
            "tests": ("mcp__wiki__find", Outcome.failed, None, 4_000),
            "ls -l": ("local_shell", Outcome.answered, 0, 9),
            "exit codes": ("web_search", Outcome.answered, None, None),
            "/srv/shop/a.py": ("apply_patch", Outcome.failed, None, None),
        }
        assert head(calls["ls -l"]) == "total 0"
        assert head(calls["/srv/shop/a.py"]) == "no match"

    def test_turns(self, session: Session) -> None:
        told = answer(session).turns
        assert [used(turn) for turn in told] == [(200, 40, 100, 7), (300, 20, 200, 0), (400, 20, 100, None)]
        assert [len(turn.calls) for turn in told] == [6, 0, 0]

    def test_what_the_end_of_a_task_tells_of_an_earlier_request_is_counted_only(self, session: Session) -> None:
        assert not [record for record in session.records if "first_us" in record.data]
        (tally,) = (tally for tally in session.report.tallies if tally.field == "time_to_first_token_ms")
        assert (tally.kind, tally.count, tally.fate) == ("event_msg/task_complete", 1, Fate.dropped)

    def test_one_compaction_told_in_two_rows(self, session: Session) -> None:
        assert [(c.after, c.place.line, c.summary) for c in session.outline.compactions] == [(2, 23, "Tests were run.")]

    def test_rolled_back_turns_are_off_the_live_branch(self, session: Session) -> None:
        assert [standing.live for standing in session.outline.turns] == [True, True, False]
        assert [rewind.turns for rewind in session.outline.rewinds] == [(3,)]
        assert session.report.totals.input == 900

    def test_a_refused_request_is_no_turn(self, session: Session) -> None:
        (failed,) = session.outline.failed_requests
        assert (failed.after, failed.status, failed.code) == (3, 429, "response_failed")
        assert failed.text == "You have hit your limit."

    def test_unknown_rows_are_counted(self, session: Session) -> None:
        unknown = [tally.kind for tally in session.report.tallies if not tally.known]
        assert unknown == ["event_msg/brand_new_event", "novelty"]


def test_bare_lines_of_very_old_files() -> None:
    session = read(FIXTURES / "bare.jsonl")
    told = answer(session)
    assert session.id == "0190a000-0000-7000-8000-00000000000c"
    assert told.opening is not None
    assert (told.opening.task, told.opening.at) == ("List it.", 1746086400000)
    assert [turn.said for turn in told.turns] == ["One file.", "None."]
    (call,) = told.turns[0].calls
    assert (call.subject, call.exit_code, call.took_us) == ("ls", 0, 100_000)
    assert {record.t for record in session.records} == {1746086400000}


def test_every_form_is_known_by_its_rows() -> None:
    assert sure(FIXTURES / "classic.jsonl") == 1.0
    assert sure(FIXTURES / "extended.jsonl") > 0.9
    assert sure(FIXTURES / "bare.jsonl") > 0.5


@pytest.mark.parametrize(
    ("output", "text", "failed", "code", "took"),
    [
        ("plain", "plain", False, None, None),
        ("Exit code: 3\nWall time: 0.25 seconds\nOutput:\nno", None, True, 3, 250_000),
        ("Exit code: 0\nWall time: 1 seconds\nOutput:\nExit code: 3", None, False, 0, 1_000_000),
        ("a line\nExit code: 3", None, False, None, None),
        ("Wall time: 3.2 seconds\naborted by user", None, True, None, 3_200_000),
        ("aborted by user after 1.5s", None, True, None, None),
        ("exec command rejected by user", None, True, None, None),
        ('{"output":"hi","metadata":{"exit_code":0,"duration_seconds":2}}', "hi", False, 0, 2_000_000),
        ('{"output":"hi"}', '{"output":"hi"}', False, None, None),
        ({"content": "hm", "success": False}, "hm", True, None, None),
        ({"content": [{"type": "input_text", "text": "a"}], "success": True}, "a", False, None, None),
        ({"type": "input_text", "text": "a\n"}, "a\n", False, None, None),
        ([{"type": "input_text", "text": "a"}, {"type": "input_image"}, {"text": "b"}], "a\nb", False, None, None),
        ([{"type": "input_image", "image_url": "data:"}], "", False, None, None),
        ([1, 2], "[1,2]", False, None, None),
        ({"x": 1}, '{"x":1}', False, None, None),
        (None, "", False, None, None),
        (7, "7", False, None, None),
    ],
)
def test_forms_of_an_answer(output: Any, text: str | None, failed: bool, code: int | None, took: int | None) -> None:
    told = read_output(output)
    assert told.text == (output if text is None else text)
    assert (told.failed, told.exit_code, told.took_us) == (failed, code, took)


def test_a_call_id_used_twice_pairs_in_order(tmp_path: Path) -> None:
    writer = Writer()
    for command in ("one", "two"):
        writer.calls("same", command)
    for output in ("first", "second"):
        writer.answers("same", output)
    (turn,) = turns(written(tmp_path / NAME, writer.lines))
    assert [(call.subject, head(call)) for call in turn.calls] == [("one", "first"), ("two", "second")]


def test_an_answer_before_its_call_waits_for_it(tmp_path: Path) -> None:
    writer = Writer()
    writer.answers("c", "out")
    writer.calls("c", "run")
    (turn,) = turns(written(tmp_path / NAME, writer.lines))
    assert [head(call) for call in turn.calls] == ["out"]


def test_an_end_before_the_answer_gives_the_exit_code(tmp_path: Path) -> None:
    writer = Writer()
    writer.calls("c", "run")
    writer.event("exec_command_end", call_id="c", exit_code=4, duration={"secs": 0, "nanos": 1500})
    writer.answers("c", "out")
    (turn,) = turns(written(tmp_path / NAME, writer.lines))
    told = [(call.outcome, call.exit_code, call.took_us, head(call)) for call in turn.calls]
    assert told == [(Outcome.failed, 4, 1, "out")]


def test_an_end_behind_the_answer_changes_nothing(tmp_path: Path) -> None:
    """Somebody may have read the file in between."""
    writer = Writer()
    writer.calls("c", "run")
    writer.answers("c", "out")
    writer.event("patch_apply_end", call_id="c", success=False, stderr="no match")
    (turn,) = turns(written(tmp_path / NAME, writer.lines))
    assert [(call.outcome, head(call)) for call in turn.calls] == [(Outcome.answered, "out")]


@pytest.mark.parametrize("goes_on", [False, True])
def test_an_end_answers_when_the_model_goes_on(tmp_path: Path, *, goes_on: bool) -> None:
    writer = Writer()
    writer.calls("c", "run")
    writer.counts(10, 1)
    writer.event("exec_command_end", call_id="c", exit_code=0, aggregated_output="out")
    if goes_on:
        writer.replies("Done.")
    (call,) = turns(written(tmp_path / NAME, writer.lines))[0].calls
    assert call.outcome is (Outcome.answered if goes_on else Outcome.waiting)
    assert call.output is None or call.output.head == "out"


def test_a_local_shell_call_without_an_answer_is_waiting(tmp_path: Path) -> None:
    """The status is the item's: the model was done with writing it."""
    writer = Writer()
    for own, command in (("a", "rm -rf build"), ("b", "ls")):
        action = {"type": "exec", "command": [command]}
        writer.item("local_shell_call", call_id=own, status="completed", action=action)
    writer.answers("b", "out")
    writer.event("turn_aborted", reason="interrupted")
    (turn,) = turns(written(tmp_path / NAME, writer.lines))
    assert [call.outcome for call in turn.calls] == [Outcome.waiting, Outcome.answered]


def test_a_search_of_the_providers_own_is_done_when_its_turn_is(tmp_path: Path) -> None:
    writer = Writer()
    writer.item("web_search_call", id="w", status="completed", action={"type": "search", "query": "q"})
    writer.event("task_complete")
    (turn,) = turns(written(tmp_path / NAME, writer.lines))
    assert [call.outcome for call in turn.calls] == [Outcome.answered]


def answered(lines: list[bytes], folder: Path) -> dict[str, Any]:
    """What answers each call, in a file of these lines."""
    path = folder / NAME
    path.write_bytes(b"".join(lines))
    return {str(r.data["tool_use_id"]): r.data for r in read(path).records if r.kind == "tool_result"}


@pytest.mark.parametrize("name", ["classic", "extended", "bare", "completed"])
def test_an_answered_call_never_changes(tmp_path: Path, name: str) -> None:
    if name == "completed":  # calls that stand in no item, before the first that does
        writer = Writer()
        for own in ("3", "4"):
            item = {"type": "CommandExecution", "id": own, "command": ["ls"], "aggregated_output": "a", "exit_code": 0}
            writer.event("item_completed", item=item)
        writer.calls("c", "run")
        writer.event("item_completed", item={"type": "CommandExecution", "id": "5", "command": ["ls"], "exit_code": 0})
        writer.answers("c", "out")
        lines = written(tmp_path / NAME, writer.lines).read_bytes().splitlines(keepends=True)
    else:
        lines = (FIXTURES / f"{name}.jsonl").read_bytes().splitlines(keepends=True)
    before: dict[str, Any] = {}
    for count in range(1, len(lines) + 1):
        now = answered(lines[:count], tmp_path)
        assert before.items() <= now.items()
        before = now
    assert before


def test_a_call_that_only_its_end_tells_of(tmp_path: Path) -> None:
    writer = Writer()
    writer.replies("Looking.")
    ok = {"Ok": {"content": [{"type": "text", "text": "found"}], "isError": False}}
    writer.event("mcp_tool_call_end", call_id="m", invocation={"server": "s", "tool": "t", "arguments": {}}, result=ok)
    writer.event("exec_command_end", call_id="u", source="user_shell", command=["ls"], exit_code=0)
    (turn,) = turns(written(tmp_path / NAME, writer.lines))
    assert [(call.tool, call.outcome, head(call)) for call in turn.calls] == [("mcp__s__t", Outcome.answered, "found")]


def test_a_call_that_a_person_refused(tmp_path: Path) -> None:
    writer = Writer()
    writer.calls("c", "rm -r /")
    writer.answers("c", "exec command rejected by user")
    session = read(written(tmp_path / NAME, writer.lines))
    assert [(stop.call, stop.denied) for stop in session.outline.stops] == [("c", True)]
    assert answer(session).turns[0].calls[0].outcome is Outcome.failed


def test_prompts_from_items_where_no_event_tells_them(tmp_path: Path) -> None:
    writer = Writer()
    for text in ("<environment_context>x", "# AGENTS.md instructions for /srv", "Do it.", "<turn_aborted>", "More."):
        writer.item("message", role="user", content=[{"type": "input_text", "text": text}])
    writer.item("message", role="developer", content=[{"type": "input_text", "text": "be brief"}])
    session = read(written(tmp_path / NAME, writer.lines))
    told = answer(session)
    assert told.opening is not None
    assert told.opening.task == "Do it."
    assert [r.data["text"] for r in session.records if r.kind == "steer_received"] == ["More."]


def test_completed_items_where_nothing_else_tells(tmp_path: Path) -> None:
    writer = Writer()
    for item in (
        {"type": "UserMessage", "id": "1", "content": [{"type": "text", "text": "Do it."}]},
        {"type": "Reasoning", "id": "2", "summary_text": ["Hm."], "raw_content": []},
        {"type": "CommandExecution", "id": "3", "command": ["ls"], "aggregated_output": "a", "exit_code": 0},
        {"type": "AgentMessage", "id": "4", "content": [{"type": "Text", "text": "Done."}]},
    ):
        writer.event("item_completed", item=item)
    session = read(written(tmp_path / NAME, writer.lines))
    told = answer(session)
    assert told.opening is not None
    assert told.opening.task == "Do it."
    (turn,) = told.turns
    assert (turn.thought, turn.said) == ("Hm.", "Done.")
    assert [(call.subject, call.exit_code, head(call)) for call in turn.calls] == [("ls", 0, "a")]


def test_a_count_after_an_abort_is_of_the_request_before_it(tmp_path: Path) -> None:
    writer = Writer()
    writer.replies("half")
    writer.event("turn_aborted", reason="interrupted")
    writer.counts(10, 1)
    writer.replies("anew")
    assert [(turn.said, used(turn)) for turn in turns(written(tmp_path / NAME, writer.lines))] == [
        ("half", (10, 1, 0, None)),
        ("anew", None),
    ]


def test_a_request_does_not_outlast_the_prompt_that_follows_it(tmp_path: Path) -> None:
    writer = Writer()
    writer.asks("one")
    writer.replies("half")
    writer.asks("two")
    writer.replies("anew")
    writer.counts(10, 1)
    assert [(turn.said, used(turn)) for turn in turns(written(tmp_path / NAME, writer.lines))] == [
        ("half", None),
        ("anew", (10, 1, 0, None)),
    ]


def test_counts_of_nought_without_a_request_are_none(tmp_path: Path) -> None:
    writer = Writer()
    writer.counts(0, 0)
    assert turns(written(tmp_path / NAME, writer.lines)) == ()


def test_counts_that_do_not_read(tmp_path: Path) -> None:
    writer = Writer()
    writer.replies("a")
    writer.event("token_count", info={"total_token_usage": None, "last_token_usage": {"input_tokens": -1}})
    writer.event("token_count", info={"total_token_usage": counts(9, 2), "last_token_usage": {"input_tokens": 9}})
    (turn,) = turns(written(tmp_path / NAME, writer.lines))
    assert used(turn) == (9, 2, 0, None)


def test_a_session_without_its_head_takes_its_id_from_the_name(tmp_path: Path) -> None:
    writer = Writer()
    writer.replies("a")
    assert read(written(tmp_path / NAME, writer.lines)).run == SESSION
    assert read(written(tmp_path / "other.jsonl", writer.lines)).id == "other"


def test_a_time_that_does_not_read_is_told(tmp_path: Path) -> None:
    writer = Writer()
    writer.head()
    writer.replies("a")
    writer.lines[1]["timestamp"] = "yesterday"
    session = read(written(tmp_path / NAME, writer.lines))
    assert [damage.code for damage in session.report.damage] == [DamageCode.bad_time]
    assert len(answer(session).turns) == 1


class TestCompressed:
    """`.jsonl.zst`."""

    @pytest.fixture
    def frames(self) -> tuple[bytes, bytes]:
        zstandard = pytest.importorskip("zstandard")
        data = (FIXTURES / "classic.jsonl").read_bytes()
        pack = zstandard.ZstdCompressor().compress
        half = data.index(b"\n", len(data) // 2) + 1
        return pack(data[:half]), pack(data[half:])

    def test_it_reads_as_the_plain_file(self, tmp_path: Path, frames: tuple[bytes, bytes]) -> None:
        path = tmp_path / (NAME + ".zst")
        path.write_bytes(b"".join(frames))
        assert sure(path) == 1.0
        (source,) = sources(path)
        (session,) = read_source(source)
        plain = read(FIXTURES / "classic.jsonl")
        assert [r.data for r in session.records] == [r.data for r in plain.records]
        assert [p.offset for p in session.places] == [p.offset for p in plain.places]
        assert session.report.damage == ()

    def test_a_first_row_longer_than_the_window(self, tmp_path: Path) -> None:
        zstandard = pytest.importorskip("zstandard")
        writer = Writer()
        writer.head(base_instructions={"text": "x" * 300_000})
        path = tmp_path / ("x.jsonl.zst")
        text = written(tmp_path / "x.jsonl", writer.lines).read_bytes()
        path.write_bytes(zstandard.ZstdCompressor().compress(text))
        assert sure(path) == 1.0

    def test_a_torn_frame_costs_what_it_held(self, tmp_path: Path, frames: tuple[bytes, bytes]) -> None:
        path = tmp_path / (NAME + ".zst")
        whole = len(frames[0])
        for cut in (whole, whole + 1, whole + len(frames[1]) // 2, whole + len(frames[1]) - 1):
            path.write_bytes(b"".join(frames)[:cut])
            assert read(path).report.totals.requests >= 2

    def test_nonsense_behind_a_frame_is_told(self, tmp_path: Path, frames: tuple[bytes, bytes]) -> None:
        path = tmp_path / (NAME + ".zst")
        path.write_bytes(frames[0] + b"\0" * 40)
        session = read(path)
        assert session.report.totals.requests >= 2
        assert [damage.code for damage in session.report.damage] == [DamageCode.torn_tail]

    def test_without_the_package_it_cannot_be_read(
        self, tmp_path: Path, frames: tuple[bytes, bytes], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = tmp_path / (NAME + ".zst")
        path.write_bytes(frames[0])
        monkeypatch.setattr("accounting.foreign.codex.compressed._CAN_READ", False)
        assert sure(path) == 0.5
        with pytest.raises(OSError, match="zstandard"):
            read(path)


def test_what_is_not_read_can_be_asked_for(tmp_path: Path) -> None:
    (source,) = sources(FIXTURES / "extended.jsonl")
    told = {(tally.kind, tally.field): tally.count for tally in unread(source)}
    assert told["event_msg/task_complete", "payload.duration_ms"] == 1
    assert told["event_msg/exec_command_end", "payload.process_id"] == 1
    assert ("event_msg/exec_command_end", "payload.exit_code") not in told
    packed = tmp_path / (NAME + ".zst")
    packed.write_bytes(b"\x28\xb5\x2f\xfd\0\n")
    assert unread(Source(agent="codex", path=packed)) == ()


def test_prompts_taken_back_twice(tmp_path: Path) -> None:
    writer = Writer()
    for number in (1, 2, 3):
        writer.asks(f"prompt {number}")
        writer.replies(f"reply {number}")
        writer.counts(10, 1)
    writer.event("thread_rolled_back", num_turns=1)
    writer.event("thread_rolled_back", num_turns=1)
    writer.asks("prompt 4")
    writer.replies("reply 4")
    session = read(written(tmp_path / NAME, writer.lines))
    assert [rewind.turns for rewind in session.outline.rewinds] == [(3,), (2,)]
    assert [standing.live for standing in session.outline.turns] == [True, False, False, True]


def test_an_error_told_twice_is_one(tmp_path: Path) -> None:
    writer = Writer()
    for _ in range(2):
        writer.event("task_started", turn_id="t")
        writer.event("error", message="No.", codex_error_info="usage_limit_exceeded")
        writer.event("task_complete", turn_id="t", error={"message": "No.", "codex_error_info": "usage_limit_exceeded"})
    session = read(written(tmp_path / NAME, writer.lines))
    assert [(failed.text, failed.code) for failed in session.outline.failed_requests] == [
        ("No.", "usage_limit_exceeded")
    ] * 2


def test_sums_that_come_again_after_a_restart_are_another_request(tmp_path: Path) -> None:
    writer = Writer()
    for whole in (10, 20, 10):
        writer.event("token_count", info={"total_token_usage": counts(whole, 1)})
    session = read(written(tmp_path / NAME, writer.lines))
    assert [used(turn) for turn in answer(session).turns] == [(10, 1, 0, None), (10, 0, 0, None), (10, 1, 0, None)]
    assert len({standing.key for standing in session.outline.turns}) == 3


def test_the_name_of_the_file_says_whose_it_is(tmp_path: Path) -> None:
    writer = Writer(session="0b0b0b0b-1111-4222-8333-444444444444")
    writer.head()  # of the thread that was copied: the session's own head is lost
    writer.replies("a")
    session = read(written(tmp_path / NAME, writer.lines))
    assert session.run == SESSION
    assert session.outline.facts == ()
