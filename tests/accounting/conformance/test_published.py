"""The published cases: each holds of the fold, and of the rules written out the long way; lists and folders agree."""

import json
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from accounting.conformance.cases import FoldCase, conformance_dir, fold_cases
from accounting.conformance.refresh import changed_since_release, read_list, released, stale
from accounting.conformance.sealing import resealed
from accounting.ledger import verify
from accounting.views.rounds import read_rounds
from tests.cases.plain_lines import records, room_for_nesting
from tests.compare import normal, plain, same
from tests.naive_fold import naive

jsonschema: Any = import_module("jsonschema")

HOME = conformance_dir()
CASES = fold_cases()
SCHEMA = json.loads((HOME.parent / "rounds-answer.schema.json").read_bytes())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA, format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER)
ONE_RULE = re.compile(r"(rounds\.md [0-3]\b|ledger\.md [1-9]\b|I[0-9]+$)").match

# What of rounds.md 2 to 4 an answer shows.
RULES = """
    rounds.md 0 | rounds.md 1 Call | rounds.md 1 Closing | rounds.md 1 Opening | rounds.md 1 Turn | rounds.md 1 Used
    rounds.md 2 text | rounds.md 2 said | rounds.md 2 thought | rounds.md 2 used | rounds.md 2 output
    rounds.md 2 arguments | rounds.md 2 bounded | rounds.md 2 exit_code | rounds.md 2 pinned | rounds.md 2 note
    rounds.md 2 effect | rounds.md 2 render | ledger.md 5 | ledger.md 6 usage
    rounds.md 3 | rounds.md 3.1 | rounds.md 3.2 | rounds.md 3.3 | rounds.md 3.4 | rounds.md 3.5
    rounds.md 3 timing | rounds.md 3 opening | rounds.md 3 closing | rounds.md 3 opened_at | rounds.md 3 worktree
    rounds.md 3 waits | rounds.md 3 arrivals | rounds.md 3 reply waits | rounds.md 3 landings
    ledger.md 2 | ledger.md 4 RunId | ledger.md 4 Address | ledger.md 4 Who | ledger.md 4 Locator | ledger.md 4 GitOid
    ledger.md 4 SignalId | I1 | I2 | I3 | I4 | I5 | I6 | I7 | I8 | I9 | I13
"""

# What a checker calls a line that is not whole, not in its place or not in canonical spelling.
UNSOUND = set(
    "chain-break seq-gap bad-utf8 lone-surrogate repeated-key unknown-key unsorted-keys not-canonical unended-segment "
    "torn-tail".split()
)

each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)


@pytest.mark.invariant("K1")
@each_case
def test_our_fold_gives_the_answer(case: FoldCase) -> None:
    given = plain(read_rounds(case.folder / "ledger.jsonl", case.run).answer)
    assert same(given, normal(case.expected)), f"{case.about.rule}: {case.about.summary}\n is {given}"


@pytest.mark.invariant("K1")
@each_case
def test_the_rules_written_out_give_the_answer(case: FoldCase) -> None:
    with room_for_nesting():
        given = naive(records(case.ledger), case.run)["answer"]
    assert same(normal(given), normal(case.expected)), f"{case.about.rule}: {case.about.summary}\n is {given}"


@each_case
def test_its_files_are_what_they_say(case: FoldCase) -> None:
    VALIDATOR.validate(case.expected)
    assert ONE_RULE(case.about.rule)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", case.id)
    assert case.about.summary.endswith(".")
    assert case.about.generated or (len(case.ledger) < 8_000 and case.ledger.count(b"\n") <= 20), "too large for an eye"
    with room_for_nesting():
        seal_is_as_told(case)


def seal_is_as_told(case: FoldCase) -> None:
    if case.about.unsealed is None:
        assert resealed(case.ledger) == case.ledger
        found = {finding.code for finding in verify(case.folder / "ledger.jsonl")} if case.ledger else set[str]()
        assert not found & UNSOUND
    elif not case.about.generated:
        try:
            sealed = resealed(case.ledger)
        except ValueError:
            return
        assert sealed != case.ledger, "says that it is not sealed, and is"


def test_where_a_choice_was_made_the_case_says_so() -> None:
    assert "`A choice:`" in (HOME / "README.md").read_text("utf-8")
    chosen = {case.id for case in CASES if "\n\nA choice: " in case.about.text}
    assert chosen >= {"nesting-900-siblings", "nesting-950", "nesting-950-arguments", "reply-v1"}


def test_every_rule_has_a_case() -> None:
    rules = {case.about.rule for case in CASES}
    assert [rule for line in RULES.strip().split("\n") for rule in line.strip().split(" | ") if rule not in rules] == []


def test_there_are_enough() -> None:
    assert len(CASES) > 200
    assert len({case.id for case in CASES}) == len(CASES)


@pytest.mark.invariant("K2")
def test_ledgers_index_and_list_are_up_to_date() -> None:
    assert stale() == (), "run: python -m accounting.conformance.refresh"


@pytest.mark.invariant("K2")
def test_index_and_folders_agree() -> None:
    index = json.loads((HOME / "index.json").read_bytes())
    folders = {folder.name for folder in (HOME / "cases").iterdir()}
    assert [one["id"] for one in index["cases"] if one["of"] == "fold"] == [case.id for case in CASES]
    assert {one["id"] for one in index["cases"]} == folders
    assert {one["id"] for one in index["asks"]} == {file.name for file in (HOME / "asks").iterdir() if file.is_dir()}


@pytest.mark.invariant("K2")
def test_the_list_of_the_version_names_every_file_and_no_other() -> None:
    spec = json.loads((HOME / "index.json").read_bytes())["spec"]
    listed = read_list(HOME / "versions" / f"{spec}.sha256")
    files = {
        file.relative_to(HOME).as_posix()
        for part in ("cases", "records", "answers", "asks")
        for file in (HOME / part).rglob("*")
        if file.is_file() and file.suffix != ".md"
    }
    assert set(listed) == files
    for path in files:
        assert Path(path).suffix in (".json", ".jsonl")


@pytest.mark.invariant("K3")
def test_nothing_released_has_changed() -> None:
    assert changed_since_release() == ()
    assert {HOME / path for path in released(HOME)} <= set((HOME / "versions").glob("*.sha256"))
