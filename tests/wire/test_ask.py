"""Records of ask threads: what is written, in which order, and what does not read."""

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec import DecodeError, ValidationError

import wire
from wire import scalars

AT = scalars.iso_time("2026-09-01T08:00:00.000Z")
assert AT is not None
ID = "7001-0badf00d"
CASES = Path(__file__).resolve().parents[3] / "shared" / "data" / "ask_cases.json"

# Written out by hand, keys in the order of asks.md 1.3.
WRITTEN: list[tuple[Any, str]] = [
    (
        wire.AskMeta(run_id=ID, started_at=AT, provider="claude -p"),
        f'{{"t":"meta","runId":"{ID}","startedAt":"{AT}","provider":"claude -p"}}',
    ),
    (
        wire.AskQuestion(seq=1, at=AT, focus=None, text="where is port set?"),
        f'{{"t":"question","seq":1,"at":"{AT}","focus":null,"text":"where is port set?"}}',
    ),
    (wire.AskChunk(seq=1, text="In cfg.py\n"), '{"t":"chunk","seq":1,"text":"In cfg.py\\n"}'),
    (wire.AskEnd(seq=1, at=AT), f'{{"t":"end","seq":1,"at":"{AT}"}}'),
    (wire.AskAborted(seq=1, at=AT), f'{{"t":"aborted","seq":1,"at":"{AT}"}}'),
    (
        wire.AskError(seq=1, at=AT, message="timed out\ntry again"),
        f'{{"t":"error","seq":1,"at":"{AT}","message":"timed out\\ntry again"}}',
    ),
]


@pytest.mark.parametrize(("event", "text"), WRITTEN, ids=lambda value: type(value).__name__)
def test_a_record_is_written_and_read_as_the_page_has_it(event: Any, text: str) -> None:
    assert wire.encode(event).decode() == text
    assert wire.decode(text, wire.AskEvent) == event


def test_keys_in_any_order_unknown_keys_and_a_missing_focus_read() -> None:
    assert AT is not None
    text = f'{{"mood":1,"text":"a?","at":"{AT}","t":"question","seq":7}}'
    assert wire.decode(text, wire.AskEvent) == wire.AskQuestion(seq=7, at=AT, text="a?")


def test_what_the_verified_cases_accept_reads_but_for_a_number_as_text() -> None:
    """The reference looks at `t` alone; a typed reader drops what else does not fit: one record of them all."""
    if not CASES.is_file():
        pytest.skip(f"no cases at {CASES}")
    dropped: list[str] = []
    for case in json.loads(CASES.read_bytes()):
        read = 0
        for line in case["text"].split("\n"):
            try:
                wire.decode(line, wire.AskEvent)
            except (ValidationError, DecodeError):
                continue
            read += 1
        if read != case["expected"]["n"]:
            dropped.append(case["name"][:3])
        for turn in case["expected"]["turns"]:
            assert wire.decode(json.dumps(turn), wire.AskTurn) == wire.AskTurn(**turn)
    assert dropped == ["C32"]
