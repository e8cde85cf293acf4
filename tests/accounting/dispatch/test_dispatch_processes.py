"""The protocol with real processes that are killed between any two steps, and raced. Spec: dispatch.md 2.0, issue 8.

Whoever is killed when: never two agents for a key, never a run that is lost, never a success without a result.
"""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from itertools import product
from pathlib import Path

import pytest

from accounting.dispatch.cancel import cancel
from accounting.dispatch.errors import UnknownRunError
from accounting.dispatch.ids import run_id_of
from accounting.dispatch.listing import list_runs
from accounting.dispatch.observe import observe
from accounting.dispatch.wait import wait
from accounting.processes import PROCESSES
from tests.accounting.dispatch.crashing import NAME
from tests.accounting.dispatch.runs import World, is_replay, is_running, until
from wire.dispatch import TERMINAL, DispatchJournal, DispatchState, StateSource

REPOSITORY = Path(__file__).resolve().parents[3]
KEY = "harbour"
RUN = run_id_of(KEY)

DISPATCHER = ("run locked", "journal beside its name", "journal queued", "launcher started", "run given up")
LAUNCHER = ("launcher has the run", "journal beside its name", "journal running", "launcher turns")
CANCELLING = (
    *("journal beside its name", "journal running", "cancelling written down"),
    *("agent asked to end", "agent told to end", "agent ended", "journal cancelled"),
)
KEEPING = (
    "journal beside its name",
    "attempt kept",
    "attempt kept.stream.jsonl",
    "attempt kept.stderr.txt",
    "journal queued",
)

CRASHES = [*((step, "") for step in DISPATCHER), *(("", step) for step in LAUNCHER)]
PAIRS = [*product(DISPATCHER[2:], LAUNCHER)]
soak = pytest.mark.soak


def dispatcher(
    world: World, task: str, at: tuple[str, str] = ("", ""), more: Mapping[str, str] | None = None
) -> "subprocess.Popen[str]":
    """Another process that starts a run, and is killed at a step, or its launcher is."""
    told = {"CRASH_DISPATCHER": at[0], "CRASH_LAUNCHER": at[1], "PYTHONPATH": str(REPOSITORY), **(more or {})}
    argv = [sys.executable, "-m", NAME, str(world.directory), world.mark, KEY, task]
    return subprocess.Popen(argv, env={**os.environ, **told}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def crash(world: World, task: str, at: tuple[str, str]) -> None:
    """Start a run in another process, which dies at the step; or waits for it to have been tried."""
    process = dispatcher(world, task, at)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == (-signal.SIGKILL if at[0] else 0), errors


@contextmanager
def small_disk(place: Path, size: str) -> Generator[Path]:
    """A disk of its own, mounted there."""
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(place)], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("only root may mount a small disk")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)  # an agent may still be at its end


def fill(file: Path) -> None:
    """Take up all that is left of a disk."""
    with file.open("ab", buffering=0) as filler:
        while True:
            try:
                filler.write(b"x" * 4096)
            except OSError:
                break


def check_honest(world: World, run: DispatchJournal) -> None:
    """What holds however it went."""
    assert len(world.started()) <= 1, "one agent for the key"
    assert run.state in TERMINAL
    assert all(pid == run.pid for pid in world.started()), "and none that the journal does not know"
    if run.state is DispatchState.succeeded:
        assert run.state_source is StateSource.observation
        assert '"type": "result"' in world.stream(run.run_id)
    if run.state is not DispatchState.unknown or run.pid is None:
        # One that has printed its result is at its end, and may take a moment.
        until(lambda: not any(is_running(pid) for pid in world.started()), "it has ended", seconds=5.0)


@pytest.mark.parametrize("at", CRASHES, ids=" ".join)
def test_whoever_is_killed_another_process_finds_out(world: World, at: tuple[str, str]) -> None:
    crash(world, "init ok", at)
    try:
        first = wait(world.store, RUN, 20_000)
    except UnknownRunError:
        assert at[0] in ("run locked", "journal beside its name"), "nothing was written down"
        assert world.started() == ()
        again = world.start("init ok", KEY)
        assert not is_replay(again)
        first = wait(world.store, RUN, 20_000)
        assert first.state is DispatchState.succeeded
    check_honest(world, first)
    if at[0] in ("launcher started", "run given up"):
        assert first.state in (DispatchState.succeeded, DispatchState.unknown)
    if at[0] == "journal queued":
        assert (first.state, first.error and first.error.code) == (DispatchState.unknown, "never_started")
    if at[1]:
        expected = DispatchState.failed if at[1] in LAUNCHER[:2] else DispatchState.unknown
        assert first.state is expected, "its dispatcher saw the launcher end"
    assert world.start("init ok", KEY).run_id == RUN
    assert observe(world.store, RUN) == first, "what is final stays, whoever starts it again"
    check_honest(world, first)
    assert [run.run_id for run in list_runs(world.store).runs] == [RUN]


@pytest.mark.parametrize(
    "at",
    [CRASHES[2], CRASHES[5], PAIRS[-1], *(pytest.param(one, marks=soak) for one in (*CRASHES[3:5], PAIRS[0]))],
    ids=" ".join,
)
def test_whoever_is_killed_another_process_may_start_it_again_at_once(world: World, at: tuple[str, str]) -> None:
    """With the launcher perhaps still on its way."""
    crash(world, "init sleep:0.2 ok", at)
    again = world.start("init sleep:0.2 ok", KEY)
    assert is_replay(again)
    check_honest(world, wait(world.store, RUN, 20_000))


@pytest.mark.parametrize(
    "at",
    [
        *CRASHES[2:4],
        *CRASHES[6:8],
        PAIRS[3],
        *(pytest.param(one, marks=soak) for one in (*CRASHES[4:6], *CRASHES[8:], PAIRS[-2])),
    ],
    ids=" ".join,
)
def test_whoever_is_killed_another_process_may_cancel(world: World, at: tuple[str, str]) -> None:
    crash(world, "init sleep:60", at)
    answer = cancel(world.store, RUN)
    assert answer.cancelled is (answer.run.state is DispatchState.cancelled)
    check_honest(world, answer.run)
    assert not any(is_running(pid) for pid in world.started())
    if answer.cancelled:
        assert len(world.started()) == 1
        assert not is_replay(world.start("init ok", KEY)), "the key is free"
        assert wait(world.store, RUN, 20_000).state is DispatchState.succeeded
        assert len(world.started()) == 2


@pytest.mark.parametrize("step", KEEPING)
def test_whoever_is_killed_while_it_starts_a_cancelled_run_again(world: World, step: str) -> None:
    world.start("init sleep:60", KEY)
    assert cancel(world.store, RUN).cancelled
    crash(world, "init ok", (step, ""))
    assert [run.run_id for run in list_runs(world.store).runs] == [RUN], "it is never without a journal"
    again = world.start("init ok", KEY)
    ended = wait(world.store, RUN, 20_000)
    if step == "journal queued":
        assert (is_replay(again), ended.state, len(world.started())) == (True, DispatchState.unknown, 1)
        return
    assert (is_replay(again), ended.state, len(world.started())) == (False, DispatchState.succeeded, 2)
    names = {path.name for path in world.store.runs.iterdir()}
    assert names == {f"{RUN}{end}" for end in (".json", ".lock", ".stream.jsonl", ".stderr.txt")} | {
        f"{RUN}.1{end}" for end in (".json", ".stream.jsonl", ".stderr.txt")
    }, "nothing is lost or left over"


@pytest.mark.invariant("D8")
@pytest.mark.parametrize(
    ("task", "step"), [*product(["init sleep:60"], CANCELLING), ("deaf init sleep:60", "agent asked to end")]
)
def test_whoever_cancels_is_killed_and_the_next_to_look_finds_out(world: World, task: str, step: str) -> None:
    """Between being asked to and the end of the agent, it is on its way or goes on; and never is it lost."""
    run = world.start(task, KEY)
    argv = [sys.executable, "-m", NAME, "cancel", str(world.store.directory), KEY, step]
    killed = subprocess.run(argv, env={**os.environ, "PYTHONPATH": str(REPOSITORY)}, capture_output=True, text=True)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert (world.store.read(RUN).cancel_asked_at is None) is (step == "journal beside its name")
    goes_on = step in CANCELLING[:3] or (step == "agent asked to end" and task.startswith("deaf"))
    if goes_on:
        assert observe(world.store, RUN).state is DispatchState.running
        assert run.pid is not None
        os.kill(run.pid, signal.SIGKILL)
    ended = wait(world.store, RUN, 20_000)
    check_honest(world, ended)
    if step == "journal beside its name":
        assert (ended.state, ended.signal) == (DispatchState.unknown, "SIGKILL"), "nobody knew of it"
    else:
        assert (ended.state, ended.state_source) == (DispatchState.cancelled, StateSource.observation)
        assert not is_replay(world.start("init ok", KEY)), "and the key is free"
        assert wait(world.store, RUN, 20_000).state is DispatchState.succeeded


def test_a_full_disk_ends_no_agent(world: World, tmp_path: Path) -> None:
    """That it is to be cancelled is on the disk before the first signal."""
    with small_disk(tmp_path / "full", "64k") as state:
        full = World(state.parent / "other", world.mark, state=state)
        run = full.start("init sleep:60", KEY)
        assert run.pid is not None
        fill(state / "filler")
        with pytest.raises(OSError, match="No space left"):
            cancel(full.store, RUN)
        assert is_running(run.pid)
        assert observe(full.store, RUN).state is DispatchState.running
        (state / "filler").unlink()
        assert cancel(full.store, RUN).cancelled
        assert not is_running(run.pid)


@pytest.mark.soak
@pytest.mark.parametrize("at", PAIRS, ids=" ".join)
@pytest.mark.parametrize("follow", ["wait", "start", "cancel"])
def test_both_are_killed(world: World, at: tuple[str, str], follow: str) -> None:
    crash(world, "init sleep:0.2 ok", at)
    if follow == "cancel":
        cancel(world.store, RUN)
    if follow == "start":
        assert is_replay(world.start("init sleep:0.2 ok", KEY))
    check_honest(world, wait(world.store, RUN, 20_000))


def test_the_dispatcher_dies_while_it_waits_and_the_run_goes_on(world: World) -> None:
    go = world.workspace / "go"
    process = dispatcher(world, f"hold:{go} init call:a ok")
    until(lambda: len(world.started()) == 1)
    process.kill()
    process.communicate()
    assert wait(world.store, RUN, 50).state is DispatchState.running
    assert wait(world.store, RUN, 50).session_id is None
    go.touch()
    ended = wait(world.store, RUN, 20_000)
    assert (ended.state, ended.tool_calls, ended.exit_code) == (DispatchState.succeeded, 1, None), (
        "its parent is gone, so that nobody knows the exit code"
    )


@pytest.mark.parametrize("callers", [6, pytest.param(20, marks=soak)])
def test_many_callers_with_one_key_start_one_agent(world: World, callers: int) -> None:
    go = world.directory / "go"
    processes = [dispatcher(world, "init sleep:0.2 ok", more={"CRASH_HOLD": str(go)}) for _ in range(callers)]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    go.touch()
    told = [process.communicate(timeout=60)[0].split() for process in processes]
    assert [process.returncode for process in processes] == [0] * callers
    assert sum("replay" in words for words in told) == callers - 1
    assert len(world.started()) == 1
    assert wait(world.store, RUN, 20_000).state is DispatchState.succeeded


def test_a_full_disk_starts_nothing(world: World, tmp_path: Path) -> None:
    """On a disk of its own, which takes the locks and no journal."""
    with small_disk(tmp_path / "full", "16k") as state:
        full = World(state.parent / "other", world.mark, state=state)
        fill(state / "filler")
        with pytest.raises(OSError, match="No space left"):
            full.start("init ok " + "x" * 100, KEY)
        assert full.started() == ()
        assert not any(path.suffix == ".json" for path in state.rglob("*"))
        (state / "filler").unlink()
        assert not is_replay(full.start("init ok", KEY))
        assert wait(full.store, RUN, 20_000).state is DispatchState.succeeded
        until(lambda: not any(PROCESSES.alive(pid) for pid in full.started()))


@pytest.mark.soak
def test_killed_at_random_moments(tmp_path: Path) -> None:
    """Dispatcher, launcher and agent, each at its moment; then somebody waits, cancels or starts it again."""
    rng = random.Random(8)
    ends: dict[str, int] = {}
    for attempt in range(200):
        (tmp_path / str(attempt)).mkdir()
        world = World(tmp_path / str(attempt), f"dispatch-soak-{os.getpid()}-{attempt}")
        process = dispatcher(world, f"init call:a sleep:{rng.choice((0, 0.05, 0.3))} ok exit:{rng.choice((0, 1))}")
        time.sleep(rng.uniform(0.05, 0.6))
        process.kill()
        if rng.random() < 0.4 and (pids := world.started()):
            time.sleep(rng.uniform(0, 0.1))
            os.killpg(pids[0], signal.SIGKILL) if is_running(pids[0]) else None
        process.communicate()
        match rng.choice(("wait", "cancel", "start")):
            case "start":
                world.start("init ok", KEY)
            case "cancel" if RUN in world.store.ids():
                cancel(world.store, RUN)
            case _:
                pass
        if RUN not in world.store.ids():
            assert world.started() == ()
            continue
        run = wait(world.store, RUN, 20_000)
        check_honest(world, run)
        ends[run.state] = ends.get(run.state, 0) + 1
        assert [one.run_id for one in list_runs(world.store).runs] == [RUN]
    assert len(ends) >= 3, f"not all moments were met: {ends}"
