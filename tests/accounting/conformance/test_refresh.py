"""What follows from the case files: ledgers sealed again, index and lists, and released lists that stay."""

import json
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from accounting.conformance.cases import write_fold_case
from accounting.conformance.refresh import ReleasedError, changed_since_release, read_list, refresh, stale
from accounting.conformance.sealing import sealed
from tests.cases.build import RUN, x_answer

ANSWER: Any = x_answer()
RECORD: Any = {"v": 2, "run": RUN, "t": 5, "kind": "gate_checked", "data": {"b": 1, "a": 2}}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder of two cases, one value and one thread, up to date."""
    (tmp_path / "index.json").write_text('{"spec": "1.0"}')
    write_fold_case(
        tmp_path / "cases" / "a", rule="I1", about="One. More.", ledger=sealed([RECORD] * 3), expected=ANSWER
    )
    write_fold_case(
        tmp_path / "cases" / "b",
        rule="I2",
        about="Two.",
        ledger=b"{}",
        expected=ANSWER,
        generated=True,
        unsealed="Torn.",
    )
    (tmp_path / "answers").mkdir()
    (tmp_path / "answers" / "empty.valid.json").write_text("{}")
    refresh(tmp_path)
    return tmp_path


def test_the_index(home: Path) -> None:
    assert json.loads((home / "index.json").read_bytes()) == {
        "spec": "1.0",
        "cases": [
            {"id": "a", "of": "fold", "rule": "I1", "about": "One.", "generated": False},
            {"id": "b", "of": "fold", "rule": "I2", "about": "Two.", "generated": True},
        ],
        "records": [],
        "answers": [{"folder": "answers", "valid": 1, "invalid": 0}],
        "asks": [],
    }


def test_the_list(home: Path) -> None:
    listed = read_list(home / "versions" / "1.0.sha256")
    assert list(listed) == [
        "cases/a/ledger.jsonl",
        "cases/a/rounds.json",
        "cases/b/ledger.jsonl",
        "cases/b/rounds.json",
        "answers/empty.valid.json",
    ]
    assert listed["answers/empty.valid.json"] == sha256(b"{}").hexdigest()


def test_the_page_of_faults(home: Path) -> None:
    page = (home / "faults.md").read_text("utf-8")
    codes = [line.split("`")[1] for line in page.splitlines() if line.startswith("| `")]
    assert (codes[0], codes[-1], len(codes)) == ("not-a-line", "not-canonical", 16)
    assert [line for line in page.splitlines() if line.startswith("#")] == [
        "# Faults",
        "## The version, and fields that do not fit",
        "## Going on after a fault",
    ]
    assert "an `ig` that is `false`" in " ".join(page.split())


def test_nothing_is_written_twice(home: Path) -> None:
    assert stale(home) == ()
    assert refresh(home) == ()


def test_an_edited_ledger_is_sealed_again(home: Path) -> None:
    file = home / "cases" / "a" / "ledger.jsonl"
    edited = file.read_bytes().split(b"\n")
    edited[1] = json.dumps(RECORD | {"kind": "pr_opened"}).encode()
    file.write_bytes(b"\n".join(edited))
    assert stale(home) == ("cases/a/ledger.jsonl", "versions/1.0.sha256")
    assert refresh(home) == ("cases/a/ledger.jsonl", "versions/1.0.sha256")
    assert file.read_bytes() == sealed([RECORD, RECORD | {"kind": "pr_opened"}, RECORD])
    assert stale(home) == ()


def test_a_ledger_that_is_not_sealed_stays_as_it_is(home: Path) -> None:
    file = home / "cases" / "b" / "ledger.jsonl"
    file.write_bytes(b"[ ]\n")
    assert refresh(home) == ("versions/1.0.sha256",)
    assert file.read_bytes() == b"[ ]\n"


def test_a_line_that_cannot_be_sealed_is_named(home: Path) -> None:
    (home / "cases" / "a" / "ledger.jsonl").write_bytes(b"{}\n")
    with pytest.raises(ValueError, match=r"ledger\.jsonl: line 1: without v run t kind data"):
        refresh(home)


def release(home: Path) -> None:
    digest = sha256((home / "versions" / "1.0.sha256").read_bytes()).hexdigest()
    (home / "versions" / "RELEASED").write_text(f"{digest}  versions/1.0.sha256\n")


def test_a_released_version_takes_no_more_cases(home: Path) -> None:
    release(home)
    assert changed_since_release(home) == ()
    write_fold_case(home / "cases" / "c", rule="I3", about="Three.", ledger=b"", expected=ANSWER)
    with pytest.raises(ReleasedError, match=r"version 1\.0 is released; begin the next one: raise `spec`"):
        refresh(home)
    index = home / "index.json"
    index.write_text(index.read_text().replace('"1.0"', '"1.1"'))
    assert refresh(home) == ("index.json", "versions/1.1.sha256")
    assert changed_since_release(home) == ()
    assert len(read_list(home / "versions" / "1.1.sha256")) == len(read_list(home / "versions" / "1.0.sha256")) + 2


@pytest.mark.invariant("K3")
def test_what_a_released_list_names_is_held_to_it(home: Path) -> None:
    release(home)
    (home / "cases" / "b" / "ledger.jsonl").write_bytes(b"")
    (home / "answers" / "empty.valid.json").unlink()
    assert changed_since_release(home) == ("cases/b/ledger.jsonl", "answers/empty.valid.json")


def test_a_released_list_itself_stays(home: Path) -> None:
    release(home)
    (home / "versions" / "1.0.sha256").write_text("")
    assert changed_since_release(home) == ("versions/1.0.sha256",)


@pytest.mark.parametrize("line", ["1.0", "abc  versions/1.0.sha256", "0" * 64 + " versions/1.0.sha256"])
def test_a_list_that_is_none_is_named(home: Path, line: str) -> None:
    (home / "versions" / "RELEASED").write_text(f"{line}\n")
    with pytest.raises(ValueError, match=rf"RELEASED: not a line of sha256sum: '{line}'"):
        changed_since_release(home)


def test_an_index_without_a_version_is_named(home: Path) -> None:
    (home / "index.json").write_text("{}")
    with pytest.raises(ValueError, match=r"index\.json: expects `spec`"):
        refresh(home)


def test_from_a_shell(home: Path) -> None:
    (home / "answers" / "more.invalid.json").write_text("[]")
    command = [sys.executable, "-m", "accounting.conformance.refresh", str(home)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("index.json\nversions/1.0.sha256\n", "")
