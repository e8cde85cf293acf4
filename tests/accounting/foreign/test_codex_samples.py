"""Real Codex files, where there are any: the acceptance numbers of foreign.md 4."""

from pathlib import Path

import pytest

from accounting.foreign import Session, sessions
from accounting.foreign.fidelity import Standing
from accounting.foreign.metering import Meter
from tests.accounting.foreign.codex_files import answer, read
from wire import decode, encode
from wire.answer.rounds import Outcome, RoundsAnswer

_SAMPLES = Path(__file__).resolve().parents[4] / "shared" / "data" / "samples"


@pytest.fixture(scope="module")
def samples() -> Path:
    if not _SAMPLES.is_dir():
        pytest.skip(f"no sample files at {_SAMPLES}")
    return _SAMPLES


def own(session: Session) -> tuple[int, int, int]:
    pairs = zip(answer(session).turns, session.outline.turns, strict=True)
    used = [turn.used for turn, told in pairs if told.copied_from is None]
    return len(used), sum(one.input for one in used if one), sum(one.output for one in used if one)


def test_parent(samples: Path) -> None:
    session = read(samples / "codex_fork_parent.jsonl")
    told = session.report.totals
    assert (told.requests, told.input, told.output, told.cached) == (133, 13_359_699, 38_414, 12_149_120)
    assert told.cache_write is None
    assert {t.field: t.count for t in session.report.tallies if t.kind == "event_msg/token_count"} == {
        None: 133,
        "repeated": 2,
    }


def test_child(samples: Path) -> None:
    session = read(samples / "codex_fork_child.jsonl")
    told = session.report.totals
    assert (told.requests, told.input, told.output, told.cached) == (155, 15_253_283, 55_895, 13_549_696)
    assert own(session) == (22, 1_893_584, 17_481)
    assert {t.field: t.count for t in session.report.tallies if t.kind == "event_msg/token_count"} == {
        None: 155,
        "repeated": 3,
    }


@pytest.mark.parametrize("order", [("parent", "child"), ("child", "parent")])
def test_both_together(samples: Path, order: tuple[str, str]) -> None:
    meter = Meter()
    for name in order:
        meter.session(read(samples / f"codex_fork_{name}.jsonl"))
    used = [request.used for request in meter.requests() if request.used is not None]
    assert (len(used), sum(one.input for one in used), sum(one.output for one in used)) == (155, 15_253_283, 55_895)


def test_child_alone(samples: Path, tmp_path: Path) -> None:
    path = tmp_path / "child.jsonl"
    path.write_bytes((samples / "codex_fork_child.jsonl").read_bytes())
    session = read(path)
    figures = [standing.figures for standing in session.outline.turns]
    assert figures == [Standing.unknown] * 133 + [Standing.exact] * 22
    assert session.report.totals.standing is Standing.unknown


def test_tool_calls(samples: Path) -> None:
    (turn,) = answer(read(samples / "codex_letta_tool_calls.jsonl")).turns
    assert [(call.tool, call.outcome) for call in turn.calls] == [
        ("update_plan", Outcome.answered),
        ("apply_patch", Outcome.answered),
        ("tool_search", Outcome.answered),
    ]
    assert (turn.model, turn.said) == ("gpt-5.3-codex", "Created one focused commit.")


def test_every_line_type_is_known(samples: Path) -> None:
    session = read(samples / "codex_linetypes_0.149.jsonl")
    assert [tally.kind for tally in session.report.tallies if not tally.known] == []


def test_every_sample_is_known_and_reads(samples: Path) -> None:
    for path in sorted(samples.glob("codex_*")):
        (session,) = sessions(path)
        assert session.agent == "codex"
        told = answer(session)
        assert decode(encode(told), RoundsAnswer) == told
        assert len(session.outline.turns) == len(told.turns)
