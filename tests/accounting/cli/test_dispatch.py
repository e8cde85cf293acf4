"""`rounds dispatch`: what each command prints, and its exit codes. Spec: dispatch.md, issue 8."""

import json
import os
import re
import stat
from pathlib import Path
from typing import Any, cast

import pytest

from accounting.cli.dispatch.drawing import draw_run
from accounting.cli.dispatch.listing import STATES, draw_list
from tests.accounting.cli.dispatching import dispatch, dispatch_json, places, start, store
from tests.accounting.cli.help import rounds
from tests.accounting.dispatch.runs import SESSION, create, journal_of
from tests.wire.shapes import jsonschema_rs
from wire import decode, encode
from wire.dispatch import (
    ArchiveManifest,
    CancelAnswer,
    DispatchError,
    DispatchJournal,
    DispatchList,
    DispatchState,
    DoctorReport,
)
from wire.scalars import DispatchId, dispatch_id

__all__ = ["places"]

COMMANDS = ("start", "wait", "cancel", "list", "show", "archive", "doctor")
AGENT = ("--profile", "fake", "--workspace")
SCHEMA = Path(__file__).resolve().parents[3] / "schema"
RUN = cast("DispatchId", "wb-21247a57b8ae3af2")
NOBODY = ("--workspace", "{here}", "--profile")


def started(places: Path) -> int:
    """How many agents were started."""
    path = places / "started"
    return len(path.read_text().split()) if path.exists() else 0


# Help.


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_examples(command: str) -> None:
    given = dispatch(command, "--help")
    assert given.exit_code == 0
    assert f"rounds dispatch {command}" in given.stdout.partition("Examples:")[2]
    assert "--json" in given.stdout


def test_help_names_every_command_and_exit_code() -> None:
    given = dispatch("--help")
    assert all(f"\n  {command} " in given.stdout for command in COMMANDS)
    told = " ".join(given.stdout.partition("Exit codes:")[2].split())
    assert re.findall(r"\b\d+\b", told)[:5] == ["0", "1", "2", "3", "130"]


def test_the_states_to_choose_from_are_all_there_are() -> None:
    assert list(STATES) == [*DispatchState]


# Starting and waiting.


def test_a_run_is_started_and_waited_for(places: Path) -> None:
    given = dispatch("start", *AGENT, places / "workspace", f"init hold:{places}/go call:a ok:done")
    assert (given.exit_code, given.stderr) == (0, "")
    match = re.fullmatch(
        rf"(wb-[0-9a-f]{{16}}): running, session {SESSION}; `rounds dispatch wait \1` waits for its end\n", given.stdout
    )
    assert match is not None, given.stdout
    run = match[1]
    late = dispatch("wait", run, "--timeout", "0")
    assert (late.exit_code, late.stdout) == (3, given.stdout)
    (places / "go").touch()
    done = dispatch("wait", run[:9])
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.startswith(f"{run}  succeeded by observation · end_turn\n  agent           fake, run\n")
    assert (
        "  tool calls      1\n  tokens          7 in · 5 out\n  cost            $0.2500\n  turns           2\n"
        in done.stdout
    )
    assert done.stdout.endswith(
        f"task\n  init hold:{places}/go call:a ok:done\n\nresult\n  done\n\n`rounds show {run}` draws it turn by turn\n"
    )
    assert dispatch("show", run).stdout == done.stdout
    assert f"{places / 'workspace'}\n" in done.stdout


def test_as_json_it_is_the_journal(places: Path) -> None:
    journal = start(places, "init ok", "--wait", "20", "--review")
    assert decode(json.dumps(journal).encode(), DispatchJournal).state is DispatchState.succeeded
    assert (journal["kind"], journal["profile"], journal["workspace"]) == ("review", "fake", str(places / "workspace"))
    assert "idempotentReplay" not in journal
    for command in ("show", "wait"):
        assert dispatch_json(command, journal["runId"]) == journal
    assert (places / "reviewed").exists()
    assert started(places) == 0


@pytest.mark.parametrize(
    ("task", "state", "code"),
    [
        ("init ok", "succeeded", 0),
        ("init error:error_max_turns", "failed", 1),
        ("init success-error", "failed", 1),
        ("init exit:0", "unknown", 1),
        ("exit:3", "unknown", 1),
    ],
)
def test_the_exit_code_says_whether_it_succeeded(places: Path, task: str, state: str, code: int) -> None:
    journal = dispatch_json("start", *AGENT, places / "workspace", "--wait", "20", task, code=code)
    assert journal["state"] == state
    run = journal["runId"]
    assert dispatch_json("wait", run, code=code)["state"] == state
    assert dispatch("show", run).exit_code == dispatch("list").exit_code == 0


def test_what_failed_is_told_with_its_reason(places: Path) -> None:
    (places / "gone").write_text("no program of this system\n")
    (places / "gone").chmod(0o755)
    given = dispatch("start", "--profile", "gone", "--workspace", places / "workspace", "x")
    assert given.exit_code == 1
    assert re.match(
        r"wb-\w+  failed by observation · spawn_error\n  error           (?!spawn_error).*format error", given.stdout
    )
    assert "draws it turn by turn" not in given.stdout


def test_the_task_from_standard_input_and_from_a_file(places: Path) -> None:
    given = dispatch("start", *AGENT, places / "workspace", "--wait", "20", "--json", "-", input="init\nok:\u2028б\n")
    assert given.exit_code == 0, given.output
    assert json.loads(given.stdout)["task"] == "init\nok:\u2028б\n"
    path = places / "task.md"
    path.write_bytes("init\r\nok:é\n".encode())
    words = ("start", *AGENT, places / "workspace", "--task-file", path)
    journal = dispatch_json(*words, "--wait", "20")
    assert (journal["task"], journal["resultText"]) == ("init\r\nok:é\n", "é")
    given = dispatch("start", *AGENT, places / "workspace", "-", input=b"init \xff")
    assert (given.exit_code, given.stdout) == (2, "")
    assert given.stderr == "rounds: standard input: no UTF-8 at byte 5; write the task as UTF-8\n"
    path.write_bytes(b"init \xff")
    assert dispatch(*words).stderr == f"rounds: {path}: no UTF-8 at byte 5; write the task as UTF-8\n"
    assert dispatch(*words[:-1], places / "none").stderr == f"rounds: {places / 'none'}: No such file or directory\n"


def test_the_workspace_is_the_directory_that_is_meant(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(places / "workspace")
    (places / "link").symlink_to(places / "workspace")
    for spelled in (".", "../link"):
        journal = dispatch_json("start", "--profile", "fake", "--workspace", spelled, "init cwd ok", "--wait", "20")
        assert journal["workspace"] == str(places / "workspace")
        run = dispatch_id(journal["runId"])
        assert run is not None
        assert store(places).stream_path(run).read_text().splitlines()[1] == str(places / "workspace")


# Keys.


def test_a_key_names_one_run(places: Path) -> None:
    first = start(places, "init ok", "--key", "nightly-2026-09-01", "--wait", "20")
    assert first["runId"] == "wb-21247a57b8ae3af2"
    again = dispatch("start", *AGENT, places / "workspace", "init ok", "--key", "nightly-2026-09-01", "--json")
    assert json.loads(again.stdout) == first | {"idempotentReplay": True}
    assert again.stderr == "rounds: the key names wb-21247a57b8ae3af2 already; nothing was started\n"
    other = dispatch("start", *AGENT, places, "init error:x", "--review", "--key", "nightly-2026-09-01")
    assert other.exit_code == 0
    assert other.stderr == (
        "rounds: the key names wb-21247a57b8ae3af2 already, which was asked for with another kind, workspace, task;"
        " nothing was started\n"
    )
    assert started(places) == 1
    assert [start(places, "init ok", "--key", "", "--wait", "20")["runId"] for _ in range(2)].count(first["runId"]) == 0
    assert started(places) == 3


def test_a_key_that_named_a_failed_run_fails_again(places: Path) -> None:
    words = ("start", *AGENT, places / "workspace", "init error:x", "--key", "k")
    assert dispatch(*words, "--wait", "20").exit_code == dispatch(*words).exit_code == 1
    assert started(places) == 1


def test_a_key_is_answered_also_where_the_workspace_is_gone(places: Path) -> None:
    first = start(places, "init ok", "--key", "k", "--wait", "20")
    (places / "workspace").rmdir()
    assert start(places, "init ok", "--key", "k") == first | {"idempotentReplay": True}


# Cancelling.


def test_a_run_is_cancelled(places: Path) -> None:
    run = start(places, "init sleep:60")["runId"]
    given = dispatch("cancel", run[:8])
    assert (given.exit_code, given.stdout, given.stderr) == (0, f"{run}: cancelled\n", "")
    assert dispatch("wait", run).exit_code == 1
    assert re.search(r"\n  cancel asked    20\S+ \S+ UTC\n  ended           20", dispatch("show", run).stdout)
    again = dispatch("cancel", run)
    assert (again.exit_code, again.stdout, again.stderr) == (0, f"{run}: cancelled\n", "")
    done = start(places, "init ok", "--wait", "20")["runId"]
    late = dispatch("cancel", done)
    assert (late.exit_code, late.stdout) == (1, "")
    assert late.stderr == f"rounds: {done}: not cancelled: it had ended before: succeeded\n"
    answer = dispatch_json("cancel", done, code=1)
    assert decode(json.dumps(answer).encode(), CancelAnswer).run.state is DispatchState.succeeded


def test_a_cancelled_run_frees_its_key(places: Path) -> None:
    run = start(places, "init sleep:60", "--key", "k")["runId"]
    assert dispatch_json("cancel", run)["cancelled"]
    again = start(places, "init ok", "--key", "k", "--wait", "20")
    assert (again["runId"], again["state"]) == (run, "succeeded")
    assert started(places) == 2


# Listing.


def test_runs_are_listed_the_newest_first(places: Path) -> None:
    assert dispatch("list").stdout == ""
    made = [
        start(places, f"init {word} ok:\x1b[31mx", "--wait", "20")["runId"] for word in ("call:a", "call:b", "call:c")
    ]
    listed = dispatch("list")
    assert (listed.exit_code, listed.stderr) == (0, "")
    rows = listed.stdout.splitlines()
    assert [row[:19] for row in rows] == made[::-1]
    assert re.fullmatch(r"wb-\w{16}  succeeded  run     fake  20\S+Z  init call:c ok:\\x1b\[31mx", rows[0])
    assert [one["runId"] for one in dispatch_json("list", "--limit", "2")["runs"]] == made[:0:-1]
    assert dispatch_json("list", "--state", "failed", "--state", "running") == {"runs": [], "unreadable": []}
    assert [one["runId"] for one in dispatch_json("list", "--state", "succeeded", "--limit", "1")["runs"]] == made[-1:]
    failed = dispatch_json("start", *AGENT, places / "workspace", "--wait", "20", "exit:1", code=1)["runId"]
    assert [one["runId"] for one in dispatch_json("list", "--limit", "1")["runs"]] == [failed]
    assert [one["runId"] for one in dispatch_json("list", "--state", "succeeded", "--limit", "2")["runs"]] == made[
        :0:-1
    ]


def test_a_journal_that_does_not_read_is_told_and_hides_no_other(places: Path) -> None:
    run = start(places, "init ok", "--wait", "20")["runId"]
    path = places / "state/runs/wb-0123456789abcdef.json"
    path.write_text('{"runId":"wb-0123456789abcdef","state":"succ')
    listed = dispatch("list")
    assert (listed.exit_code, listed.stdout[:19]) == (1, run)
    assert listed.stderr.startswith(f"rounds: {path}: this journal does not read: ")
    answer = dispatch_json("list", code=1)
    assert decode(json.dumps(answer).encode(), DispatchList).unreadable[0].path == str(path)
    for command in ("show", "wait", "cancel"):
        given = dispatch(command, "wb-0123456789abcdef")
        assert (given.exit_code, given.stdout) == (2, "")
        assert given.stderr.startswith(f"rounds: {path}: this journal does not read (")


def draw_journal(places: Path, width: int) -> list[str]:
    """A run with all there may be of it, drawn on a terminal of that width."""
    journal = journal_of(
        RUN, state=DispatchState.failed, state_source="observation", stop_reason="error_max_turns", pid=7,
        session_id=SESSION, session_file=f"/home/ada/projects/-work/{SESSION}.jsonl", result_text="It leaks. " * 9,
        error=DispatchError(code="error_max_turns", message="It leaks. " * 9), duration_ms=7, finished_at=2_000,
    )  # fmt: skip
    return [line.plain for line in draw_run(store(places), journal, width)]


@pytest.mark.parametrize("width", [16, 20, 40, 80, 200])
def test_a_narrow_terminal_is_not_overrun(places: Path, width: int) -> None:
    drawn = draw_journal(places, width)
    assert max(map(len, drawn)) <= width
    whole = "".join("".join(drawn).split())
    for word in (RUN, "failed", "error_max_turns", SESSION, "1970-01-01"):
        assert word in whole
    assert whole.count("error_max_turns") == 1
    assert whole.count("Itleaks.") == 9
    runs = tuple(
        journal_of(
            RUN, state=DispatchState(state), state_source=source, profile=profile, task="Fix the tide table. " * 9
        )
        for state, source in (("running", None), ("succeeded", "transcript"), ("unknown", "process-exit"))
        for profile in ("claude_code", "a" * 64)
    )
    listed = [line.plain for line in draw_list(runs, width)]
    assert max(map(len, listed)) <= width
    assert width < 40 or sum("Fix the tide" in line for line in listed) == len(runs)


def test_beside_a_label_there_is_room_to_read(places: Path) -> None:
    for width in range(19, 60):
        drawn = draw_journal(places, width)
        at = next(index for index, line in enumerate(drawn) if line.startswith("  agent"))
        shown = drawn[at].removeprefix("  agent").strip() or drawn[at + 1].strip()
        assert shown == "fake, run", width


# Which run.


@pytest.mark.parametrize("command", ["wait", "show", "cancel"])
def test_a_beginning_of_an_id_is_enough_where_it_is_one_runs(places: Path, command: str) -> None:
    given = dispatch(command, "wb-01")
    assert (given.exit_code, given.stdout) == (2, "")
    assert given.stderr == (
        f"rounds: wb-01: no such run in {places / 'state/runs'}; `rounds dispatch list` shows those there are\n"
    )
    journal = store(places)
    for ident in ("wb-0123456789abcdef", "wb-0123456789abcde0"):
        run = dispatch_id(ident)
        assert run is not None
        assert create(journal, journal_of(run, state=DispatchState.queued))
    given = dispatch(command, "wb-0123")
    assert given.stderr == (
        "rounds: 2 runs begin with 'wb-0123'; give more of the id\n  wb-0123456789abcde0\n  wb-0123456789abcdef\n"
    )
    for unlike in ("wb-", "", "0123", "../wb-0123456789abcdef", "wb-0123456789abcdef0"):
        assert "no such run" in dispatch(command, unlike).stderr


# Archiving.


def session(places: Path) -> Path:
    """A session file of the agent, where it keeps them."""
    path = places / "agent/projects/-work" / f"{SESSION}.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text('{"type":"user"}\n')
    return path


def test_the_session_of_a_run_is_archived(places: Path) -> None:
    run = start(places, "init ok", "--wait", "20")["runId"]
    early = dispatch("archive", run, "--project", "harbour")
    assert early.exit_code == 2
    assert early.stderr == (
        f"rounds: {run} is succeeded, and its agent's own session file is not there;"
        f" what the agent printed is in {places}/state/runs/{run}.stream.jsonl\n"
    )
    path = session(places)
    manifest = dispatch_json("archive", run, "--project", "harbour")
    read = decode(json.dumps(manifest).encode(), ArchiveManifest)
    assert (read.session_id, read.run_id, read.project, read.source.path) == (SESSION, run, "harbour", str(path))
    (copy,) = (places / "agent/session-archive").glob(f"*/harbour/{SESSION}.jsonl")
    assert copy.read_bytes() == path.read_bytes()
    again = dispatch("archive", run, "--project", "harbour")
    assert (again.exit_code, again.stderr) == (0, "")
    assert again.stdout == f"{copy}: 16 bytes, sha256 {read.copy.sha256}\n"
    assert (read.dir, read.copy.path) == (str(copy.parent), copy.name)


def test_a_session_is_archived_by_its_whole_id(places: Path) -> None:
    path = session(places)
    manifest = dispatch_json("archive", "--session", SESSION, "--project", "harbour")
    assert (manifest["source"]["path"], manifest["runId"]) == (str(path), None)
    given = dispatch("archive", "--session", SESSION[:8], "--project", "harbour")
    assert (given.exit_code, given.stdout) == (2, "")
    assert "only the beginning of an id" in given.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("archive", "--project", "x"), "give a run, or a session's whole id with --session, one of them"),
        (("archive", "wb-1", "--session", "x", "--project", "x"), "give a run, or a session's whole id"),
        (("archive", "--session", SESSION, "--project", "../x"), "'../x'"),
        (("archive", "wb-1"), "Missing option '--project'"),
        (("start", *AGENT, "{here}"), "give the task in words, as - for standard input, or with --task-file"),
        (("start", *AGENT, "{here}", "x", "--task-file", "x"), "give the task in words, as - for standard input"),
        (("start", *AGENT, "{here}", " "), "the task is blank; say what is to be done"),
        (("start", *AGENT, "{here}/none", "x"), "{here}/none: no such directory; nothing was started: name a"),
        (("start", *AGENT, "{here}/dispatch.toml", "x"), "{here}/dispatch.toml: no directory; nothing was started"),
        (("start", *AGENT, "{here}", "x", "--wait", "inf"), "Invalid value for '--wait': 'inf' is no number"),
        (("start", *AGENT, "{here}", "x", "--wait", "31622401"), "is no number of seconds from 0 to 31,622,400"),
        (("wait", "wb-1", "--timeout", "nan"), "Invalid value for '--timeout': 'nan' is no number of seconds"),
        (("wait", "wb-1", "--timeout", "1e400"), "Invalid value for '--timeout': '1e400' is no number of seconds"),
        (("start", "--workspace", "{here}", "x"), "Missing option '--profile'"),
        (("start", *NOBODY, "no", "x"), "there is no profile 'no'; there are: c"),
        (("start", *NOBODY, "gone", "x"), "profile 'gone' cannot be started: there is no {here}/g"),
        (("start", *NOBODY, "gone", "--review", "x"), "profile 'gone' has no `review` arguments"),
        (("start", *AGENT, "{here}", "x", "--wait", "-1"), "Invalid value for '--wait'"),
        (("list", "--state", "done"), "Invalid value for '--state'"),
        (("wait", "wb-1", "--timeout", "x"), "Invalid value for '--timeout'"),
    ],
)  # fmt: skip
def test_trouble_is_one_line(places: Path, words: tuple[str, ...], told: str) -> None:
    session(places)
    given = dispatch(*(word.format(here=places) for word in words))
    assert (given.exit_code, given.stdout) == (2, "")
    assert told.format(here=places) in given.stderr
    assert given.stderr.count("\n") == 1
    assert not (places / "state").exists()


@pytest.mark.parametrize("flag", ["--permission-mode=bypassPermissions", "-y", "--dangerously-skip-permissions"])
def test_no_run_is_started_with_more_leave(places: Path, flag: str) -> None:
    config = places / "dispatch.toml"
    config.write_text(f'[profiles.fake]\nprogram = "claude"\nrun = ["-p", "{flag}"]\n')
    given = dispatch("start", *AGENT, places / "workspace", "x")
    assert (given.exit_code, given.stdout) == (2, "")
    assert given.stderr.startswith(f"rounds: {config}: [profiles.fake]: run[1]: `")
    assert "widens the agent's permissions" in given.stderr
    assert not (places / "state").exists()
    told = dispatch("doctor")
    assert told.exit_code == 1
    assert given.stderr in told.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--workspace", "{here}/w\udcff", "x"), "the workspace is no text in UTF-8: '{here}/w\\udcff'"),
        (("--workspace", "{here}", "--key", "k\udcff", "x"), "the key is no text in UTF-8: 'k\\udcff'"),
        (("--workspace", "{here}", "x\udcff"), "the task is no text in UTF-8: 'x\\udcff'"),
    ],
)
def test_what_is_no_text_is_named(places: Path, words: tuple[str, ...], told: str) -> None:
    given = dispatch("start", "--profile", "fake", *(word.format(here=places) for word in words))
    assert (given.exit_code, given.stderr) == (2, f"rounds: {told.format(here=places)}; nothing was started\n")


@pytest.mark.parametrize("words", [("doctor",), ("list",), ("start", *AGENT, ".", "x")], ids=" ".join)
def test_a_working_directory_that_is_gone(
    places: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    (places / "gone").mkdir()
    monkeypatch.chdir(places / "gone")
    (places / "gone").rmdir()
    if words[0] != "start":
        monkeypatch.setenv("ROUNDS_STATE_DIR", "relative")
    given = dispatch(*words)
    assert (given.exit_code, given.stdout) == (2, "")
    assert given.stderr == (
        f"rounds: {'.' if words[0] == 'start' else 'relative'}: the working directory cannot be told"
        " (No such file or directory); change to one that is there\n"
    )
    shown = rounds("show", "wb-21")
    assert shown.exit_code == 2
    assert shown.stderr.count("\n") == 1


# Doctor.


def test_doctor_shows_how_agents_are_started(places: Path) -> None:
    before = sorted(places.rglob("*"))
    given = dispatch("doctor", env={"FAKE_KEY": "sk-secret-1"})
    assert (given.exit_code, given.stderr) == (0, "")
    assert "\nfake  ready\n  program         " in given.stdout
    assert re.search(r"\n  review          \S+ -S -E \S+ --to \S+/reviewed < TASK\n  run             ", given.stdout)
    assert re.search(r"\n  environment     .*HOME .*ROUNDS_TEST_MARK", given.stdout)
    assert f"\n  note            {places}/agent: no such directory;" in given.stdout
    assert f"\ngone  not ready\n  missing         there is no {places}/gone; correct `program` in" in given.stdout
    assert given.stdout.endswith(f"\nruns\n  are kept in     {places}/state\n")
    assert "secret" not in given.stdout
    assert sorted(places.rglob("*")) == before
    report = decode(json.dumps(dispatch_json("doctor")).encode(), DoctorReport)
    assert [one.profile for one in report.profiles if one.ready] == ["fake"]


def test_doctor_fails_where_no_agent_can_be_started(places: Path) -> None:
    (places / "dispatch.toml").write_text("")
    assert dispatch("doctor", env={"PATH": str(places)}).exit_code == 1


def test_doctor_shows_names_that_are_no_text(places: Path) -> None:
    (places / "dispatch.toml").write_text('[profiles.x]\nprogram = "~/gone"\nrun = []\nconfiguration = "~/.x"\n')
    report = dispatch_json("doctor", code=1, env={"HOME": f"{places}/h\udcff"})
    assert report["profiles"][-1]["profile"] == "x"
    assert report["profiles"][-1]["configuration"] == f"{places}/h\\udcff/.x"


def test_what_is_printed_as_json_is_as_the_schema_says(places: Path) -> None:
    session(places)
    run = start(places, "init call:a ok", "--key", "k", "--wait", "20")["runId"]
    (places / "state/runs/wb-0123456789abcdef.json").write_text("{")
    for shape, given in (
        ("dispatch-journal", start(places, "init", "--key", "k")),
        ("dispatch-journal", dispatch_json("wait", run)),
        ("dispatch-journal", dispatch_json("show", run)),
        ("dispatch-list", dispatch_json("list", code=1)),
        ("cancel-answer", dispatch_json("cancel", run, code=1)),
        ("archive-manifest", dispatch_json("archive", run, "--project", "p")),
        ("doctor-report", dispatch_json("doctor")),
        ("doctor-report", dispatch_json("doctor", env={"HOME": "relative"})),
    ):
        schema = json.loads((SCHEMA / f"{shape}.schema.json").read_text())
        jsonschema_rs.validate(schema, given)
        assert not jsonschema_rs.is_valid(schema, given | {next(iter(given)): 0.5})


# What is left.


def test_nothing_is_readable_by_others_and_no_key_is_written(places: Path) -> None:
    before = os.umask(0)
    try:
        start(places, "init ok", "--key", "the-secret-key", "--wait", "20")
    finally:
        os.umask(before)
    for path in (places / "state", *(places / "state").rglob("*")):
        assert not stat.S_IMODE(path.stat().st_mode) & 0o077, path
        assert not path.is_file() or b"the-secret-key" not in path.read_bytes()


def test_a_run_is_drawn_as_rounds(places: Path) -> None:
    journal = start(places, "init call:a ok:well", "--wait", "20")
    drawn = rounds("show", journal["runId"])
    assert drawn.exit_code == 0, drawn.output
    assert "Read" in drawn.stdout


def test_what_a_terminal_would_act_on_is_made_visible(places: Path) -> None:
    journal: Any = start(places, "init ok:\x1b[2Jx", "--wait", "20")
    assert journal["resultText"] == "\x1b[2Jx"
    shown = dispatch("show", journal["runId"]).stdout
    assert "\x1b" not in shown
    assert r"\x1b[2Jx" in shown
    assert encode(decode(json.dumps(journal).encode(), DispatchJournal))
