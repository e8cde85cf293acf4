"""The figures of every run, and the table they stand in. Unknown is null, never 0."""

from pathlib import Path
from typing import Any

import pytest
from msgspec import json

from accounting.cli.draw.columns import columns
from accounting.cli.table import table
from accounting.ledger import ProblemCode
from accounting.sample import PATH
from accounting.views.runs import Runs, RunSummary, read_runs, summaries
from tests.accounting.cli.help import ledger, rounds
from tests.cases.build import (
    NIL,
    OTHER,
    RUN,
    THIRD,
    Line,
    called,
    case,
    line,
    model,
    of,
    replied,
    requested,
    resolved,
    result,
    text,
    when,
)
from tests.compare import record

USAGE = {"v": 1, "input_tokens": 1000, "output_tokens": 30}


def read(tmp_path: Path, *lines: Line) -> Runs:
    return read_runs(ledger(tmp_path / "ledger.jsonl", *lines))


def one(tmp_path: Path, *lines: Line) -> RunSummary:
    [found] = read(tmp_path, *lines).runs
    return found


def known(summary: RunSummary) -> tuple[Any, ...]:
    return (summary.input, summary.output, summary.uncounted, summary.spent, summary.unpriced)


def test_counts(tmp_path: Path) -> None:
    lines = (model(), replied(text("x")), called("a"), called("b"), result("a", error="x"), model(), called("c"))
    found = one(tmp_path, *lines)
    assert (found.run, found.turns, found.calls, found.failed) == (RUN, 2, 3, 1)


def test_times_are_the_smallest_and_largest_of_all_records(tmp_path: Path) -> None:
    found = one(
        tmp_path, when(50, model()), when(20, line("went_back")), when(70, line("went_back")), when(60, model())
    )
    assert (found.first, found.last) == (20, 70)
    found = one(tmp_path, when(0, model()), when(20, line("went_back")), when(0, line("went_back")))
    assert (found.first, found.last) == (20, 20), "0 stands for a time that was not recorded"


def test_a_run_without_times_has_none(tmp_path: Path) -> None:
    found = one(tmp_path, when(0, model()), when(0, line("went_back")))
    assert (found.first, found.last) == (None, None)
    assert "times unknown" in "".join(map(str, table([found], 60)))


@pytest.mark.parametrize(
    ("lines", "figures"),
    [
        ((), (None, None, 0, None, 0)),
        # An attempt that nobody answered lacks nothing.
        ((model(),), (None, None, 0, None, 0)),
        # A reply that says nothing at all is a reply all the same.
        ((model(), replied()), (None, None, 1, None, 1)),
        ((model(), replied(usage=USAGE, billed_usd_micros=0)), (1000, 30, 0, 0, 0)),
        ((model(), replied(usage=USAGE), model(), replied(billed_usd_micros=5)), (1000, 30, 1, 5, 1)),
        ((model(), replied(usage=USAGE), model(), replied(usage=USAGE)), (2000, 60, 0, None, 2)),
        # A later reply to the same attempt replaces the first.
        ((model(), replied(usage=USAGE), replied()), (None, None, 1, None, 1)),
        # A reply to nothing belongs to no turn.
        ((replied(usage=USAGE), model()), (None, None, 0, None, 0)),
        # A wrong sum is worse than none.
        ((model(), replied(usage=USAGE | {"input_tokens": 2**64 - 1}), model(), replied(usage=USAGE)),
         (None, 60, 0, None, 2)),
    ],
)  # fmt: skip
def test_a_sum_says_what_it_lacks(tmp_path: Path, lines: tuple[Line, ...], figures: tuple[Any, ...]) -> None:
    assert known(one(tmp_path, line("run_started"), *lines)) == figures


def asks(*ending: Line) -> tuple[Line, ...]:
    return (model(), requested("q"), *ending)


@pytest.mark.parametrize(
    ("lines", "state"),
    [
        ((model(),), "open"),
        ((line("run_frozen", completion="cancelled"),), "cancelled"),
        ((line("run_frozen", completion=None),), "unreadable"),
        (asks(), "waiting"),
        (asks(resolved("q")), "open"),
        (asks(line("run_frozen", completion="limit")), "limit"),
        (asks(line("run_frozen")), "unreadable"),
        # An approval asked for before any turn is not in the answer.
        ((requested("q"), model()), "open"),
    ],
)
def test_state(tmp_path: Path, lines: tuple[Line, ...], state: str) -> None:
    assert {run.run: run.state for run in read(tmp_path, *lines).runs} == {RUN: state}


def test_order_of_appearance_and_the_nil_run(tmp_path: Path) -> None:
    def listed(*lines: Line) -> list[str]:
        return [run.run for run in read(tmp_path, *lines).runs]

    nil = of(NIL, line("city_initialized"))
    assert listed(nil, of(OTHER, model()), model(), of(THIRD, line("run_started")), of(OTHER, model())) == [
        OTHER,
        RUN,
        THIRD,
    ]
    assert listed(nil) == [NIL]
    assert listed(nil, of(NIL, model()), model()) == [NIL, RUN]
    assert listed() == []


def test_records_in_memory_give_the_same(tmp_path: Path) -> None:
    lines = (model(), replied(usage=USAGE), of(OTHER, model()))
    plain = case("", "", "", lines, {}).records
    assert summaries((record(one), None) for one in plain) == read(tmp_path, *lines).runs


def test_problems_stand_beside_the_runs_in_ledger_order(tmp_path: Path) -> None:
    path = ledger(tmp_path / "a.jsonl", model(), line("run_frozen"), of(OTHER, model()), of(OTHER, line("run_frozen")))
    path.write_bytes(path.read_bytes().replace(b'{"v":2,"run":"2', b'not json\n{"v":2,"run":"2', 1))
    found = read_runs(path)
    assert [(problem.code, problem.place and problem.place.line) for problem in found.problems] == [
        (ProblemCode.closing_unreadable, 2),
        (ProblemCode.not_json, 3),
        (ProblemCode.closing_unreadable, 5),
    ]
    assert found.problem_counts == {ProblemCode.closing_unreadable: 2, ProblemCode.not_json: 1}


# The command.


def test_json_is_one_array_of_objects() -> None:
    given = rounds("runs", PATH, "--json")
    assert given.exit_code == 0
    assert given.stdout.count("\n") == 1
    assert json.decode(given.stdout)[0] == {
        "run": "019a1f7c-4e80-7d4e-8a31-5f0c9be21d47",
        "first": 1761465480000,
        "last": 1761465637200,
        "turns": 7,
        "calls": 9,
        "failed": 1,
        "input": 65164,
        "output": 1539,
        "uncounted": 0,
        "spent": 112600,
        "unpriced": 1,
        "state": "done",
    }


def test_json_of_no_runs(tmp_path: Path) -> None:
    given = rounds("runs", ledger(tmp_path / "a"), "--json")
    assert (given.exit_code, given.stdout) == (0, "[]\n")
    assert rounds("runs", ledger(tmp_path / "a")).stdout == "no runs\n"


def shown(tmp_path: Path, *lines: Line, width: int = 100) -> list[str]:
    return [row.plain for row in table(read(tmp_path, *lines).runs, width)]


LINES = (
    when(1_761_465_480_000, model()),
    when(1_761_465_481_000, replied(usage=USAGE, billed_usd_micros=1_200)),
    of(OTHER, when(2**64 - 1, model())),
    of(OTHER, replied(usage=USAGE)),
    of(OTHER, model()),
    of(OTHER, replied(billed_usd_micros=1_200)),
    of(OTHER, line("run_frozen", completion="fin\x1b[1mished 漢字漢字漢字")),
)


def test_a_table_with_all_columns(tmp_path: Path) -> None:
    expected = """
run                                   state             first                 last                     \
turns  calls  failed      in  out      cost
11111111-1111-4111-8111-111111111111  open              2025-10-26T07:58:00Z  2025-10-26T07:58:01Z     \
    1      0       0   1,000   30   $0.0012
22222222-2222-4222-8222-222222222222  fin\\x1 … 22 more  1970-01-01T00:00:01Z  18446744073709551615 ms  \
    2      0       0  1,000+  30+  $0.0012+
+ at least: not every reply reports it
"""
    assert shown(tmp_path, *LINES, width=160) == expected.strip("\n").splitlines()


def test_a_table_with_its_times_below(tmp_path: Path) -> None:
    assert shown(tmp_path, *LINES[:2], *LINES[3:6]) == [
        "run                                   state  turns  calls  failed       in      out     cost",
        "  first to last",
        "11111111-1111-4111-8111-111111111111  open       1      0       0    1,000       30  $0.0012",
        "  2025-10-26T07:58:00Z to 2025-10-26T07:58:01Z",
        "22222222-2222-4222-8222-222222222222  open       1      0       0  unknown  unknown  $0.0012",
        "  1970-01-01T00:00:01Z to 1970-01-01T00:00:01Z",
    ]


def test_a_narrow_table(tmp_path: Path) -> None:
    assert shown(tmp_path, *LINES[:2], width=40) == [
        "11111111-1111-4111-8111-111111111111",
        "  open",
        "  2025-10-26T07:58:00Z to",
        "  2025-10-26T07:58:01Z",
        "  1 turn · 0 calls · 0 failed · 1,000 in",
        "  30 out · cost $0.0012",
    ]


def test_no_row_is_wider_than_it_may_be(tmp_path: Path) -> None:
    runs = read(tmp_path, *LINES).runs
    for width in range(24, 170):
        assert max(columns(row.plain) for row in table(runs, width)) <= width
