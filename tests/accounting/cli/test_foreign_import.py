"""`rounds import`: what it prints and writes, and with which exit code it ends."""

from pathlib import Path

import pytest
from msgspec import json

from accounting.foreign.provenance import provenance_file
from accounting.sample import PATH
from tests.accounting.cli.help import process, rounds
from tests.accounting.foreign.claude_lines import session_id, small


def test_a_folder_becomes_a_ledger_and_again_nothing(tmp_path: Path) -> None:
    folder, into = tmp_path / "in", tmp_path / "ledger"
    folder.mkdir()
    for number in (2, 1):
        small(number, 100 * number).write(folder)
    given = rounds("import", folder, "-o", into)
    assert (given.exit_code, given.stderr) == (0, "")
    assert given.stdout.splitlines() == [
        *(f"{session_id(number)}  claude_code  8 records, 8 new" for number in (1, 2)),
        f"2 sessions, 16 lines added to {into}",
    ]
    assert rounds("check", into).exit_code == 0
    assert [row["run"] for row in json.decode(rounds("runs", "--json", into).stdout)] == [
        session_id(number) for number in (1, 2)
    ]
    again = rounds("import", folder, "-o", into)
    assert again.stdout.splitlines()[0] == f"{session_id(1)}  claude_code  nothing new"
    assert again.stdout.splitlines()[-1] == f"2 sessions, 0 lines added to {into}"


def test_a_reply_told_again_is_counted(tmp_path: Path) -> None:
    lines = small()
    rounds("import", lines.write(tmp_path, 2), "-o", tmp_path / "ledger")
    given = rounds("import", lines.write(tmp_path), "-o", tmp_path / "ledger")
    assert "8 records, 6 new, of them 1 told again" in given.stdout


def test_the_report_says_what_became_of_each_kind(tmp_path: Path) -> None:
    path = small().write(tmp_path)
    given = rounds("import", path, "-o", tmp_path / "ledger", "--report")
    assert "  30 in · 6 cached · 4 written · 16 out" in given.stdout.splitlines()
    assert (
        "tokens deduplicated · 2 requests, 0 without tokens · 1 call: 1 answered, 0 failed, 0 waiting" in given.stdout
    )
    assert "mapped" in given.stdout
    data = json.decode(rounds("import", path, "-o", tmp_path / "ledger", "--json").stdout)
    (session,) = data["sessions"]
    assert (session["records"], session["added"], session["not_told"]) == (8, 0, [])
    assert session["fidelity"]["totals"]["output"] == 16


def test_what_a_ledger_cannot_be_told_is_on_standard_error(tmp_path: Path) -> None:
    lines = small()
    into = tmp_path / "ledger"
    rounds("import", lines.write(tmp_path), "-o", into)
    path = lines.result("t1_0", "again").write(tmp_path)
    given = rounds("import", path, "-o", into)
    lines.reply("a1_0", out=90)
    given = rounds("import", lines.write(tmp_path), "-o", into)
    assert given.exit_code == 1
    assert f"rounds: {path}:2 (byte " in given.stderr
    assert f"changed: model_returned of run {session_id(1)}" in given.stderr


def test_standard_input(tmp_path: Path) -> None:
    given = process("import", "-", "-o", tmp_path / "ledger", input=small().write(tmp_path).read_bytes())
    assert given.returncode == 0
    assert b"1 session, 8 lines added" in given.stdout
    row = provenance_file(tmp_path / "ledger").read_bytes().splitlines()[1]
    assert json.decode(row)["file"] == "standard input"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["{tmp}/none", "-o", "{tmp}/l"], "{tmp}/none: no such file or directory"),
        (["{sample}", "-o", "{tmp}/l"], "{sample}: no session of an agent that is known here, or a ledger already"),
        (["{tmp}", "-o", "{tmp}"], "{tmp}: not a ledger, and not empty"),
        (["{tmp}", "-o", "{tmp}/no/such/l"], "{tmp}/no/such"),
    ],
)
def test_trouble(tmp_path: Path, arguments: list[str], told: str) -> None:
    small().write(tmp_path)
    filled = [argument.format(tmp=tmp_path, sample=PATH) for argument in arguments]
    given = rounds("import", *filled)
    assert (given.exit_code, given.stdout) == (2, "")
    assert told.format(tmp=tmp_path, sample=PATH) in given.stderr
    assert not (tmp_path / "l").exists()


def test_what_holds_nothing_costs_only_itself(tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    given = rounds("import", empty, small().write(tmp_path), "-o", tmp_path / "ledger")
    assert given.exit_code == 1
    assert given.stderr == f"rounds: {empty}: no session of an agent that is known here, or a ledger already\n"
    assert "8 records, 8 new" in given.stdout


def test_damage_is_told(tmp_path: Path) -> None:
    path = small().write(tmp_path)
    path.write_bytes(b"[]\n" + path.read_bytes())
    given = rounds("import", path, "-o", tmp_path / "ledger")
    assert (given.exit_code, given.stderr) == (1, f"rounds: {path}:1 (byte 0): not-a-row\n")
