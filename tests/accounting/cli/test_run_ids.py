"""Whose lines a ledger holds, told by how its lines open."""

from pathlib import Path
from typing import Any

import pytest

from accounting.ledger import Ledger, Problem, ProblemCode
from accounting.ledger.record import LineReader
from tests.cases.build import NIL, OTHER, RUN
from tests.lines import canonical, write


def record(run: str, seq: int, **more: Any) -> dict[str, Any]:
    plain: dict[str, Any] = {"v": 2, "run": run, "seq": seq, "t": 5, "kind": "model_called", "data": {}}
    return plain | more


def ids(path: Path) -> tuple[list[tuple[str, int]], list[Problem]]:
    problems: list[Problem] = []
    return [*Ledger(path).run_ids(problems.append).items()], problems


def test_lines_per_run_in_the_order_met(tmp_path: Path) -> None:
    lines = [canonical(record(run, seq)) for seq, run in enumerate((OTHER, NIL, RUN, OTHER, OTHER))]
    assert ids(write(tmp_path / "a", lines)) == ([(OTHER, 3), (NIL, 1), (RUN, 1)], [])


def test_any_spelling_counts_in_its_place(tmp_path: Path) -> None:
    odd = b'{"seq":1, "run" : "%s","v":2,"t":5,"kind":"x","data":{}}' % NIL.encode()
    lines = [canonical(record(OTHER, 0)), odd, canonical(record(RUN, 2, v=1)), odd]
    assert ids(write(tmp_path / "a", lines)) == ([(OTHER, 1), (NIL, 2), (RUN, 1)], [])


def test_what_is_no_record_is_reported_with_its_place(tmp_path: Path) -> None:
    upper = canonical(record(OTHER.replace("2", "A"), 1))
    longer = canonical(record(OTHER + "2", 1))
    lines = [canonical(record(RUN, 0)), upper, b"no json", canonical(record(RUN, 3)), b"", longer]
    found, problems = ids(write(tmp_path / "a", lines))
    assert found == [(RUN, 2)]
    assert [(one.code, one.place and one.place.line) for one in problems] == [
        (ProblemCode.not_a_record, 2),
        (ProblemCode.not_json, 3),
        (ProblemCode.not_json, 5),
        (ProblemCode.not_a_record, 6),
    ]
    assert problems[1].place is not None
    assert problems[1].place.offset == len(lines[0]) + len(upper) + 2


def test_lines_that_open_canonically_are_not_decoded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "a", [canonical(record(RUN, seq, v=1 + seq % 2)) for seq in range(3)])

    def never(*_: object) -> None:
        raise AssertionError("decoded")

    monkeypatch.setattr(LineReader, "read", never)
    assert ids(path)[0] == [(RUN, 3)]


def test_across_segments_with_their_tails(tmp_path: Path) -> None:
    first, second = (tmp_path / f"ledger-{seq:020}.jsonl" for seq in (0, 2))
    first.write_bytes(canonical(record(RUN, 0)) + b"\ntorn")
    second.write_bytes(canonical(record(OTHER, 2)) + b"\n" + canonical(record(NIL, 3)))
    found, problems = ids(tmp_path)
    assert found == [(RUN, 1), (OTHER, 1)]
    assert [(one.code, one.place and (one.place.segment, one.place.line)) for one in problems] == [
        (ProblemCode.torn_tail, (str(first), 2))
    ]


def test_the_same_runs_as_a_whole_read(golden: Path) -> None:
    for folder in sorted(golden.iterdir()):
        ledger = Ledger(folder)
        counted: dict[str, int] = {}
        for one, _ in ledger.records():
            counted[one.run] = counted.get(one.run, 0) + 1
        assert ledger.run_ids() == counted
        assert ledger.position == ledger.size
