"""Real ledgers, where they stand beside the repository: what their sessions come to, worked out by hand.

Their words are not repeated here: where an answer carries text, it is looked up in the line that states it.
"""

import json
from pathlib import Path
from typing import Any

from accounting.views.rounds import Rounds, read_rounds
from tests.compare import Plain, asked, plain
from wire.scalars import NIL_RUN

SEGMENT = "ledger-00000000000000000000.jsonl"


def lines(folder: Path) -> list[Plain]:
    return [json.loads(line) for line in (folder / SEGMENT).read_text().split("\n") if line]


def rounds_of(folder: Path, run: str) -> Rounds:
    return read_rounds(folder, asked(run))


def probe_turn(number: int, opened: int, t: int, model: str, notes: list[Any], head: str) -> Plain:
    """A turn of the first ledger that says nothing and makes one call, which is answered a millisecond later."""
    call = {
        "tool": "probe",
        "subject": None,
        "arguments": {"head": "{}", "cut": 0, "pinned": None},
        "outcome": "answered",
        "at": opened + (3 if notes else 2),
        "output": {"head": head, "cut": 0, "pinned": None},
        "called": t + 2,
        "answered": t + 3,
        "timing": "measured",
        "effect": None,
        "render": None,
        "exit_code": None,
        "took_us": None,
        "landing": None,
    }
    return turn(number, opened, t, model) | {"calls": [call], "notes": notes}


def turn(number: int, opened: int, t: int, model: str) -> Plain:
    empty = dict.fromkeys(("first_at", "said", "thought", "spent", "used", "stopped"))
    known = {"number": number, "opened": opened, "t": t, "timing": "measured", "returned": t + 1, "model": model}
    return empty | known | {"calls": [], "notes": []}


def test_two_tool_waves(golden: Path) -> None:
    said = lines(golden / "golden-p0")
    run, started = said[1]["run"], said[1]["data"]
    given = rounds_of(golden / "golden-p0", run)
    head = json.dumps(said[8]["data"]["result"], separators=(",", ":"))
    steer = said[6]["data"]
    note = {"from": "user", "said": steer["text"], "by": "user", "t": 2, "at": 6}
    note |= {"handback": None, "kind": None, "session": None}
    model = said[4]["data"]["model"]
    expected = {
        "run": run,
        "turns": [
            probe_turn(1, 4, 3, model, [{"arrived": note}], head),
            probe_turn(2, 10, 8, model, [], head),
            turn(3, 15, 13, model) | {"said": said[16]["data"]["message"]["content"][0]["text"]},
        ],
        "opened_at": None,
        "opening": {
            "task": started["task"],
            "goal": started["goal"],
            "at": 1,
            "dispatched_by": "person",
            "policy": None,
            "effort": None,
            "names": None,
            "parent": None,
        },
        "closing": {"completion": "done", "at": 16},
        "worktree": None,
    }
    assert plain(given.answer) == expected
    assert given.problems == ()
    assert given.outside == {}
    assert given.passed == {"prompt_assembled": 1, "prompt_shape_compared": 3, "handoff_written": 1}
    assert given.used == 13


def test_odd_payloads(golden: Path) -> None:
    said = lines(golden / "golden-s1")
    run = said[2]["run"]
    given = rounds_of(golden / "golden-s1", run)
    answer = plain(given.answer)
    assert answer["turns"] == []
    assert answer["opening"] == {"task": "", "goal": "", "at": 3} | dict.fromkeys(
        ("dispatched_by", "policy", "effort", "names", "parent")
    )
    assert answer["closing"] is None
    assert given.used == 1
    assert given.outside == {"tool_called": 1, "run_frozen": 1}
    [problem] = given.problems
    assert problem.code == "closing-unreadable"
    assert problem.place is not None
    assert (problem.seq, problem.place.line) == (5, 6)
    before = sum(len(line) + 1 for line in (golden / "golden-s1" / SEGMENT).read_bytes().split(b"\n")[:5])
    assert problem.place.offset == before


def test_an_ignorable_line_is_passed_in_the_citys_own_view(golden: Path) -> None:
    given = rounds_of(golden / "golden-s1", NIL_RUN)
    assert given.passed == {"city_initialized": 1, "building_created": 1, "log_truncated": 1}
    assert given.problems == ()


def test_what_a_check_refuses_a_view_reads_and_reports(golden: Path) -> None:
    for name, expected in (("ledger-ahead", ["version-ahead", "unknown-key"]), ("ledger-unknown-key", ["unknown-key"])):
        given = rounds_of(golden / name, NIL_RUN)
        assert given.passed == {"city_initialized": 1}
        assert [problem.code.value for problem in given.problems] == expected
        for problem in given.problems:
            assert problem.place is not None
            assert (problem.place.line, problem.place.offset, problem.seq) == (1, 0, 0)
            assert Path(problem.place.segment).parent.name == name
