"""Temporary threads of processes that are gone. Spec: asks.md 1.7."""

import os
from pathlib import Path

import pytest

from accounting.ask.sweep import sweep

NOW = 1_791_192_600_000
OLD, FRESH = NOW - 600_001, NOW - 600_000


def alive(pid: int) -> bool:
    assert pid > 0
    return pid == 70


def _touch(path: Path, written: int) -> Path:
    path.touch()
    os.utime(path, ns=(written * 1_000_000, written * 1_000_000))
    return path


@pytest.mark.parametrize(
    ("name", "written", "removed"),
    [
        ("70-0badf00d", OLD, False),
        ("71-0badf00d", FRESH, True),
        ("0-0badf00d", FRESH, True),
        ("00070-0badf00d", OLD, False),
        ("71x-0badf00d", FRESH, True),
        ("71", FRESH, True),
        ("9" * 30, FRESH, True),
        ("harbour", OLD, True),
        ("harbour", FRESH, False),
        ("-71", FRESH, False),
        ("x71-0badf00d", OLD, True),
        ("", OLD, True),
    ],
)
@pytest.mark.parametrize("kind", [".jsonl", ".jsonl.lock", ".jsonl.browseq"])
def test_who_goes(tmp_path: Path, name: str, written: int, removed: bool, kind: str) -> None:
    path = _touch(tmp_path / f"{name}{kind}", written)
    assert sweep(tmp_path, now=NOW, alive=alive) == ((tmp_path / f"{name}.jsonl",) if removed else ())
    assert path.exists() is not removed


def test_the_newest_of_the_three_counts(tmp_path: Path) -> None:
    _touch(tmp_path / "harbour.jsonl", OLD)
    _touch(tmp_path / "harbour.jsonl.browseq", FRESH)
    assert sweep(tmp_path, now=NOW, alive=alive) == ()
    assert sweep(tmp_path, now=NOW, alive=alive, stale_ms=599_999) == (tmp_path / "harbour.jsonl",)
    assert [*tmp_path.iterdir()] == []


def test_what_is_no_thread_stays(tmp_path: Path) -> None:
    for name in (".guard", "71-0badf00d.txt", "71-0badf00d.jsonl.lock.lock", "71-0badf00d.jsonl.bak", "71.lock"):
        _touch(tmp_path / name, OLD)
    assert sweep(tmp_path, now=NOW, alive=alive) == ()
    assert len([*tmp_path.iterdir()]) == 5


def test_one_that_cannot_be_removed_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "71-00000001.jsonl").mkdir()
    _touch(tmp_path / "71-00000001.jsonl.lock", OLD)
    _touch(tmp_path / "71-00000002.jsonl", OLD)
    assert sweep(tmp_path, now=NOW, alive=alive) == (tmp_path / "71-00000002.jsonl",)
    assert [path.name for path in tmp_path.iterdir()] == ["71-00000001.jsonl"]


def test_where_there_is_no_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert sweep(tmp_path / "none") == ()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert sweep() == ()
    own = _touch(tmp_path / f"{os.getpid()}-0badf00d.jsonl", OLD)
    assert sweep(tmp_path) == ()
    assert own.exists()
