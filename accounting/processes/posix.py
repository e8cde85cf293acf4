"""Processes and their groups on Linux, macOS and other POSIX systems. Spec: asks.md 1.6, 1.9; dispatch.md 2.2."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from accounting.processes.origin import UNKNOWN, Origin, Where, machine_of
from wire.scalars import TimeMs

_PROC: Final = Path("/proc")
_NEAR_MS: Final = 60_000
"""How far the beginning of a process may be from the time that was recorded: moments, unless the machine is slow."""
_STATE, _GROUP, _SESSION, _THREADS, _STARTED = 0, 2, 3, 17, 19
"""Places of fields in `/proc/<pid>/stat`, counted from the one after the command's name."""
_MACHINE: Final = Path("/etc/machine-id")


class PosixProcesses:
    """Signals; and `/proc`, where there is one, for what signals do not tell."""

    def __init__(self, proc: Path = _PROC, machine: Path = _MACHINE) -> None:
        self._proc: Final = proc
        self._machine: Final = machine

    def alive(self, pid: int) -> bool:
        """Signal 0 reaches it, or is not ours to send; and it is no zombie, where the system tells."""
        try:
            os.kill(pid, 0)
        except PermissionError:
            pass
        except (ProcessLookupError, OverflowError):
            return False
        stat = self._stat(pid)
        return stat is None or _runs(stat)

    def started_at(self, pid: int) -> str | None:
        """The tick of the boot, where `/proc` tells it; else the second, as `ps` prints it."""
        stat = self._stat(pid)
        if stat is not None:
            start = stat[_STARTED] if _runs(stat) else None
        elif (self._proc / "self").exists() or pid <= 0:
            start = None
        else:
            start = _asked(("ps", "-o", "lstart=", "-p", str(pid)))
        return None if start is None else self._origin().spell(start)

    def began_at(self, pid: int) -> TimeMs | None:
        """From the ticks since the boot, where `/proc` tells them, and how long ago that was; not later than it did."""
        stat, clock = self._stat(pid), getattr(time, "CLOCK_BOOTTIME", None)
        if stat is None or clock is None:
            return None
        booted = (time.time_ns() - time.clock_gettime_ns(clock)) // 1_000_000
        return booted + int(stat[_STARTED]) * 1000 // os.sysconf("SC_CLK_TCK")

    def where(self, recorded: str) -> Where:
        """By the machine's id or name, its boot, and the namespace of numbers, as far as the system has them."""
        return self._origin().sees(recorded)

    def in_group(self, pid: int) -> bool:
        """It is our own group."""
        return pid == os.getpgrp()

    def leads_since(self, pid: int, recorded_at: TimeMs) -> bool:
        """It leads a group, another than ours, and began at about that time."""
        try:
            if pid <= 1 or os.getpgid(pid) != pid or pid == os.getpgrp():
                return False
        except (OSError, OverflowError):
            return False
        began = self.began_at(pid)
        return began is None or abs(began - recorded_at) <= _NEAR_MS

    def group_left(self, pid: int) -> bool:
        """Signal 0 reaches it, and not only what was not collected yet; and no worker is in our own.

        Its number is given to no new process while anything of it is there.
        """
        if pid <= 1 or self.in_group(pid):
            return False
        try:
            os.killpg(pid, 0)
        except PermissionError:
            return True
        except (OSError, OverflowError):
            return False
        return self.alive(pid) or self._has_members(pid)

    def group_began_at(self, pid: int) -> TimeMs | None:
        """By the first of its members, where `/proc` tells."""
        began = (self.began_at(member) for member in self._members(pid))
        return min((at for at in began if at is not None), default=None)

    def terminate(self, pid: int) -> None:
        """SIGTERM to the group."""
        self._signal(pid, signal.SIGTERM)

    def kill(self, pid: int) -> None:
        """SIGKILL to the group."""
        self._signal(pid, _sigkill)

    def _signal(self, pid: int, number: int) -> None:
        if pid > 1 and not self.in_group(pid):
            with suppress(OSError, OverflowError):
                os.killpg(pid, number)

    def _has_members(self, pid: int) -> bool:
        """Whether anything runs in a group whose leader is gone; yes without `/proc`."""
        return not (self._proc / "self").exists() or any(True for _ in self._members(pid))

    def _members(self, pid: int) -> Iterator[int]:
        """What runs in a group, whose leader is that of a session too; nothing without `/proc`."""
        own = [str(pid), str(pid)]
        for entry in self._proc.iterdir() if (self._proc / "self").exists() else ():
            if entry.name.isdecimal():
                stat = self._stat(int(entry.name))
                if stat is not None and stat[_GROUP : _SESSION + 1] == own and _runs(stat):
                    yield int(entry.name)

    def _origin(self) -> Origin:
        try:
            namespace = str((self._proc / "self/ns/pid").readlink())
        except OSError:
            namespace = UNKNOWN
        machine = _text(self._machine) or os.uname().nodename
        boot = _text(self._proc / "sys/kernel/random/boot_id") or UNKNOWN
        return Origin(machine=machine_of(machine), boot=boot, namespace=namespace)

    def _stat(self, pid: int) -> list[str] | None:
        try:
            # The command's name stands in parentheses and may hold anything, these included.
            return (self._proc / str(pid) / "stat").read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            return None


def _runs(stat: list[str]) -> bool:
    """It is no zombie: the first thread of a process may have ended while others go on."""
    return stat[_STATE] not in ("Z", "X") or int(stat[_THREADS]) > 1


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace").strip()
    except OSError:
        return ""


def _asked(argv: tuple[str, ...]) -> str | None:
    # One time zone and one language, whoever asks: texts are compared between processes.
    environ = {**os.environ, "TZ": "UTC0", "LC_ALL": "C"}
    try:
        done = subprocess.run(  # noqa: S603 - words of our own and a number
            argv,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=5.0,
            check=False,
            env=environ,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() or None


_sigkill: Final = signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL
