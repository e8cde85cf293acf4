"""Real OpenCode files, where there are any."""

from pathlib import Path

import pytest

from accounting.foreign import read, sessions
from tests.accounting.foreign.opencode_files import answer_of, read_all
from wire.answer.rounds import Used


@pytest.fixture(scope="module")
def samples() -> Path:
    folder = Path(__file__).resolve().parents[4] / "shared" / "data" / "samples"
    if not folder.is_dir():
        pytest.skip(f"no sample files at {folder}")
    return folder


def test_a_stream_with_a_task(samples: Path) -> None:
    one = read(samples / "opencode_events_task.jsonl")
    (turn,) = answer_of(one).turns
    assert turn.used == Used(input=39_025, output=0, cached=0, cache_write=0)
    assert (turn.model, turn.stopped, turn.spent) == ("gemini-2.5-flash", "stop", None)


def test_a_stream_that_was_aborted(samples: Path) -> None:
    one = read(samples / "opencode_events_abort.jsonl")
    (turn,) = answer_of(one).turns
    assert (turn.said, turn.used) == ("ok", Used(input=1, output=1, cached=0, cache_write=0))
    assert [stop.call for stop in one.outline.stops] == [None]


def test_a_storage_tree(samples: Path) -> None:
    large, small = read_all(samples / "opencode_storage_v2")
    first, second = answer_of(large).turns
    assert (first.used, first.calls[0].exit_code, first.calls[0].took_us) == (Used(input=120, output=16), 1, 500_000)
    assert (second.said, second.used) == ("Ok", None)
    assert len(large.outline.compactions) == 1
    assert len(large.outline.stops) == 1
    (only,) = answer_of(small).turns
    assert (only.said, only.calls[0].subject, only.calls[0].exit_code) == ("Found 2 files.", "ls", 0)


def test_the_samples_are_told_apart(samples: Path) -> None:
    told = {session.agent for session in sessions(samples) if "opencode" in session.report.files[0]}
    assert told == {"opencode"}
    for path in sorted(samples.glob("*.jsonl")):
        assert (read(path).agent == "opencode") == path.name.startswith("opencode")
