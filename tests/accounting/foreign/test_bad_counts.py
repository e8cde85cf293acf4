"""Token counts that are no counts, below nought or beyond 64 bits: the figures are unknown, and the report says why."""

import re
from pathlib import Path

import pytest

from accounting.foreign import read
from accounting.foreign.fidelity import DamageCode

FIXTURES = Path(__file__).parent / "fixtures"
FILES = [
    ("claude_code/c0ffee00-1111-4222-8333-444444444444.jsonl", "input_tokens", "message.usage"),
    ("claude_stream/day.jsonl", "output_tokens", "message.usage"),
    ("codex/classic.jsonl", "input_tokens", "payload.info"),
    ("codex/exec.jsonl", "input_tokens", "usage"),
    ("gemini/chats/session-2026-03-01T10-00-5b0c8a52.jsonl", "input", "tokens"),
    ("gemini/stream.jsonl", "input_tokens", "stats"),
    ("opencode/events.jsonl", "input", "tokens"),
    ("pi/2026-04-01T10-00-00-000Z_7d3e1c00-0000-4000-8000-000000000001.jsonl", "input", "message.usage"),
    ("workbuddy/7b7b7b7b-0001-4000-8000-000000000001.jsonl", "prompt_tokens", "usage"),
]


@pytest.mark.parametrize("count", [-5, 2**70])
@pytest.mark.parametrize(("name", "field", "detail"), FILES)
def test_a_bad_count_is_told(tmp_path: Path, name: str, field: str, detail: str, count: int) -> None:
    text = (FIXTURES / name).read_text()
    damaged = re.sub(rf'("{field}":\s*)\d+', rf"\g<1>{count}", text)
    assert damaged != text
    path = tmp_path / Path(name).name
    path.write_text(damaged)
    found = [(one.code, one.detail) for one in read(path).report.damage]
    assert (DamageCode.bad_field, detail) in found
    assert (DamageCode.bad_field, detail) not in [(one.code, one.detail) for one in read(FIXTURES / name).report.damage]
