"""Processes on Windows, which has no groups to signal: `taskkill` ends a process with all that it started.

Spec: asks.md 1.6, 1.9; dispatch.md 2.2. Told by the tests with stand-ins; it has not run on Windows.
"""

import os
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

from accounting.processes.origin import UNKNOWN, Origin, Where, machine_of
from wire.scalars import TimeMs

_PATIENCE_S: Final = 10.0


def _run(argv: Sequence[str]) -> str:
    done = subprocess.run(  # noqa: S603 - words of our own and a number
        argv,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=_PATIENCE_S,
        check=False,
    )
    return done.stdout


class WindowsProcesses:
    """`tasklist` and `taskkill`. Asking politely is left out: a process without a window does not hear it."""

    def __init__(self, run: Callable[[Sequence[str]], str] = _run) -> None:
        self._run: Final = run

    def alive(self, pid: int) -> bool:
        """It is listed; where the list cannot be had it counts as alive. Signal 0 would end it here."""
        try:
            listed = self._run(("tasklist", "/FI", f"PID eq {pid}", "/FO", "CSV", "/NH"))
        except (OSError, subprocess.SubprocessError):
            return True
        return f'"{pid}"' in listed

    def started_at(self, pid: int) -> str | None:
        """The process's start as a file time, which PowerShell prints."""
        question = f"(Get-Process -Id {int(pid)}).StartTime.ToFileTimeUtc()"
        try:
            start = self._run(("powershell", "-NoProfile", "-NonInteractive", "-Command", question)).strip()
        except (OSError, subprocess.SubprocessError):
            return None
        return _origin().spell(start) if start else None

    def began_at(self, pid: int) -> TimeMs | None:  # noqa: ARG002 - not asked for
        """The system is not asked: it costs a second."""
        return None

    def where(self, recorded: str) -> Where:
        """By the computer's name. A start after a boot is another one, so that nothing more is needed."""
        return _origin().sees(recorded)

    def in_group(self, pid: int) -> bool:  # noqa: ARG002 - the system does not tell
        """Never: who started this process is not asked for."""
        return False

    def leads_since(self, pid: int, recorded_at: TimeMs) -> bool:  # noqa: ARG002 - the system does not tell
        """Whenever it is alive."""
        return self.alive(pid)

    def group_began_at(self, pid: int) -> TimeMs | None:  # noqa: ARG002 - the system does not tell
        """It is not told."""
        return None

    def group_left(self, pid: int) -> bool:
        """What a process that is gone started is not found again."""
        return self.alive(pid)

    def terminate(self, pid: int) -> None:
        """Nothing: there is no asking."""

    def kill(self, pid: int) -> None:
        """End the process and all below it."""
        with suppress(OSError, subprocess.SubprocessError):
            self._run(("taskkill", "/PID", str(pid), "/T", "/F"))


def _origin() -> Origin:
    machine = machine_of(os.environ.get("COMPUTERNAME", ""))
    return Origin(machine=machine, boot=UNKNOWN, namespace=UNKNOWN)
