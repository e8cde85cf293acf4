"""The way of somebody who has nothing but the published files: a small fold and checker, wired up and scored."""

import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from shutil import which
from typing import Final, Literal, TypeAlias

import pytest

from accounting.conformance.report import ConformReport, Outcome
from accounting.conformance.smoke import ProbeOutcome, SmokeReport
from wire.codec import decode

HERE: Final = Path(__file__).parent
PUBLISHED: Final = HERE.parents[2] / "schema" / "conformance"
OWN: Final = HERE / "outsider"
NODE: Final = which("node")

Subject: TypeAlias = Literal["fold", "checker"]
Contract: TypeAlias = Literal["once", "lines"]

# Contract (a) gets the run's id, which tells the fold how it is asked; the checker gets a word.
COMMAND: Final[dict[tuple[Subject, Contract], tuple[str, ...]]] = {
    ("fold", "once"): ("node", "fold.mjs"),
    ("fold", "lines"): ("node", "fold.mjs"),
    ("checker", "once"): ("node", "checker.mjs", "once"),
    ("checker", "lines"): ("node", "checker.mjs"),
}

pytestmark = pytest.mark.skipif(NODE is None, reason="no node")

each_way = pytest.mark.parametrize(("of", "by"), COMMAND)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the published files, and what was written beside them."""
    folder = tmp_path_factory.mktemp("desk")
    shutil.copytree(PUBLISHED, folder / "conformance")
    for file in OWN.glob("*.mjs"):
        shutil.copy(file, folder)
    return folder


def conform(desk: Path, of: Subject, by: Contract, *options: str) -> tuple[int, bytes]:
    """How `rounds conform` exits, asked in that folder, and what it prints."""
    rounds = (sys.executable, "-m", "accounting.cli")
    words = (*rounds, "conform", of, "--protocol", by, *options, "--", *COMMAND[of, by])
    done = subprocess.run(words, cwd=desk, capture_output=True, timeout=120, check=False)
    assert done.stderr == b""
    return done.returncode, done.stdout


def scored(desk: Path, of: Subject, by: Contract, *options: str) -> ConformReport:
    """Its report on the published cases, some of which it fails."""
    code, printed = conform(desk, of, by, "--cases", "conformance", "--json", *options)
    report = decode(printed, ConformReport)
    assert (code, report.ok) == (1, False)
    return report


@pytest.fixture(scope="module")
def fold_report(desk: Path) -> ConformReport:
    """What comes of the fold, asked all cases."""
    return scored(desk, "fold", "lines")


@pytest.mark.parametrize(("name", "lines"), [("fold", 40), ("checker", 80), ("loop", 20)])
def test_the_page_is_there_and_the_programs_are_short(desk: Path, name: str, lines: int) -> None:
    assert (desk / "conformance" / "protocol.md").is_file()
    written = (desk / f"{name}.mjs").read_text(encoding="utf-8").splitlines()
    assert len(written) <= lines
    assert max(len(line) for line in written) <= 120


@each_way
def test_smoke_says_that_it_is_wired_up(desk: Path, of: Subject, by: Contract) -> None:
    code, printed = conform(desk, of, by, "--smoke", "--json")
    report = decode(printed, SmokeReport)
    assert [probe for probe in report.probes if probe.outcome is not ProbeOutcome.right] == []
    assert (code, report.wired, report.ok) == (0, True, True)


def test_the_score_of_the_fold(desk: Path, fold_report: ConformReport) -> None:
    assert fold_report.name == "afternoon"
    folders = {file.parent.name for file in (desk / "conformance" / "cases").glob("*/rounds.json")}
    assert {case.id for case in fold_report.cases} == folders
    came = Counter(case.outcome for case in fold_report.cases)
    assert set(came) == {Outcome.passed, Outcome.wrong}
    assert came[Outcome.passed] > len(folders) / 3

    # What it does is told from what it leaves out, rule by rule.
    passed = Counter(case.rule for case in fold_report.cases if case.outcome is Outcome.passed)
    failed = Counter(case.rule for case in fold_report.cases if case.outcome is not Outcome.passed)
    assert passed["rounds.md 3.3"] > failed["rounds.md 3.3"]
    assert passed["rounds.md 3.1"] > failed["rounds.md 3.1"]
    assert failed["rounds.md 3 landings"] > passed["rounds.md 3 landings"]
    assert failed["ledger.md 6 usage"] > passed["ledger.md 6 usage"]


def test_the_score_of_the_checker(desk: Path) -> None:
    report = scored(desk, "checker", "lines")
    assert report.name == "evening"
    folders = {file.parent.name for file in (desk / "conformance" / "cases").glob("*/findings.json")}
    assert {case.id for case in report.cases} == folders
    came = Counter(case.outcome for case in report.cases)
    assert set(came) == {Outcome.passed, Outcome.wrong}
    assert came[Outcome.passed] > len(folders) / 2

    passed = Counter(case.rule for case in report.cases if case.outcome is Outcome.passed)
    failed = Counter(case.rule for case in report.cases if case.outcome is not Outcome.passed)
    for done in ("1 float", "1 unknown-key", "1 bad-utf8", "1 not-canonical", "4 Address"):
        assert (passed[f"ledger.md {done}"] > 0, failed[f"ledger.md {done}"]) == (True, 0)
    for left in ("8 chain-break", "3 unknown-kind", "1 repeated-key"):
        assert (passed[f"ledger.md {left}"], failed[f"ledger.md {left}"] > 0) == (0, True)


@pytest.mark.parametrize(
    ("of", "some"), [("fold", ("turn-*", "landing-w*")), ("checker", ("check-float-*", "check-chain-break-[a-f]*"))]
)
def test_both_contracts_give_one_score(desk: Path, of: Subject, some: tuple[str, ...]) -> None:
    chosen = [word for pattern in some for word in ("--case", pattern)]
    once, lines = (scored(desk, of, by, *chosen) for by in ("once", "lines"))
    came = [(case.id, case.outcome) for case in once.cases]
    assert len(came) > 5
    assert came == [(case.id, case.outcome) for case in lines.cases]


def test_the_loop_of_the_page_finds_the_same(desk: Path, fold_report: ConformReport) -> None:
    assert NODE is not None
    # Nothing of ours is in reach: node, the published files, the fold.
    done = subprocess.run((NODE, "loop.mjs"), cwd=desk, env={}, capture_output=True, timeout=60, check=True)
    assert done.stderr == b""
    told = done.stdout.decode("utf-8").splitlines()
    failed = [case for case in fold_report.cases if case.outcome is not Outcome.passed]
    assert told == [f"{case.id}: {case.rule}: {case.about}" for case in failed]


def test_a_person_reads_which_rules_are_broken(desk: Path) -> None:
    options = ("--cases", "conformance", "--case", "landing-*", "--case", "wait-*")
    code, printed = conform(desk, "fold", "lines", *options)
    told = printed.decode("utf-8")
    assert code == 1
    assert "rounds.md 3 landings: " in told
    assert "rounds.md 3 waits: " in told
