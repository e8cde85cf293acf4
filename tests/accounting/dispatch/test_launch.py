"""The launcher by itself: what it does with a queued run, and how it is done on Windows, with stand-ins."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

import pytest

from accounting.dispatch.errors import DispatchTroubleError, RunBusyError
from accounting.dispatch.events import Ended
from accounting.dispatch.ids import run_id_of
from accounting.dispatch.launch import launch
from accounting.dispatch.machine import step
from accounting.dispatch.store import LockedRun, RunStore
from accounting.dispatch.turning import ChildTurning, ExecTurning, turning_of
from accounting.processes import PROCESSES
from tests.accounting.dispatch.runs import create, journal_of, path
from wire.dispatch import DispatchJournal, DispatchState, Invocation, StreamResult

RUN = run_id_of("harbour")


class Turned:
    """What a launcher becomes, written down in place of it."""

    def __init__(self, store: RunStore, error: OSError | None = None) -> None:
        self._store = store
        self._error = error
        self.program = ""
        self.argv: tuple[str, ...] = ()
        self.environ: dict[str, str] = {}
        self.task = b""
        self.cwd = Path()
        self.journal: DispatchJournal | None = None

    def __call__(
        self, program: str, argv: Sequence[str], environ: Mapping[str, str], task: IO[bytes], held: LockedRun
    ) -> int:
        self.program, self.argv, self.environ, self.task = program, tuple(argv), {**environ}, task.read()
        self.cwd = Path.cwd()
        self.journal = self._store.read(held.run)
        with pytest.raises(RunBusyError), self._store.locked(held.run, 0.0):
            pass
        if self._error is not None:
            raise self._error
        return 7


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunStore:
    monkeypatch.chdir(tmp_path)
    return RunStore(tmp_path / "state")


def queued(tmp_path: Path, *argv: str, task: str = "do it") -> DispatchJournal:
    invocation = Invocation(argv=argv or ("sh", "{task}", "--say={task}"), env_keys=("PATH", "CHOSEN", "ABSENT"))
    return journal_of(RUN, workspace=path(tmp_path), task=task, invocation=invocation)


def test_the_journal_says_so_before_there_is_an_agent(
    store: RunStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHOSEN", "given")
    monkeypatch.setenv("OTHER", "not given")
    create(store, queued(tmp_path))
    turned = Turned(store)
    assert launch(store, RUN, task_on_stdin=True, turning=turned) == 7
    assert Path(turned.program).is_absolute()
    assert turned.argv == ("sh", "{task}", "--say={task}"), "only an argument is filled in"
    assert turned.environ == {"PATH": os.environ["PATH"], "CHOSEN": "given"}
    assert (turned.task, turned.cwd) == (b"do it", tmp_path)
    assert turned.journal is not None
    assert (turned.journal.state, turned.journal.pid) == (DispatchState.running, os.getpid())
    assert turned.journal.pid_started_at == PROCESSES.started_at(os.getpid())


def test_a_task_as_an_argument(store: RunStore, tmp_path: Path) -> None:
    create(store, queued(tmp_path, task="a {task} b"))
    turned = Turned(store)
    launch(store, RUN, task_on_stdin=False, turning=turned)
    assert turned.argv == ("sh", "a {task} b", "--say=a {task} b")
    assert turned.task == b""


@pytest.mark.parametrize("state", [DispatchState.running, DispatchState.unknown, DispatchState.cancelled])
def test_a_run_that_is_not_queued_any_more_is_left_alone(store: RunStore, tmp_path: Path, state: DispatchState) -> None:
    from wire.dispatch import SOURCES

    source = next(iter(SOURCES[state]), None)
    create(store, journal_of(RUN, state=state, state_source=source, workspace=path(tmp_path)))
    before = store.journal_path(RUN).read_bytes()
    turned = Turned(store)
    assert launch(store, RUN, task_on_stdin=True, turning=turned) == 1
    assert turned.journal is None
    assert store.journal_path(RUN).read_bytes() == before


def test_there_is_no_journal(store: RunStore) -> None:
    turned = Turned(store)
    assert launch(store, RUN, task_on_stdin=True, turning=turned) == 1
    assert turned.journal is None
    with pytest.raises(DispatchTroubleError, match="no run's id"):
        launch(store, "../../etc", task_on_stdin=True, turning=turned)


def test_an_agent_that_cannot_be_run_after_all(store: RunStore, tmp_path: Path) -> None:
    """The journal was `running` for a moment; what is left of it is a run that failed, without a process."""
    create(store, queued(tmp_path))
    turned = Turned(store, OSError(8, "Exec format error"))
    assert launch(store, RUN, task_on_stdin=True, turning=turned) == 1
    assert turned.journal is not None
    assert turned.journal.state is DispatchState.running
    failed = store.read(RUN)
    assert (failed.state, failed.stop_reason, failed.pid) == (DispatchState.failed, "spawn_error", None)
    assert failed.error is not None
    assert failed.error.message == "sh: Exec format error"


def test_a_workspace_that_is_gone(store: RunStore, tmp_path: Path) -> None:
    create(store, queued(tmp_path / "gone"))
    turned = Turned(store)
    assert launch(store, RUN, task_on_stdin=True, turning=turned) == 1
    assert turned.journal is None, "it was never running"
    failed = store.read(RUN)
    assert failed.error is not None
    assert failed.error.message == f"{tmp_path / 'gone'}: No such file or directory"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("#!/no/such/sh -e\n", "its first line names an interpreter that is not there, '/no/such/sh'"),
        ("#! \t/no/such/sh", "its first line names an interpreter that is not there, '/no/such/sh'"),
        ("#!/bin/sh\r\n", r"its first line names an interpreter that is not there, '/bin/sh\r'"),
        ("#!{other}\n", "it is there, but something that it needs to be run is not: its interpreter, or its loader"),
    ],
)
def test_a_script_whose_interpreter_is_not_there(store: RunStore, tmp_path: Path, content: str, told: str) -> None:
    other, agent = tmp_path / "other", tmp_path / "agent"
    other.write_text("#!/no/such/sh\n")
    agent.write_bytes(content.replace("{other}", str(other)).encode())
    other.chmod(0o755)
    agent.chmod(0o755)
    create(store, queued(tmp_path, str(agent)))
    argv = [sys.executable, "-c", SIGNALS, str(store.directory), RUN]
    subprocess.run(argv, check=True, stdin=subprocess.DEVNULL)
    failed = store.read(RUN)
    assert failed.error is not None
    assert failed.error.message.startswith(f"{agent}: {told}")


SIGNALS = """
import os, sys
from pathlib import Path
from accounting.dispatch.launch import launch
from accounting.dispatch.store import RunStore
launch(RunStore(Path(sys.argv[1])), sys.argv[2], task_on_stdin=True)
"""


def test_an_agent_begins_with_signals_as_they_are_by_default(store: RunStore, tmp_path: Path) -> None:
    """The interpreter ignores a closed pipe, and what it becomes would too."""
    create(store, queued(tmp_path, "/bin/sh", "-c", "grep SigIgn /proc/self/status; cat"))
    argv = [sys.executable, "-c", SIGNALS, str(store.directory), RUN]
    done = subprocess.run(argv, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL)
    ignored, said = done.stdout.split("\n", 1)
    assert int(ignored.split()[1], 16) & (1 << (signal.SIGPIPE - 1)) == 0
    assert said == "do it"
    assert done.stderr == ""
    with store.locked(RUN, 0.0):
        pass


class FakePopen:
    """A process on Windows."""

    def __init__(self, store: RunStore, code: int, during: DispatchJournal | None = None) -> None:
        self._store = store
        self._code = code
        self._during = during
        self.called: list[tuple[list[str], str, dict[str, str], bytes]] = []

    def __call__(self, argv: list[str], *, executable: str, env: dict[str, str], stdin: IO[bytes]) -> "FakePopen":
        self.called.append((argv, executable, env, stdin.read()))
        return self

    def wait(self) -> int:
        with self._store.locked(RUN, 0.0) as held:  # it was given up once the agent was there
            if self._during is not None:
                held.write(self._during)
        return self._code


def test_on_windows_the_launcher_stays_and_tells_the_exit_code(store: RunStore, tmp_path: Path) -> None:
    create(store, queued(tmp_path))
    popen = FakePopen(store, 3)
    assert launch(store, RUN, task_on_stdin=True, turning=ChildTurning(popen)) == 3  # type: ignore[arg-type]
    assert [(argv, given) for argv, _, _, given in popen.called] == [(["sh", "{task}", "--say={task}"], b"do it")]
    ended = store.read(RUN)
    assert (ended.state, ended.pid, ended.exit_code) == (DispatchState.running, os.getpid(), 3)


def test_on_windows_a_run_that_was_final_before_stays_so(store: RunStore, tmp_path: Path) -> None:
    first = queued(tmp_path)
    create(store, first)
    result = StreamResult(subtype="success", is_error=False)
    running = journal_of(RUN, state=DispatchState.running, pid=41, started_at=2_000, workspace=path(tmp_path))
    succeeded = step(running, Ended(at=3_000, result=result))
    turning = ChildTurning(FakePopen(store, 1, succeeded))  # type: ignore[arg-type]
    launch(store, RUN, task_on_stdin=True, turning=turning)
    assert store.read(RUN) == succeeded


def test_on_windows_an_agent_that_cannot_be_run(store: RunStore, tmp_path: Path) -> None:
    def refuse(*args: object, **kwargs: object) -> None:
        raise FileNotFoundError(2, "The system cannot find the file specified")

    create(store, queued(tmp_path))
    assert launch(store, RUN, task_on_stdin=True, turning=ChildTurning(refuse)) == 1  # type: ignore[arg-type]
    assert store.read(RUN).state is DispatchState.failed


def test_the_way_is_chosen_by_the_platform_s_name() -> None:
    assert isinstance(turning_of("win32"), ChildTurning)
    assert isinstance(turning_of("linux"), ExecTurning)
    assert isinstance(turning_of("darwin"), ExecTurning)


def test_two_launchers_of_one_run_become_one_agent(store: RunStore, tmp_path: Path) -> None:
    create(store, queued(tmp_path))
    turned = [Turned(store) for _ in range(4)]
    threads = [
        threading.Thread(target=launch, args=(store, RUN), kwargs={"task_on_stdin": True, "turning": one})
        for one in turned
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(one.journal is not None for one in turned) == 1
