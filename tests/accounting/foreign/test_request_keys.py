"""What names a request: the same in a session file and in what was printed of it, and no two agents' alike."""

from pathlib import Path
from typing import Any

import pytest
from msgspec import json

from accounting.foreign import Session, sessions
from tests.accounting.foreign.claude_lines import Lines, small, text

FIXTURES = Path(__file__).parent / "fixtures"


def keys(path: Path) -> list[str | None]:
    return [turn.key for session in sessions(path) for turn in session.outline.turns]


def printed(path: Path, lines: Lines) -> Path:
    """What `claude -p` would have printed of a session."""
    events: list[dict[str, Any]] = [{"type": "system", "subtype": "init", "session_id": lines.id}]
    for line in lines.lines:
        row = json.decode(line)
        events.append({"type": row["type"], "message": row["message"], "session_id": lines.id})
    path.write_bytes(b"".join(json.encode(event) + b"\n" for event in events))
    return path


def test_a_session_and_its_stream_name_requests_alike(tmp_path: Path) -> None:
    lines = small()
    kept, told = lines.write(tmp_path), printed(tmp_path / "out.jsonl", lines)
    assert keys(kept) == keys(told) == ["claude:a1_0", "claude:b1_0"]


def test_a_second_request_of_one_message_has_its_own_key(tmp_path: Path) -> None:
    lines = Lines(1).said("go").reply("a", text("one"))
    again = lines.reply("a", text("two"))
    again.lines[-1] = again.lines[-1].replace(b"req_a", b"req_b")
    assert keys(again.write(tmp_path)) == ["claude:a", "claude:a req_b"]


def test_a_copy_that_lacks_the_requests_id_has_the_same_key(tmp_path: Path) -> None:
    lines = small()
    path = lines.write(tmp_path)
    other = tmp_path / "copy.jsonl"
    other.write_bytes(path.read_bytes().replace(b"requestId", b"requestNo"))
    assert keys(path) == keys(other)


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("claude_stream/day.jsonl", "claude"),
        ("codex/classic.jsonl", "codex"),
        ("gemini/document.json", "gemini"),
        ("opencode/events.jsonl", "opencode"),
        ("pi/2026-04-01T10-00-00-000Z_7d3e1c00-0000-4000-8000-000000000001.jsonl", "pi"),
        ("workbuddy/7b7b7b7b-0001-4000-8000-000000000001.jsonl", "workbuddy"),
    ],
)
def test_a_key_begins_with_whose_it_is(name: str, word: str) -> None:
    named = [key for key in keys(FIXTURES / name) if key is not None]
    assert named
    assert all(key.startswith(f"{word}:") for key in named)


def test_what_was_printed_says_so() -> None:
    def streams(name: str) -> set[bool]:
        return {session.stream for session in found(FIXTURES / name)}

    def found(path: Path) -> list[Session]:
        return list(sessions(path))

    assert streams("claude_stream/day.jsonl") == streams("codex/exec.jsonl") == streams("gemini/stream.jsonl") == {True}
    assert streams("codex/classic.jsonl") == streams("gemini/document.json") == {False}
    assert streams("claude_code/c0ffee00-1111-4222-8333-444444444444.jsonl") == {False}
