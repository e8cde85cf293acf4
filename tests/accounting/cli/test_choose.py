"""Which run `--run` means."""

from pathlib import Path

import pytest
from msgspec import json

from accounting.ledger import Ledger
from tests.accounting.cli.help import ledger, rounds
from tests.cases.build import NIL, OTHER, RUN, Line, line, model, of, result

LETTERS = "abcdef01-1111-4111-8111-111111111111"
TWIN = "11111111-1111-4111-8111-222222222222"


def chosen(tmp_path: Path, *lines: Line, run: str | None = None) -> str:
    """The run that is folded, or what is said instead."""
    asked = () if run is None else ("--run", run)
    given = rounds("fold", ledger(tmp_path / "a.jsonl", *lines), *asked)
    if given.exit_code == 0:
        assert given.stderr == ""
        found: str = json.decode(given.stdout)["run"]
        return found
    assert (given.exit_code, given.stdout) == (2, "")
    return given.stderr.replace(f"{tmp_path}/", "")


def test_the_only_run_goes_without_saying(tmp_path: Path) -> None:
    assert chosen(tmp_path, of(NIL, line("city_initialized")), model()) == RUN


def test_the_nil_run_is_taken_when_there_is_no_other(tmp_path: Path) -> None:
    assert chosen(tmp_path, of(NIL, line("city_initialized"))) == NIL


def test_the_nil_run_can_be_asked_for(tmp_path: Path) -> None:
    assert chosen(tmp_path, of(NIL, model()), model(), run="0000") == NIL


def test_several_runs_have_to_be_told_apart(tmp_path: Path) -> None:
    assert chosen(tmp_path, of(NIL, line("city_initialized")), model(), of(OTHER, model()), model()) == (
        "rounds: a.jsonl: 2 runs in it; choose one with --run\n"
        f"  {RUN}  2 lines\n"
        f"  {OTHER}  1 line\n"
    )  # fmt: skip


def test_a_beginning_that_no_other_shares_is_enough(tmp_path: Path) -> None:
    lines = (model(), of(TWIN, model()), of(OTHER, model()))
    assert chosen(tmp_path, *lines, run="2") == OTHER
    assert chosen(tmp_path, *lines, run=RUN[:25]) == RUN
    assert chosen(tmp_path, *lines, of(LETTERS, model()), run="ABCD") == LETTERS


def test_a_beginning_that_several_share_lists_them(tmp_path: Path) -> None:
    assert chosen(tmp_path, model(), of(TWIN, model()), of(OTHER, model()), run="11111111-1") == (
        "rounds: a.jsonl: 2 runs begin with '11111111-1'; give more of the id with --run\n"
        f"  {RUN}  1 line\n"
        f"  {TWIN}  1 line\n"
    )  # fmt: skip


def test_a_run_that_is_not_there_names_those_near_it(tmp_path: Path) -> None:
    mistyped = RUN[:-2] + "22"
    lines = (model(), of(TWIN, model()), of(OTHER, model()))
    assert chosen(tmp_path, *lines, run=mistyped) == (
        f"rounds: a.jsonl: no run '{mistyped}'; near it, for --run:\n  {RUN}  1 line\n  {TWIN}  1 line\n"
    )
    assert chosen(tmp_path, *lines, run="11121").startswith("rounds: a.jsonl: no run '11121'; near it, for --run:\n")


def test_a_run_that_is_near_nothing(tmp_path: Path) -> None:
    assert chosen(tmp_path, model(), run="fff") == (
        f"rounds: a.jsonl: no run 'fff'; for --run there are:\n  {RUN}  1 line\n"
    )
    many = [of(f"{number:08}-1111-4111-8111-111111111111", model()) for number in range(30)]
    assert chosen(tmp_path, *many, run="fff") == "rounds: a.jsonl: no run 'fff' among 30; `rounds runs` lists them\n"
    listed = chosen(tmp_path, *many).splitlines()
    assert len(listed) == 22
    assert listed[-1] == "  and 10 more: `rounds runs` lists them"


def test_an_id_in_full_is_folded_without_looking_for_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> None:
        raise AssertionError("looked for runs")

    monkeypatch.setattr(Ledger, "run_ids", never)
    assert chosen(tmp_path, model(), of(OTHER, model()), run=OTHER) == OTHER
    # Records that are not drawn, or find no place, are records of the run all the same.
    assert chosen(tmp_path, line("went_back"), of(OTHER, model()), run=RUN) == RUN
    assert chosen(tmp_path, result("a"), of(OTHER, model()), run=RUN) == RUN


def test_no_record_at_all(tmp_path: Path) -> None:
    first, tried, advice = chosen(tmp_path).splitlines()
    assert first == "rounds: a.jsonl: neither a ledger nor a session of an agent that is known here"
    assert tried.startswith("  tried ")
    assert "--from AGENT" in advice
    (tmp_path / "b").write_text("not json\n")
    given = rounds("show", tmp_path / "b")
    assert given.exit_code == 2
    first, second, *_ = given.stderr.splitlines()
    assert first.startswith(f"rounds: {tmp_path}/b:1 (byte 0): not-json: expected ")
    assert "neither a ledger nor a session" in second


def test_a_window_is_of_the_run_that_was_chosen(tmp_path: Path) -> None:
    path = ledger(tmp_path / "a.jsonl", model(), model(), of(OTHER, model()), model())
    for arguments in (("--run", RUN), ("--run", "1")):
        given = rounds("fold", path, *arguments, "--window", "2")
        assert [turn["opened"] for turn in json.decode(given.stdout)["turns"]] == [1, 3]
