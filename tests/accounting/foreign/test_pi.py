"""pi sessions: what each entry becomes, worked out by hand."""

import json
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from accounting.foreign import Session, read
from accounting.foreign.fidelity import DamageCode, Fate, Standing
from accounting.foreign.pi.message import exit_code, http_status, is_aborted, micros
from accounting.foreign.pi.turns import named_after
from tests.accounting.foreign.wrecks import sound
from wire.answer.rounds import Outcome, Timing
from wire.record.kinds import Kind
from wire.scalars import JsonObject

_FIXTURES = Path(__file__).parent / "fixtures" / "pi"
_SAMPLES = Path(__file__).resolve().parents[4] / "shared" / "data" / "samples"
PARENT = "7d3e1c00-0000-4000-8000-000000000001"


@pytest.fixture(scope="module")
def branches() -> Session:
    return read(_FIXTURES / f"2026-04-01T10-00-00-000Z_{PARENT}.jsonl")


def test_every_reply_is_a_turn_and_its_times_are_measured(branches: Session) -> None:
    answer = sound(branches)
    assert branches.agent == "pi"
    assert answer.run == branches.id == PARENT
    assert answer.opening is not None
    assert answer.opening.task == "Fix the build"
    first = answer.turns[0]
    assert (first.t, first.returned, first.timing) == (1_775_037_602_000, 1_775_037_604_500, Timing.measured)
    assert (first.model, first.said, first.thought, first.stopped) == ("m1", "Building.", "Look first.", "toolUse")
    assert first.used is not None
    assert (first.used.input, first.used.cached, first.used.cache_write, first.used.output) == (1150, 1000, 50, 30)
    assert first.used.took_us == 2_500_000
    assert [turn.stopped for turn in answer.turns] == ["toolUse", "aborted", "error", "stop"]


def test_calls_wait_fail_and_give_their_exit_code(branches: Session) -> None:
    make, makefile = sound(branches).turns[0].calls
    assert (make.tool, make.subject, make.outcome, make.exit_code) == ("bash", "make", Outcome.failed, 2)
    assert make.answered == 1_775_037_605_900
    assert make.timing is Timing.unmeasured  # when it began is not recorded
    assert make.arguments is not None
    assert '"timeout": "1.5"' in make.arguments.head
    assert (makefile.subject, makefile.outcome, makefile.answered) == ("Makefile", Outcome.waiting, None)
    assert sound(branches).turns[1].calls[0].outcome is Outcome.waiting


def test_cost_is_in_whole_millionths_and_unknown_where_nothing_was_reported(branches: Session) -> None:
    assert [turn.spent for turn in sound(branches).turns] == [300, None, None, 2]
    assert branches.report.totals.spent == 302
    assert branches.report.totals.unmetered == 2
    assert branches.report.totals.standing is Standing.unknown


def test_branches_and_rewinds_stand_beside_the_answer(branches: Session) -> None:
    assert [turn.live for turn in branches.outline.turns] == [False, False, True, True]
    [rewind] = branches.outline.rewinds
    assert rewind.turns == (1, 2)
    assert rewind.place.line == 8
    tried, done = branches.outline.compactions
    assert (tried.after, tried.trigger, tried.summary) == (2, "branch_summary", "Tried make.")
    assert (done.after, done.trigger, done.tokens_before, done.summary) == (4, None, 10, "All done.")
    [stop] = branches.outline.stops
    assert (stop.turn, stop.call, stop.denied) == (2, None, False)
    assert {fact.name: fact.value for fact in branches.outline.facts} == {
        "cwd": "/home/me/shop",
        "provider": "acme",
        "thinking_level": "high",
        "title": "Build",
        "version": "3",
    }


def test_what_people_and_extensions_said_arrives_where_it_was_read(branches: Session) -> None:
    third, fourth = sound(branches).turns[2:]
    said = [(note.arrived.by, note.arrived.said) for note in third.notes if note.arrived is not UNSET]
    assert said == [("user", "!make -k\ntwo errors"), ("user", "Only the first")]
    refused, injected = fourth.notes
    assert refused.refused is not UNSET
    assert refused.refused.error.recovery == "529 overloaded"
    assert injected.arrived is not UNSET
    assert (injected.arrived.by, injected.arrived.said) == ("city", "Two left")


def test_the_report_counts_what_has_no_field(branches: Session) -> None:
    fates = {(tally.kind, tally.field): tally.fate for tally in branches.report.tallies}
    assert fates["label", None] is Fate.dropped
    assert fates["message/user", "content[]"] is Fate.dropped
    assert fates["message/assistant/toolCall", "arguments"] is Fate.derived
    assert branches.report.rows == 16
    assert not branches.report.damage
    assert branches.places[0].line == 1
    assert {place.line for place in branches.places} == {1, 5, 6, 7, 9, 10, 11, 12, 16}


def test_a_session_of_version_1_that_branched_off() -> None:
    session = read(_FIXTURES / "v1_branched.jsonl")
    copied, own = session.outline.turns
    assert (copied.copied_from, own.copied_from) == (PARENT, None)
    assert (copied.live, own.live) == (None, None)
    assert copied.key != own.key
    first, second = sound(session).turns
    assert first.used is not None
    assert (first.used.cached, first.used.cache_write, first.spent) == (None, None, None)
    assert second.used is not None
    assert (second.used.input, second.used.cached, second.used.cache_write) == (201, 1, None)
    assert (second.returned, second.used.took_us) == (None, None)  # written before it was sent: a clock went back
    assert [(one.code, one.detail) for one in session.report.damage] == [
        (DamageCode.bad_field, "message.usage.cost.total")
    ]


def _entries(tmp_path: Path, *messages: JsonObject) -> Session:
    """A session of messages on a line of descent, one a second."""
    rows: list[JsonObject] = [{"type": "session", "version": 3, "id": "s", "timestamp": "2026-01-01T00:00:00Z"}]
    for at, message in enumerate(messages):
        parent = f"e{at - 1}" if at else None
        stamp = f"2026-01-01T00:00:{at:02d}Z"
        rows.append({"type": "message", "id": f"e{at}", "parentId": parent, "timestamp": stamp, "message": message})
    path = tmp_path / "made.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return read(path)


def test_a_moment_is_measured_only_where_it_is_recorded(tmp_path: Path) -> None:
    call: JsonObject = {"type": "toolCall", "id": "c", "name": "ls", "arguments": "text"}
    session = _entries(
        tmp_path,
        {"role": "assistant", "content": [call], "timestamp": 1_767_225_600_000},
        {"role": "toolResult", "toolCallId": "c", "content": "x", "timestamp": 1_767_225_601_500},
        {"role": "assistant", "content": [{**call, "id": "d"}]},
        {"role": "toolResult", "toolCallId": "d", "content": None, "isError": True},
    )
    assert [record.v for record in session.records] == [2, 2, 2, 1, 2, 1, 1, 1, 1]
    first, second = sound(session).turns
    assert first.calls[0].answered == 1_767_225_601_500
    assert first.calls[0].arguments is not None
    assert '"arguments": "text"' in first.calls[0].arguments.head
    assert (second.t, second.returned, second.calls[0].outcome) == (1_767_225_602_000, None, Outcome.failed)


def test_a_key_names_one_request(tmp_path: Path) -> None:
    path = tmp_path / "same.jsonl"
    row: JsonObject = {"type": "message", "timestamp": "2026-01-01T00:00:00Z"}
    said: JsonObject = {"role": "assistant", "timestamp": 1_767_225_600_000}
    rows: list[JsonObject] = [{**row, "message": {**said, "content": text}} for text in ("one", "two")]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    first, second = read(path).outline.turns
    assert first.key is not None
    assert second.key is None


def test_a_copied_request_bears_the_key_of_its_original(branches: Session, tmp_path: Path) -> None:
    lines = (_FIXTURES / f"2026-04-01T10-00-00-000Z_{PARENT}.jsonl").read_text().splitlines(keepends=True)
    header = json.loads(lines[0])
    header |= {"id": "other", "timestamp": "2026-04-03T00:00:00.000Z", "parentSession": f"/s/t_{PARENT}.jsonl"}
    path = tmp_path / "other.jsonl"
    path.write_text("".join((json.dumps(header) + "\n", *lines[1:6])))
    [copied] = read(path).outline.turns
    assert copied.key == branches.outline.turns[0].key
    assert copied.copied_from == branches.run


def test_what_is_kept_from_the_model_is_counted_alone(tmp_path: Path) -> None:
    session = _entries(
        tmp_path,
        {"role": "bashExecution", "command": "ls", "output": "x", "excludeFromContext": True},
        {"role": "bashExecution", "command": "pwd", "output": ""},
        {"role": "custom", "customType": "t", "content": ""},
        {"role": "unheard-of"},
        {"role": "assistant", "content": [{"type": "unheard-of"}, {"type": "text", "text": "hm"}]},
        {"role": "toolResult", "toolCallId": "c", "isError": True, "content": "Operation aborted"},
    )
    [turn] = sound(session).turns
    assert [note.arrived.said for note in turn.notes if note.arrived is not UNSET] == ["!pwd"]
    unknown = {tally.kind for tally in session.report.tallies if not tally.known}
    assert unknown == {"message/unheard-of", "message/assistant/unheard-of"}
    assert (session.outline.stops[0].call, session.outline.stops[0].turn) == ("c", 1)
    assert DamageCode.unpaired_result in {one.code for one in session.report.damage}


@pytest.mark.parametrize(
    ("usd", "whole"),
    [
        ("0", 0),
        ("0.000001", 1),
        ("0.0000005", 0),
        ("0.0000015", 2),
        ("0.0000025", 2),
        ("0.00000250000000000001", 3),
        ("1.1", 1_100_000),
        ("0.1000005", 100_000),
        ("1e-7", 0),
        ("1e999999", None),
        ("-0.1", None),
        ("NaN", None),
        ("Infinity", None),
    ],
)
def test_dollars_are_rounded_as_they_are_spelled(usd: str, whole: int | None) -> None:
    assert micros(Decimal(usd)) == whole
    assert micros(None) is None


@given(st.integers(0, 10**17))
def test_whole_millionths_are_exact(amount: int) -> None:
    assert micros(Decimal(amount) / 1_000_000) == amount


def test_words_in_results() -> None:
    assert exit_code("x\nCommand exited with code 127\n") == 127
    assert exit_code("Command exited with code 1 of many") is None
    assert is_aborted("half\nCommand aborted")
    assert not is_aborted("the build aborted")
    assert (http_status("429 {}"), http_status("no 12345")) == (429, None)
    assert named_after("C:\\s\\2026_abc.jsonl") == named_after("/s/2026_abc.jsonl") == named_after("abc") == "abc"


@pytest.mark.parametrize(
    ("name", "requests", "calls", "whole_input", "output"),
    [("pi_tool_calls", 3, 2, 470, 115), ("pi_v3_small", 2, 0, 24, 14)],
)
def test_real_sessions(name: str, requests: int, calls: int, whole_input: int, output: int) -> None:
    if not _SAMPLES.is_dir():
        pytest.skip(f"no sample files at {_SAMPLES}")
    session = read(_SAMPLES / f"{name}.jsonl")
    sound(session)
    totals = session.report.totals
    assert session.agent == "pi"
    assert (totals.requests, totals.calls, totals.answered) == (requests, calls, calls)
    assert (totals.input, totals.output, totals.waiting) == (whole_input, output, 0)
    assert all(turn.live for turn in session.outline.turns)
    assert all(record.v == 2 for record in session.records if record.kind == Kind.model_called)
    assert not session.report.damage
    assert all(tally.known for tally in session.report.tallies)
