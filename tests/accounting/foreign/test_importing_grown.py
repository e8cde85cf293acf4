"""Importing a session again and again while it grows, and calls of which the agent recorded too little."""

from pathlib import Path
from typing import Any

import pytest
from msgspec import json

from accounting.foreign import read, sessions, sources
from accounting.foreign.import_report import ImportReport, WhyNot
from accounting.foreign.importing import import_sessions
from accounting.foreign.provenance import provenance
from accounting.ledger import check
from accounting.views.rounds import read_rounds, rounds
from tests.accounting.cli.help import rounds as command
from tests.accounting.foreign.claude_lines import Lines, session_id, small, text, use
from tests.accounting.foreign.codex_files import NAME, Writer
from wire.answer.rounds import Outcome, RoundsAnswer

FIXTURES = Path(__file__).parent / "fixtures"


def do(into: Path, *paths: Path) -> ImportReport:
    return import_sessions([source for path in paths for source in sources(path)], into)


def codex() -> list[bytes]:
    writer = Writer()
    writer.head()
    writer.line("turn_context", {"model": "model-one"})
    writer.asks("Count the buoys.")
    for number in range(2):
        writer.calls(f"call_{number}", "ls")
        writer.counts(10, 5)
        writer.answers(f"call_{number}", "two\n")
    writer.replies("Two.")
    writer.counts(20, 5)
    return [json.encode(line) for line in writer.lines]


def claude() -> list[bytes]:
    snapshot: Any = {"type": "file-history-snapshot", "messageId": "x", "snapshot": {}, "isSnapshotUpdate": False}
    return [json.encode(snapshot), *small().lines]


def of(*names: str) -> tuple[str, list[bytes]]:
    """A fixture's name and lines."""
    path = FIXTURES.joinpath(*names)
    return path.name, path.read_bytes().splitlines()


def opening(answer: RoundsAnswer) -> Any:
    return answer.opening and (answer.opening.task, answer.opening.at, answer.opening.parent)


def calls(answer: RoundsAnswer) -> list[Any]:
    return [
        (number, call.tool, call.subject, call.outcome, call.output)
        for number, turn in enumerate(answer.turns)
        for call in turn.calls
    ]


LIVE = pytest.mark.parametrize(
    ("agent", "name", "lines"),
    [
        ("codex", NAME, codex()),
        ("claude_code", "session.jsonl", claude()),
        ("codex", *of("codex", "bare.jsonl")),
        ("codex", *of("codex", "classic.jsonl")),
        ("codex", *of("codex", "extended.jsonl")),
        ("pi", *of("pi", "2026-04-01T10-00-00-000Z_7d3e1c00-0000-4000-8000-000000000001.jsonl")),
        ("pi", *of("pi", "v1_branched.jsonl")),
        ("claude_stream", *of("claude_stream", "day.jsonl")),
        ("codex_exec", *of("codex", "exec.jsonl")),
        ("gemini", *of("gemini", "stream.jsonl")),
    ],
)


@LIVE
def test_a_session_imported_after_every_line_is_as_it_reads(
    tmp_path: Path, agent: str, name: str, lines: list[bytes]
) -> None:
    path, ledger = tmp_path / name, tmp_path / "ledger"
    lost: set[str] = set()
    for count in range(1, len(lines) + 1):
        path.write_bytes(b"".join(line + b"\n" for line in lines[:count]))
        report = import_sessions(sources(path, agent), ledger)
        lost |= {f"{count} {one.why} {one.kind}" for told in report.sessions for one in told.not_told if one.why.loses}
    assert not lost
    for session in sessions(path, agent):
        direct, told = rounds(session.records, session.run).answer, read_rounds(ledger, session.run).answer
        assert opening(told) == opening(direct)
        assert calls(told) == calls(direct)
    assert check(ledger).conforms


@pytest.mark.parametrize(("name", "lines"), [(NAME, codex()), ("session.jsonl", claude())], ids=["codex", "claude"])
def test_each_of_these_imports_ends_well(tmp_path: Path, name: str, lines: list[bytes]) -> None:
    agent = "codex" if name == NAME else "claude_code"
    for count in range(1, len(lines) + 1):
        (tmp_path / name).write_bytes(b"".join(line + b"\n" for line in lines[:count]))
        given = command("import", tmp_path / name, "--from", agent, "-o", tmp_path / "ledger")
        assert given.exit_code == 0, given.stderr


def test_until_something_is_asked_nothing_is_written(tmp_path: Path) -> None:
    path, ledger = tmp_path / NAME, tmp_path / "ledger"
    path.write_bytes(codex()[0] + b"\n")
    given = command("import", path, "-o", ledger)
    assert (given.exit_code, given.stderr) == (0, "")
    assert "1 record, held back until something is asked" in given.stdout
    assert not [*provenance(ledger)]
    (told,) = do(ledger, path).sessions
    assert (told.held_back, told.added, told.not_told) == (True, 0, ())
    path.write_bytes(b"\n".join(codex()) + b"\n")
    (told,) = do(ledger, path).sessions
    assert (told.held_back, told.not_told) == (False, ())


def test_words_that_reached_a_later_request_are_told_and_lose_nothing(tmp_path: Path) -> None:
    lines, ledger = small(), tmp_path / "ledger"
    do(ledger, lines.write(tmp_path, 5))
    for _ in range(2):
        given = command("import", lines.write(tmp_path), "-o", ledger)
        assert given.exit_code == 0
        assert "elsewhere: steer_received" in given.stderr


def test_a_model_that_nothing_names_is_told_and_loses_nothing(tmp_path: Path) -> None:
    nothing: Any = None
    path = Lines(1).said("Go.").reply("a", text("x"), model=nothing).write(tmp_path)
    given = command("import", path, "-o", tmp_path / "ledger")
    assert given.exit_code == 0
    assert "filled: model_called" in given.stderr


def test_what_is_lost_is_listed_first_and_makes_the_exit_code(tmp_path: Path) -> None:
    lines, ledger = Lines(1).said("Go.").reply("a", text("x")), tmp_path / "ledger"
    for number in range(30):
        lines.said(f"Word {number}.")
    do(ledger, lines.write(tmp_path))
    do(ledger, lines.reply("b", text("y")).write(tmp_path))
    lines.reply("a", use("late"), out=90)
    (told,) = do(ledger, lines.write(tmp_path)).sessions
    assert (told.not_told_count, told.lost) == (32, 2)
    assert {one.why for one in told.not_told[:2]} == {WhyNot.changed, WhyNot.closed_turn}
    given = command("import", lines.write(tmp_path), "-o", ledger)
    assert given.exit_code == 1
    assert "changed: model_returned" in given.stderr.splitlines()[0]


@pytest.mark.parametrize("lacking", ["name", "id"])
@pytest.mark.parametrize("how", ["null", "absent", "number"])
def test_a_call_that_lacks_its_name_or_id_is_written_all_the_same(tmp_path: Path, lacking: str, how: str) -> None:
    block = use("f")
    if how == "absent":
        del block[lacking]
    else:
        block[lacking] = None if how == "null" else 7
    path = Lines(1).said("Go.").reply("a", block).result("f", "done\n").write(tmp_path)
    (told,) = do(tmp_path / "ledger", path).sessions
    assert (WhyNot.filled, "tool_called") in [(one.why, one.kind) for one in told.not_told]
    assert WhyNot.refused not in [one.why for one in told.not_told]
    (call,) = read_rounds(tmp_path / "ledger", told.run).answer.turns[0].calls
    assert call.outcome is (Outcome.answered if lacking == "name" else Outcome.waiting)
    (again,) = do(tmp_path / "ledger", path).sessions
    assert (again.added, again.lost) == (0, told.lost)


def test_the_report_of_an_import_also_tells_of_fields_that_are_not_read_and_where(tmp_path: Path) -> None:
    lines = small()
    lines.add("user", {"role": "user", "content": "More."}, aFieldOfTomorrow=1)
    path = lines.write(tmp_path)
    given = command("import", path, "-o", tmp_path / "ledger", "--report")
    assert any("user aFieldOfTomorrow: not read  (at 7)" in line for line in given.stdout.splitlines())
    assert any(line.startswith("  mapped") and "(at 1" in line for line in given.stdout.splitlines())
    fields = {tally.field for tally in read(path, audit=True).report.tallies}
    assert "aFieldOfTomorrow" in fields
    assert "aFieldOfTomorrow" not in {tally.field for tally in read(path).report.tallies}
    assert fields >= {tally.field for tally in read(path).report.tallies}


def test_a_stream_that_went_on_after_its_ending_is_reported(tmp_path: Path) -> None:
    counts = {"input_tokens": 1, "output_tokens": 1}
    rows = [
        {"type": "thread.started", "thread_id": session_id(6)},
        {"type": "turn.started"},
        {"type": "turn.completed", "usage": counts},
        {"type": "turn.started"},
        {"type": "turn.completed", "usage": counts},
    ]
    path, told = tmp_path / "exec.jsonl", list[list[str]]()
    for count in (3, 4, 4, 5):
        path.write_bytes(b"".join(json.encode(row) + b"\n" for row in rows[:count]))
        (session,) = do(tmp_path / "ledger", path).sessions
        told.append([f"{one.why} {one.kind} {one.place.line}" for one in session.not_told if one.why.loses])
    assert told[0] == []
    assert told[1] == told[2] != []
    assert all(word.startswith("changed run_frozen") for every in told[1:] for word in every)
