"""The cases that were run through the program that writes ask threads, where they stand beside the repository.

Two come out otherwise here, as asks.md 1.0 wants: C18, where a bound of 0 is no turns, and C32, where a number that is
a text drops its record. C19 passes -1 for no bound, which is `None` here.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from accounting.ask import completed_turns, in_flight, next_seq, parse
from accounting.ask.fold import REPLAYED_TURNS

CASES = Path(__file__).resolve().parents[4] / "shared" / "data" / "ask_cases.json"
NUMBERS = tuple(f"C{number:02}" for number in range(1, 33))
OTHERWISE: dict[str, dict[str, Any]] = {
    "C18": {"turns": []},
    "C32": {"n": 0, "next": 1, "inflight": None},
}


@pytest.fixture(scope="module")
def cases() -> dict[str, Any]:
    if not CASES.is_file():
        pytest.skip(f"no cases at {CASES}")
    return {case["name"][:3]: case for case in json.loads(CASES.read_bytes())}


def test_all_are_tried(cases: dict[str, Any]) -> None:
    assert tuple(cases) == NUMBERS


@pytest.mark.parametrize("number", NUMBERS)
def test_case(cases: dict[str, Any], number: str) -> None:
    case = cases[number]
    asked: int = case["options"].get("maxTurns", REPLAYED_TURNS)
    read = parse(case["text"].encode())
    turns = completed_turns(read.events, None if asked < 0 else asked)
    assert {
        "n": len(read.events),
        "torn": read.torn,
        "next": next_seq(read.events),
        "inflight": in_flight(read.events),
        "turns": [{"question": turn.question, "answer": turn.answer} for turn in turns],
    } == case["expected"] | OTHERWISE.get(number, {})
