"""Waiting: as long as it takes or as long as one likes, from any process, and cheaply."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from accounting.dispatch.cancel import cancel
from accounting.dispatch.errors import CorruptJournalError, UnknownRunError
from accounting.dispatch.ids import new_run_id
from accounting.dispatch.listing import list_runs
from accounting.dispatch.observe import Observing
from accounting.dispatch.store import RunStore
from accounting.dispatch.wait import wait
from accounting.processes import PROCESSES
from tests.accounting.dispatch.runs import SESSION, World, create, journal_of, until
from wire import decode, encode
from wire.dispatch import DispatchJournal, DispatchList, DispatchState, StateSource

WAIT = """
import sys
from pathlib import Path
from accounting.dispatch.store import RunStore
from accounting.dispatch.wait import wait
print("waits", flush=True)
ended = wait(RunStore(Path(sys.argv[1])), sys.argv[2])
print(ended.state, ended.state_source, ended.exit_code)
"""


def test_a_timeout_is_no_state(world: World) -> None:
    run = world.start("init sleep:60")
    began = time.monotonic()
    waited = wait(world.store, run.run_id, 150)
    assert 0.15 <= time.monotonic() - began < 1.0
    assert (waited.state, waited.state_source) == (DispatchState.running, None)
    assert wait(world.store, run.run_id, 0).state is DispatchState.running
    assert world.store.read(run.run_id) == waited
    cancel(world.store, run.run_id)
    assert wait(world.store, run.run_id, 0).state is DispatchState.cancelled


def test_who_waits_is_told_soon(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("accounting.dispatch.wait._YOUNG_S", 0.0)
    monkeypatch.setattr("accounting.dispatch.wait.POLL_S", 5.0)
    go = world.workspace / "go"
    run = world.start(f"init hold:{go} ok")
    ended: list[float] = []

    def wait_long() -> None:
        wait(world.store, run.run_id)
        ended.append(time.monotonic())

    waiter = threading.Thread(target=wait_long)
    waiter.start()
    wait(world.store, run.run_id, 100)
    at = time.monotonic()
    go.touch()
    waiter.join()
    assert ended[0] - at < 2.5, "the result is told of, or looked for each second at the latest"


def test_waiting_costs_next_to_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("accounting.dispatch.wait._YOUNG_S", 0.0)
    run = world.start("init sleep:60")
    looks: list[float] = []
    real = Observing.look

    def look(self: Observing, *patience_s: float) -> DispatchJournal:
        looks.append(time.monotonic())
        return real(self, *patience_s)

    monkeypatch.setattr(Observing, "look", look)
    wait(world.store, run.run_id, 1200)
    assert 3 <= len(looks) <= 6, "at once, when watching has begun, twice a second, and in the end"
    cancel(world.store, run.run_id)


def test_any_process_may_wait_at_any_time(world: World) -> None:
    go = world.workspace / "go"
    run = world.start(f"init hold:{go} ok exit:1")
    others = [
        subprocess.Popen([sys.executable, "-c", WAIT, str(world.store.directory), run.run_id], stdout=subprocess.PIPE)
        for _ in range(3)
    ]
    for other in others:
        assert other.stdout is not None
        assert other.stdout.readline() == b"waits\n"
    go.touch()
    told = {other.communicate()[0].decode() for other in others}
    assert {line.rpartition(" ")[0] for line in told} == {"succeeded observation"}
    assert all(other.returncode == 0 for other in others)
    assert wait(world.store, run.run_id).state is DispatchState.succeeded


def test_50_megabytes_of_output(world: World) -> None:
    began = time.monotonic()
    ended = wait(world.store, world.start("init flood:50 call:a ok").run_id, 30_000)
    assert (ended.state, ended.tool_calls, ended.exit_code) == (DispatchState.succeeded, 1, 0)
    assert world.store.stream_path(ended.run_id).stat().st_size > 49_000_000
    assert time.monotonic() - began < 15


@pytest.mark.parametrize("task", ["init", "init exit:7", "exit:0", "say:nothing", "init call:a kill:SIGKILL"])
def test_w6_gone_without_a_result_is_unknown(world: World, task: str) -> None:
    ended = wait(world.store, world.start(task).run_id, 20_000)
    assert (ended.state, ended.state_source) == (DispatchState.unknown, StateSource.process_exit)
    assert ended.error is not None
    assert ended.error.code == "gone"
    assert ended.result_text is None


def test_a_daemon_that_keeps_the_output_open_is_not_waited_for(world: World) -> None:
    """Its result comes too late: the process of the run was gone without one."""
    ended = wait(world.store, world.start("init daemon:0.5").run_id, 20_000)
    assert (ended.state, ended.exit_code) == (DispatchState.unknown, 0)
    until(lambda: "from the daemon" in world.stream(ended.run_id))
    assert wait(world.store, ended.run_id, 0) == ended


def test_a_result_without_its_newline_counts_once_the_process_is_gone(world: World) -> None:
    go = world.workspace / "go"
    result = '{"type":"result","subtype":"success","is_error":false,"result":"done"}'
    run = world.start(f"init part:{result} hold:{go}")
    assert wait(world.store, run.run_id, 100).state is DispatchState.running
    go.touch()
    ended = wait(world.store, run.run_id, 20_000)
    assert (ended.state, ended.result_text) == (DispatchState.succeeded, "done")


def test_half_a_result_is_none(world: World) -> None:
    run = world.start('init part:{"type":"result","subtype":"success","is_error":false,"res')
    assert wait(world.store, run.run_id, 20_000).state is DispatchState.unknown


def test_a_run_without_a_session_id(world: World) -> None:
    ended = wait(world.store, world.start('say:{"type":"result","is_error":false}').run_id, 20_000)
    assert (ended.state, ended.session_id, ended.session_file) == (DispatchState.succeeded, None, None)


def test_an_agent_that_names_another_session_later(world: World) -> None:
    ended = wait(world.store, world.start("init init:other ok").run_id, 20_000)
    assert (ended.session_id, ended.other_sessions) == (SESSION, 1)


def test_a_session_id_that_leads_out_of_its_place_names_no_file(world: World) -> None:
    run = world.start("init:../../outside ok")
    assert (run.session_id, run.session_file) == ("../../outside", None)


def test_there_is_nothing_to_wait_for(world: World) -> None:
    with pytest.raises(UnknownRunError):
        wait(world.store, new_run_id(), 0)
    run = world.start("init ok").run_id
    wait(world.store, run)
    until(lambda: not PROCESSES.alive(world.started()[0]))
    world.store.journal_path(run).write_bytes(b"{")
    with pytest.raises(CorruptJournalError):
        wait(world.store, run)


def test_who_waits_for_a_run_that_is_busy_is_told_how_it_stands(world: World) -> None:
    run = journal_of(new_run_id(), state=DispatchState.running, pid=2**31, pid_started_at="gone", started_at=1_000)
    create(world.store, run)
    with world.store.locked(run.run_id):
        assert wait(world.store, run.run_id, 50) == run
    assert wait(world.store, run.run_id, 0).state is DispatchState.unknown


def test_a_child_s_end_is_written_down_though_nobody_looks(world: World) -> None:
    run = world.start("init sleep:0.1 exit:3")
    until(lambda: world.store.read(run.run_id).state is DispatchState.unknown)
    assert world.store.read(run.run_id).exit_code == 3


def test_a_journal_that_is_moved_away_meanwhile_is_not_listed(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = [new_run_id(), new_run_id()]
    create(world.store, journal_of(runs[0]))
    monkeypatch.setattr(world.store, "ids", lambda: tuple(runs))
    listed = list_runs(world.store)
    assert ([run.run_id for run in listed.runs], listed.unreadable) == ([runs[0]], ())


def test_a_directory_whose_name_is_no_text(tmp_path: Path) -> None:
    store = RunStore(Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff")))
    run = new_run_id()
    create(store, journal_of(run))
    store.journal_path(run).write_bytes(b"{")
    told = decode(encode(list_runs(store)), DispatchList)
    assert [one.path for one in told.unreadable] == [f"{tmp_path}/\\udcff/runs/{run}.json"]


def test_all_runs_the_newest_first_as_they_stand(world: World) -> None:
    assert list_runs(world.store).runs == ()
    go = world.workspace / "go"
    first = world.start("init ok")
    second = world.start(f"init hold:{go} ok")
    third = world.start("init sleep:60")
    cancel(world.store, third.run_id)
    listed = list_runs(world.store)
    assert [(run.run_id, run.state.value) for run in listed.runs] == [
        (third.run_id, "cancelled"),
        (second.run_id, "running"),
        (first.run_id, "succeeded"),
    ]
    assert [run.run_id for run in list_runs(world.store, limit=1).runs] == [third.run_id]
    go.touch()
    until(lambda: list_runs(world.store).runs[1].state is DispatchState.succeeded)
    until(lambda: not any(PROCESSES.alive(pid) for pid in world.started()))
    world.store.journal_path(first.run_id).write_bytes(b"{")
    listed = list_runs(world.store, limit=1)
    assert [(Path(one.path).name, len(listed.runs)) for one in listed.unreadable] == [(f"{first.run_id}.json", 1)]
    assert listed.unreadable[0].message
