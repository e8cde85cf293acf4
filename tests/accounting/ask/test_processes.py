"""Which processes are alive, and ending a worker with all it started: real ones, and stand-ins for Windows."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from accounting.ask.ending import end_worker
from accounting.clock import system_clock
from accounting.processes import PROCESSES, processes_of
from accounting.processes.posix import PosixProcesses
from accounting.processes.windows import WindowsProcesses
from tests.accounting.ask.workers import until


def _leader(line: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(["/bin/sh", "-c", line], start_new_session=True, stdout=subprocess.PIPE)


def test_who_is_alive() -> None:
    assert PROCESSES.alive(os.getpid())
    assert PROCESSES.alive(1), "also another user's"
    assert not PROCESSES.alive(2**31)
    assert not PROCESSES.alive(2**80)
    child = subprocess.Popen([sys.executable, "-c", ""])
    until(lambda: not PROCESSES.alive(child.pid), "a zombie is not alive")
    child.wait()
    assert not PROCESSES.alive(child.pid)


def test_nobody_else_is_taken_for_a_worker() -> None:
    now = system_clock()
    child = subprocess.Popen(["/bin/sleep", "60"])
    leader = _leader("exec sleep 60")
    assert PROCESSES.leads_since(leader.pid, now)
    assert not PROCESSES.leads_since(leader.pid, now - 120_000), "it began after the lock was taken"
    assert not PROCESSES.leads_since(leader.pid, now + 120_000)
    assert not PROCESSES.leads_since(child.pid, now), "it leads no group"
    assert not PROCESSES.leads_since(1, now)
    assert not PROCESSES.leads_since(os.getpgrp(), now), "our own group"
    assert not PROCESSES.group_left(os.getpgrp())
    assert end_worker(child.pid, now)
    assert child.poll() is None
    for one in (child, leader):
        one.kill()
        one.communicate()


def test_where_the_system_does_not_tell_when_a_process_began(tmp_path: Path) -> None:
    leader = _leader("exec sleep 60")
    assert PosixProcesses(tmp_path).leads_since(leader.pid, 0)
    assert PosixProcesses(tmp_path).alive(leader.pid)
    leader.kill()
    leader.communicate()


@pytest.mark.parametrize(
    ("line", "killed"),
    [("sleep 60 & wait", False), ("trap '' TERM; sleep 60 & echo; wait; sleep 60", True)],
)
def test_ending_a_worker_ends_all_it_started(line: str, killed: bool) -> None:
    leader = _leader(f"echo ready; {line}")
    assert leader.stdout is not None
    assert leader.stdout.readline() == b"ready\n"
    if killed:
        assert leader.stdout.readline() == b"\n"
    began = time.monotonic()
    assert end_worker(leader.pid, system_clock())
    assert (time.monotonic() - began >= 0.25) is killed or not killed
    assert leader.wait() == -(signal.SIGKILL if killed else signal.SIGTERM)
    assert leader.communicate()[0] == b"", "nobody holds its pipe any more"


def test_what_a_dead_worker_left_is_ended() -> None:
    leader = _leader("echo ready; sleep 60 & kill -9 $$")
    assert leader.wait() == -signal.SIGKILL
    assert PROCESSES.group_left(leader.pid)
    assert end_worker(leader.pid, system_clock())
    assert leader.communicate()[0] == b"ready\n"


def test_a_worker_that_is_gone_is_gone() -> None:
    leader = _leader("exit")
    leader.communicate()
    assert end_worker(leader.pid, system_clock())


class Tasks:
    """`tasklist` and `taskkill`."""

    def __init__(self, *running: int, refuse: bool = False) -> None:
        self.running = {*running}
        self.refuse = refuse
        self.calls: list[tuple[str, ...]] = []

    def __call__(self, argv: Sequence[str]) -> str:
        self.calls.append(tuple(argv))
        if self.refuse:
            raise subprocess.TimeoutExpired(argv, 10)
        if argv[0] == "taskkill":
            self.running.discard(int(argv[2]))
            return "SUCCESS\n"
        pid = int(argv[2].removeprefix("PID eq "))
        if pid in self.running:
            return f'"python.exe","{pid}","Console","1","10,000 K"\n'
        return "INFO: No tasks are running which match the specified criteria.\n"


def test_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("accounting.ask.ending.KILL_GRACE_MS", 10)
    tasks = Tasks(70)
    windows = WindowsProcesses(tasks)
    assert windows.alive(70)
    assert not windows.alive(7)
    assert windows.leads_since(70, 0)
    assert end_worker(70, 0, windows)
    assert not windows.alive(70)
    assert ("taskkill", "/PID", "70", "/T", "/F") in tasks.calls
    assert all(call[0] in ("tasklist", "taskkill") for call in tasks.calls)


def test_windows_that_does_not_answer() -> None:
    windows = WindowsProcesses(Tasks(refuse=True))
    assert windows.alive(70), "a lock is not taken from who may be alive"
    windows.kill(70)


def test_the_platform_is_chosen_by_its_name() -> None:
    assert isinstance(processes_of("win32"), WindowsProcesses)
    assert isinstance(processes_of("linux"), PosixProcesses)
    assert isinstance(processes_of("darwin"), PosixProcesses)
