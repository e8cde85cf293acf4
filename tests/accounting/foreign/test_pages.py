"""The pages about other agents' sessions do what they say: their Python runs on sessions made up here."""

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from accounting.foreign import sources
from accounting.foreign.importing import import_sessions
from accounting.views.rounds import rounds

DOCS = Path(__file__).resolve().parents[3] / "docs"
FIXTURES = Path(__file__).parent / "fixtures"
PROJECT = ".claude/projects/-home-me-shop"


def _blocks(page: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(), re.DOTALL)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with a Claude Code session where the pages have it; what is imported goes beside it."""
    (session,) = (FIXTURES / "claude_code").glob("*.jsonl")
    named = re.search(r"[0-9a-f-]{36}\.jsonl", (DOCS / "foreign.md").read_text())
    assert named is not None
    place = tmp_path / PROJECT / named[0]
    place.parent.mkdir(parents=True)
    shutil.copy(session, place)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _run(page: str, **names: Any) -> dict[str, Any]:
    blocks = _blocks(page)
    assert blocks
    shared: dict[str, Any] = dict(names)
    for block in blocks:
        exec(compile(block, page, "exec"), shared)
    return shared


def test_reading(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shared = _run("foreign.md")
    assert shared["answer"].turns
    assert len(capsys.readouterr().out.splitlines()) == 1, "one session below the directory"


def test_importing(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import_sessions(sources(home / PROJECT), home / "history")
    shared = _run("importing.md", path=home / PROJECT)
    assert shared["places"]
    (session,) = shared["report"].sessions
    assert session.added == 0, "it was imported before"
    assert str(session.run) in capsys.readouterr().out


def test_usage(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import_sessions(sources(home / PROJECT), home / "history")
    shared = _run("usage.md", path=home / PROJECT)
    assert shared["found"].total.input > 0
    assert str(shared["found"].total.input) in capsys.readouterr().out


def test_a_reader_of_ones_own(tmp_path: Path) -> None:
    shared = _run("foreign-readers.md")
    file = tmp_path / "mine.jsonl"
    file.write_text(
        '{"myTurn": 1, "type": "ask", "stamp": "2026-01-02T03:04:05Z", "text": "Mend it."}\n'
        '{"myTurn": 1, "type": "reply", "stamp": "2026-01-02T03:04:07Z", "text": "Mended."}\n'
    )
    reader = shared["READER"]
    (source,) = reader.find(file, object())
    (session,) = reader.read(source)
    assert session.report.totals.requests == len(session.outline.turns) == 1
    assert [turn.number for turn in rounds(session.records, session.run).answer.turns] == [1]
