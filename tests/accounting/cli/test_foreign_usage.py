"""`rounds usage`: what it prints, and with which exit code it ends."""

import re
from pathlib import Path

import pytest
from msgspec import json, structs

from accounting.cli.usage_table import usage_table
from accounting.foreign import sources
from accounting.foreign.fidelity import Standing
from accounting.foreign.prices import read_prices
from accounting.foreign.usage import usage
from accounting.sample import PATH
from tests.accounting.cli.help import rounds
from tests.accounting.foreign.claude_lines import session_id, small

PAGE = Path(__file__).resolve().parents[3] / "docs" / "usage.md"
TABLE = '[[price]]\nmodel = "claude-*"\ninput = 1\noutput = 2\ncached = 0.1\ncache_write = 1.25\n'


def test_days_are_the_default(tmp_path: Path) -> None:
    path = small().write(tmp_path)
    given = rounds("usage", path)
    assert (given.exit_code, given.stderr) == (0, "")
    assert given.stdout.splitlines() == [
        "day         requests  in  cached  written  out     cost     wall   active",
        "2026-02-25         2  30       6        4   16  unknown  0:00:05  0:00:05",
        "active: without gaps of 5 minutes or more",
    ]


def test_several_paths_a_ledger_among_them(tmp_path: Path) -> None:
    paths = [small(number).write(tmp_path) for number in (1, 2)]
    given = rounds("usage", PATH, *paths, paths[0], "--by", "agent")
    head, claude, ledger, total, *notes = given.stdout.splitlines()
    assert head.startswith("agent ")
    assert claude.split()[:3] == ["claude_code", "4", "60"]
    assert ledger.split()[:3] == ["ledger", "9", "69,972+"]
    assert "$0.1142+" in ledger
    assert total.split()[:3] == ["total", "13", "70,032+"]
    assert notes[0].startswith("+ at least")


def test_estimates_have_a_column_and_a_mark(tmp_path: Path) -> None:
    table = tmp_path / "prices.toml"
    table.write_text(TABLE)
    path = small().write(tmp_path)
    given = rounds("usage", path, "--by", "run", "--prices", table)
    assert "unknown cost · ~$0.000058 estimated" in given.stdout.replace("\n  ", " · ")
    assert "~ estimated" in given.stdout
    data = json.decode(rounds("usage", path, "--prices", table, "--json").stdout)
    assert (data["total"]["spent"], data["total"]["estimated"], data["total"]["estimated_requests"]) == (None, 58, 2)
    assert data["rows"][0]["key"] == "2026-02-25"
    assert rounds("usage", path, "--by", "run", "--json").stdout.startswith('{"by":"run","zone":"UTC","idle_ms":300000')


def test_the_zone_moves_the_days(tmp_path: Path) -> None:
    path = small().write(tmp_path)
    assert "2026-02-24" in rounds("usage", path, "--tz", "America/Los_Angeles").stdout


def test_an_imported_ledger_and_its_files_are_counted_once(tmp_path: Path) -> None:
    path = small().write(tmp_path)
    rounds("import", path, "-o", tmp_path / "ledger")
    both = rounds("usage", tmp_path / "ledger", path, "--by", "run").stdout
    assert both.splitlines()[1].split()[:3] == [session_id(1), "2", "30"]
    assert "2 copies of requests that stand elsewhere" in both


def test_nothing_at_all(tmp_path: Path) -> None:
    path = small().write(tmp_path, 1)
    assert rounds("usage", path).stdout == "no requests\n"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--tz", "Nowhere"], "--tz: there is no time zone 'Nowhere'"),
        (["--tz", "../etc/passwd"], "--tz: there is no time zone"),
        (["--prices", "{tmp}/none.toml"], "{tmp}/none.toml: cannot be read"),
        (["--prices", "{tmp}/bad.toml"], "{tmp}/bad.toml: no price table"),
        (["--by", "week"], "Invalid value for '--by'"),
    ],
)
def test_trouble(tmp_path: Path, arguments: list[str], told: str) -> None:
    path = small().write(tmp_path)
    (tmp_path / "bad.toml").write_text("[[")
    given = rounds("usage", path, *(argument.format(tmp=tmp_path) for argument in arguments))
    assert (given.exit_code, given.stdout) == (2, "")
    assert told.format(tmp=tmp_path) in given.stderr


def test_the_table_of_the_page_is_one(tmp_path: Path) -> None:
    (table,) = re.findall(r"```toml\n(.*?)```", PAGE.read_text(), re.DOTALL)
    (tmp_path / "p.toml").write_text(table)
    read_prices(tmp_path / "p.toml")


def test_what_cannot_be_used_is_told(tmp_path: Path) -> None:
    path, own = small().write(tmp_path), tmp_path / "own.jsonl"
    path.write_bytes(b"[]\n" + path.read_bytes())
    own.write_text("not json\n")
    given = rounds("usage", path, own)
    assert given.exit_code == 1
    first, second = given.stderr.splitlines()
    assert first.startswith(f"rounds: {own}:1 (byte 0): not-json")
    assert second == f"rounds: {path}:1 (byte 0): not-a-row"
    assert "2  30" in given.stdout


def test_one_request_and_one_copy_are_told_as_one(tmp_path: Path) -> None:
    path = small().write(tmp_path, 2)
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(path.read_bytes())
    told = rounds("usage", path, copy, "--by", "run").stdout
    assert "1 copy of a request that stands elsewhere is not counted again" in told
    assert [*usage_table(usage(sources(path)), 40)][1].plain.startswith("  1 request · ")


def test_a_sum_that_may_hold_a_copy_is_not_said_to_be_the_least(tmp_path: Path) -> None:
    row = usage(sources(small().write(tmp_path))).total
    unsure = structs.replace(row, standing=Standing.unknown)
    found = usage(sources(small().write(tmp_path)))
    lines = [line.plain for line in usage_table(structs.replace(found, rows=(unsure,), total=unsure), 100)]
    assert lines[1].split()[1:6] == ["2", "30?", "6?", "4?", "16?"]
    assert lines[2].startswith("? in part unknown")
    assert not any(line.startswith("+") for line in lines)


@pytest.mark.parametrize(("count", "told"), [(1, "1 .json or .jsonl file is"), (2, "2 .json or .jsonl files are")])
def test_files_of_a_folder_that_no_reader_knows_are_counted(tmp_path: Path, count: int, told: str) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    small().write(folder)
    for number in range(count):
        (folder / f"{number}.json").write_text('{"a": 1}')
    (folder / "notes.txt").write_text("x")
    expected = f"rounds: {folder}: {told} of no agent that is known here, and left out\n"
    for command in (("usage", folder), ("runs", folder), ("import", folder, "-o", tmp_path / "ledger")):
        given = rounds(*command)
        assert (given.exit_code, given.stderr) == (0, expected)
    assert rounds("show", folder).stderr == ""
