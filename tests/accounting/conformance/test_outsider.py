"""The way of somebody who has nothing but the published files: a small fold, wired up, asked, and scored."""

import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from shutil import which
from typing import Final

import pytest

from accounting.conformance.report import ConformReport, Outcome
from accounting.conformance.smoke import ProbeOutcome, SmokeReport
from wire.codec import decode

HERE: Final = Path(__file__).parent
PUBLISHED: Final = HERE.parents[2] / "schema" / "conformance"
FOLD: Final = ("node", "fold.mjs")

pytestmark = pytest.mark.skipif(which("node") is None, reason="no node")


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the published files, and the fold beside them."""
    folder = tmp_path_factory.mktemp("desk")
    shutil.copytree(PUBLISHED, folder / "conformance")
    shutil.copy(HERE / "outsider" / "fold.mjs", folder / "fold.mjs")
    return folder


def conform(desk: Path, *options: str) -> tuple[int, bytes]:
    """How `rounds conform fold` exits, asked in that folder, and what it prints."""
    rounds = (sys.executable, "-m", "accounting.cli")
    words = (*rounds, "conform", "fold", "--protocol", "lines", *options, "--", *FOLD)
    done = subprocess.run(words, cwd=desk, capture_output=True, timeout=120, check=False)
    assert done.stderr == b""
    return done.returncode, done.stdout


def test_the_page_and_the_fold_are_short(desk: Path) -> None:
    assert (desk / "conformance" / "protocol.md").is_file()
    assert len((desk / "fold.mjs").read_text(encoding="utf-8").splitlines()) < 60


def test_smoke_says_that_it_is_wired_up(desk: Path) -> None:
    code, printed = conform(desk, "--smoke", "--json")
    report = decode(printed, SmokeReport)
    assert [probe for probe in report.probes if probe.outcome is not ProbeOutcome.right] == []
    assert (code, report.wired, report.ok) == (0, True, True)


def test_its_score(desk: Path) -> None:
    code, printed = conform(desk, "--cases", "conformance", "--json")
    report = decode(printed, ConformReport)
    assert (code, report.ok, report.name) == (1, False, "afternoon")
    folders = {file.parent.name for file in (desk / "conformance" / "cases").glob("*/rounds.json")}
    assert {case.id for case in report.cases} == folders
    came = Counter(case.outcome for case in report.cases)
    assert came[Outcome.passed] > len(folders) / 3
    assert came[Outcome.timed_out] == came[Outcome.not_run] == 0

    # What it does is told from what it leaves out, rule by rule.
    passed = Counter(case.rule for case in report.cases if case.outcome is Outcome.passed)
    failed = Counter(case.rule for case in report.cases if case.outcome is not Outcome.passed)
    assert passed["rounds.md 3.3"] > failed["rounds.md 3.3"]
    assert passed["rounds.md 3.1"] > failed["rounds.md 3.1"]
    assert failed["rounds.md 3 landings"] > passed["rounds.md 3 landings"]
    assert failed["ledger.md 6 usage"] > passed["ledger.md 6 usage"]


def test_a_person_reads_which_rules_are_broken(desk: Path) -> None:
    code, printed = conform(desk, "--cases", "conformance", "--case", "landing-*", "--case", "wait-*")
    told = printed.decode("utf-8")
    assert code == 1
    assert "rounds.md 3 landings: " in told
    assert "rounds.md 3 waits: " in told
