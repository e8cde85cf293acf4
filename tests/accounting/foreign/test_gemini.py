"""Gemini CLI sessions: what each message becomes, worked out by hand."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from accounting.foreign import Session, read, sessions
from accounting.foreign.fidelity import DamageCode, Fate, Standing
from accounting.foreign.gemini import READER
from accounting.foreign.gemini.rows import Tokens, ToolCall
from accounting.foreign.gemini.tools import answer, exit_code, reply_tokens
from accounting.foreign.sample import take_sample
from accounting.foreign.session import Source
from tests.accounting.foreign.wrecks import sound
from wire.answer.rounds import Outcome, Timing
from wire.scalars import Json, JsonObject

_FIXTURES = Path(__file__).parent / "fixtures" / "gemini"
_SAMPLES = Path(__file__).resolve().parents[4] / "shared" / "data" / "samples"
MAIN = "5b0c8a52-0000-4000-8000-000000000001"


@pytest.fixture(scope="module")
def family() -> list[Session]:
    return list(sessions(_FIXTURES / "chats"))


def test_a_message_replaced_by_id_is_one_turn_as_it_stands_last(family: list[Session]) -> None:
    main = family[0]
    answered = sound(main)
    assert (main.agent, main.id, answered.run) == ("gemini", MAIN, MAIN)
    first = answered.turns[0]
    assert (first.model, first.said, first.thought) == ("gemini-x", None, "Plan\nRun the suite.")
    assert (first.t, first.timing, first.returned) == (1_772_359_205_000, Timing.unmeasured, None)
    assert first.used is not None
    assert (first.used.input, first.used.output, first.used.cached, first.used.cache_write) == (1000, 25, 0, None)
    assert first.spent is None
    assert main.outline.turns[0].rows == 2
    [call] = first.calls
    assert (call.tool, call.subject, call.outcome, call.exit_code) == (
        "run_shell_command",
        "make test",
        Outcome.answered,
        2,
    )
    assert (call.called, call.answered, call.took_us) == (1_772_359_205_000, 1_772_359_209_000, None)
    places = {record.kind: place.line for record, place in zip(main.records, main.places, strict=True)}
    assert places["run_started"] == 1
    assert main.places[call.at].line == 3
    assert main.places[call.at + 1].line == 4  # where the result was first told


def test_a_rewound_request_is_a_turn_off_the_live_branch(family: list[Session]) -> None:
    main = family[0]
    assert [turn.live for turn in main.outline.turns] == [True, False, True]
    [rewind] = main.outline.rewinds
    assert (rewind.turns, rewind.place.line) == ((2,), 8)
    assert main.report.totals.input == 1000 + 1100 + 1200
    assert main.report.totals.output == 25 + 30 + 12
    assert main.report.totals.standing is Standing.exact


def test_states_of_calls(family: list[Session]) -> None:
    main = family[0]
    second, third = sound(main).turns[1:]
    assert [call.outcome for call in second.calls] == [Outcome.failed]
    assert [call.outcome for call in third.calls] == [Outcome.answered, Outcome.waiting, Outcome.failed]
    assert third.calls[2].output is not None
    assert third.calls[2].output.head == "File not found"
    denied, cancelled = main.outline.stops
    assert (denied.turn, denied.call, denied.denied) == (2, "c2", True)
    assert (cancelled.turn, cancelled.call, cancelled.denied) == (2, None, False)


def test_what_was_said_and_what_went_wrong(family: list[Session]) -> None:
    main = family[0]
    answered = sound(main)
    assert answered.opening is not None
    assert answered.opening.task == "Count the tests, then fix the broken one."
    arrived, refused = answered.turns[2].notes
    assert arrived.arrived is not UNSET
    assert (arrived.arrived.by, arrived.arrived.said) == ("user", "Repair it instead.")
    assert refused.refused is not UNSET
    [failed] = main.outline.failed_requests
    assert (failed.after, failed.status, failed.place.line) == (2, 429, 10)
    assert {fact.name: fact.value for fact in main.outline.facts} == {
        "project_hash": "f00d",
        "summary": "Counting tests",
    }


def test_a_sub_agent_is_a_run_of_its_own(family: list[Session]) -> None:
    main, helper = family
    assert (helper.parent, helper.started_by, helper.id) == (MAIN, "c3", f"{MAIN}/helper-1")
    [child] = main.outline.children
    assert (child.run, child.call, child.turn) == (helper.run, "c3", 3)
    opening = sound(helper).opening
    assert opening is not None
    assert (opening.task, opening.parent) == ("find it", MAIN)
    alone = read(_FIXTURES / "chats" / MAIN / "helper-1.jsonl")
    assert (alone.run, alone.parent) == (helper.run, MAIN)
    assert alone.records == helper.records


def test_a_source_knows_its_run_and_its_files() -> None:
    path = next((_FIXTURES / "chats").glob("*.jsonl"))
    [source] = READER.find(path, take_sample(path))
    assert source.run == MAIN
    assert [file.name for file in source.beside] == ["helper-1.jsonl"]
    assert list(READER.find(path.parent, None)) == []


def test_a_sub_agent_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    path = next((_FIXTURES / "chats").glob("*.jsonl"))
    main, *others = READER.read(Source(agent="gemini", path=path, beside=(tmp_path / "gone.jsonl",)))
    assert not others
    assert main.report.files[-1].endswith("(not readable)")


def test_a_document_with_other_words_for_the_same() -> None:
    session = read(_FIXTURES / "document.json")
    first, second = sound(session).turns
    assert first.used is not None
    assert first.used.output == 9  # `total` shows that the thoughts are in it
    assert second.used is not None
    assert (second.used.input, second.used.output, second.used.cached) == (20, 3, 8)
    assert [call.outcome for call in second.calls] == [Outcome.answered, Outcome.waiting]
    [arrived] = second.notes
    assert arrived.arrived is not UNSET
    assert (arrived.arrived.said, arrived.arrived.t) == ("And\nagain", 1_772_445_603_000)
    assert [one.code for one in session.report.damage] == [DamageCode.not_a_row]
    text = (_FIXTURES / "document.json").read_bytes()
    for record, place in zip(session.records, session.places, strict=True):
        at = text[place.offset :]
        assert at.startswith(b"{")
        assert text[: place.offset].count(b"\n") == place.line - 1
        assert record.kind == "run_started" or at[1:].lstrip().startswith(b'"id"')
    assert [turn.key for turn in session.outline.turns] == [f"gemini:{session.id}/b", None]
    fates = {(tally.kind, tally.field): tally.fate for tally in session.report.tallies}
    assert fates["user", "content[]"] is Fate.dropped
    assert fates["gemini/toolCall", "id"] is Fate.derived


def test_a_printed_stream() -> None:
    session = read(_FIXTURES / "stream.jsonl")
    answered = sound(session)
    assert (session.agent, session.id) == ("gemini", "5b0c8a52-0000-4000-8000-000000000003")
    first, second = answered.turns
    assert (first.said, second.said) == ("I will look.", "Only b.")
    listed, opened = first.calls
    assert (listed.outcome, listed.exit_code, opened.outcome) == (Outcome.answered, 1, Outcome.failed)
    assert opened.output is not None
    assert opened.output.head == "no such file"
    assert answered.closing is not None
    assert (answered.closing.completion, answered.closing.at) == ("done", 1_772_532_003_100)
    totals = session.report.totals  # stated for both requests together
    assert (totals.requests, totals.unmetered, totals.standing) == (2, 2, Standing.exact)
    assert totals.input == 100
    assert {turn.figures for turn in session.outline.turns} == {Standing.unknown}
    assert {fact.name for fact in session.outline.facts} <= {"duration_ms"}


def test_the_counts_of_a_stream_with_one_request_are_an_estimate_of_its(tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    lines = (_FIXTURES / "stream.jsonl").read_text().splitlines(keepends=True)
    path.write_text("".join(line for line in lines if "tool_" not in line or "tool_calls" in line))
    session = read(path)
    [turn] = sound(session).turns
    assert turn.used is not None
    assert (turn.used.input, turn.used.output, turn.used.cached) == (100, 30, 40)
    assert session.outline.turns[0].figures is Standing.estimated
    assert session.report.totals.standing is Standing.estimated


@pytest.mark.parametrize(
    ("result", "completion"),
    [
        ('{"status":"success"}', "done"),
        ('{"status":"error","error":{"type":"FatalTurnLimitedError","message":"Reached max session turns"}}', "limit"),
        ('{"status":"error","error":{"type":"FatalCancellationError","message":"Operation cancelled."}}', "cancelled"),
        ('{"status":"error","error":{"type":"ApiError","message":"500"}}', None),
        ('{"status":"error"}', None),
        ('{"status":7}', None),
    ],
)
def test_how_a_stream_ends(tmp_path: Path, result: str, completion: str | None) -> None:
    path = tmp_path / "end.jsonl"
    lines = (_FIXTURES / "stream.jsonl").read_text().splitlines(keepends=True)[:-1]
    path.write_text("".join(lines) + '{"type":"result",' + result[1:] + "\n")
    closing = sound(read(path)).closing
    assert (None if closing is None else closing.completion) == completion


@pytest.mark.parametrize(
    ("call", "outcome"),
    [
        (ToolCall(status="executing", result=[{"text": "half"}]), None),
        (ToolCall(status="success"), ("", False)),
        (ToolCall(status="success", result_display="shown"), ("shown", False)),
        (ToolCall(status="success", result="plain"), ("plain", False)),
        (ToolCall(status="success", result=[{"functionResponse": {"response": {"a": [1]}}}]), ('{"a":[1]}', False)),
        (ToolCall(status="cancelled"), ("cancelled", True)),
        (ToolCall(status="error", result=[{"functionResponse": {"response": {"error": "no"}}}]), ("no", True)),
        (ToolCall(result=[{"functionResponse": {"response": {"error": "no"}}}]), ("no", True)),
        (ToolCall(result=[{"functionResponse": {"response": {"output": "yes"}}}]), ("yes", False)),
        (ToolCall(status="unheard-of"), None),
        (ToolCall(), None),
        (ToolCall(result=[{"inlineData": {}}]), ("", False)),
    ],
)
def test_outcomes(call: ToolCall, outcome: tuple[str, bool] | None) -> None:
    told = answer(call)
    assert (None if told is None else (told.text, told.failed)) == outcome


def test_the_exit_code_is_the_last_that_a_shell_states() -> None:
    text = "Output: Exit Code: 1\nExit Code: 3\nExit Code: 4 \nProcess Group PGID: 9"
    assert exit_code("run_shell_command", text) == 4
    assert exit_code("run_shell_command", "Exit Code: (none)") is None
    assert exit_code("read_file", text) is None


def _lines(tmp_path: Path, *rows: JsonObject) -> Session:
    path = tmp_path / "made.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ({"sessionId": "s", "projectHash": "p"}, *rows)))
    return read(path)


def test_calls_that_share_an_id_each_keep_their_own_result(tmp_path: Path) -> None:
    calls: list[Json] = [
        {"id": "same", "name": "glob", "status": "executing"},
        {"id": "same", "name": "glob", "status": "success", "result": "found"},
    ]
    session = _lines(
        tmp_path,
        {"id": "a", "type": "gemini", "content": "", "toolCalls": calls},
        {"id": "b", "type": "gemini", "content": "", "toolCalls": calls},
    )
    outcomes = [[call.outcome for call in turn.calls] for turn in sound(session).turns]
    assert outcomes == [[Outcome.waiting, Outcome.answered]] * 2


def test_a_result_stands_where_it_was_first_told(tmp_path: Path) -> None:
    done: JsonObject = {
        "id": "a",
        "type": "gemini",
        "content": "",
        "toolCalls": [{"id": "c", "name": "glob", "status": "success", "result": "found"}],
    }
    session = _lines(tmp_path, {"id": "a", "type": "gemini", "content": ""}, done, {**done, "tokens": {"input": 1}})
    assert [place.line for place in session.places] == [1, 2, 2, 2, 3]
    assert session.outline.turns[0].rows == 3
    assert sound(session).turns[0].used is None  # an input alone is no usage


def test_counts_that_are_told_twice_are_one_request(tmp_path: Path) -> None:
    row: JsonObject = {"id": "a", "type": "gemini", "content": "", "tokens": {"input": 5, "output": 1}}
    session = _lines(
        tmp_path, row, {**row, "tokens": {"input": 5, "output": 4}}, {**row, "content": "x", "tokens": None}
    )
    [turn] = sound(session).turns
    assert turn.used is not None
    assert (turn.said, turn.used.output) == ("x", 4)
    assert session.report.totals.standing is Standing.deduplicated


@given(*[st.integers(0, 10**9)] * 4)
def test_reasoning_counts_as_output_once(prompt: int, output: int, thoughts: int, tool: int) -> None:
    apart = Tokens(input=prompt, output=output, thoughts=thoughts, tool=tool, total=prompt + output + thoughts + tool)
    assert reply_tokens(apart) == (output + thoughts, False)
    within = Tokens(input=prompt, output=output + thoughts, thoughts=thoughts, total=prompt + output + thoughts)
    assert reply_tokens(within)[0] == output + thoughts
    assert reply_tokens(Tokens(output=output, thoughts=thoughts)) == (output + thoughts, False)
    assert reply_tokens(Tokens(thoughts=thoughts)) == (None, False)


@pytest.mark.parametrize(
    ("name", "requests", "calls", "whole_input", "output", "cached"),
    [("gemini_jsonl_v040.jsonl", 2, 1, 23_924, 228, 11_502), ("gemini_tool_results.json", 1, 2, None, None, None)],
)
def test_real_sessions(
    name: str, requests: int, calls: int, whole_input: int | None, output: int | None, cached: int | None
) -> None:
    if not _SAMPLES.is_dir():
        pytest.skip(f"no sample files at {_SAMPLES}")
    session = read(_SAMPLES / name)
    sound(session)
    totals = session.report.totals
    assert session.agent == "gemini"
    assert (totals.requests, totals.calls, totals.answered) == (requests, calls, calls)
    assert (totals.input, totals.output, totals.cached, totals.cache_write) == (whole_input, output, cached, None)
    assert not session.report.damage
    assert all(tally.known for tally in session.report.tallies)
