"""Cancelling: the whole group ended, the end proven, and no other process touched. Real processes, and stand-ins."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec import structs

from accounting.dispatch.cancel import cancel
from accounting.dispatch.errors import UnknownRunError
from accounting.dispatch.ids import new_run_id, run_id_of
from accounting.dispatch.observe import observe
from accounting.dispatch.store import RunStore
from accounting.dispatch.wait import wait
from accounting.processes import PROCESSES, Processes
from tests.accounting.dispatch.runs import World, create, is_running, journal_of, until
from wire.dispatch import DispatchState, StateSource

RUN = run_id_of("harbour")
CANCEL = """
import sys
from pathlib import Path
from accounting.dispatch.cancel import cancel
from accounting.dispatch.store import RunStore
answer = cancel(RunStore(Path(sys.argv[1])), sys.argv[2], grace_ms=200)
print(answer.cancelled, answer.run.state)
"""


class Watched:
    """The real processes, with a note of every signal; or some that do not end."""

    def __init__(self, deaf: Callable[[int], bool] = lambda pid: False) -> None:
        self.sent: list[tuple[str, int]] = []
        self._deaf = deaf
        self.alive = PROCESSES.alive
        self.started_at: Callable[[int], str | None] = PROCESSES.started_at
        self.began_at = PROCESSES.began_at
        self.where = PROCESSES.where
        self.in_group = PROCESSES.in_group
        self.leads_since = PROCESSES.leads_since
        self.group_left = PROCESSES.group_left
        self.group_began_at = PROCESSES.group_began_at

    def terminate(self, pid: int) -> None:
        self.sent.append(("terminate", pid))
        if not self._deaf(pid):
            PROCESSES.terminate(pid)

    def kill(self, pid: int) -> None:
        self.sent.append(("kill", pid))
        if not self._deaf(pid):
            PROCESSES.kill(pid)


def test_w8_cancelled_when_the_process_is_proven_gone(world: World) -> None:
    run = world.start("init call:a sleep:60")
    began = time.monotonic()
    answer = cancel(world.store, run.run_id)
    assert (answer.cancelled, answer.why) == (True, None)
    assert time.monotonic() - began < 1.5, "who ends when asked is not waited for longer"
    assert (answer.run.state, answer.run.state_source) == (DispatchState.cancelled, StateSource.observation)
    assert (answer.run.signal, answer.run.exit_code, answer.run.tool_calls) == ("SIGTERM", None, 1)
    assert (answer.run.cancel_asked_at or 0) >= (run.started_at or 0) > 0
    assert world.store.read(run.run_id) == answer.run == observe(world.store, run.run_id)
    assert not Path(f"/proc/{answer.run.pid}").exists(), "and no zombie is left"


def test_w9_a_process_that_survives_is_not_cancelled(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("accounting.dispatch.cancel._KILLED_S", 0.1)
    run = world.start("init sleep:60")
    watched = Watched(deaf=lambda pid: True)
    answer = cancel(world.store, run.run_id, grace_ms=50, processes=watched)
    assert not answer.cancelled
    assert answer.why is not None
    assert f"process {run.pid} goes on" in answer.why
    assert watched.sent == [("terminate", run.pid), ("kill", run.pid)]
    assert answer.run.state is DispatchState.running
    assert world.store.read(run.run_id) == answer.run
    assert cancel(world.store, run.run_id).cancelled


def test_an_agent_and_a_child_that_ignore_being_asked(world: World) -> None:
    run = world.start("deaf child init sleep:60")
    child = int(re.findall(r"child (\d+)", world.stream(run.run_id))[0])
    assert is_running(child)
    began = time.monotonic()
    answer = cancel(world.store, run.run_id, grace_ms=300)
    assert time.monotonic() - began >= 0.3
    assert (answer.cancelled, answer.run.signal) == (True, "SIGKILL")
    until(lambda: not is_running(child), "the whole group is ended")


def test_a_child_that_ignores_being_asked_while_its_agent_does_not(world: World) -> None:
    run = world.start("child init sleep:60")
    child = int(re.findall(r"child (\d+)", world.stream(run.run_id))[0])
    answer = cancel(world.store, run.run_id, grace_ms=200)
    assert (answer.cancelled, answer.run.signal) == (True, "SIGTERM")
    until(lambda: not is_running(child))


def test_a_stopped_agent_is_ended_too(world: World) -> None:
    run = world.start("init sleep:60")
    assert run.pid is not None
    os.kill(run.pid, signal.SIGSTOP)
    until(lambda: " T " in Path(f"/proc/{run.pid}/stat").read_text(), "it is stopped")
    began = time.monotonic()
    assert cancel(world.store, run.run_id, grace_ms=100).cancelled
    assert time.monotonic() - began >= 0.1, "it does not hear what it is asked"


def test_a_result_that_came_first_stays(world: World) -> None:
    run = world.start(f"init ok hold:{world.workspace}/go")
    wait(world.store, run.run_id)
    (world.workspace / "go").touch()
    until(lambda: not is_running(run.pid or 0))
    watched = Watched()
    answer = cancel(world.store, run.run_id, processes=watched)
    assert (answer.cancelled, answer.why) == (False, "it had ended before: succeeded")
    assert (answer.run.state, watched.sent) == (DispatchState.succeeded, [])


def test_an_agent_that_hangs_after_its_result_is_ended_and_the_result_stays(world: World) -> None:
    run = wait(world.store, world.start("init ok sleep:60").run_id)
    assert run.pid is not None
    assert is_running(run.pid)
    answer = cancel(world.store, run.run_id)
    left = f"what was left of its process group, {run.pid}, was ended"
    assert (answer.cancelled, answer.why) == (False, f"it had ended before: succeeded; {left}")
    assert answer.run == run == world.store.read(run.run_id)
    assert not is_running(run.pid)
    assert cancel(world.store, run.run_id).why == "it had ended before: succeeded"


@pytest.mark.parametrize(("task", "state"), [("child init ok", "succeeded"), ("child init exit:3", "unknown")])
def test_what_an_agent_left_in_its_group_is_ended(world: World, task: str, state: str) -> None:
    run = wait(world.store, world.start(task).run_id)
    child = int(re.findall(r"child (\d+)", world.stream(run.run_id))[0])
    until(lambda: not is_running(run.pid or 0))
    assert is_running(child)
    answer = cancel(world.store, run.run_id, grace_ms=50)
    left = f"what was left of its process group, {run.pid}, was ended"
    assert (answer.why, answer.run) == (f"it had ended before: {state}; {left}", run)
    until(lambda: not is_running(child))


def test_a_group_that_is_left_of_another_process_is_let_be(tmp_path: Path) -> None:
    """Its leader had the number, and another start; or none is known, or one of before the last boot."""
    line = "sleep 60 & echo $!"
    leader = subprocess.Popen(["/bin/sh", "-c", line], start_new_session=True, stdout=subprocess.PIPE)
    assert leader.stdout is not None
    child = int(leader.stdout.readline())
    until(lambda: not is_running(leader.pid))
    assert PROCESSES.group_left(leader.pid)
    machine, _, namespace, _ = (PROCESSES.started_at(os.getpid()) or "").split("/")
    for started in (None, f"{machine}/another-boot/{namespace}/17", f"{'0' * 16}/b/{namespace}/17"):
        store = RunStore(tmp_path / str(started)[:40])
        journal = journal_of(
            RUN,
            state=DispatchState.succeeded,
            state_source=StateSource.observation,
            pid=leader.pid,
            pid_started_at=started,
        )
        create(store, journal)
        watched = Watched()
        answer = cancel(store, RUN, processes=watched)
        assert (answer.why, watched.sent) == ("it had ended before: succeeded", [])
    os.kill(child, signal.SIGKILL)
    leader.communicate()


CANCEL_OWN = """
import os, sys
from pathlib import Path
from accounting.dispatch.cancel import cancel
from accounting.dispatch.store import RunStore
store = RunStore(Path(sys.argv[1]))
answer = cancel(store, store.ids()[0])
Path(sys.argv[2]).write_text(f"{answer.cancelled} {answer.run.state} {answer.why}")
"""


@pytest.mark.parametrize(
    ("result", "why"),
    [
        ("", "whoever cancels it is part of it, in the process group {pid}: cancel it from elsewhere"),
        (
            '{"type":"result","subtype":"success"}',
            "it had ended before: succeeded; whoever cancels it is what is left of its process group, {pid}",
        ),
    ],
)
def test_a_run_does_not_cancel_itself(world: World, tmp_path: Path, result: str, why: str) -> None:
    """An agent may run anything, the command line of ours too."""
    said, code = world.workspace / "said", world.workspace / "own.py"
    code.write_text(CANCEL_OWN)
    line = f"echo '{result}'; \"$0\" {code} {world.store.directory} {said}; sleep 60"
    environ = {**world.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    plan = world.plan(argv=("/bin/sh", "-c", line, sys.executable))
    run = world.start("", plan=plan, environ=environ, wait_ms=0)
    assert run.pid is not None
    until(said.exists)
    until(lambda: said.read_text() != "")
    state = "succeeded" if result else "running"
    assert said.read_text() == f"False {state} {why.format(pid=run.pid)}"
    assert is_running(run.pid)
    assert world.store.read(run.run_id).cancel_asked_at is None
    cancel(world.store, run.run_id)
    assert not is_running(run.pid)


@pytest.mark.invariant("D7")
def test_a_process_of_another_machine_is_neither_judged_nor_signalled(world: World) -> None:
    run = world.start("init sleep:60")
    assert run.pid_started_at is not None
    machine, boot, namespace, start = run.pid_started_at.split("/")
    elsewhere = (f"{'0' * 16}/another-boot/{namespace}/{start}", f"{machine}/{boot}/pid:[1]/{start}")
    for number, started in enumerate(elsewhere):
        store = RunStore(world.directory / f"other-{number}")
        journal = structs.replace(run, pid_started_at=started)
        create(store, journal)
        watched = Watched()
        answer = cancel(store, run.run_id, processes=watched)
        why = f"process {run.pid} was started on another machine or in another container: cancel it there"
        assert (answer.cancelled, answer.why, answer.run, watched.sent) == (False, why, journal, [])
        queued = journal_of(RUN, owner_pid=2**31, owner_pid_started_at=started)
        create(store, queued)
        answer = cancel(store, RUN, processes=watched)
        why = (
            f"its agent is being started by process {2**31} on another machine or in another container: cancel it there"
        )
        assert (answer.cancelled, answer.why, answer.run, watched.sent) == (False, why, queued, [])
    assert cancel(world.store, run.run_id).cancelled


def _not_told(_: int) -> None:
    return None


def test_a_process_whose_start_the_system_does_not_tell_today_is_left_alone(world: World) -> None:
    """As Windows, when PowerShell does not answer in time."""
    run = world.start("init sleep:60")
    watched = Watched()
    watched.started_at = _not_told
    answer = cancel(world.store, run.run_id, processes=watched)
    assert (answer.cancelled, watched.sent, answer.run.cancel_asked_at) == (False, [], None)
    assert answer.why is not None
    assert "whether it is the agent's the system does not tell" in answer.why
    assert cancel(world.store, run.run_id).cancelled


def test_an_error_that_is_found_after_a_cancelling_that_was_broken_off(world: World) -> None:
    """It may be the agent's answer to a signal; that it goes on tells that it is not at its end."""
    go = world.workspace / "go"
    run = world.start(f"init hold:{go} error:x hold:{go}.2")
    with world.store.locked(run.run_id) as held:
        asked = structs.replace(run, cancel_asked_at=run.updated_at)
        held.write(asked)
    go.touch()
    until(lambda: '"type": "result"' in world.stream(run.run_id))
    assert observe(world.store, run.run_id).state is DispatchState.running
    Path(f"{go}.2").touch()
    ended = wait(world.store, run.run_id, 20_000)
    assert (ended.state, ended.state_source, ended.error) == (
        DispatchState.cancelled,
        StateSource.observation,
        None,
    )


def test_a_success_that_is_printed_on_being_asked_counts_and_an_error_does_not(tmp_path: Path) -> None:
    for word, state in (("false", DispatchState.succeeded), ("true", DispatchState.cancelled)):
        store = RunStore(tmp_path / word)
        line = f'{{"type":"result","subtype":"success","is_error":{word},"result":"at last"}}'
        create(store, journal_of(RUN))  # for the directory
        script = f"trap 'echo '\\''{line}'\\''; exit 0' TERM; echo ready >&2; while :; do sleep 0.02; done"
        with store.stream_path(RUN).open("wb") as stream:
            agent = subprocess.Popen(
                ["/bin/sh", "-c", script], stdout=stream, stderr=subprocess.PIPE, start_new_session=True
            )
        assert agent.stderr is not None
        assert agent.stderr.readline() == b"ready\n"
        collects = threading.Thread(target=agent.wait)
        collects.start()
        with store.locked(RUN) as held:
            started = PROCESSES.started_at(agent.pid)
            held.write(
                journal_of(RUN, state=DispatchState.running, pid=agent.pid, pid_started_at=started, started_at=1_000)
            )
        answer = cancel(store, RUN)
        collects.join()
        agent.stderr.close()
        assert answer.run.state is state
        assert answer.cancelled is (state is DispatchState.cancelled)
        assert answer.why == (None if answer.cancelled else "its result came first: succeeded")


def _foreign(store: RunStore, started_at: Callable[[int], str | None]) -> "subprocess.Popen[bytes]":
    """A process that is none of ours, whose number a run has."""
    process = subprocess.Popen(["/bin/sleep", "60"], start_new_session=True)
    create(
        store,
        journal_of(
            RUN,
            state=DispatchState.running,
            pid=process.pid,
            pid_started_at=started_at(process.pid),
            started_at=1_000,
        ),
    )
    return process


def test_a_process_that_was_only_given_the_number_is_left_alone(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    process = _foreign(store, lambda pid: f"{PROCESSES.started_at(pid)}0")
    watched = Watched()
    answer = cancel(store, RUN, processes=watched)
    assert (answer.cancelled, answer.run.state, watched.sent) == (False, DispatchState.unknown, [])
    assert process.poll() is None
    process.kill()
    process.wait()


def test_a_process_of_which_nothing_is_known_is_left_alone(tmp_path: Path) -> None:
    """The journal has no start time, and the process began at another time than the run."""
    store = RunStore(tmp_path)
    process = _foreign(store, lambda pid: None)
    watched = Watched()
    answer = cancel(store, RUN, processes=watched)
    assert (answer.cancelled, answer.run.state, watched.sent) == (False, DispatchState.running, [])
    assert answer.why is not None
    assert f"process {process.pid} runs" in answer.why
    assert process.poll() is None
    process.kill()
    process.wait()


def test_a_number_that_is_really_given_again(world: World) -> None:
    """Linux says which number it gave last, and root may say which it is."""
    last = Path("/proc/sys/kernel/ns_last_pid")
    run = world.start("init exit:3")
    assert run.pid is not None
    until(lambda: world.store.read(run.run_id).state is DispatchState.unknown)
    with world.store.locked(run.run_id) as held:  # as if nobody had looked yet
        before = held.read()
        assert before is not None
        held.write(structs.replace(before, state=DispatchState.running, state_source=None, error=None, exit_code=None))
    other = None
    for _ in range(50):
        try:
            last.write_text(str(run.pid - 1))
        except OSError:
            pytest.skip("this process may not choose the number of the next one")
        other = subprocess.Popen(["/bin/sleep", "60"], start_new_session=True)
        if other.pid == run.pid:
            break
        other.kill()
        other.wait()
    assert other is not None
    if other.pid != run.pid:
        pytest.skip("another process took the number each time")
    watched = Watched()
    answer = cancel(world.store, run.run_id, processes=watched)
    assert (answer.run.state, watched.sent) == (DispatchState.unknown, [])
    assert other.poll() is None
    other.kill()
    other.wait()


@pytest.mark.parametrize("task", ["init ok", "init error:x", "init exit:1"])
def test_what_has_ended_stays_as_it_is(world: World, task: str) -> None:
    ended = wait(world.store, world.start(task).run_id)
    answer = cancel(world.store, ended.run_id)
    assert (answer.cancelled, answer.why, answer.run) == (False, f"it had ended before: {ended.state}", ended)


def test_cancelled_twice(world: World) -> None:
    run = world.start("init sleep:60").run_id
    first, second = cancel(world.store, run), cancel(world.store, run)
    assert (first.cancelled, second.cancelled, second.why) == (True, True, None)
    assert second.run == first.run


def test_many_who_cancel_at_once(world: World) -> None:
    run = world.start("deaf init sleep:60")
    argv = [sys.executable, "-c", CANCEL, str(world.store.directory), run.run_id]
    others = [subprocess.Popen(argv, stdout=subprocess.PIPE) for _ in range(4)]
    told = sorted(other.communicate()[0].decode() for other in others)
    assert told == ["True cancelled\n"] * 4


def test_another_process_waits_while_one_cancels(world: World) -> None:
    run = world.start("deaf init sleep:60")
    states: list[DispatchState] = []
    waiter = threading.Thread(target=lambda: states.append(wait(world.store, run.run_id).state))
    waiter.start()
    assert cancel(world.store, run.run_id, grace_ms=200).cancelled
    waiter.join()
    assert states == [DispatchState.cancelled], "and never unknown, though the process was gone for a moment before"


def test_a_run_that_is_just_being_started_is_cancelled_once_it_runs(world: World) -> None:
    threads = [threading.Thread(target=lambda: world.start("init sleep:60", "harbour"))]
    threads[0].start()
    until(lambda: world.store.ids() == (RUN,))
    answer = cancel(world.store, RUN)
    threads[0].join()
    assert (answer.cancelled, answer.run.state) == (True, DispatchState.cancelled)


def test_a_run_whose_start_does_not_come_about(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("accounting.dispatch.cancel._STARTING_S", 0.1)
    store = RunStore(tmp_path)
    owner = subprocess.Popen(["/bin/sleep", "60"])
    started = PROCESSES.started_at(owner.pid)
    create(store, journal_of(RUN, owner_pid=owner.pid, owner_pid_started_at=started))
    answer = cancel(store, RUN)
    assert (answer.cancelled, answer.run.state) == (False, DispatchState.queued)
    assert answer.why == f"its agent is still being started, by process {owner.pid}; try again"
    owner.kill()
    owner.wait()
    assert cancel(store, RUN).run.state is DispatchState.unknown


def test_there_is_nothing_to_cancel(tmp_path: Path) -> None:
    store = RunStore(tmp_path / "state")
    with pytest.raises(UnknownRunError):
        cancel(store, new_run_id())
    assert not store.runs.exists()


def test_the_stand_ins_are_processes() -> None:
    processes: Processes = Watched()
    assert processes.alive(os.getpid())
