"""`codex exec --json`, by a stream worked out by hand. Spec: foreign.md 3.3."""

import json
from pathlib import Path
from typing import Any

import pytest

from accounting.foreign import Session, sessions
from accounting.foreign.codex_exec import READER
from accounting.foreign.session import Source
from tests.accounting.foreign.codex_files import FIXTURES, answer
from wire.answer.rounds import Outcome


def read(path: Path) -> Session:
    (session,) = READER.read(Source(agent="codex_exec", path=path))
    return session


def read_rows(path: Path, *rows: dict[str, Any]) -> Session:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return read(path)


def item(event: str, **parts: Any) -> dict[str, Any]:
    return {"type": f"item.{event}", "item": parts}


@pytest.fixture
def session() -> Session:
    (session,) = sessions(FIXTURES / "exec.jsonl")
    return session


def test_one_of_codex_own_turns_is_a_turn(session: Session) -> None:
    told = answer(session)
    assert (session.agent, session.run) == ("codex_exec", "0190a000-0000-7000-8000-0000000000e0")
    (turn,) = told.turns
    assert turn.used is not None
    assert (turn.used.input, turn.used.cached, turn.used.cache_write, turn.used.output) == (24763, 24448, None, 122)
    assert (turn.thought, turn.said, turn.t) == ("Look.", "There is no x.", 0)
    assert told.closing is not None
    assert told.closing.completion == "done"


def test_items_are_calls(session: Session) -> None:
    (turn,) = answer(session).turns
    assert [(call.tool, call.subject, call.outcome, call.exit_code) for call in turn.calls] == [
        ("command_execution", "bash -lc 'ls x'", Outcome.failed, 2),
        ("file_change", "a.py", Outcome.answered, None),
        ("mcp__wiki__find", "x", Outcome.failed, None),
        ("todo_list", None, Outcome.waiting, None),
        ("web_search", "x", Outcome.answered, None),
        ("command_execution", "sleep 9", Outcome.waiting, None),
        ("command_execution", "rm -r /", Outcome.failed, None),
    ]
    assert [(stop.call, stop.denied) for stop in session.outline.stops] == [("item_7", True)]


def test_an_unknown_item_is_counted(session: Session) -> None:
    assert [tally.kind for tally in session.report.tallies if not tally.known] == ["item.completed/holodeck"]


def test_a_failed_turn_has_no_end(tmp_path: Path) -> None:
    session = read_rows(
        tmp_path / "a.jsonl",
        {"type": "thread.started", "thread_id": "t"},
        {"type": "turn.started"},
        item("completed", id="1", type="agent_message", text="Half"),
        {"type": "error", "message": "stream broke"},
        {"type": "turn.failed", "error": {"message": "stream broke"}},
    )
    told = answer(session)
    assert told.closing is None
    assert [turn.used for turn in told.turns] == [None]
    assert [failed.text for failed in session.outline.failed_requests] == ["stream broke"]


def test_what_an_item_says_last_stands(tmp_path: Path) -> None:
    session = read_rows(
        tmp_path / "a.jsonl",
        item("started", id="1", type="agent_message", text="Ha"),
        item("updated", id="1", type="agent_message", text="Half"),
        item("completed", id="1", type="agent_message", text="Whole"),
        item("completed", id="2", type="agent_message", text="More"),
    )
    assert [turn.said for turn in answer(session).turns] == ["Whole\nMore"]


def test_a_completed_item_told_twice_counts_once(tmp_path: Path) -> None:
    done = item("completed", id="1", type="command_execution", command="ls", aggregated_output="a", exit_code=0)
    session = read_rows(tmp_path / "a.jsonl", done, done)
    assert (session.report.totals.calls, session.report.totals.answered) == (1, 1)


def test_a_second_turn_of_the_stream(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = []
    for number in (1, 2):
        rows.append({"type": "turn.started"})
        rows.append(item("completed", id=f"i{number}", type="assistant_message", text=str(number)))
        rows.append({"type": "turn.completed", "usage": {"input_tokens": number, "output_tokens": 1}})
    told = answer(read_rows(tmp_path / "a.jsonl", *rows))
    assert [(turn.said, turn.used and turn.used.input) for turn in told.turns] == [("1", 1), ("2", 2)]
