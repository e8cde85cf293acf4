"""Files with rows longer than the window that recognition looks at: pasted pictures and large answers make them."""

import json
from pathlib import Path
from typing import Any

import pytest

from accounting.foreign import sources
from accounting.foreign.registry import recognise
from accounting.foreign.sample import WINDOW, take_sample

FIXTURES = Path(__file__).parent / "fixtures"
FILES = {
    "claude_code": "claude_code/c0ffee00-1111-4222-8333-444444444444.jsonl",
    "claude_stream": "claude_stream/day.jsonl",
    "codex": "codex/classic.jsonl",
    "codex_exec": "codex/exec.jsonl",
    "gemini": "gemini/chats/session-2026-03-01T10-00-5b0c8a52.jsonl",
    "opencode": "opencode/events.jsonl",
    "pi": "pi/2026-04-01T10-00-00-000Z_7d3e1c00-0000-4000-8000-000000000001.jsonl",
    "workbuddy": "workbuddy/7b7b7b7b-0001-4000-8000-000000000001.jsonl",
}
BARE = "codex/bare.jsonl"
STREAM = "gemini/stream.jsonl"


def rows_of(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FIXTURES / name).read_text().splitlines() if line.startswith("{")]


def padded(path: Path, rows: list[dict[str, Any]], size: int) -> Path:
    """The first and the last row so long, and behind everything else in them."""
    with path.open("w") as file:
        for number, row in enumerate(rows):
            more = {"padding": "x" * size} if number in (0, len(rows) - 1) else {}
            file.write(json.dumps({**row, **more}) + "\n")
    return path


def known(path: Path) -> str | None:
    found = recognise(path)
    return None if found is None else found[0].name


@pytest.mark.parametrize("size", [65_000, 70_000, 1 << 20])
@pytest.mark.parametrize(("agent", "name"), [*FILES.items(), ("codex", BARE), ("gemini", STREAM)])
def test_both_ends_are_one_long_row(tmp_path: Path, agent: str, name: str, size: int) -> None:
    assert known(padded(tmp_path / "x.jsonl", rows_of(name), size)) == agent


@pytest.mark.parametrize(("agent", "name"), FILES.items())
def test_rows_of_fifty_megabytes(tmp_path: Path, agent: str, name: str) -> None:
    assert known(padded(tmp_path / "x.jsonl", rows_of(name)[:2], 50_000_000)) == agent


@pytest.mark.parametrize(("agent", "name"), FILES.items())
def test_only_one_long_row(tmp_path: Path, agent: str, name: str) -> None:
    assert known(padded(tmp_path / "x.jsonl", rows_of(name)[:1], 70_000)) == agent


def large_document(path: Path, indent: int | None) -> Path:
    document = json.loads((FIXTURES / "gemini" / "document.json").read_text())
    first = {**document["messages"][0], "content": "x" * 70_000}
    document["messages"] = [first, *document["messages"], {**first, "id": "last", "content": "y" * (1 << 20)}]
    path.write_text(json.dumps(document, indent=indent))
    return path


@pytest.mark.parametrize("indent", [None, 2])
def test_a_large_document_whose_first_message_is_long(tmp_path: Path, indent: int | None) -> None:
    assert known(large_document(tmp_path / "session-x.json", indent)) == "gemini"


@pytest.mark.parametrize("torn", [False, True])
@pytest.mark.parametrize(("first", "last"), [(10, 70_000), (70_000, 10), (70_000, 70_000), (WINDOW, 131_072)])
def test_the_rows_of_the_sample(tmp_path: Path, first: int, last: int, *, torn: bool) -> None:
    path = tmp_path / "x.jsonl"
    rows = [{"n": 1, "p": "a" * first}, {"n": 2, "p": "b" * 70_000}, {"n": 3, "p": "c" * last}]
    text = "\n".join(json.dumps(row) for row in rows)
    path.write_text(text[:-10] if torn else text)
    numbers = [row["n"] for row in take_sample(path).rows]
    assert numbers == ([1, 3] if not torn else [1] if last > WINDOW else [1, 2])


def test_half_a_surrogate_pair_in_a_long_row(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"n":1,"half":"\\ud800","p":"' + "x" * 70_000 + '"}\n')
    assert [row["n"] for row in take_sample(path).rows] == [1]


def test_long_rows_that_are_no_objects(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"\0" * (3 * WINDOW) + b"{" * (3 * WINDOW))
    assert take_sample(path).rows == ()


def test_a_folder_tells_what_it_passed_over(tmp_path: Path) -> None:
    padded(tmp_path / "a.jsonl", rows_of(FILES["pi"]), 10)
    for name in ("b.jsonl", "c.json", "d.log"):
        (tmp_path / name).write_text('{"some":"thing"}\n')
    passed: list[Path] = []
    assert len(list(sources(tmp_path, passed_over=passed.append))) == 1
    assert [path.name for path in passed] == ["b.jsonl", "c.json"]
