"""The end of a worker, with all that it started. Spec: asks.md 1.9."""

import time
from typing import Final

from accounting.processes import PROCESSES, Processes
from wire.scalars import TimeMs

KILL_GRACE_MS: Final = 250
"""How long a worker has to end by itself."""
_KILLED_S: Final = 5.0
_POLL_S: Final = 0.005


def end_worker(pid: int, recorded_at: TimeMs, processes: Processes = PROCESSES) -> bool:
    """End the worker that a lock of that time names, and whatever it started; true when the worker is gone for sure.

    It is asked first, and has `KILL_GRACE_MS`. What a worker left behind that is gone itself is ended too. A process
    that was only given its number is left alone.
    """
    if processes.alive(pid) and not processes.leads_since(pid, recorded_at):
        return True
    if not processes.group_left(pid):
        return True
    processes.terminate(pid)
    if not _wait_until_left(pid, KILL_GRACE_MS / 1000, processes):
        processes.kill(pid)
    deadline = time.monotonic() + _KILLED_S
    while processes.alive(pid):
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_S)
    return True


def _wait_until_left(pid: int, seconds: float, processes: Processes) -> bool:
    """Wait until nothing of a worker's group is there; false when something still is."""
    deadline = time.monotonic() + seconds
    while processes.group_left(pid):
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_S)
    return True
