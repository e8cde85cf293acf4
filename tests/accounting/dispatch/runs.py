"""Runs of the fake agent, and waiting for what other processes do."""

import os
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import cast

from msgspec import UNSET, UnsetType, structs

from accounting.dispatch.invocation import InvocationPlan
from accounting.dispatch.start import StartRequest, start
from accounting.dispatch.store import RunStore
from accounting.processes import PROCESSES
from wire.dispatch import DispatchJournal, DispatchKind, DispatchState, Invocation
from wire.scalars import AbsolutePath, DispatchId

FAKE_AGENT = Path(__file__).with_name("fake_agent.py")
SESSION = "0c8b5f1e-0000-4000-8000-000000000001"
DEADLINE_S = 30.0
MARK = "ROUNDS_TEST_MARK"


def path(value: Path) -> AbsolutePath:
    return cast("AbsolutePath", str(value))


class World:
    """A state directory, a workspace, an agent's own directory, and the agents that were ever started."""

    def __init__(self, directory: Path, mark: str = "", state: Path | None = None) -> None:
        self.directory = directory
        self.mark = mark
        self.environ = {"PATH": os.environ["PATH"], MARK: mark}
        """What an agent is given: next to nothing."""
        self.store = RunStore(state or directory / "state")
        self.workspace = directory / "workspace"
        self.workspace.mkdir(parents=True, exist_ok=True)
        self.configuration = directory / "agent"
        self.started_file = directory / "started"

    def plan(self, *, argv: tuple[str, ...] | None = None, task_on_stdin: bool = True) -> InvocationPlan:
        fake = (sys.executable, "-S", "-E", str(FAKE_AGENT), "--to", str(self.started_file))
        return InvocationPlan(
            argv=argv or (fake if task_on_stdin else (*fake, "{task}")),
            env_keys=(),
            cwd=path(self.workspace),
            task_on_stdin=task_on_stdin,
            configuration=path(self.configuration),
        )

    def request(self, task: str, key: str | None = None) -> StartRequest:
        return StartRequest(profile="fake", kind=DispatchKind.run, workspace=path(self.workspace), task=task, key=key)

    def start(
        self,
        task: str,
        key: str | None = None,
        *,
        plan: InvocationPlan | None = None,
        environ: Mapping[str, str] | None = None,
        wait_ms: int = 8000,
    ) -> DispatchJournal:
        given = self.environ if environ is None else environ
        how = structs.replace(plan or self.plan(), env_keys=tuple(sorted(given)))
        return start(self.store, self.request(task, key), how, given, wait_ms=wait_ms)

    def started(self) -> tuple[int, ...]:
        """The numbers of all agents that were ever started."""
        try:
            return tuple(int(line) for line in self.started_file.read_text().split())
        except FileNotFoundError:
            return ()

    def stream(self, run: DispatchId) -> str:
        return self.store.stream_path(run).read_text()


def journal_of(run: DispatchId, **changed: object) -> DispatchJournal:
    """A run that was written down by this process, with fields changed."""
    queued = DispatchJournal(
        run_id=run,
        profile="fake",
        kind=DispatchKind.run,
        state=DispatchState.queued,
        workspace=cast("AbsolutePath", "/work"),
        task="init ok",
        invocation=Invocation(argv=("agent",), env_keys=("PATH",)),
        owner_pid=os.getpid(),
        owner_pid_started_at=PROCESSES.started_at(os.getpid()) or "",
        created_at=1_000,
        updated_at=1_000,
        tool_calls=0,
        other_sessions=0,
        ignored_lines=0,
    )
    return structs.replace(queued, **changed)


def create(store: RunStore, journal: DispatchJournal) -> bool:
    """Write a run's first journal; false, with nothing changed, when there is one."""
    with store.locked(journal.run_id) as held:
        return held.create(journal)


def is_replay(journal: DispatchJournal) -> bool:
    flag: bool | UnsetType = journal.idempotent_replay
    return flag is not UNSET and bool(flag)


def until(condition: Callable[[], bool], what: str = "", seconds: float = DEADLINE_S) -> None:
    """Wait for a condition; fail when it does not come."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"this never came: {what or condition}"
        time.sleep(0.005)


def is_running(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    except OSError:
        return False
