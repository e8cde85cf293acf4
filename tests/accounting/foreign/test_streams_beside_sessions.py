"""What an agent printed while it ran, beside the session that it keeps: one run, whose requests stand in both."""

from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from msgspec import json, structs

from accounting.foreign import Source, read, sources
from accounting.foreign.import_report import ImportReport, WhyNot
from accounting.foreign.importing import import_sessions
from accounting.foreign.provenance import ImportedRun, provenance
from accounting.foreign.usage import By, UsageRow, usage
from accounting.ledger import check
from accounting.views.rounds import read_rounds
from tests.accounting.foreign.claude_lines import Lines, session_id, text
from tests.accounting.foreign.codex_files import SESSION, Writer, written

Both = tuple[Path, Path]


def rows(path: Path, *every: Any) -> Path:
    path.write_bytes(b"".join(json.encode(row) + b"\n" for row in every))
    return path


def claude(folder: Path) -> Both:
    lines = (
        Lines(1).said("Go.").reply("m1", text("One."), fresh=6, cached=0).reply("m2", text("Two."), fresh=1, cached=0)
    )
    session, sid = lines.write(folder), session_id(1)
    printed: list[Any] = [{"type": "system", "subtype": "init", "session_id": sid, "model": "claude-x", "tools": []}]
    for id, fresh in (("m1", 6), ("m2", 1)):
        counts = {"input_tokens": fresh, "output_tokens": 5, "cache_read_input_tokens": 0,
                  "cache_creation_input_tokens": 2}  # fmt: skip
        message = {"id": id, "role": "assistant", "model": "claude-x", "content": [text("x")], "usage": counts}
        printed.append({"type": "assistant", "message": message, "parent_tool_use_id": None, "session_id": sid})
    printed.append(
        {"type": "result", "subtype": "success", "is_error": False, "session_id": sid, "total_cost_usd": 0.25}
    )
    return session, rows(folder / "stream.jsonl", *printed)


def codex(folder: Path) -> Both:
    writer = Writer()
    writer.head()
    writer.line("turn_context", {"model": "model-one"})
    writer.asks("Go.")
    for whole in (5, 6):
        writer.replies("x")
        writer.counts(whole, 5)
    counted = {"input_tokens": 11, "cached_input_tokens": 0, "output_tokens": 10}
    return written(folder / "rollout.jsonl", writer.lines), rows(
        folder / "exec.jsonl",
        {"type": "thread.started", "thread_id": SESSION},
        {"type": "turn.started"},
        {"type": "item.completed", "item": {"id": "item_0", "type": "agent_message", "text": "x"}},
        {"type": "turn.completed", "usage": counted},
    )


def gemini(folder: Path) -> Both:
    sid = session_id(7)
    at = "2026-03-01T10:00:0{}.000Z"
    tokens = {"input": 11, "output": 10, "cached": 0, "thoughts": 0, "tool": 0, "total": 21}
    document = {
        "sessionId": sid,
        "projectHash": "0" * 64,
        "startTime": at.format(0),
        "lastUpdated": at.format(2),
        "messages": [
            {"id": "u", "timestamp": at.format(1), "type": "user", "content": "Go."},
            {"id": "g", "timestamp": at.format(2), "type": "gemini", "content": "x", "model": "gemini-x",
             "tokens": tokens},
        ],
    }  # fmt: skip
    session = folder / "session.json"
    session.write_bytes(json.encode(document))
    stats = {"total_tokens": 21, "input_tokens": 11, "output_tokens": 10, "cached": 0, "input": 11, "duration_ms": 5}
    return session, rows(
        folder / "gemini.jsonl",
        {"type": "init", "session_id": sid, "model": "gemini-x", "timestamp": at.format(0)},
        {"type": "message", "role": "user", "content": "Go.", "timestamp": at.format(1)},
        {"type": "message", "role": "assistant", "content": "x", "delta": True, "timestamp": at.format(2)},
        {"type": "result", "status": "success", "stats": stats, "timestamp": at.format(2)},
    )


MADE = pytest.mark.parametrize("make", [claude, codex, gemini])
Make = Callable[[Path], Both]


def found(*paths: Path) -> list[Source]:
    return [source for path in paths for source in sources(path)]


def do(into: Path, *paths: Path) -> ImportReport:
    return import_sessions(found(*paths), into)


def figures(row: UsageRow) -> tuple[Any, ...]:
    return row.key, row.requests, row.input, row.output, row.spent, row.priced, row.unpriced


@MADE
def test_they_are_of_one_run(tmp_path: Path, make: Make) -> None:
    session, stream = map(read, make(tmp_path))
    assert session.run == stream.run
    assert (session.stream, stream.stream) == (False, True)


@MADE
def test_each_request_counts_once_in_either_order(tmp_path: Path, make: Make) -> None:
    session, stream = make(tmp_path)
    copies = len(read(stream).outline.turns)
    for by in By:
        alone = [figures(row)[:4] for row in usage(found(session), by).rows]
        for both in (found(session, stream), found(stream, session)):
            told = usage(both, by)
            # A cost that is stated for the whole may have a row of its own.
            assert [figures(row)[:4] for row in told.rows if row.requests] == alone
            assert (told.total.copies, told.total.input, told.total.output) == (copies, 11, 10)


@MADE
def test_usage_does_not_depend_on_the_order_of_the_paths(tmp_path: Path, make: Make) -> None:
    session, stream = make(tmp_path)
    other = Lines(3, 50).said("Go.").reply("z", text("Z."))
    do(tmp_path / "both", session, stream)
    do(tmp_path / "printed", stream)
    inputs: list[Source | Path] = [
        *found(session, stream, other.write(tmp_path)),
        tmp_path / "both",
        tmp_path / "printed",
    ]
    for by in By:
        assert len({json.encode(usage(every, by)) for every in permutations(inputs)}) == 1


def test_what_the_stream_says_that_all_of_it_cost_pays_for_the_session(tmp_path: Path) -> None:
    for paths in permutations(claude(tmp_path)):
        total = usage(found(*paths)).total
        assert (total.spent, total.priced, total.unpriced) == (250_000, 2, 0)


@MADE
def test_a_stream_alone_counts(tmp_path: Path, make: Make) -> None:
    _, stream = make(tmp_path)
    do(tmp_path / "ledger", stream)
    for total in (usage(found(stream)).total, usage([tmp_path / "ledger"]).total):
        assert (total.input, total.output, total.copies) == (11, 10, 0)


@MADE
@pytest.mark.parametrize("order", [1, -1])
def test_of_a_stream_only_the_ending_is_imported(tmp_path: Path, make: Make, order: int) -> None:
    session, stream = make(tmp_path)
    ledger = tmp_path / "ledger"
    first, second = do(ledger, *(session, stream)[::order]).sessions
    assert (first.agent, first.not_told, first.lost) == (read(session).agent, (), 0)
    assert (second.added, [one.why for one in second.not_told], second.lost) == (1, [WhyNot.same_session], 0)
    checked = check(ledger)
    assert checked.conforms
    assert not checked.findings
    answer = read_rounds(ledger, first.run).answer
    assert len(answer.turns) == len(read(session).outline.turns)
    assert answer.opening is not None
    assert answer.opening.task == "Go."
    assert answer.closing is not None
    before = {file.name: file.read_bytes() for file in ledger.iterdir()}
    again = do(ledger, *(stream, session)[::order])
    assert [one.added for one in again.sessions] == [0, 0]
    assert {file.name: file.read_bytes() for file in ledger.iterdir()} == before
    assert usage([ledger]).total.input == 11
    told = [row for row in provenance(ledger) if isinstance(row, ImportedRun)]
    assert {(row.agent, row.stream) for row in told} == {(first.agent, False)}


@MADE
def test_a_session_whose_stream_is_there_is_not_added_to_it(tmp_path: Path, make: Make) -> None:
    session, stream = make(tmp_path)
    ledger = tmp_path / "ledger"
    do(ledger, stream)
    (told,) = do(ledger, session).sessions
    assert (told.added, [one.why for one in told.not_told], told.lost) == (0, [WhyNot.streamed], 1)
    (again,) = do(ledger, stream).sessions
    assert (again.added, again.not_told) == (0, ())
    assert usage([ledger]).total.input == 11


def test_a_nameless_model_has_no_row_with_an_empty_name(tmp_path: Path) -> None:
    _, stream = codex(tmp_path)
    do(tmp_path / "ledger", stream)
    every: list[list[Source | Path]] = [[*found(stream)], [tmp_path / "ledger"], [*found(stream), tmp_path / "ledger"]]
    for inputs in every:
        assert [row.key for row in usage(inputs, By.model).rows] == ["unknown"]


def test_sessions_of_the_same_run_keep_their_own_model(tmp_path: Path) -> None:
    session, _ = codex(tmp_path)
    assert [row.key for row in usage(found(session), By.model).rows] == ["model-one"]
    assert structs.asdict(usage(found(session)).total)["copies"] == 0
