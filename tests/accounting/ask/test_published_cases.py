"""The published cases of ask threads: what this library makes of each, and that each is what its folder says."""

import json
from pathlib import Path
from typing import Any

import pytest

import wire
from accounting.ask import completed_turns, in_flight, next_seq, parse, shown
from wire.ask import AskShown
from wire.export import schema_dir

FOLDERS = sorted(path.parent for path in (schema_dir() / "conformance" / "asks").glob("*/turns.json"))
REQUIRED = {"events", "torn", "next_seq", "in_flight", "turns", "display"}


def test_there_are_cases() -> None:
    assert len(FOLDERS) >= 35


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_case(folder: Path) -> None:
    expected: dict[str, Any] = json.loads((folder / "turns.json").read_bytes())
    bound = {"max_turns": expected.pop("max_turns")} if "max_turns" in expected else {}
    read = parse((folder / "thread.jsonl").read_bytes())
    assert {
        "events": len(read.events),
        "torn": read.torn,
        "next_seq": next_seq(read.events),
        "in_flight": in_flight(read.events),
        "turns": json.loads(wire.encode(completed_turns(read.events, **bound))),
        "display": json.loads(wire.encode(shown(read.events))),
    } == expected


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_folder(folder: Path) -> None:
    assert {path.name for path in folder.iterdir()} == {"about.md", "thread.jsonl", "turns.json"}
    title, rule, _, about, *_ = (folder / "about.md").read_text(encoding="utf-8").split("\n")
    assert title == f"# {folder.name}"
    assert rule.startswith("Rule: asks.md 1.")
    assert about.endswith((".", ")"))
    text = (folder / "turns.json").read_text(encoding="utf-8")
    turns = json.loads(text)
    assert text == json.dumps(turns, ensure_ascii=False, indent=2) + "\n"
    assert turns.keys() - {"max_turns"} == REQUIRED
    for turn in turns["turns"]:
        assert wire.decode(json.dumps(turn), wire.AskTurn) == wire.AskTurn(**turn)
    for entry in turns["display"]:
        assert (
            wire.encode(wire.decode(json.dumps(entry), AskShown))
            == json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode()
        )
