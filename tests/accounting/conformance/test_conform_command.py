"""`rounds conform`, from the command line to the exit code."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from shutil import which
from time import monotonic
from xml.etree import ElementTree as ET

import pytest
from click.testing import Result
from msgspec.json import decode

from accounting.cli.conform.fuzzed import FuzzSummary
from accounting.conformance.cases import write_fold_case
from accounting.conformance.report import ConformReport, Outcome
from accounting.conformance.smoke import SmokeReport, fold_probes
from tests.accounting.cli.help import ROUNDS, environment, rounds
from tests.accounting.conformance.fakes import alive, lines, nothing_left, once
from wire.export import schema_dir

DOCS = Path(__file__).resolve().parents[3] / "docs"

REFERENCE = (sys.executable, "-m", "accounting.conformance.reference")
WRONG_THERE = ["big-integers", "opening", "run-asked-for", "utf-8"]
"""The cases of which a fold that finds nothing in a ledger is wrong."""


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    """The probes as cases."""
    for probe in fold_probes():
        name = probe.id.replace(" ", "-").lower()
        expected = {"worktree": None, **probe.expected}
        write_fold_case(
            tmp_path / "kit" / "cases" / name,
            rule="rounds.md 3",
            about=f"About {name}. And more.",
            ledger=probe.ledger,
            expected=expected,
        )
    return tmp_path / "kit"


def conform(*arguments: str | Path, subject: tuple[str, ...], of: str = "fold") -> Result:
    with nothing_left():
        return rounds("conform", of, *arguments, "--", *subject)


def test_a_right_fold_in_words(cases: Path) -> None:
    given = conform("--cases", cases, "--protocol", "lines", subject=(*REFERENCE, "lines"))
    assert given.exit_code == 0
    told = given.stdout.splitlines()
    assert told[0].endswith("lines passes every case")
    assert told[1:3] == ["   fold      rounds 0.1.0, stays, and speaks JSON lines", "   cases     5 of 5 passed"]


def test_a_wrong_fold_in_words(cases: Path) -> None:
    given = conform("--cases", cases, subject=once("right"))
    assert given.exit_code == 1
    head = """\
opening: wrong (rounds.md 3)
   About opening.
   opening
     expected  {"task": "a", "goal": "b", "at": 1000}
     found     nothing
"""
    assert head in given.stdout
    assert "   cases     1 of 5 passed, 4 wrong\n   broken    rounds.md 3: 4 of 5 cases\n" in given.stdout


@pytest.mark.parametrize(
    ("how", "outcome", "said"),
    [
        ("refuses", Outcome.rejected, "exited with 3: no such ledger"),
        ("killed", Outcome.crashed, "was killed by SIGKILL"),
        ("slow", Outcome.timed_out, "no whole answer within 300 ms"),
    ],
)
def test_other_outcomes(cases: Path, how: str, outcome: Outcome, said: str) -> None:
    options = ("--cases", cases, "--case", "open*", "--timeout", "0.3" if how == "slow" else "30")
    given = conform(*options, "--json", subject=once(how))
    report = decode(given.stdout_bytes, type=ConformReport)
    assert given.exit_code == 1
    [case] = report.cases
    assert (case.outcome, case.message, case.id) == (outcome, said, "opening")
    in_words = conform(*options, subject=once(how)).stdout
    assert said in in_words
    assert f"opening: {outcome.value.replace('_', ' ')} (rounds.md 3)" in in_words


def test_as_json(cases: Path) -> None:
    given = conform("--cases", cases, "--json", "--protocol", "lines", subject=lines("right"))
    assert given.stdout_bytes.count(b"\n") == 1
    report = decode(given.stdout_bytes, type=ConformReport)
    assert (report.ok, report.of, report.protocol, report.name, report.version) == (
        False,
        "fold",
        "lines",
        "fake",
        "1.0",
    )
    assert [case.id for case in report.cases if not case.ok] == WRONG_THERE
    assert (report.totals.passed, report.totals.wrong) == (1, 4)
    opening = next(case for case in report.cases if case.id == "opening")
    [one] = opening.differences
    assert (one.path, json.loads(str(one.expected)), one.actual) == (
        "opening",
        {"task": "a", "goal": "b", "at": 1000},
        None,
    )
    assert (opening.rule, opening.about) == ("rounds.md 3", "About opening.")


def test_as_junit(cases: Path, tmp_path: Path) -> None:
    known = tmp_path / "known.txt"
    known.write_text("opening not there yet\nempty-ledger odd\n", "utf-8")
    given = conform(
        "--cases",
        cases,
        "--format",
        "junit",
        "--expected-failures",
        known,
        "--protocol",
        "lines",
        subject=lines("right"),
    )
    assert given.exit_code == 1
    root = ET.fromstring(given.stdout)
    assert (root.get("tests"), root.get("failures"), root.get("errors"), root.get("skipped")) == ("5", "4", "0", "1")
    found = {case.get("name"): [(child.tag, child.get("message")) for child in case] for case in root.iter("testcase")}
    assert found["opening"] == [("skipped", "wrong, as expected: not there yet")]
    assert found["empty-ledger"] == [("failure", "passed, and is expected to fail")]
    assert found["utf-8"] == [("failure", "wrong")]
    assert {case.get("classname") for case in root.iter("testcase")} == {"rounds.fold.rounds.md 3"}


def test_expected_failures(cases: Path, tmp_path: Path) -> None:
    known = tmp_path / "known.txt"
    options = ("--cases", cases, "--expected-failures", known, "--protocol", "lines")
    known.write_text("".join(f"{case} some day\n" for case in WRONG_THERE), "utf-8")
    given = conform(*options, subject=lines("right"))
    assert given.exit_code == 0
    assert "lines.py right passes every case but 4 that are expected to fail" in given.stdout
    assert "1 of 5 passed, 4 failed as expected" in given.stdout
    given = conform(*options, subject=(*REFERENCE, "lines"))
    assert given.exit_code == 1
    assert "opening: passed, and is expected to fail" in given.stdout
    assert "1 of 5 passed, 4 passed unexpectedly" in given.stdout
    # What is not asked is not missed.
    assert conform(*options, "--case", "empty-ledger", subject=lines("right")).exit_code == 0
    known.write_text("no-such-case because\n", "utf-8")
    given = conform(*options, subject=lines("right"))
    assert given.exit_code == 2
    assert "known.txt:1: no-such-case: there is no such case" in given.stderr


def test_a_rule_that_passes_unexpectedly_is_not_broken(cases: Path, tmp_path: Path) -> None:
    known = tmp_path / "known.txt"
    known.write_text("opening some day\n", "utf-8")
    options = ("--cases", cases, "--expected-failures", known, "--protocol", "lines")
    given = conform(*options, subject=(*REFERENCE, "lines"))
    assert given.exit_code == 1
    assert "broken" not in given.stdout


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("stop-fails", "exited with 1 after `stop`"),
        ("twice", "said '{"),
        ("stays", "still there 300 ms after `stop`"),
    ],
)
def test_how_it_leaves_counts(cases: Path, how: str, said: str) -> None:
    known = cases / "known.txt"
    known.write_text("opening some day\n", "utf-8")
    chosen = ("--case", "empty*", "--case", "opening", "--expected-failures", known)
    options = ("--cases", cases, "--protocol", "lines", *chosen, "--timeout", "0.3" if how == "stays" else "30")
    given = conform(*options, "--json", subject=lines(how))
    report = decode(given.stdout_bytes, type=ConformReport)
    assert (given.exit_code, report.ok, [case.ok for case in report.cases]) == (1, False, [True, True])
    assert said in str(report.leaving)
    given = conform(*options, subject=lines(how))
    assert given.exit_code == 1
    assert "leaving: crashed\n" in given.stdout
    assert said in given.stdout
    assert "does not conform" in given.stdout
    given = conform(*options, "--format", "junit", subject=lines(how))
    root = ET.fromstring(given.stdout)
    assert (root.get("tests"), root.get("errors")) == ("3", "1")
    [error] = root.iter("error")
    assert said in str(error.get("message"))
    # One that leaves as it should is not told of.
    report = decode(conform(*options, "--json", subject=lines("right")).stdout_bytes, type=ConformReport)
    assert (report.ok, report.leaving) == (True, None)


def test_what_cannot_start_is_not_asked_every_case(cases: Path) -> None:
    given = conform("--cases", cases, "--protocol", "lines", subject=lines("no-start"))
    assert given.exit_code == 1
    assert "0 of 5 passed, 3 crashed, 2 not run" in given.stdout
    assert given.stdout.count("cannot start") == 3


def test_a_finding_before_the_first_line(cases: Path) -> None:
    folder = cases / "cases" / "opening"
    (folder / "findings.json").write_text('{"conforms":true,"faults":[]}', "utf-8")
    for protocol, subject in (("once", once("negative-line")), ("lines", lines("negative-line"))):
        given = conform("--cases", folder, "--protocol", protocol, "--json", subject=subject, of="checker")
        [case] = decode(given.stdout_bytes, type=ConformReport).cases
        assert case.outcome is Outcome.crashed


@pytest.mark.parametrize("options", [(), ("--smoke",), ("--fuzz", "20", "--seed", "1")])
def test_words_that_no_file_holds(cases: Path, options: tuple[str, ...]) -> None:
    own = options or ("--cases", str(cases))
    subject = (*lines("odd-name"), "\udcff")
    given = conform(*own, "--protocol", "lines", "--json", subject=subject)
    assert (given.exit_code, given.stderr) == (1, "")
    report = json.loads(given.stdout_bytes)
    assert report["subject"][-1] == "\\udcff"
    if not options:
        assert (report["name"], report["version"]) == ("fake\\ud800", "1.0\\ud800")
    for form in () if options else ("human", "junit"):
        assert "\\udcff" in conform(*own, "--protocol", "lines", "--format", form, subject=subject).stdout
    if options:
        assert "\\udcff" in conform(*own, "--protocol", "lines", subject=subject).stdout


def test_smoke() -> None:
    given = conform("--smoke", "--protocol", "lines", subject=(*REFERENCE, "lines"))
    assert given.exit_code == 0
    assert given.stdout.endswith("lines is wired up; go on without --smoke\n")
    given = conform("--smoke", "--protocol", "lines", "--json", subject=lines("right"))
    report = decode(given.stdout_bytes, type=SmokeReport)
    assert (given.exit_code, report.wired, report.ok) == (1, True, False)
    given = conform("--smoke", subject=once("chats"))
    assert given.exit_code == 1
    assert "chats is not wired up yet" in given.stdout
    given = conform("--smoke", subject=once("right"), of="checker")
    assert given.exit_code == 1
    assert 'expected {"findings": [...]}, found {"run": ' in given.stdout


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--json", "--format", "junit", "--", "x"), "--json and --format junit ask for two formats"),
        (("--smoke", "--fuzz", "3", "--", "x"), "--smoke and --fuzz ask for two things"),
        (("--smoke", "--case", "x", "--", "x"), "--smoke asks none of the cases"),
        (("--fuzz", "3", "--format", "junit", "--", "x"), "--fuzz has no JUnit report"),
        (("--seed", "3", "--", "x"), "--seed and --save belong to --fuzz"),
        (("--timeout", "0", "--", "x"), "'--timeout'"),
        (("--timeout", "nan", "--", "x"), "'--timeout'"),
        (("--timeout", "inf", "--", "x"), "'--timeout'"),
        (
            ("--fuzz", "1", "--", "no-such-program-anywhere"),
            "no-such-program-anywhere: cannot be started: No such file",
        ),
        (("--", "no-such-program-anywhere"), "no-such-program-anywhere: cannot be started: No such file"),
        (("--case", "no-*", "--", "x"), "--case no-*: no case is called so"),
        ((), "CMD"),
    ],
)
def test_wrong_usage(cases: Path, arguments: tuple[str, ...], why: str) -> None:
    own = () if "--smoke" in arguments or "--fuzz" in arguments else ("--cases", cases)
    given = rounds("conform", "fold", *own, *arguments)
    assert (given.exit_code, given.stdout) == (2, "")
    assert given.stderr.startswith("rounds: ")
    assert why in given.stderr


def test_folders_of_cases(cases: Path, tmp_path: Path) -> None:
    subject = lines("right")
    options = ("--protocol", "lines", "--json")
    for folder, count in ((cases, 5), (cases / "cases", 5), (cases / "cases" / "opening", 1)):
        report = decode(conform("--cases", folder, *options, subject=subject).stdout_bytes, type=ConformReport)
        assert report.totals.cases == count
    (tmp_path / "empty").mkdir()
    given = conform("--cases", tmp_path / "empty", subject=subject)
    assert given.exit_code == 2
    assert "no case of a fold in it" in given.stderr


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("about.md", b"nothing", "about.md: expects the lines"),
        ("about.md", b"# opening\n\n\xff", "about.md: not UTF-8 at byte 11"),
        ("about.md", None, "about.md: No such file"),
        ("ledger.jsonl", None, "ledger.jsonl: No such file"),
        ("rounds.json", b"{", "rounds.json: not JSON: "),
        ("rounds.json", b'{"a":' * 5000 + b"1" + b"}" * 5000, "rounds.json: not JSON: it nests deeper than 64 levels"),
    ],
)
def test_a_case_that_cannot_be_read(cases: Path, file: str, content: bytes | None, said: str) -> None:
    where = cases / "cases" / "opening" / file
    if content is None:
        where.unlink()
    else:
        where.write_bytes(content)
    given = conform("--cases", cases, subject=once("right"))
    assert (given.exit_code, given.stdout) == (2, "")
    assert given.stderr.startswith(f"rounds: {cases}")
    assert said in given.stderr
    assert "Errno" not in given.stderr


@pytest.mark.parametrize("of", ["fold", "checker"])
def test_help(of: str) -> None:
    given = rounds("conform", of, "--help")
    assert given.exit_code == 0
    assert f"  rounds conform {of} --smoke -- " in given.stdout
    assert "Exit codes: 0 everything as expected" in given.stdout


def test_fuzzing(tmp_path: Path) -> None:
    options = ("--fuzz", "20", "--seed", "3", "--save", tmp_path / "found")
    given = conform(*options, "--json", subject=lines("right"))
    report = decode(given.stdout_bytes, type=FuzzSummary)
    assert (given.exit_code, report.ok, report.seed, report.protocol) == (1, False, 3, "lines")
    assert report.failure is not None
    assert report.failure.outcome is Outcome.wrong
    assert report.failure.differences
    # What was saved is a case, and asked again it fails again.
    assert report.saved is not None
    found = conform("--cases", tmp_path / "found", "--json", "--protocol", "lines", subject=lines("right"))
    [case] = decode(found.stdout_bytes, type=ConformReport).cases
    assert (case.id, case.outcome, case.rule) == (Path(report.saved).name, Outcome.wrong, report.failure.rule)
    given = conform(*options, subject=lines("right"))
    assert given.exit_code == 1
    for said in (*report.failure.ledger.splitlines(), f"rule      {report.failure.rule}", "seed      3", report.saved):
        assert said in given.stdout


def test_a_folder_that_cannot_be_saved_to_is_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    asked = tmp_path / "asked"
    subject = (sys.executable, "-ISc", f"open({str(asked)!r}, 'w')")
    given = conform("--fuzz", "20", "--save", tmp_path / "file" / "found", subject=subject)
    assert (given.exit_code, given.stdout) == (2, "")
    assert f"--save: {tmp_path / 'file' / 'found'}: Not a directory" in given.stderr
    assert not asked.exists()


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_find_that_cannot_be_saved_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: tuple[str, ...]
) -> None:
    def full(*_: object, **__: object) -> Path:
        raise OSError(28, "No space left on device", "somewhere")

    monkeypatch.setattr("accounting.conformance.finds.save", full)
    given = conform("--fuzz", "20", "--seed", "3", "--save", tmp_path / "found", *form, subject=lines("right"))
    assert given.exit_code == 2
    assert "rounds.md" in given.stdout
    assert "somewhere: No space left on device" in given.stderr
    if form:
        assert json.loads(given.stdout)["saved"] is None


def test_fuzzing_needs_hypothesis(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("hypothesis", "accounting.conformance.fuzzing"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    given = conform("--fuzz", "1", subject=lines("right"))
    assert given.exit_code == 2
    assert given.stderr == "rounds: --fuzz needs hypothesis: pip install 'rounds[conformance]'\n"


def test_fuzzing_a_right_fold() -> None:
    given = conform("--fuzz", "20", subject=(*REFERENCE, "lines"))
    assert given.exit_code == 0
    assert "reference lines was right on every ledger\n   ledgers   20, " in given.stdout


def test_the_page_runs_as_it_stands() -> None:
    [program] = re.findall(r"```python\n(.*?)```", (DOCS / "conformance.md").read_text("utf-8"), re.DOTALL)
    with nothing_left():
        exec(compile(program, "conformance.md", "exec"), {})


def test_the_subject_of_the_protocol_page_is_wired_up(tmp_path: Path) -> None:
    node = which("node")
    if node is None:
        pytest.skip("no node")
    page = (schema_dir() / "conformance" / "protocol.md").read_text("utf-8")
    [program] = re.findall(r"```js\n(.*?)```", page, re.DOTALL)
    (tmp_path / "fold.mjs").write_text(program, "utf-8")
    given = conform("--smoke", "--protocol", "lines", "--json", subject=(node, str(tmp_path / "fold.mjs")))
    report = decode(given.stdout_bytes, type=SmokeReport)
    assert (report.wired, report.ok) == (True, False)


@pytest.mark.parametrize("code", [0, 1])
def test_words_of_others_do_not_act_on_a_terminal(cases: Path, code: int) -> None:
    program = f"import sys; sys.stderr.write('\\x1b[31m\\u202e'); sys.exit({code})"
    given = conform("--cases", cases, "--case", "opening", subject=(sys.executable, "-ISc", program))
    assert "\\x1b[31m" in given.stdout
    assert "\x1b" not in given.stdout


WAITS = """
import json, os, pathlib, sys, threading
folds = 0
def hang():
    file = pathlib.Path(sys.argv[1])
    new = file.with_suffix(".new")
    new.write_text(str(os.getpid()))
    new.rename(file)
    threading.Event().wait()
if sys.argv[2] == "at-once":
    hang()
for line in sys.stdin:
    asked = json.loads(line)
    reply = {"re": "start", "protocol": 1, "name": "slow", "version": "1"}
    if asked["cmd"] == "fold":
        folds += 1
        if folds > 3:
            hang()
        reply = {"re": "fold", "id": asked["id"], "answer": {"run": asked["run"], "turns": []}}
        if folds == 3 and sys.argv[2] == "while-shrinking":
            reply = {"re": "fold", "id": asked["id"], "rejected": "no"}
    print(json.dumps(reply), flush=True)
"""


@pytest.mark.parametrize("how", ["at-once", "while-searching", "while-shrinking"])
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_interrupted(cases: Path, tmp_path: Path, number: signal.Signals, code: int, how: str) -> None:
    pid_file = tmp_path / "pid"
    what = ("--cases", str(cases)) if how == "at-once" else ("--fuzz", "50", "--seed", "3")
    subject = (sys.executable, "-ISc", WAITS, str(pid_file), how)
    command = (*ROUNDS, "conform", "fold", *what, "--timeout", "600", "--", *subject)
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()) as process:
        wait_for(pid_file.exists)
        os.kill(process.pid, number)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (code, b"", b"")
    pid = int(pid_file.read_text())
    wait_for(lambda: not alive(pid))


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = monotonic() + 30
    while not condition():
        assert monotonic() < deadline
