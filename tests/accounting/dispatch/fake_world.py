"""A machine that is made up: its processes, its clock and its disk stand in for the real ones, and the code is real.

At every point where the code asks the system for something, anything else may happen first: an agent prints or ends,
its number is given to another process, the clock jumps, the disk is full, or the process at hand is killed.
"""

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Final, cast
from unittest import mock

from accounting.dispatch import cancel, launch, launching, observe, output, start, steps, wait
from accounting.dispatch import store as storing
from accounting.dispatch.children import Exit
from accounting.dispatch.invocation import InvocationPlan
from accounting.dispatch.observe import Observing
from accounting.dispatch.store import LockedRun, RunStore
from accounting.dispatch.transcripts import of_run
from accounting.ledger.writing.system import SYSTEM
from accounting.processes import Where
from accounting.processes.detached import Detached
from tests.accounting.dispatch.journals import BEGAN, path
from wire.dispatch import DispatchJournal, TranscriptState
from wire.scalars import DispatchId, Json, JsonObject, TimeMs, dispatch_id

PROGRAM: Final = "/bin/sh"
"""What is never run here; it is only looked for."""


class Crash(BaseException):
    """The process at hand is killed."""


class Turned(BaseException):
    """The launcher at hand has become its agent, and runs no code of ours any more."""


@dataclass
class Process:
    """A process. Another one may have its number once it is gone."""

    pid: int
    started: str
    born: int
    """After how many points it came."""
    is_ours: bool = True
    is_alive: bool = True
    exit: Exit = field(default_factory=Exit)

    def end(self, exit_: Exit) -> None:
        if self.is_alive:
            self.is_alive, self.exit = False, exit_


@dataclass
class Agent:
    """A launcher, and what becomes of it."""

    process: Process
    run: DispatchId
    output: int
    """Its standard output, which it keeps whatever the file is called."""
    last_words: bytes
    """What it prints when it is asked to end."""
    manners: str
    """`obeys` the first signal, is `deaf` to it, `lingers` with a part of its group, or cannot be ended (`stuck`)."""
    is_agent: bool = False
    printed: bytearray = field(default_factory=bytearray)
    told: list[tuple[TranscriptState, TimeMs]] = field(default_factory=list[tuple[TranscriptState, TimeMs]])
    """What its session file came to, and when."""
    has_leftover: bool = False

    @property
    def session(self) -> str:
        return f"s{self.process.pid}"

    def prints(self, text: bytes) -> None:
        if self.is_agent and self.process.is_alive:
            os.write(self.output, text)
            self.printed += text

    def results(self) -> list[str]:
        """The results that it printed, in a word, read in the plainest way: objects that a line begins with."""
        found: list[str] = []
        for line in self.printed.decode().split("\n"):
            rest = line
            while rest:
                try:
                    row, end = cast("tuple[dict[str, str | bool], int]", _scan(rest))
                except ValueError:
                    break
                if row["type"] == "result":
                    found.append("error" if row["is_error"] else "success")
                rest = rest[end:]
        return found


Event = Callable[["World"], None]
"""Something that happens beside the deed at hand."""


def nothing() -> None:
    """All is quiet."""


class World:
    """The machine."""

    def __init__(self) -> None:
        shm = Path("/dev/shm")
        self.root: Final = Path(tempfile.mkdtemp(dir=shm if shm.is_dir() else None))
        self.workspace: Final = self.root / "workspace"
        self.workspace.mkdir()
        self.configuration: Final = self.root / "agent"
        self.now = BEGAN
        self.points = 0
        """How often the code has asked the system for something."""
        self.asked: Final[dict[int, int]] = {}
        """After how many points it was last asked what has a number."""
        self.processes: Final[dict[int, Process]] = {}
        self.agents: Final[list[Agent]] = []
        """Launchers and agents, in the order in which they were started."""
        self.children: Final[dict[tuple[int, Path], Agent]] = {}
        self.me = self.process()
        """The process whose code runs."""
        self.next_manners: tuple[str, bytes] = ("obeys", b"")
        self.while_waiting: Callable[[], None] = nothing
        """What others do while a start is waited for."""
        self.spawning_fails = False
        self.turning_fails = False
        self.on_turning: Callable[[Agent], None] = lambda _: None
        self.on_signal: Callable[[Agent], None] = lambda _: None
        self.on_deed: Callable[[], None] = nothing
        """What is to hold after each deed."""
        self._events: dict[int, Event] = {}
        self._made = 0
        self._began = 0
        self._is_dying = False
        self._stack: Final = ExitStack()
        self._put_in_place()

    @property
    def store(self) -> RunStore:
        return RunStore(self.root / "state")

    def plan(self) -> InvocationPlan:
        return InvocationPlan(
            argv=(PROGRAM,),
            env_keys=(),
            cwd=path(str(self.workspace)),
            task_on_stdin=True,
            configuration=path(str(self.configuration)),
        )

    def close(self) -> None:
        self._stack.close()
        for agent in self.agents:
            os.close(agent.output)
        shutil.rmtree(self.root)

    # Deeds and what happens meanwhile.

    @contextmanager
    def acting(self, who: Process, events: Mapping[int, Event]) -> Generator[None]:
        """Run code as a process, which is killed when that is among the events: each comes at a point."""
        before = self.me, self._events, self._began
        self.me, self._events, self._began = who, dict(events), self.points
        try:
            yield
        except Crash:
            if who.is_alive:
                raise
        finally:
            self.me, self._events, self._began = before
            self._is_dying = False

    def point(self, *, disk: bool = False) -> None:
        """The code asks the system for something."""
        self.points += 1
        event = self._events.pop(self.points - self._began, None)
        try:
            if event is not None:
                event(self)
        except OSError:
            if disk:
                raise
        if not self.me.is_alive:
            self._is_dying = True
            raise Crash

    def crash(self) -> None:
        """The process at hand is killed."""
        self.me.end(Exit(signal="SIGKILL"))

    def fill_disk(self) -> None:
        """What is being written does not get there."""
        raise OSError(28, "No space left on device")

    def turn_clock(self, ms: int) -> None:
        self.now += ms

    def process(self, pid: int | None = None, *, is_ours: bool = True) -> Process:
        number = pid or 1000 + len(self.processes)
        made = Process(number, f"{number} at {self.points}", self.points, is_ours)
        self.processes[number] = made
        return made

    def take_number(self, pid: int) -> None:
        """Another program is given the number of a process that is gone."""
        agent = self._agent(pid)
        if not self.processes[pid].is_alive and not (agent is not None and agent.has_leftover):
            self.process(pid, is_ours=False)

    def write_session(self, agent: Agent, state: TranscriptState) -> None:
        """The agent's session file goes on; that may be after its process is gone."""
        if not agent.is_agent:
            return
        file = self.configuration / "projects" / str(self.workspace).replace("/", "-") / f"{agent.session}.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a") as stream:
            for row in self._rows(state):
                common = {"id": str(self.now), "parentId": None, "timestamp": self.now, "sessionId": agent.session}
                stream.write(json.dumps({**common, "cwd": str(self.workspace), **row}) + "\n")
        agent.told.append((state, self.now))
        os.utime(file, ns=(0, self.now * 1_000_000))

    def _rows(self, state: TranscriptState) -> list[JsonObject]:
        said: JsonObject = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "mend it"}]}
        match state:
            case TranscriptState.completed:
                content: Json = [{"type": "output_text", "text": "Mended."}]
                return [said, {"type": "message", "role": "assistant", "status": "completed", "content": content}]
            case TranscriptState.failed:
                content = [{"type": "input_text", "text": "[Request interrupted by user]"}]
                broken: Json = {"skipRun": True}
                return [{"type": "message", "role": "user", "content": content, "providerData": broken}]
            case _:
                return [said]

    # The system, as the code sees it.

    def alive(self, pid: int) -> bool:
        self._asks(pid)
        return pid in self.processes and self.processes[pid].is_alive

    def started_at(self, pid: int) -> str | None:
        self._asks(pid)
        process = self.processes.get(pid)
        return process.started if process is not None and process.is_alive else None

    def began_at(self, pid: int) -> int | None:
        return None

    def where(self, recorded: str) -> Where:
        self.point()
        return Where.here

    def in_group(self, pid: int) -> bool:
        self.point()
        return False

    def leads_since(self, pid: int, recorded_at: TimeMs) -> bool:
        agent = self._agent(pid)
        return agent is not None and agent.process.is_alive

    def group_began_at(self, pid: int) -> int | None:
        return 0 if self.group_left(pid) else None

    def group_left(self, pid: int) -> bool:
        self._asks(pid)
        agent = self._agent(pid)
        return agent is not None and (agent.process.is_alive or agent.has_leftover)

    def terminate(self, pid: int) -> None:
        agent = self._signalled(pid)
        if agent is not None and agent.manners in ("obeys", "lingers"):
            agent.prints(agent.last_words)
            agent.has_leftover = agent.manners == "lingers"
            agent.process.end(Exit(signal="SIGTERM"))

    def kill(self, pid: int) -> None:
        agent = self._signalled(pid)
        if agent is not None and agent.manners != "stuck":
            agent.has_leftover = False
            agent.process.end(Exit(signal="SIGKILL"))

    def _asks(self, pid: int) -> None:
        self.point()
        self.asked[pid] = self.points

    def _agent(self, pid: int) -> Agent | None:
        process = self.processes.get(pid)
        return next((agent for agent in self.agents if agent.process is process), None)

    def _signalled(self, pid: int) -> Agent | None:
        self.point()
        process = self.processes[pid]
        # Between asking and the signal the number may change hands: that much no system keeps from happening.
        assert process.is_ours or process.born > self.asked[pid], f"process {pid} is another's, and was sent a signal"
        agent = self._agent(pid)
        if agent is not None and agent.process.is_alive:
            self.on_signal(agent)
        return agent

    def _spawn(self, how: Detached, environ: Mapping[str, str], *, output: int, errors: int) -> SimpleNamespace:
        self.point()
        if self.spawning_fails:
            raise BlockingIOError(11, "Resource temporarily unavailable")
        run = dispatch_id(how.argv[-1])
        assert run is not None
        manners, words = self.next_manners
        self.agents.append(Agent(self.process(), run, os.dup(output), words, manners))
        return SimpleNamespace(pid=self.agents[-1].process.pid)

    def _look_after(self, journal: Path, process: SimpleNamespace, ended: Callable[[], None]) -> None:
        agent = self._agent(process.pid)
        assert agent is not None
        self.children[self.me.pid, journal] = agent

    def _child_of(self, journal: Path) -> SimpleNamespace | None:
        agent = self.children.get((self.me.pid, journal))
        if agent is None:
            return None
        process = agent.process
        return SimpleNamespace(pid=process.pid, ended=lambda _wait_s=0.0: None if process.is_alive else process.exit)

    def turning(
        self, program: str, argv: Sequence[str], environ: Mapping[str, str], task: IO[bytes], held: LockedRun
    ) -> int:
        """`exec`."""
        self.point()
        if self.turning_fails:
            raise PermissionError(13, "Permission denied", program)
        agent = self._agent(self.me.pid)
        assert agent is not None
        agent.is_agent = True
        self.on_turning(agent)
        raise Turned

    def _wait_until(
        self, observing: Observing, is_enough: Callable[[DispatchJournal], bool], timeout_ms: int | None
    ) -> DispatchJournal:
        """No time goes by."""
        self.point()
        self.while_waiting()
        return wait.wait_until(observing, is_enough, 0)

    def _to_disk(self, _: object) -> None:
        self.point(disk=True)

    def _new_run_id(self) -> DispatchId:
        self._made += 1
        return cast("DispatchId", f"wb-{self._made:016x}")

    def _clock(self) -> TimeMs:
        self.point()
        return self.now

    def _step(self, _: str) -> None:
        self.point()

    def _change_directory(self, _: str) -> None:
        """It stays where it is."""

    def observing(self, store: RunStore, run: DispatchId) -> Observing:
        return Observing(store, run, self)

    def _put_in_place(self) -> None:
        def unlink(path: Path, missing_ok: bool = False) -> None:
            if not self._is_dying:  # who is killed tidies nothing up
                _unlink(path, missing_ok=missing_ok)

        replaced: list[tuple[object, str, object]] = [
            (steps, "reached", self._step),
            (start, "new_run_id", self._new_run_id),
            (start, "look_after", self._look_after),
            (start, "wait_until", self._wait_until),
            (start, "LAUNCH_MS", 0),
            (launch, "PROCESSES", self),
            (launching, "start_detached", self._spawn),
            (observe, "child_of", self._child_of),
            *((module, "system_clock", self._clock) for module in (start, launch, observe, output, cancel, of_run)),
            *((cancel, name, 0.0) for name in ("_KILLED_S", "_STARTING_S", "_EXIT_PATIENCE_S", "_POLL_S")),
            (
                storing,
                "SYSTEM",
                SimpleNamespace(
                    lock=SYSTEM.lock,
                    unlock=SYSTEM.unlock,
                    holder=SYSTEM.holder,
                    barrier=self._to_disk,
                    sync_directory=self._to_disk,
                ),
            ),
            (os, "getpid", lambda: self.me.pid),
            (os, "chdir", self._change_directory),
            (Path, "unlink", unlink),
        ]
        for home, name, stand_in in replaced:
            self._stack.enter_context(mock.patch.object(home, name, stand_in))


_unlink: Final = Path.unlink
_scan: Final = json.JSONDecoder().raw_decode
