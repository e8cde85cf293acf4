"""Real Claude Code files, where there are any: the acceptance numbers of foreign.md 4."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from accounting.foreign import NotForeignError, Session, sessions, sources
from accounting.foreign.registry import recognise
from accounting.views.rounds import rounds
from tests.accounting.foreign.claude_files import read_all
from wire import decode, encode
from wire.answer.rounds import RoundsAnswer

_SHARED = Path(__file__).resolve().parents[4] / "shared" / "data"


@pytest.fixture(scope="module")
def samples() -> Path:
    folder = _SHARED / "samples"
    if not folder.is_dir():
        pytest.skip(f"no sample files at {folder}")
    return folder


@pytest.fixture(scope="module")
def probes() -> Path:
    folder = _SHARED / "probes"
    if not folder.is_dir():
        pytest.skip(f"no probe files at {folder}")
    return folder


def total(read: list[Session], name: str) -> int:
    return sum(getattr(session.report.totals, name) or 0 for session in read)


TABLE = [
    ("claude_real_medium", 20, 21, 21, 3, 372_135, 3_629, 324_259, 47_747),
    ("claude_real_small", 7, 12, 12, 1, 116_010, 953, 103_219, 12_698),
    ("claude_real_subagent", 3, 3, 3, 0, 40_152, 258, 25_337, 13_980),
    ("claude_task_sidechain", 5, 3, 3, 0, 106_224, 1_163, 78_093, 28_106),
    ("claude_dup_small", 2, 0, 0, 0, 32_244, 11, 13_594, 18_642),
    ("claude_interrupt", 1, 1, 1, 1, 16_173, 5, 10_491, 5_678),
]


@pytest.mark.parametrize("row", TABLE, ids=[row[0] for row in TABLE])
def test_the_acceptance_table(samples: Path, row: tuple[str, int, int, int, int, int, int, int, int]) -> None:
    name, requests, calls, paired, failed, *tokens = row
    read = read_all(samples / f"{name}.jsonl")
    assert total(read, "requests") == requests
    assert total(read, "calls") == calls
    assert total(read, "answered") + total(read, "failed") == paired
    assert total(read, "failed") == failed
    assert [total(read, each) for each in ("input", "output", "cached", "cache_write")] == tokens
    folded = [rounds(session.records, session.run).answer for session in read]
    used = [turn.used for answer in folded for turn in answer.turns if turn.used is not None]
    assert sum(each.input for each in used) == tokens[0]
    assert sum(each.output for each in used) == tokens[1]


WHOLE = [
    "clean",
    "clockback",
    "compact",
    "nonobject",
    "null_content",
    "sidechain",
    "surrogate",
    "torn",
    "unknown_block",
]


@pytest.mark.parametrize("name", [*WHOLE, "unknown_type"])
def test_the_probes(probes: Path, name: str) -> None:
    totals = read_all(probes / f"{name}.jsonl")[0].report.totals
    assert (totals.requests, totals.input, totals.output) == (4, 6_472, 124)
    assert (totals.cached, totals.cache_write) == (5_800, 650)
    assert (totals.calls, totals.answered, totals.failed, totals.waiting) == (3, 1, 1, 1)


def claude_files() -> Iterator[Path]:
    for folder in ("samples", "probes"):
        yield from sorted((_SHARED / folder).glob("*.jsonl"))


def test_the_right_files_are_recognised(samples: Path) -> None:
    for path in sorted(samples.glob("*.jsonl")):
        known = recognise(path)
        ours = known is not None and known[0].name == "claude_code"
        assert ours == path.name.startswith("claude_"), path.name


def test_each_gives_an_answer_that_travels(samples: Path) -> None:
    for path in claude_files():
        if not path.name.startswith("claude_") and path.parent == samples:
            continue
        told = next(sources(path, "claude_code")).run
        assert told is None or told == read_all(path)[0].run
        for session in read_all(path):
            folded = rounds(session.records, session.run)
            assert decode(encode(folded.answer), RoundsAnswer) == folded.answer
            assert folded.problems == ()
            assert len(session.places) == len(session.records)
            assert len(session.outline.turns) == len(folded.answer.turns)
            assert [record.seq for record in session.records] == list(range(len(session.records)))
            data = path.read_bytes()
            for place in session.places:
                assert data[place.offset : place.offset + 1] == b"{"


def test_an_empty_file_is_nobodys(probes: Path) -> None:
    with pytest.raises(NotForeignError):
        list(sessions(probes / "empty.jsonl"))
    assert [session.records for session in read_all(probes / "empty.jsonl")] == [()]
