"""How a launcher becomes an agent: where platforms differ, and where tests put stand-ins. Spec: dispatch.md 2.2."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import IO, Final, Protocol

from accounting.clock import system_clock
from accounting.dispatch.events import Reaped
from accounting.dispatch.machine import step
from accounting.dispatch.store import LockedRun

_STDIN: Final = 0
_RESTORED: Final = ("SIGPIPE", "SIGXFZ", "SIGXFSZ")
"""Signals that the interpreter ignores, and an agent is not to."""


class Turning(Protocol):
    """The way of one platform."""

    def __call__(
        self,
        program: str,
        argv: Sequence[str],
        environ: Mapping[str, str],
        task: IO[bytes],
        held: LockedRun,
        /,
    ) -> int:
        """Run the program in place of this process, with the task as standard input.

        The run is given up once the agent is there. Returns only where a process cannot be replaced: the agent's exit
        code, once it has ended. Raises `OSError` or `ValueError` when it cannot be run, the run still held.
        """
        ...


class ExecTurning:
    """POSIX: the process stays, and its number with it. The run's lock goes with the descriptors closed by `exec`."""

    def __call__(
        self,
        program: str,
        argv: Sequence[str],
        environ: Mapping[str, str],
        task: IO[bytes],
        held: LockedRun,  # noqa: ARG002 - the system gives it up
    ) -> int:
        """Does not return."""
        task.flush()
        os.dup2(task.fileno(), _STDIN)
        for name in _RESTORED:
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), signal.SIG_DFL)
        os.execve(program, tuple(argv), environ)  # noqa: S606 - what the profile says


class ChildTurning:
    """Windows, where a process cannot be replaced: the launcher stays, and ends as its agent does.

    The run's process is the launcher, whose tree is ended with it. Told by the tests with stand-ins; it has not run on
    Windows.
    """

    def __init__(self, popen: "Callable[..., subprocess.Popen[bytes]]" = subprocess.Popen) -> None:
        self._popen: Final = popen

    def __call__(
        self,
        program: str,
        argv: Sequence[str],
        environ: Mapping[str, str],
        task: IO[bytes],
        held: LockedRun,
    ) -> int:
        """Returns when the agent has ended, its exit code in the journal unless that was final before."""
        task.flush()
        agent = self._popen(list(argv), executable=program, env=environ, stdin=task)
        held.release()
        code = agent.wait()
        with held.again() as again:
            journal = again.read()
            if journal is not None:
                again.write(step(journal, Reaped(at=system_clock(), exit_code=code, signal=None)))
        return code


def turning_of(platform: str) -> Turning:
    """The way of a platform that is called as `sys.platform` calls it."""
    return ChildTurning() if platform == "win32" else ExecTurning()


TURNING: Final = turning_of(sys.platform)
"""That of the platform at hand."""
