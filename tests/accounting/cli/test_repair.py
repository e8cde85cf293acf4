"""`rounds repair`: what it prints, and with which exit code."""

from pathlib import Path

from msgspec import json

from accounting.sample import PATH
from tests.accounting.cli.help import rounds

SEGMENT = "ledger-00000000000000000000.jsonl"


def damaged(folder: Path) -> Path:
    """The sample, with its third line broken and half a line at its end."""
    lines = (Path(PATH) / SEGMENT).read_bytes().split(b"\n")
    lines[2] = lines[2][:40]
    folder.mkdir()
    (folder / SEGMENT).write_bytes(b"\n".join(lines) + b'{"v":2')
    return folder


def test_a_sound_ledger_is_told_to_be_sound(tmp_path: Path) -> None:
    given = rounds("repair", PATH, "--into", tmp_path / "b")
    assert (given.exit_code, given.stderr) == (0, "")
    assert given.stdout == f"{PATH}: sound; all of it, 61 lines, is in {tmp_path}/b/ledger\n"


def test_the_parts_of_a_damaged_one_are_told(tmp_path: Path) -> None:
    given = rounds("repair", damaged(tmp_path / "a"), "--into", tmp_path / "b")
    assert (given.exit_code, given.stderr) == (1, "")
    head, fault, *parts = given.stdout.splitlines()
    assert head == f"{tmp_path}/a: damaged; copied into {tmp_path}/b"
    assert fault.startswith(f"first fault: {tmp_path}/a/{SEGMENT}:3 (byte ")
    assert [part.split()[0] for part in parts] == ["ledger", "salvaged.jsonl", "left-over.bin", "report.json"]
    assert "2 lines that verify, up to seq 1" in parts[0]
    assert "58 records" in parts[1]
    assert "47 bytes" in parts[2]
    again = rounds("check", tmp_path / "b" / "ledger")
    assert again.exit_code == 0


def test_json_is_the_report_that_is_written(tmp_path: Path) -> None:
    given = rounds("repair", damaged(tmp_path / "a"), "--into", tmp_path / "b", "--json")
    assert given.exit_code == 1
    assert given.stdout.count("\n") == 1
    assert json.decode(given.stdout) == json.decode((tmp_path / "b" / "report.json").read_bytes())


def test_standard_input_is_read_as_a_ledger(tmp_path: Path) -> None:
    content = (damaged(tmp_path / "a") / SEGMENT).read_bytes()
    given = rounds("repair", "-", "--into", tmp_path / "b", input=content)
    assert given.exit_code == 1
    assert given.stdout.startswith("standard input: damaged")
    assert "first fault: standard input:3" in given.stdout
    assert json.decode((tmp_path / "b" / "report.json").read_bytes())["source"] == "standard input"


def test_a_folder_that_is_taken_or_a_path_that_is_no_ledger_is_refused(tmp_path: Path) -> None:
    given = rounds("repair", PATH, "--into", tmp_path)
    assert given.exit_code == 0  # it is empty
    given = rounds("repair", PATH, "--into", tmp_path)
    assert (given.exit_code, given.stdout) == (2, "")
    assert "no empty folder" in given.stderr
    given = rounds("repair", tmp_path / "nowhere", "--into", tmp_path / "b")
    assert given.exit_code == 2
    assert "no such file" in given.stderr
    assert rounds("repair", PATH).exit_code == 2
