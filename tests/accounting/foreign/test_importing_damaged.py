"""Whatever a damaged file still reads as can be imported: a ledger takes all of it but results that name no call."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accounting.foreign import read_source, sources
from accounting.foreign.import_report import WhyNot
from accounting.foreign.importing import import_sessions
from accounting.ledger import check
from accounting.views.rounds import read_rounds, rounds
from tests.accounting.foreign.wrecks import lines_of, wrecked

FIXTURES = Path(__file__).parent / "fixtures"
SOME = settings().max_examples // 10
"""Examples are files here: fewer than elsewhere."""
FILES = [
    ("claude_code", FIXTURES / "claude_code" / "c0ffee00-1111-4222-8333-444444444444.jsonl"),
    ("claude_stream", FIXTURES / "claude_stream" / "day.jsonl"),
    ("codex", FIXTURES / "codex" / "classic.jsonl"),
    ("codex", FIXTURES / "codex" / "extended.jsonl"),
    ("codex_exec", FIXTURES / "codex" / "exec.jsonl"),
    ("gemini", FIXTURES / "gemini" / "stream.jsonl"),
    ("opencode", FIXTURES / "opencode" / "events.jsonl"),
    ("pi", FIXTURES / "pi" / "v1_branched.jsonl"),
    ("workbuddy", FIXTURES / "workbuddy" / "7b7b7b7b-0001-4000-8000-000000000001.jsonl"),
]


@pytest.mark.parametrize(("agent", "whole"), FILES, ids=[f"{agent}-{path.stem[:8]}" for agent, path in FILES])
@settings(max_examples=SOME)
@given(data=st.data())
def test_what_reads_is_imported(agent: str, whole: Path, data: st.DataObject) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name).resolve()
        path, ledger = folder / whole.name, folder / "ledger"
        path.write_bytes(data.draw(wrecked(lines_of(whole))))
        found = [*sources(path, agent)]
        report = import_sessions(found, ledger)
        every = [session for source in found for session in read_source(source)]
        for session, told in zip(every, report.sessions, strict=True):
            assert (session.run, session.report) == (told.run, told.fidelity)
            nameless = sum(
                record.kind == "tool_result" and record.data.get("tool_use_id") is None for record in session.records
            )
            refused = [one.kind for one in told.not_told if one.why is WhyNot.refused]
            assert refused == ["tool_result"] * min(nameless, len(refused))
        assert check(ledger).conforms
        if len({session.run for session in every}) == len(every):
            for session, told in zip(every, report.sessions, strict=True):
                if not told.held_back and session.records:
                    direct = rounds(session.records, session.run).answer
                    answer = read_rounds(ledger, session.run).answer
                    assert [len(turn.calls) for turn in answer.turns] == [len(turn.calls) for turn in direct.turns]
                    assert [turn.used for turn in answer.turns] == [turn.used for turn in direct.turns]
