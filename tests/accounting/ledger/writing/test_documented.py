"""docs/writing.md does what it says."""

import re
from pathlib import Path
from typing import Any

import pytest

from accounting.ledger import check, writing
from accounting.ledger.writing import WriteError

PAGE = (Path(__file__).resolve().parents[4] / "docs" / "writing.md").read_text()


def test_the_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shared: dict[str, Any] = {}
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) == 2
    for block in blocks:
        exec(compile(block, "docs/writing.md", "exec"), shared)
    report = check("city-ledger", strict=True)
    assert report.conforms
    assert report.summary.lines == 3


def test_every_error_is_told() -> None:
    told = set(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE))
    assert told == {error.__name__ for error in WriteError.__subclasses__()}
    assert told < set(writing.__all__)
