"""The kit bites: a fold that is wrong in one place is caught by the cases and by fuzzing, each alone, by its rule."""

import re
from pathlib import Path
from typing import Final

import pytest

from accounting.conformance.cases import fold_cases
from tests.accounting.conformance.mutants import PAGE, caught, commands, mutants
from tests.accounting.conformance.typescript_fold import SOURCES, with_node

MUTANTS: Final = {one.id: one for one in mutants()}
# One of each sort, those that fuzzing finds soon.
FEW: Final = (
    "measures-a-supplied-answer",
    "splits-as-splitlines",
    "invents-zero-for-the-cache",
    "pairs-by-position",
    "takes-a-null-error-for-success",
)


def test_each_changes_a_text_that_is_there_once() -> None:
    found = {id_: (SOURCES / one.file).read_text(encoding="utf-8").count(one.text) for id_, one in MUTANTS.items()}
    assert found == dict.fromkeys(MUTANTS, 1)
    assert [id_ for id_, one in MUTANTS.items() if one.text == one.instead or not one.rules] == []


def test_no_two_are_the_same() -> None:
    assert len(MUTANTS) == len(mutants()) >= 30
    assert len({(one.file, one.text, one.instead) for one in mutants()}) == len(MUTANTS)


def test_the_page_has_just_these() -> None:
    told = re.findall(r"^\| `([a-z0-9-]+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert told == list(MUTANTS), "`make mutants` writes the page"


def test_the_page_names_rules_that_are_broken_and_cases_that_are_there() -> None:
    cases = {case.id: case.about.rule for case in fold_cases()}
    rows = re.findall(
        r"^\| `(.+)` \| (.+) \| (.+) \| `(.+)` \| .+ \| .+ \| .+ \|$", PAGE.read_text("utf-8"), re.MULTILINE
    )
    assert [(id_, about) for id_, about, _, _ in rows] == [(id_, one.about) for id_, one in MUTANTS.items()]
    assert [id_ for id_, _, rule, _ in rows if rule not in MUTANTS[id_].rules] == []
    assert [(id_, case) for id_, _, _, case in rows if cases.get(case) not in MUTANTS[id_].rules] == []


@with_node
def test_a_few_are_caught_both_ways(tmp_path: Path) -> None:
    _caught(tmp_path, FEW)


@with_node
@pytest.mark.soak
def test_all_are_caught_both_ways(tmp_path: Path) -> None:
    _caught(tmp_path, tuple(MUTANTS))


def _caught(folder: Path, ids: tuple[str, ...]) -> None:
    cases = fold_cases()
    starts = commands(folder / "mutants", [MUTANTS[id_] for id_ in ids])
    for id_ in ids:
        one = caught(MUTANTS[id_], starts[id_], cases)
        assert one.by_cases, (id_, [(case.id, case.rule) for case in one.failed])
        assert one.is_blamed, (id_, one.fuzzed.failure)
        assert one.fuzzed.failure is not None
        assert not one.fuzzed.failure.flaky
