"""Leaving no process behind: what a worker's provider started ends with the worker. Spec: asks.md 1.0, 1.9."""

import os
import signal
import sys
import time
from pathlib import Path
from typing import Final

from accounting.ask.ending import KILL_GRACE_MS

_PROC: Final = Path("/proc")
_POLL_S: Final = 0.01
_GROUP, _STATE = 2, 0


def end_own_group() -> None:
    """End all other processes of the group that this process leads: ask, wait `KILL_GRACE_MS`, and end them for good.

    The last of that ends this process too. Nothing happens where it leads no group, or on Windows.
    """
    if sys.platform == "win32" or os.getpgrp() != os.getpid() or not _others():
        return
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.killpg(0, signal.SIGTERM)
    deadline = time.monotonic() + KILL_GRACE_MS / 1000
    while time.monotonic() < deadline:
        if not _others():
            return
        time.sleep(_POLL_S)
    os.killpg(0, signal.SIGKILL)


def _others() -> bool:
    """Whether anything else of the group runs; true where the system does not tell."""
    if not (_PROC / "self/stat").exists():
        return True
    own = os.getpid()
    for path in _PROC.iterdir():
        if path.name.isdecimal() and int(path.name) != own:
            try:
                fields = (path / "stat").read_text(errors="replace").rpartition(")")[2].split()
            except OSError:  # ended meanwhile
                continue
            if int(fields[_GROUP]) == own and fields[_STATE] not in ("Z", "X"):
                return True
    return False
