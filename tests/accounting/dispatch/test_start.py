"""Starting runs: once for each key, written down before, with what the agent is given and no more. Real processes."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from stat import S_IMODE

import pytest
from msgspec import UNSET, structs

from accounting.dispatch import children
from accounting.dispatch.cancel import cancel
from accounting.dispatch.children import child_of
from accounting.dispatch.errors import CorruptJournalError, KeyCollisionError, RequestError, RunBusyError
from accounting.dispatch.ids import key_hash, run_id_of
from accounting.dispatch.launching import plan_launcher, start_launcher
from accounting.dispatch.observe import observe
from accounting.dispatch.start import start
from accounting.dispatch.store import RunStore
from accounting.dispatch.wait import wait
from accounting.processes import PROCESSES
from accounting.processes.detached import Detached
from tests.accounting.dispatch.runs import (
    FAKE_AGENT,
    SESSION,
    World,
    create,
    is_replay,
    journal_of,
    path,
    until,
)
from wire.dispatch import DispatchJournal, DispatchKind, DispatchState, StateSource


def test_w1_a_run_from_its_start_to_its_result(world: World) -> None:
    run = world.start("init:s1 call:a call:b ok:Done")
    assert run.session_id == "s1"
    assert run.session_file is not None
    assert run.session_file.startswith(f"{world.configuration}/projects/")
    assert run.session_file.endswith("/s1.jsonl")
    ended = wait(world.store, run.run_id, 20_000)
    assert (ended.state, ended.state_source, ended.stop_reason) == (
        DispatchState.succeeded,
        StateSource.observation,
        "end_turn",
    )
    assert (ended.exit_code, ended.signal, ended.error) == (0, None, None)
    assert (ended.tool_calls, ended.result_text, ended.num_turns, ended.cost_usd_micros) == (2, "Done", 2, 250_000)
    assert ended.other_sessions == 1, "the result names another session than the first that was named"
    assert ended.pid == world.started()[0]
    assert ended.created_at <= (ended.started_at or 0) <= (ended.finished_at or 0) <= ended.updated_at
    assert ended.idempotency_key_sha256 is None
    assert ended.idempotent_replay is UNSET
    assert world.store.read(run.run_id) == ended


@pytest.mark.parametrize(
    ("task", "reason", "code"),
    [
        ("init error:error_max_turns exit:1", "error_max_turns", 1),  # W2
        ("init success-error", "error", 0),  # W3
        ("success-error kill:SIGKILL", "error", None),
    ],
)
def test_w2_w3_an_error_is_one_whatever_it_is_called(world: World, task: str, reason: str, code: int | None) -> None:
    ended = wait(world.store, world.start(task).run_id, 20_000)
    assert (ended.state, ended.state_source, ended.stop_reason) == (
        DispatchState.failed,
        StateSource.observation,
        reason,
    )
    assert ended.exit_code == code
    assert ended.error is not None
    assert ended.error.code == reason


def test_w14_the_exit_code_after_a_result_changes_nothing_but_is_told(world: World) -> None:
    ended = wait(world.store, world.start("init ok sleep:0.1 exit:1").run_id, 20_000)
    assert (ended.state, ended.exit_code, ended.signal) == (DispatchState.succeeded, 1, None)
    until(lambda: observe(world.store, ended.run_id) == ended)


def test_w14_an_agent_that_lingers_after_its_result_is_not_waited_for(world: World) -> None:
    run = world.start(f"init ok hold:{world.started_file}.go")
    ended = wait(world.store, run.run_id, 20_000)
    assert (ended.state, ended.exit_code) == (DispatchState.succeeded, None)
    Path(f"{world.started_file}.go").touch()
    until(lambda: not PROCESSES.alive(world.started()[0]))
    assert observe(world.store, run.run_id) == ended, "final is final"


def test_w18_warnings_are_passed_over(world: World) -> None:
    ended = wait(world.store, world.start("say:Warning:foo say:{ init say:[] ok").run_id, 20_000)
    assert (ended.state, ended.session_id, ended.ignored_lines) == (DispatchState.succeeded, SESSION, 3)


def test_w13_a_start_answers_without_a_session_that_never_comes(world: World) -> None:
    go = world.workspace / "go"
    began = time.monotonic()
    run = world.start(f"hold:{go} init ok", wait_ms=300)
    assert 0.3 <= time.monotonic() - began < 5.0
    assert (run.state, run.session_id) == (DispatchState.running, None)
    go.touch()
    ended = wait(world.store, run.run_id, 20_000)
    assert (ended.state, ended.session_id) == (DispatchState.succeeded, SESSION), "the later init fills it"


def test_a_launcher_is_waited_for_however_short_the_wait(world: World) -> None:
    run = world.start("sleep:0.1 init ok", wait_ms=0)
    assert (run.state, run.session_id) == (DispatchState.running, None)
    assert wait(world.store, run.run_id).state is DispatchState.succeeded


def test_it_is_written_down_before_it_is_started(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[DispatchJournal] = []

    def look(*args: object, **kwargs: object) -> None:
        found.append(world.store.read(run_id_of("harbour")))
        raise OSError("no more processes")

    monkeypatch.setattr("accounting.dispatch.start.start_launcher", look)
    failed = world.start("init ok", "harbour")
    assert found[0].state is DispatchState.queued
    assert (found[0].owner_pid, found[0].owner_pid_started_at) == (os.getpid(), PROCESSES.started_at(os.getpid()))
    assert (failed.state, failed.state_source, failed.stop_reason) == (
        DispatchState.failed,
        StateSource.observation,
        "spawn_error",
    )
    assert failed.error is not None
    assert "no more processes" in failed.error.message
    assert world.store.read(failed.run_id) == failed


def test_w10_w11_a_key_names_one_run(world: World) -> None:
    go = world.workspace / "go"
    first = world.start(f"init hold:{go} ok", "harbour")
    assert first.run_id == run_id_of("harbour")
    assert first.idempotency_key_sha256 == key_hash("harbour")
    assert not is_replay(first)
    second = world.start(f"init hold:{go} ok", "harbour")
    assert is_replay(second)
    assert structs.replace(second, idempotent_replay=UNSET, updated_at=0) == structs.replace(first, updated_at=0)
    go.touch()
    ended = wait(world.store, first.run_id, 20_000)
    third = world.start(f"init hold:{go} ok", "harbour")
    assert third == structs.replace(ended, idempotent_replay=True)
    assert len(world.started()) == 1
    assert b"idempotentReplay" not in world.store.journal_path(first.run_id).read_bytes()


@pytest.mark.parametrize("task", ["init error:error_during_execution", "init exit:3"])
def test_w11_neither_failed_nor_unknown_frees_a_key(world: World, task: str) -> None:
    ended = wait(world.store, world.start(task, "harbour").run_id, 20_000)
    again = world.start(task, "harbour")
    assert again == structs.replace(ended, idempotent_replay=True)
    assert len(world.started()) == 1


def test_w12_cancelled_frees_a_key(world: World) -> None:
    first = world.start("init sleep:60", "harbour")
    assert cancel(world.store, first.run_id).cancelled
    second = world.start("init ok", "harbour")
    assert second.run_id == first.run_id
    assert not is_replay(second)
    ended = wait(world.store, second.run_id, 20_000)
    assert (ended.state, ended.task) == (DispatchState.succeeded, "init ok")
    assert len(world.started()) == 2
    aside = json.loads((world.store.runs / f"{first.run_id}.1.json").read_text())
    assert (aside["state"], aside["task"]) == ("cancelled", "init sleep:60")
    assert (world.store.runs / f"{first.run_id}.1.stream.jsonl").read_text().count("\n") == 1
    assert world.stream(first.run_id).count("\n") == 2


def test_a_replay_says_what_was_asked_for_otherwise(world: World) -> None:
    world.start("init ok", "harbour")
    asked = structs.replace(world.request("another", "harbour"), kind=DispatchKind.review, profile="other")
    assert start(world.store, asked, world.plan(), world.environ).replay_differs == ("profile", "kind", "task")
    elsewhere = structs.replace(world.request("init ok", "harbour"), workspace=path(Path("/nowhere")))
    again = start(world.store, elsewhere, world.plan(), world.environ)
    assert again.replay_differs == ("workspace",), "and a workspace that is gone is no hindrance"
    assert world.start("init ok", "harbour").replay_differs is UNSET


def test_an_empty_key_is_none(world: World) -> None:
    runs = [world.start("init ok", "") for _ in range(2)]
    assert runs[0].run_id != runs[1].run_id
    assert {run.idempotency_key_sha256 for run in runs} == {None}
    assert run_id_of("") not in {run.run_id for run in runs}


def test_a_corrupt_journal_starts_nothing(world: World) -> None:
    run = world.start("init ok", "harbour").run_id
    wait(world.store, run)
    content = world.store.journal_path(run).read_bytes()[:-9]
    world.store.journal_path(run).write_bytes(content)
    with pytest.raises(CorruptJournalError):
        world.start("init ok", "harbour")
    assert world.store.journal_path(run).read_bytes() == content
    assert len(world.started()) == 1


@pytest.mark.parametrize("digest", [None, "0" * 64])
def test_another_key_s_run_is_no_replay(world: World, digest: str | None) -> None:
    run = run_id_of("harbour")
    create(world.store, journal_of(run, idempotency_key_sha256=digest))
    with pytest.raises(KeyCollisionError, match=run):
        world.start("init ok", "harbour")
    assert world.started() == ()


def test_a_busy_run_is_told_of(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("accounting.dispatch.start._PATIENCE_MS", 50)
    began = time.monotonic()
    with (
        world.store.locked(run_id_of("harbour")),
        pytest.raises(RunBusyError, match="is being changed by this very process"),
    ):
        world.start("init ok", "harbour", wait_ms=0)
    assert time.monotonic() - began < 3.0


def test_a_run_that_is_busy_is_answered_as_it_stands(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("accounting.dispatch.start._PATIENCE_MS", 50)
    run = world.start("init sleep:60", "harbour")
    with world.store.locked(run.run_id) as held:
        began = time.monotonic()
        again = world.start("another", "harbour", wait_ms=100)
        assert 0.1 <= time.monotonic() - began < 3.0, "the lock is waited for as long as the answer may take"
        assert again == structs.replace(world.store.read(run.run_id), idempotent_replay=True, replay_differs=("task",))
        held.write(structs.replace(run, idempotency_key_sha256=None))
        with pytest.raises(KeyCollisionError):
            world.start("another", "harbour", wait_ms=0)
    cancel(world.store, run.run_id)
    ended = world.store.read(run.run_id)
    with world.store.locked(run.run_id) as held:
        held.write(structs.replace(ended, idempotency_key_sha256=run.idempotency_key_sha256))
        with pytest.raises(RunBusyError):
            world.start("another", "harbour", wait_ms=0)


def test_w11_a_replay_says_how_the_run_stands_now(world: World) -> None:
    """Though nobody has looked since it ended."""
    create(
        world.store,
        journal_of(
            run_id_of("harbour"),
            idempotency_key_sha256=key_hash("harbour"),
            state=DispatchState.running,
            pid=2**31,
            pid_started_at="gone",
            started_at=1_000,
        ),
    )
    world.store.stream_path(run_id_of("harbour")).write_text('{"type":"result","subtype":"success"}\n')
    again = world.start("init ok", "harbour")
    assert (is_replay(again), again.state) == (True, DispatchState.succeeded)
    assert world.store.read(run_id_of("harbour")).state is DispatchState.succeeded


def test_a_launcher_s_environment_and_output(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has this process's environment too, for the interpreter, and nothing to read; and what is left of a run that
    was moved away is not of this one."""
    monkeypatch.setenv("HARBOUR_LIBRARY", "for the interpreter")
    store, run = world.store, run_id_of("harbour")
    store.runs.mkdir(parents=True)
    for left in (store.stream_path(run), store.errors_path(run)):
        left.write_text("left over")
        os.link(left, f"{left}.aside")
    code = "import os, sys; print(sys.stdin.read(), os.environ['HARBOUR_LIBRARY'], os.environ['CHOSEN'])"
    monkeypatch.setattr("accounting.dispatch.launching.plan_launcher", _always(_plan_of(code)))
    launcher = start_launcher(store, run, task_on_stdin=True, environ={"CHOSEN": "chosen"})
    assert launcher.wait() == 0, store.errors_path(run).read_text()
    assert store.stream_path(run).read_text() == " for the interpreter chosen\n"
    assert store.errors_path(run).read_text() == ""
    assert Path(f"{store.stream_path(run)}.aside").read_text() == "left over"


def _always(how: Detached) -> Callable[..., Detached]:
    def plan(*_: object, **__: object) -> Detached:
        return how

    return plan


def _plan_of(code: str) -> Detached:
    return Detached(argv=(sys.executable, "-c", code), new_session=True, creation_flags=0)


def test_a_launcher_that_reads_is_at_the_end_at_once() -> None:
    """It is given nothing of the dispatcher's own standard input."""
    read, write = os.pipe()
    code = (
        "import os, sys; from accounting.processes.detached import *\n"
        "how = Detached(argv=(sys.executable, '-c', 'import sys; print(len(sys.stdin.read()))'),"
        " new_session=True, creation_flags=0)\n"
        "sys.exit(start_detached(how, os.environ, output=1).wait())"
    )
    os.write(write, b"not for the launcher")
    os.close(write)
    done = subprocess.run([sys.executable, "-c", code], stdin=read, capture_output=True, text=True)
    os.close(read)
    assert (done.returncode, done.stdout) == (0, "0\n"), done.stderr


def test_a_state_directory_of_another_spelling_has_the_same_children(world: World) -> None:
    (world.directory / "link").symlink_to(world.store.directory)
    other = RunStore(world.directory / "link")
    run = world.start("init sleep:0.1 exit:3", "harbour")
    assert wait(other, run.run_id, 20_000).exit_code == 3
    child = child_of(world.store.journal_path(run.run_id))
    assert child is not None
    assert child_of(other.journal_path(run.run_id)) is child
    assert child_of(world.directory / "gone" / "x.json") is None


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"task": "a\ud800b"}, "no text"),
        ({"key": "\udfff"}, "no text"),
        ({"workspace": "relative"}, "cannot be written down: .*workspace"),
        ({"workspace": "/no/such/directory", "key": ""}, "/no/such/directory: no directory to work in"),
    ],
)
def test_what_cannot_be_written_down_is_refused(world: World, changed: dict[str, str], message: str) -> None:
    asked = structs.replace(world.request("init ok", "harbour"), **changed)
    plan = structs.replace(world.plan(), cwd=asked.workspace)
    with pytest.raises(RequestError, match=message):
        start(world.store, asked, plan, world.environ)
    assert not world.store.directory.exists(), "not so much as a lock is left"


def test_the_agent_is_given_what_was_chosen_and_no_more(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARBOUR_TOKEN", "not for the agent")
    environ = {**world.environ, "CHOSEN": "the-chosen-value"}
    run = world.start("init env:CHOSEN env:HARBOUR_TOKEN env:HOME cwd fd ok", environ=environ)
    wait(world.store, run.run_id, 20_000)
    lines = world.stream(run.run_id).splitlines()
    assert lines[1:6] == ["CHOSEN: there", "HARBOUR_TOKEN: absent", "HOME: absent", str(world.workspace), "[3]"], (
        "no descriptor but the one that lists them"
    )
    assert run.invocation.env_keys == tuple(sorted(environ))


def test_a_long_task_of_any_text_comes_by_standard_input(world: World) -> None:
    text = "—'\"$(x)`{task}\0" * 40_000
    task = f"init ok say:{text}"
    run = world.start(task)
    ended = wait(world.store, run.run_id, 20_000)
    assert ended.task == task
    until(lambda: not PROCESSES.alive(world.started()[0]))
    assert text in world.stream(run.run_id)
    command = world.store.journal_path(run.run_id).read_text()
    assert "{task}" not in json.loads(command)["invocation"]["argv"]


def test_a_task_comes_as_an_argument_when_the_profile_says_so(world: World) -> None:
    run = world.start("init say:$HOME ok", plan=world.plan(task_on_stdin=False))
    ended = wait(world.store, run.run_id, 20_000)
    assert ended.state is DispatchState.succeeded
    assert "$HOME" in world.stream(run.run_id)
    assert ended.invocation.argv[-1] == "{task}", "the journal does not hold the task twice"


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("/no/such/agent",), "/no/such/agent: no such program"),
        (("no-such-agent-anywhere",), "no-such-agent-anywhere: no such program"),
        ((str(FAKE_AGENT),), "or none that may be run"),
        (("/bin/sh", "nul\0"), "null"),
    ],
)
def test_an_agent_that_cannot_be_started_is_a_failed_run(world: World, argv: tuple[str, ...], message: str) -> None:
    failed = world.start("init ok", "harbour", plan=world.plan(argv=argv))
    assert (failed.state, failed.stop_reason, failed.pid) == (DispatchState.failed, "spawn_error", None)
    assert failed.error is not None
    assert message in failed.error.message
    assert is_replay(world.start("init ok", "harbour"))
    assert world.started() == ()


def test_a_program_that_the_system_cannot_run_is_a_failed_run(world: World) -> None:
    program = world.workspace / "agent"
    program.write_text("#!/no/such/interpreter\n")
    program.chmod(0o700)
    failed = world.start("init ok", plan=world.plan(argv=(str(program),)))
    assert (failed.state, failed.stop_reason) == (DispatchState.failed, "spawn_error")
    assert failed.error is not None
    named = "its first line names an interpreter that is not there, '/no/such/interpreter'"
    assert failed.error.message == f"{program}: {named}; install it, or correct that line"


def test_a_launcher_that_breaks_off_is_a_failed_run(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("accounting.dispatch.launching.MODULE", "no.such.module")
    failed = world.start("init ok")
    assert (failed.state, failed.stop_reason) == (DispatchState.failed, "spawn_error")
    assert failed.error is not None
    assert failed.error.message.startswith("what was to start it ended before (exit code 1): ")
    assert "no" in failed.error.message


def test_a_start_that_is_broken_off_is_a_failed_run(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*args: object, **kwargs: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("accounting.dispatch.start.start_launcher", interrupt)
    with pytest.raises(KeyboardInterrupt):
        world.start("init ok", "harbour")
    assert world.store.read(run_id_of("harbour")).state is DispatchState.queued
    found = observe(world.store, run_id_of("harbour"))
    assert (found.state, found.stop_reason) == (DispatchState.failed, "spawn_error")


def test_nothing_is_readable_by_others_and_nothing_is_kept_that_is_not_needed(world: World) -> None:
    before = os.umask(0)
    try:
        environ = {**world.environ, "CHOSEN": "the-chosen-value"}
        run = world.start("init sleep:60 say:prompt", "the-key-itself", environ=environ)
        cancel(world.store, run.run_id)
        wait(world.store, world.start("init ok say:prompt", "the-key-itself", environ=environ).run_id)
    finally:
        os.umask(before)
    until(lambda: not any(PROCESSES.alive(pid) for pid in world.started()))
    files = [file for file in world.store.directory.rglob("*") if file.is_file()]
    assert len(files) >= 7
    for file in (world.store.directory, *world.store.directory.rglob("*")):
        assert S_IMODE(file.stat().st_mode) == (0o700 if file.is_dir() else 0o600), file
    for file in files:
        content = file.read_bytes()
        assert b"the-key-itself" not in content, file
        assert b"the-chosen-value" not in content, file
        assert world.environ["PATH"].encode() not in content, file
        if file.suffix == ".json":
            task = json.loads(content)["task"].encode()
            assert content.count(b"say:prompt") == task.count(b"say:prompt") == 1, file
        elif b".stream." not in file.name.encode():
            assert b"prompt" not in content, file


def test_no_child_is_left_uncollected(world: World) -> None:
    run = world.start("init exit:3")
    child = child_of(world.store.journal_path(run.run_id))
    assert child is not None
    end = child.ended(20.0)
    assert end is not None
    assert (end.exit_code, end.signal) == (3, None)
    until(lambda: not Path(f"/proc/{child.pid}").exists(), "no zombie, though nobody waited")
    until(lambda: world.store.read(run.run_id).state is DispatchState.unknown, "and it is written down")
    assert world.store.read(run.run_id).exit_code == 3


def test_a_signal_that_ended_an_agent_is_told_by_name(world: World) -> None:
    ended = wait(world.store, world.start("init kill:SIGSEGV").run_id, 20_000)
    assert (ended.state, ended.exit_code, ended.signal) == (DispatchState.unknown, None, "SIGSEGV")


@pytest.mark.parametrize("task", ["init exit:3", "init ok exit:3"])
def test_an_exit_code_that_is_collected_a_little_late_gets_in(
    world: World, monkeypatch: pytest.MonkeyPatch, task: str
) -> None:
    real = children._collect  # pyright: ignore[reportPrivateUsage]

    def late(process: "subprocess.Popen[bytes]") -> int | None:
        code = real(process)
        time.sleep(0.15)
        return code

    monkeypatch.setattr(children, "_collect", late)
    assert wait(world.store, world.start(task).run_id).exit_code == 3


IGNORES = """
import signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
from pathlib import Path
from tests.accounting.dispatch.runs import World
from accounting.dispatch.wait import wait
world = World(Path(sys.argv[1]))
ended = wait(world.store, world.start("init exit:3").run_id, 20_000)
print(ended.state, ended.exit_code)
"""


def test_where_children_are_not_collected_no_exit_code_is_made_up(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", IGNORES, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["unknown", "None"]


def test_how_a_launcher_is_started() -> None:
    run = run_id_of("harbour")
    told = {"executable": "/py", "orig_argv": ("/py", "-W", "error", "-m", "rounds")}
    posix = plan_launcher(Path("/s"), run, task_on_stdin=True, platform="linux", **told)  # type: ignore[arg-type]
    assert posix.argv == ("/py", "-W", "error", "-P", "-m", "accounting.dispatch.launch", "stdin", "/s", run)
    assert (posix.new_session, posix.creation_flags) == (True, 0)
    windows = plan_launcher(Path("/s"), run, task_on_stdin=False, platform="win32", **told)  # type: ignore[arg-type]
    assert windows.argv[-3:] == ("argument", "/s", run)
    assert (windows.new_session, windows.creation_flags) == (False, 0x208)
