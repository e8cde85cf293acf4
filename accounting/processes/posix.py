"""Processes and their groups on Linux, macOS and other POSIX systems. Spec: asks.md 1.6, 1.9; dispatch.md 2.2."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

from wire.scalars import TimeMs

_PROC: Final = Path("/proc")
_NEAR_MS: Final = 60_000
"""How far the beginning of a process may be from the time that was recorded: moments, unless the machine is slow."""
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

    def started_at(self, pid: int) -> str | None:
        """The boot and the tick of it, where `/proc` tells them; else the second, as `ps` prints it."""
        stat = self._stat(pid)
        if stat is not None:
            return None if stat[_STATE] in ("Z", "X") else f"{self._boot()}:{stat[_STARTED]}"
        if (self._proc / "self").exists() or pid <= 0:
            return None
        return _asked(("ps", "-o", "lstart=", "-p", str(pid)))

    def leads_since(self, pid: int, recorded_at: TimeMs) -> bool:
        """It leads a group, another than ours, and began at about that time."""
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

    def _boot(self) -> str:
        try:
            return (self._proc / "sys/kernel/random/boot_id").read_text().strip()
        except OSError:
            return "boot"

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


def _asked(argv: tuple[str, ...]) -> str | None:
    try:
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=5.0, check=False)  # noqa: S603 - words of our own and a number
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() or None


_sigkill: Final = signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL
