"""The fixture `ledger_conforms`, in pytest runs of their own."""

import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from accounting.sample import PATH
from tests.accounting.cli.help import chained, environment, rounds
from tests.lines import write

LOADED = any(entry.name == "rounds" for entry in entry_points(group="pytest11"))
"""Whether the installed rounds brings the plugin by itself; naming it once more would be an error."""


def run(folder: Path, *, tests: str, conftest: str = "") -> tuple[int, str]:
    """Exit code and output of pytest on these tests."""
    (folder / "test_it.py").write_text(tests)
    (folder / "conftest.py").write_text(conftest)
    plugin = () if LOADED else ("-p", "accounting.pytest_plugin")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "error", "--tb=short", *plugin, "."],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=environment(),
    )
    assert done.stderr == ""
    return done.returncode, done.stdout


def test_a_test_passes_with_a_report_and_fails_with_the_words_of_the_command(tmp_path: Path) -> None:
    write(tmp_path / "damaged.jsonl", chained({}, {"data": {"x": 1.5}}, {}))
    write(tmp_path / "shapeless.jsonl", chained({}, {"kind": "worktree_opened"}))
    tests = f"""
import pytest

@pytest.fixture(scope="session")
def report(ledger_conforms):
    return ledger_conforms({str(PATH)!r}, strict=True)

def test_sound(report):
    assert report.conforms
    assert report.summary.lines == 61

def test_lenient(ledger_conforms):
    assert ledger_conforms("shapeless.jsonl").summary.warnings == 1

def test_later(ledger_conforms):
    assert ledger_conforms("damaged.jsonl", from_seq=2, expect_last=2).summary.lines == 1

def test_damaged(ledger_conforms):
    ledger_conforms("damaged.jsonl")

def test_strict(ledger_conforms):
    ledger_conforms("shapeless.jsonl", strict=True)

def test_other_end(ledger_conforms):
    ledger_conforms("shapeless.jsonl", expect_last=7)

def test_gone(ledger_conforms):
    ledger_conforms("gone.jsonl")

def test_no_ledger(ledger_conforms):
    ledger_conforms(".")
"""
    code, output = run(tmp_path, tests=tests)
    assert code == 1
    assert output.rstrip().splitlines()[-1].startswith("5 failed, 3 passed")
    for arguments in (["damaged.jsonl"], ["shapeless.jsonl", "--strict"], ["shapeless.jsonl", "--expect-last", "7"]):
        assert f"_\n{_in(tmp_path, *arguments)}" in output
    assert "_\ngone.jsonl: cannot be read: No such file or directory\n_" in output
    assert "_\n.: no ledger-<20 digits>.jsonl in this directory; give a ledger's directory or a file\n=" in output
    # Nothing of what is inside shows: no frames, no code, no exceptions along the way.
    assert "accounting" not in output.replace(str(PATH), "")
    assert "During handling" not in output
    assert "\x1b" not in output


def _in(folder: Path, *arguments: str) -> str:
    """What the command says, there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        return rounds("check", *arguments).stdout


def test_without_blake3_it_says_what_to_install(tmp_path: Path) -> None:
    tests = f"def test_sample(ledger_conforms):\n    ledger_conforms({str(PATH)!r})\n"
    code, output = run(tmp_path, tests=tests, conftest="import sys\nsys.modules['blake3'] = None\n")
    assert code == 1
    assert "_\nchecking and writing ledgers needs blake3: pip install 'rounds[ledger]'\n=" in output


def test_loading_it_loads_nothing_else() -> None:
    program = """
import sys
import pytest
before = set(sys.modules)
import accounting.pytest_plugin
print(sorted(set(sys.modules) - before))
"""
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert loaded.stdout == "['accounting', 'accounting.pytest_plugin']\n"
