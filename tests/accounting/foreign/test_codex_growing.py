"""A rollout read while it grows: what the model said stands where the file first told it, whichever row that was."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from accounting.foreign import Session
from tests.accounting.foreign.codex_files import FIXTURES, NAME, Lines, Writer, read, turns, written
from wire.record.kinds import Kind

_SAMPLES = Path(__file__).resolve().parents[4] / "shared" / "data" / "samples"
FILES = [
    *(FIXTURES / f"{name}.jsonl" for name in ("bare", "classic", "extended")),
    *sorted(FIXTURES.rglob("rollout-*")),
]
REAL = sorted(_SAMPLES.glob("codex_*.jsonl"))


def requests(session: Session) -> list[Any]:
    """Time, place and model of each request."""
    pairs = zip(session.records, session.places, strict=True)
    return [(r.t, place.line, place.offset, r.data.get("model")) for r, place in pairs if r.kind == Kind.model_called]


def answers(session: Session) -> dict[tuple[str, int], Any]:
    """What answers each call that was made; an id may come again."""
    made = Counter(str(r.data["id"]) for r in session.records if r.kind == Kind.tool_called)
    found: Counter[str] = Counter()
    told: dict[tuple[str, int], Any] = {}
    for record in session.records:
        if record.kind == Kind.tool_result:
            own = str(record.data["tool_use_id"])
            found[own] += 1
            if found[own] <= made[own]:
                told[own, found[own]] = record.data
    return told


def grows(folder: Path, rows: list[bytes]) -> None:
    """Each beginning of a file tells a beginning of what the whole file tells."""
    path = folder / NAME
    then: list[Any] = []
    answered: dict[tuple[str, int], Any] = {}
    for count in range(1, len(rows) + 1):
        path.write_bytes(b"".join(rows[:count]))
        session = read(path)
        now = requests(session)
        assert now[: len(then)] == then, count
        assert answered.items() <= answers(session).items(), count
        then, answered = now, answers(session)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem[-6:])
def test_what_a_fixture_told_stays(tmp_path: Path, path: Path) -> None:
    grows(tmp_path, path.read_bytes().splitlines(keepends=True))


@pytest.mark.parametrize("path", REAL, ids=lambda path: path.stem)
def test_what_a_real_file_told_stays(tmp_path: Path, path: Path) -> None:
    grows(tmp_path, path.read_bytes().splitlines(keepends=True))


def said(folder: Path, lines: Lines) -> list[tuple[str | None, str | None]]:
    grows(folder, written(folder / NAME, lines).read_bytes().splitlines(keepends=True))
    return [(turn.thought, turn.said) for turn in turns(folder / NAME)]


@pytest.mark.parametrize("event_first", [True, False])
def test_words_in_two_rows_are_one_request(tmp_path: Path, event_first: bool) -> None:
    writer = Writer()
    writer.asks("Go.")
    for words in ("One.", "Two.", "One."):
        for is_event in (event_first, not event_first):
            if is_event:
                writer.event("agent_message", message=words)
            else:
                writer.replies(words)
        writer.counts(10, 1)
    assert said(tmp_path, writer.lines) == [(None, "One."), (None, "Two."), (None, "One.")]


def test_words_behind_the_count_of_their_request_open_none(tmp_path: Path) -> None:
    writer = Writer()
    writer.event("agent_message", message="One.")
    writer.counts(10, 1)
    writer.replies("One.")
    writer.replies("Two.")
    writer.counts(10, 1)
    assert said(tmp_path, writer.lines) == [(None, "One."), (None, "Two.")]


def test_several_rows_of_one_kind_before_those_of_the_other(tmp_path: Path) -> None:
    writer = Writer()
    for words in ("One.", "Two."):
        writer.event("agent_message", message=words)
    for words in ("One.", "Two.", "Three."):
        writer.replies(words)
    writer.counts(10, 1)
    assert [words for _, words in said(tmp_path, writer.lines)] == ["One.\nTwo.\nThree."]


def test_parts_of_a_thought_that_stand_whole_in_another_row(tmp_path: Path) -> None:
    writer = Writer()
    for words in ("First this.", "Then that."):
        writer.event("agent_reasoning", text=words)
    parts = [{"type": "summary_text", "text": words} for words in ("First this.", "Then that.")]
    writer.item("reasoning", summary=parts, encrypted_content="x")
    writer.counts(10, 1)
    assert [thought for thought, _ in said(tmp_path, writer.lines)] == ["First this.\nThen that."]


def test_the_same_words_after_the_next_prompt_are_new(tmp_path: Path) -> None:
    writer = Writer()
    writer.event("agent_message", message="Done.")
    writer.counts(10, 1)
    writer.asks("Again.")
    writer.replies("Done.")
    writer.counts(10, 1)
    assert said(tmp_path, writer.lines) == [(None, "Done."), (None, "Done.")]


def test_a_row_that_adds_nothing_leaves_the_time_of_the_reply(tmp_path: Path) -> None:
    writer = Writer()
    writer.event("agent_message", message="One.")
    path = tmp_path / NAME
    before = [r.t for r in read(written(path, writer.lines)).records]
    writer.replies("One.")
    writer.item("reasoning", summary=[], encrypted_content="x")
    assert [r.t for r in read(written(path, writer.lines)).records] == before
