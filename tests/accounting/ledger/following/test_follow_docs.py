"""The page on following does what it says."""

import os
import re
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from accounting.conformance.strategies import RUNS
from accounting.ledger import Ledger
from tests.lines import canonical, write
from wire import RoundsAnswer

ROOT = Path(__file__).resolve().parents[4]
PAGE = (ROOT / "docs" / "following.md").read_text()


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The names in the page's Python, after it ran as it stands."""
    monkeypatch.chdir(ROOT)
    names: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(compile(block, "following.md", "exec"), names)
    return names


def line(seq: int, model: str) -> bytes:
    data: dict[str, object] = {"model": model, "segments": []}
    return canonical({"v": 2, "run": RUNS[0], "seq": seq, "t": seq, "kind": "model_called", "data": data}) + b"\n"


def test_answers_begin_again_when_records_are_void(page: dict[str, Any], tmp_path: Path) -> None:
    answers: Callable[[Ledger], Generator[RoundsAnswer]] = page["answers"]
    page["run"] = RUNS[0]
    path = write(tmp_path / "one.jsonl", [line(0, "first"), line(1, "second")], end=b"")
    drawn = answers(Ledger(path))
    models = ([turn.model for turn in answer.turns] for answer in drawn)
    assert [next(models), next(models)] == [["first"], ["first", "second"]]
    os.truncate(path, len(line(0, "first")))
    with path.open("ab") as file:
        file.write(line(1, "third"))
    assert [next(models), next(models)] == [["first"], ["first", "third"]]
    drawn.close()
