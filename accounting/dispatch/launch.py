"""The launcher of a run, which becomes its agent: `python -m accounting.dispatch.launch`. Spec: dispatch.md 2.0, 2.2.

It writes its own number into the journal and then turns into the agent: so the number is in the journal before there is
an agent, whoever is killed when. It holds the run's lock until it has turned, and finds nothing to do when the journal
is not `queued` any more. Its standard output and standard error are files of the run already.
"""

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Final

from accounting.clock import system_clock
from accounting.dispatch import steps
from accounting.dispatch.errors import DispatchTroubleError
from accounting.dispatch.events import Spawned, SpawnFailed
from accounting.dispatch.machine import step
from accounting.dispatch.profile import TASK
from accounting.dispatch.store import LockedRun, RunStore
from accounting.dispatch.turning import TURNING, Turning
from accounting.processes import PROCESSES
from wire.dispatch import DispatchJournal, DispatchState
from wire.scalars import dispatch_id

_SCRIPT_LINE: Final = 256
"""How many bytes of a script's first line are looked at, as Linux does."""


def launch(store: RunStore, run: str, *, task_on_stdin: bool, turning: Turning = TURNING) -> int:
    """Turn into the agent of a queued run; the exit code when there was none to become, or none could be.

    A run whose agent cannot be started is failed, and says why. Raises `OSError` and `DispatchTroubleError` when the
    journal cannot be read or written: then it stands as it was.
    """
    name = dispatch_id(run)
    if name is None:
        raise DispatchTroubleError(f"{run!r} is no run's id")
    with store.locked(name) as held:
        steps.reached("launcher has the run")
        queued = held.read()
        if queued is None or queued.state is not DispatchState.queued:
            return 1
        try:
            return _turn(held, queued, turning, task_on_stdin=task_on_stdin)
        except (OSError, ValueError) as error:  # the latter for a NUL in an argument
            # From the journal as it was: whoever read `running` meanwhile read it for a moment only.
            held.write(step(queued, SpawnFailed(at=system_clock(), message=_why(error, queued))))
            return 1


def _turn(held: LockedRun, queued: DispatchJournal, turning: Turning, *, task_on_stdin: bool) -> int:
    environ = {name: os.environ[name] for name in queued.invocation.env_keys if name in os.environ}
    os.chdir(queued.workspace)
    program = _found(queued.invocation.argv[0], environ)
    argv = queued.invocation.argv if task_on_stdin else _expanded(queued.invocation.argv, queued.task)
    with _task_file(queued.task if task_on_stdin else "") as task:
        pid = os.getpid()
        started = Spawned(at=system_clock(), pid=pid, pid_started_at=PROCESSES.started_at(pid))
        held.write(step(queued, started))
        steps.reached("launcher turns")
        return turning(program, argv, environ, task, held)


def _found(program: str, environ: Mapping[str, str]) -> str:
    found = shutil.which(program, path=environ.get("PATH", os.defpath))
    if found is None:
        raise FileNotFoundError(f"{program}: no such program, or none that may be run")
    return found


def _expanded(argv: Sequence[str], task: str) -> tuple[str, ...]:
    """The arguments with the task in place of `{task}`; the command itself stays as it is."""
    return (argv[0], *(word.replace(TASK, task) for word in argv[1:]))


def _task_file(task: str) -> IO[bytes]:
    """The task as a file without a name, at its beginning: it can be read to its end whoever is gone, unlike a pipe."""
    file = tempfile.TemporaryFile()  # noqa: SIM115 - the caller closes it
    try:
        file.write(task.encode())
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return file


def _why(error: OSError | ValueError, queued: DispatchJournal) -> str:
    if isinstance(error, FileNotFoundError) and error.filename is not None and _is_there(error.filename):
        return f"{error.filename}: {_lacking(error.filename)}"
    if isinstance(error, OSError) and error.strerror is not None:
        return f"{error.filename or queued.invocation.argv[0]}: {error.strerror}"
    return str(error)


def _lacking(program: str) -> str:
    """What is not there of a program that is there, and cannot be run for that."""
    try:
        with Path(program).open("rb") as file:
            line = file.readline(_SCRIPT_LINE)
    except OSError:
        line = b""
    # Windows line ends are kept: then the name ends in a carriage return, which is what is wrong with it.
    words = re.split(rb"[ \t]+", line[2:].strip(b" \t\n")) if line.startswith(b"#!") else [b""]
    interpreter = os.fsdecode(words[0])
    if interpreter and not _is_there(interpreter):
        named = f"its first line names an interpreter that is not there, {interpreter!a}"
        return f"{named}; install it, or correct that line"
    return "it is there, but something that it needs to be run is not: its interpreter, or its loader"


def _is_there(path: str) -> bool:
    return os.path.exists(path)  # noqa: PTH110 - that of a `Path` raises for a name that is too long


def main(arguments: Sequence[str]) -> int:
    """The command line: `stdin` or `argument`, the state directory, the run."""
    task, directory, run = arguments
    return launch(RunStore(Path(directory)), run, task_on_stdin=task == "stdin")


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (OSError, DispatchTroubleError) as error:
        sys.exit(f"launcher: {error}")
