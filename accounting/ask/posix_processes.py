"""Processes and their groups on Linux, macOS and other POSIX systems. Spec: asks.md 1.6, 1.9."""

import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

from wire.scalars import TimeMs

_PROC: Final = Path("/proc")
_NEAR_MS: Final = 60_000
"""How far the beginning of a worker may be from its lock's time: they are moments apart, unless the machine is slow."""
_STATE, _STARTED = 0, 19
"""Places of two fields in `/proc/<pid>/stat`, counted from the one after the command's name."""


class PosixProcesses:
    """Signals; and `/proc`, where there is one, for what signals do not tell."""

    def __init__(self, proc: Path = _PROC) -> None:
        self._proc: Final = proc

    def alive(self, pid: int) -> bool:
        """Signal 0 reaches it, or is not ours to send; and it is no zombie, where the system tells."""
        try:
            os.kill(pid, 0)
        except PermissionError:
            pass
        except (ProcessLookupError, OverflowError):
            return False
        stat = self._stat(pid)
        return stat is None or stat[_STATE] not in ("Z", "X")

    def is_worker(self, pid: int, recorded_at: TimeMs) -> bool:
        """It leads a group, as workers do, another than ours, and began when the lock was taken."""
        try:
            if pid <= 1 or os.getpgid(pid) != pid or pid == os.getpgrp():
                return False
        except (OSError, OverflowError):
            return False
        began = self._began(pid)
        return began is None or abs(began - recorded_at) <= _NEAR_MS

    def group_left(self, pid: int) -> bool:
        """Signal 0 reaches the group. Its number is given to no new process while anything of it is there."""
        try:
            if pid <= 1 or pid == os.getpgrp():  # no worker's
                return False
            os.killpg(pid, 0)
        except PermissionError:
            return True
        except (OSError, OverflowError):
            return False
        return True

    def terminate(self, pid: int) -> None:
        """SIGTERM to the group."""
        with suppress(OSError, OverflowError):
            os.killpg(pid, signal.SIGTERM)

    def kill(self, pid: int) -> None:
        """SIGKILL to the group."""
        with suppress(OSError, OverflowError):
            os.killpg(pid, _sigkill)

    def _stat(self, pid: int) -> list[str] | None:
        try:
            # The command's name stands in parentheses and may hold anything, these included.
            return (self._proc / str(pid) / "stat").read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            return None

    def _began(self, pid: int) -> TimeMs | None:
        stat = self._stat(pid)
        try:
            lines = (self._proc / "stat").read_text().splitlines()
        except OSError:
            return None
        booted = next((int(line.split()[1]) for line in lines if line.startswith("btime ")), None)
        if stat is None or booted is None:
            return None
        return booted * 1000 + int(stat[_STARTED]) * 1000 // os.sysconf("SC_CLK_TCK")


_sigkill: Final = signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL
