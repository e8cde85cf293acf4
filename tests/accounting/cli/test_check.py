"""`rounds check`: what it says of ledgers that are sound, damaged, or not there, and with which exit code."""

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from accounting.ledger.canonical import line_hash
from accounting.ledger.checking.rules import RULE, RULES
from accounting.sample import PATH
from tests.accounting.cli.help import ROUNDS, chained, environment, process, rounds, shell
from tests.cases.build import RUN
from tests.lines import write
from wire import CheckReport, Severity, decode

ROOT = Path(__file__).resolve().parents[3]
UNSEEN = """\
   unseen    a change inside the last line that leaves it canonical, and whole lines missing at the end;
             keep this hash, and give it to the next check: --expect-last <hash>
"""
FLOAT = {"data": {"x": 1.5}}
SHAPELESS = {"kind": "worktree_opened"}


def report(*arguments: str | Path) -> CheckReport:
    given = rounds("check", *arguments, "--json")
    assert given.stderr == ""
    assert given.stdout.count("\n") == 1
    read: CheckReport = decode(given.stdout, CheckReport)
    assert given.exit_code == (0 if read.conforms else 1)
    return read


# For people.


def test_a_sound_ledger(tmp_path: Path) -> None:
    lines = chained({}, {}, {})
    path = write(tmp_path / "a.jsonl", lines)
    given = rounds("check", path)
    assert (given.exit_code, given.stderr) == (0, "")
    assert given.stdout == (
        f"{path} conforms to the ledger format\n"
        f"   read      3 lines in 1 segment, {path.stat().st_size} bytes; seq 0 to 2\n"
        f"   last      seq 2, hash {line_hash(lines[-1])}\n" + UNSEEN
    )


def test_one_fault_at_the_end(tmp_path: Path) -> None:
    lines = chained({}, {}, FLOAT)
    path = write(tmp_path / "a.jsonl", lines)
    at = len(lines[0]) + len(lines[1]) + 2
    given = rounds("check", path)
    assert given.exit_code == 1
    assert given.stdout == (
        f"{path} does not conform to the ledger format: 1 fault\n"
        f"   read      3 lines in 1 segment, {path.stat().st_size} bytes; seq 0 to 2\n"
        "   sound     2 lines before the first fault\n"
        "   faults    1 float\n"
        f"   last      seq 2, hash {line_hash(lines[-1])}\n" + UNSEEN + "\n"
        f"{path}:3 (byte {at}, seq 2, run {RUN}): fault float: expected an integer, found 1.5 at data.x\n"
        f"   → {RULE['float'].advice}\n"
    )


def test_five_findings(tmp_path: Path) -> None:
    """Advice once for each rule; what follows the first fault rests on it; a line that does not read has no seq."""
    lines = [*chained(FLOAT, SHAPELESS, SHAPELESS, FLOAT), b"\x1b[31m oops"]
    path = write(tmp_path / "a.jsonl", lines)
    ends = [sum(len(line) + 1 for line in lines[:count]) for count in range(5)]
    given = rounds("check", path)
    assert given.exit_code == 1
    summary, _, findings = given.stdout.partition("\n\n")
    assert summary.splitlines()[:6] == [
        f"{path} does not conform to the ledger format: 3 faults",
        f"   read      5 lines in 1 segment, {path.stat().st_size} bytes",
        "   sound     no line before the first fault",
        "   faults    3: 1 not-a-line, 2 float",
        "   warnings  2 payload-shape",
        f"   last      hash {line_hash(lines[-1])}",
    ]
    shapeless = "expected a payload of worktree_opened, found Object missing required field `name`"
    oops = r"expected a JSON value (0 bytes into the line), found \x1b[31m oops"
    assert findings.splitlines() == [
        f"{path}:1 (byte 0, seq 0, run {RUN}): fault float: expected an integer, found 1.5 at data.x",
        f"   → {RULE['float'].advice}",
        "   What follows rests on what was found there.",
        f"{path}:2 (byte {ends[1]}, seq 1, run {RUN}): warning payload-shape: {shapeless}",
        f"   → {RULE['payload-shape'].advice}",
        f"{path}:3 (byte {ends[2]}, seq 2, run {RUN}): warning payload-shape: {shapeless}",
        f"{path}:4 (byte {ends[3]}, seq 3, run {RUN}): fault float: expected an integer, found 1.5 at data.x",
        f"{path}:5 (byte {ends[4]}): fault not-a-line: {oops}",
        f"   → {RULE['not-a-line'].advice}",
    ]


def test_five_thousand_findings(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", chained(FLOAT, *[SHAPELESS] * 5000))
    given = rounds("check", path)
    lines = given.stdout.splitlines()
    assert sum(": warning payload-shape: " in line for line in lines) == 99
    assert [line[:4] for line in lines if line.startswith("   ")][-3:] == ["   →", "   W", "   →"]
    assert lines[-1] == (
        "and 4,901 more, not listed: 4,901 payload-shape; `rounds check --max-findings 5001` lists them all"
    )
    every = rounds("check", path, "--max-findings", "5001").stdout.splitlines()
    assert sum(line.startswith(f"{path}:") for line in every) == 5001
    assert not every[-1].startswith("and ")
    none = rounds("check", path, "--max-findings", "0").stdout.splitlines()
    assert none[9:] == [
        "and 5,001 more, not listed: 1 float, 5,000 payload-shape; `rounds check --max-findings 5001` lists them all"
    ]


def test_nothing_at_all(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.touch()
    given = rounds("check", path)
    assert (given.exit_code, given.stderr) == (0, "")
    assert given.stdout == (
        f"{path} conforms to the ledger format; nothing is in it yet\n   read      0 lines in 1 segment, 0 bytes\n"
    )


def test_warnings_count_when_strict(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", chained({}, SHAPELESS))
    lenient, strict = rounds("check", path), rounds("check", path, "--strict")
    assert (lenient.exit_code, strict.exit_code) == (0, 1)
    assert lenient.stdout.splitlines()[0] == f"{path} conforms to the ledger format, with 1 warning"
    said = f"{path} does not conform to the ledger format: 1 warning, and warnings count (strict)"
    assert strict.stdout.splitlines()[0] == said
    assert lenient.stdout.splitlines()[1:] == strict.stdout.splitlines()[1:]


def test_notes_never_count(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", chained({"t": 9}, {"t": 8}))
    given = rounds("check", path, "--strict")
    assert given.exit_code == 0
    assert given.stdout.splitlines()[0] == f"{path} conforms to the ledger format, with 1 note"


# The end, and the beginning.


def test_the_end_is_pinned_by_its_hash_or_its_number(tmp_path: Path) -> None:
    lines = chained({}, {}, {})
    path = write(tmp_path / "a.jsonl", lines)
    by_hash = rounds("check", path, "--expect-last", line_hash(lines[-1]))
    assert (by_hash.exit_code, "unseen" in by_hash.stdout) == (0, False)
    by_number = rounds("check", path, "--expect-last", "2")
    assert by_number.exit_code == 0
    assert by_number.stdout.endswith(
        "   unseen    a change inside the last line that leaves it canonical\n"
        "             keep this hash, and give it to the next check: --expect-last <hash>\n"
    )
    write(path, lines[:-1])
    assert rounds("check", path).exit_code == 0
    for end in (line_hash(lines[-1]), "2"):
        given = rounds("check", path, "--expect-last", end)
        assert given.exit_code == 1
        assert " fault other-end: expected a last line of " in given.stdout
        assert line_hash(lines[1]) in given.stdout or "found seq 1" in given.stdout


@pytest.mark.parametrize(
    "end", ["", "x", "-1", "+1", "1_0", "１", "1.0", str(2**64), "AB" * 32, "ab" * 32 + "\n", "0" * 65]
)
def test_an_end_is_a_hash_or_a_number(tmp_path: Path, end: str) -> None:
    path = write(tmp_path / "a", chained({}))
    given = rounds("check", path, "--expect-last", end)
    assert (given.exit_code, given.stdout) == (2, "")
    assert given.stderr.startswith("rounds: Invalid value for '--expect-last': ")
    assert given.stderr.count("\n") == 1


def test_a_check_may_begin_later(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", chained(FLOAT, {}, {}))
    whole, later = report(path), report(path, "--from-seq", "1")
    assert (whole.conforms, whole.summary.first_seq, whole.summary.lines) == (False, 0, 3)
    assert (later.conforms, later.summary.first_seq, later.summary.lines) == (True, 1, 2)
    beyond = rounds("check", path, "--from-seq", "3")
    assert (beyond.exit_code, beyond.stderr) == (1, "")
    assert " fault seq-gap: expected seq 3, found the ledger's end\n" in beyond.stdout


# Ledgers from elsewhere.


@pytest.mark.parametrize(("name", "conforms"), [
    ("golden-p0", True), ("golden-s1", True), ("ledger-ahead", False), ("ledger-unknown-key", False)])  # fmt: skip
def test_real_ledgers(golden: Path, name: str, conforms: bool) -> None:
    assert report(golden / name).conforms is conforms


def test_the_sample_is_sound() -> None:
    found = report(PATH, "--strict")
    assert found.conforms
    assert found.path == str(PATH)
    assert found.findings == ()


# PATH.


def test_standard_input_and_pipes(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", chained({}, FLOAT))
    given = process("check", "-", input=path.read_bytes())
    assert (given.returncode, given.stderr) == (1, b"")
    assert given.stdout.startswith(b"standard input does not conform to the ledger format: 1 fault\n")
    assert b"\nstandard input:2 (byte " in given.stdout
    piped = process("check", "-", "--json", input=path.read_bytes())
    assert decode(piped.stdout, CheckReport).path == "-"
    assert b" conforms to the ledger format\n" in shell(f"rounds check <(head -1 {path})", ROOT).stdout


def test_what_cannot_be_read(tmp_path: Path) -> None:
    gone = rounds("check", tmp_path / "gone")
    assert (gone.exit_code, gone.stdout) == (2, "")
    assert gone.stderr == (
        f"rounds: {tmp_path}/gone: no such file or directory; give a ledger's directory, a file of its lines, or -\n"
    )
    empty = rounds("check", tmp_path, "--format", "junit")
    assert (empty.exit_code, empty.stdout) == (2, "")
    assert "no ledger-<20 digits>.jsonl in this directory" in empty.stderr


def test_without_blake3_it_says_what_to_install() -> None:
    program = (
        f"import sys; sys.modules['blake3'] = None; from accounting.cli import main; main(['check', {str(PATH)!r}])"
    )
    given = process(command=(sys.executable, "-c", program))
    assert (given.returncode, given.stdout) == (2, b"")
    assert given.stderr == b"rounds: checking and writing ledgers needs blake3: pip install 'rounds[ledger]'\n"


# Formats and options.


def test_one_format_is_asked_for(tmp_path: Path) -> None:
    path = write(tmp_path / "a", chained({}))
    assert rounds("check", path, "--json").stdout == rounds("check", path, "--json", "--format", "json").stdout
    for other in ("human", "junit", "sarif"):
        given = rounds("check", path, "--json", "--format", other)
        assert (given.exit_code, given.stdout) == (2, "")
        assert given.stderr == (f"rounds: --json and --format {other} ask for two formats; see `rounds check --help`\n")
    assert rounds("check", path, "--format", "xml").exit_code == 2


@pytest.mark.parametrize("form", ["json", "junit", "sarif"])
def test_programs_are_given_one_piece_and_the_same_verdict(tmp_path: Path, form: str) -> None:
    sound, damaged = (write(tmp_path / name, chained({}, data)) for name, data in (("a", {}), ("b", FLOAT)))
    for path, code in ((sound, 0), (damaged, 1)):
        given = process("check", path, "--format", form)
        assert (given.returncode, given.stderr) == (code, b"")
        assert given.stdout.endswith(b"\n")


def test_programs_are_given_a_thousand_findings(tmp_path: Path) -> None:
    path = write(tmp_path / "a", chained(*[SHAPELESS] * 1001))
    found = report(path)
    assert (len(found.findings), found.unlisted, found.summary.warnings) == (1000, 1, 1001)
    assert len(report(path, "--max-findings", "7").findings) == 7


@pytest.mark.parametrize("name", [b"\xff.jsonl", "漢\x1b[2J\n.jsonl".encode()])
@pytest.mark.parametrize("form", ["human", "json", "junit", "sarif"])
def test_any_name_can_be_told(tmp_path: Path, name: bytes, form: str) -> None:
    path = write(tmp_path / os.fsdecode(name), chained({}, FLOAT))
    given = process("check", path, "--format", form)
    assert (given.returncode, given.stderr) == (1, b"")
    assert "\x1b" not in given.stdout.decode()


def test_rich_is_for_people(tmp_path: Path) -> None:
    program = """
import sys
from accounting.cli import main
try:
    main(sys.argv[1:])
except SystemExit:
    print([name for name in ("rich.console", "rich.text", "wire.export") if name in sys.modules], file=sys.stderr)
"""
    for form in ("json", "junit", "sarif"):
        assert process("check", PATH, "--format", form, command=(sys.executable, "-c", program)).stderr == b"[]\n"


# A terminal.


def on_a_terminal(*arguments: str | Path, **env: str) -> str:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*ROUNDS, *arguments], stdout=theirs, env=environment(TERM="xterm-256color", **env)
    ) as running:
        os.close(theirs)
        given = b""
        while True:
            try:
                given += os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
    os.close(ours)
    assert running.returncode == 1
    return given.decode()


def test_colour_on_a_terminal_and_nothing_of_the_ledger_acts_on_it(tmp_path: Path) -> None:
    path = write(tmp_path / "a", [*chained(FLOAT), b"\x1b[41m\x9b\xe2\x80\xae\x07"])
    shown = on_a_terminal("check", path)
    assert "\x1b[1;31mfault\x1b[0m" in shown
    plain = rounds("check", path).stdout
    assert re.sub("\x1b\\[[0-9;]*m", "", shown).replace("\r\n", "\n") == plain
    assert plain.replace("\n", "").isprintable()
    assert r"found \x1b[41m" in plain
    assert "\x1b[31m" not in on_a_terminal("check", path, NO_COLOR="1")


# The rules.


def test_the_rules_page_is_the_committed_one() -> None:
    given = rounds("check", "--rules")
    assert (given.exit_code, given.stderr) == (0, "")
    assert given.stdout == (ROOT / "docs" / "rules.md").read_text()
    headings = re.findall(r"^### (.*)$", given.stdout, re.MULTILINE)
    assert headings == [rule.code for severity in Severity for rule in RULES if rule.severity is severity]
    for rule in RULES:
        assert rule.says in given.stdout
        assert rule.advice in given.stdout


# The documentation.


def test_the_page_on_checking_does_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (ROOT / "docs" / "checking.md").read_text()
    monkeypatch.chdir(ROOT)
    [(command, printed)] = re.findall(r"```console\n\$ rounds (.*?)\n(.*?)```", page, re.DOTALL)
    assert rounds(*command.split()).stdout == printed
    [fixture, library] = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    exec(compile(library, "checking.md", "exec"), {})
    compile(fixture, "checking.md", "exec")
