"""A file read while it grows: what answers a call is there from its row on, and never changes or goes again."""

from pathlib import Path
from typing import Any

import pytest

from accounting.foreign import Source
from accounting.foreign.registry import reader

FIXTURES = Path(__file__).parent / "fixtures"
FILES = [
    ("claude_code", "claude_code/c0ffee00-1111-4222-8333-444444444444.jsonl"),
    ("claude_stream", "claude_stream/day.jsonl"),
    ("codex", "codex/bare.jsonl"),
    ("codex", "codex/classic.jsonl"),
    ("codex", "codex/extended.jsonl"),
    ("codex_exec", "codex/exec.jsonl"),
    ("gemini", "gemini/chats/session-2026-03-01T10-00-5b0c8a52.jsonl"),
    ("gemini", "gemini/stream.jsonl"),
    ("opencode", "opencode/events.jsonl"),
    ("pi", "pi/2026-04-01T10-00-00-000Z_7d3e1c00-0000-4000-8000-000000000001.jsonl"),
    ("workbuddy", "workbuddy/7b7b7b7b-0001-4000-8000-000000000001.jsonl"),
]


def answers(agent: str, path: Path) -> dict[tuple[str, str], Any]:
    """What answers each call of each run."""
    return {
        (session.run, str(record.data["tool_use_id"])): record.data
        for session in reader(agent).read(Source(agent=agent, path=path))
        for record in session.records
        if record.kind == "tool_result" and "tool_use_id" in record.data
    }


@pytest.mark.parametrize(("agent", "name"), FILES)
def test_an_answer_never_changes(tmp_path: Path, agent: str, name: str) -> None:
    lines = (FIXTURES / name).read_bytes().splitlines(keepends=True)
    path = tmp_path / Path(name).name
    before: dict[tuple[str, str], Any] = {}
    for count in range(1, len(lines) + 1):
        path.write_bytes(b"".join(lines[:count]))
        now = answers(agent, path)
        assert before.items() <= now.items()
        before = now
    assert before
