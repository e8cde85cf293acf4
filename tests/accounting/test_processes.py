"""When a process started: the same text as long as it is the same process. Real ones, and stand-ins for Windows.

Which are alive, and ending groups, is told with the workers that are ended: `ask/test_processes.py`.
"""

import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from accounting.clock import system_clock
from accounting.processes import PROCESSES, Presence, Where, is_group_left, presence
from accounting.processes.posix import PosixProcesses
from accounting.processes.windows import WindowsProcesses
from tests.accounting.ask.workers import until


def test_a_process_has_one_start_whoever_asks() -> None:
    own = PROCESSES.started_at(os.getpid())
    assert own is not None
    code = f"from accounting.processes import PROCESSES; print(PROCESSES.started_at({os.getpid()}))"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == own


def test_becoming_another_program_does_not_change_it() -> None:
    process = subprocess.Popen(
        ["/bin/sh", "-c", "echo; read line; exec sleep 60"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdout.readline()
    before = PROCESSES.started_at(process.pid)
    process.stdin.write(b"\n")
    process.stdin.flush()
    until(lambda: b"sleep" in Path(f"/proc/{process.pid}/cmdline").read_bytes())
    assert PROCESSES.started_at(process.pid) == before is not None
    process.kill()
    process.communicate()


def test_two_processes_have_two() -> None:
    first = subprocess.Popen(["/bin/sleep", "60"])
    tick = 1 / os.sysconf("SC_CLK_TCK")
    time.sleep(2 * tick)
    second = subprocess.Popen(["/bin/sleep", "60"])
    assert PROCESSES.started_at(first.pid) != PROCESSES.started_at(second.pid)
    for one in (first, second):
        one.kill()
        one.wait()


def test_who_is_gone_has_none() -> None:
    process = subprocess.Popen(["/bin/sleep", "60"])
    assert PROCESSES.started_at(process.pid) is not None
    process.kill()
    until(lambda: PROCESSES.started_at(process.pid) is None, "a zombie has none")
    process.wait()
    assert PROCESSES.started_at(process.pid) is None
    for no_process in (0, -1, 2**31, 2**80):
        assert PROCESSES.started_at(no_process) is None


def _without_proc(directory: Path, ps: str) -> PosixProcesses:
    """A system that has `ps` and no `/proc`."""
    program = directory / "ps"
    program.write_text(f"#!/bin/sh\n{ps}\n")
    program.chmod(0o700)
    return PosixProcesses(directory / "none")


def test_where_there_is_no_proc_ps_is_asked_in_one_time_zone_and_language(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    processes = _without_proc(tmp_path, 'echo "$TZ $LC_ALL $@"')
    told: set[str | None] = set()
    for zone, language in (("UTC0", "C"), ("Asia/Tokyo", "ja_JP.UTF-8"), ("America/Lima", "de_DE")):
        monkeypatch.setenv("TZ", zone)
        monkeypatch.setenv("LC_ALL", language)
        told.add(processes.started_at(41))
    assert {text and text.split("/")[-1] for text in told} == {"UTC0 C -o lstart= -p 41"}
    assert len(told) == 1


@pytest.mark.parametrize("ps", ["exit 1", "echo '  '"])
def test_ps_that_knows_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ps: str) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert _without_proc(tmp_path, ps).started_at(41) is None
    (tmp_path / "ps").unlink()
    assert PosixProcesses(tmp_path / "none").started_at(41) is None


def test_a_process_that_another_user_may_not_see_is_told_nothing_of(tmp_path: Path) -> None:
    (tmp_path / "self").mkdir()
    assert PosixProcesses(tmp_path).started_at(1) is None


def test_another_boot_is_another_process(tmp_path: Path) -> None:
    for boot in ("one", "two"):
        proc = tmp_path / boot
        (proc / "41").mkdir(parents=True)
        (proc / "41/stat").write_text("41 (a) b) S 1 41 41 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 1234 9 9\n")
        (proc / "sys/kernel/random").mkdir(parents=True)
        (proc / "sys/kernel/random/boot_id").write_text(f"{boot}\n")
    one, two = (PosixProcesses(tmp_path / boot, tmp_path / "none").started_at(41) for boot in ("one", "two"))
    assert one is not None
    assert two is not None
    assert one.split("/")[1:] == ["one", "-", "1234"]
    assert two.split("/")[1:] == ["two", "-", "1234"]


def _origin(proc: Path, boot: str, namespace: str) -> None:
    (proc / "self/ns").mkdir(parents=True)
    (proc / "self/ns/pid").symlink_to(f"pid:[{namespace}]")
    (proc / "sys/kernel/random").mkdir(parents=True)
    (proc / "sys/kernel/random/boot_id").write_text(f"{boot}\n")
    (proc / "41").mkdir()
    (proc / "41/stat").write_text("41 (a) b) S 1 41 41 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 1234 9 9\n")


@pytest.mark.parametrize(
    ("machine", "boot", "namespace", "where"),
    [
        ("m", "b", "1", Where.here),
        ("other", "b", "1", Where.here),  # one kernel: a container may have a machine's id of its own
        ("m", "b", "2", Where.elsewhere),
        ("other", "b", "2", Where.elsewhere),
        ("m", "before", "1", Where.before),
        ("m", "before", "2", Where.before),
        ("other", "before", "1", Where.elsewhere),
    ],
)
def test_where_a_process_was(tmp_path: Path, machine: str, boot: str, namespace: str, where: Where) -> None:
    systems: list[PosixProcesses] = []
    for name, told in (("here", ("b", "1")), ("there", (boot, namespace))):
        _origin(tmp_path / name, *told)
        (tmp_path / f"{name}-id").write_text("m\n" if name == "here" else f"{machine}\n")
        systems.append(PosixProcesses(tmp_path / name, tmp_path / f"{name}-id"))
    recorded = systems[1].started_at(41)
    assert recorded is not None
    assert "/m/" not in f"/{recorded}", "the machine's own id is not written down"
    assert systems[0].where(recorded) is where


def test_where_the_system_knows_of_no_boot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    one = _without_proc(tmp_path, "echo Tue")
    recorded = one.started_at(41)
    assert recorded is not None
    assert one.where(recorded) is Where.here
    (tmp_path / "id").write_text("another")
    assert PosixProcesses(tmp_path / "none", tmp_path / "id").where(recorded) is Where.elsewhere
    assert one.where("Tue") is Where.here, "a text that does not say is compared"


def test_a_process_of_another_namespace_is_elsewhere() -> None:
    """Which has its own numbers: 2 is another process there."""
    own = PROCESSES.started_at(os.getpid())
    code = f"from accounting.processes import *; print(presence(PROCESSES, {os.getpid()}, {own!r}).value)"
    for prefix, told in (
        ((), "there"),
        (("unshare", "--pid", "--fork", "--mount-proc"), "elsewhere"),
    ):
        done = subprocess.run([*prefix, sys.executable, "-c", code], capture_output=True, text=True)
        if prefix and "unshare" in done.stderr:
            pytest.skip("only root may make a namespace")
        assert done.stdout == f"{told}\n", done.stderr


THREADS = """
import ctypes, os, threading, time
def go_on():
    print("thread", flush=True)
    time.sleep(60)
threading.Thread(target=go_on).start()
ctypes.CDLL(None).syscall({exit}, 0)
"""


@pytest.mark.skipif(os.uname().machine not in ("x86_64", "aarch64"), reason="the number of `exit` is not known here")
def test_a_process_whose_first_thread_has_ended_is_alive() -> None:
    code = THREADS.replace("{exit}", "60" if os.uname().machine == "x86_64" else "93")
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, start_new_session=True)
    assert process.stdout is not None
    before = PROCESSES.started_at(process.pid)
    assert process.stdout.readline() == b"thread\n"
    until(lambda: ") Z " in Path(f"/proc/{process.pid}/stat").read_text())
    assert PROCESSES.alive(process.pid)
    assert PROCESSES.started_at(process.pid) == before is not None
    assert presence(PROCESSES, process.pid, before) is Presence.there
    process.kill()
    until(lambda: not PROCESSES.alive(process.pid))
    process.communicate()


def test_a_group_of_zombies_is_left_by_nobody() -> None:
    process = subprocess.Popen(["/bin/sleep", "60"], start_new_session=True)
    started = PROCESSES.started_at(process.pid)
    assert is_group_left(PROCESSES, process.pid, started, 0)
    process.kill()
    until(lambda: not PROCESSES.alive(process.pid))
    os.killpg(process.pid, 0)  # still answers
    assert not PROCESSES.group_left(process.pid)
    assert not is_group_left(PROCESSES, process.pid, started, system_clock())
    process.wait()


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="only `/proc` tells when what is left of a group began")
def test_what_began_after_a_group_was_gone_is_not_of_it() -> None:
    line = "sleep 60 & echo up; read end"
    pipe = subprocess.PIPE
    leader = subprocess.Popen(["/bin/sh", "-c", line], start_new_session=True, stdin=pipe, stdout=pipe)
    started = PROCESSES.started_at(leader.pid)
    assert leader.stdin is not None
    assert leader.stdout is not None
    leader.stdout.readline()
    leader.stdin.close()
    leader.wait()
    began = PROCESSES.group_began_at(leader.pid)
    assert began is not None
    assert is_group_left(PROCESSES, leader.pid, started, began)
    assert not is_group_left(PROCESSES, leader.pid, started, began - 60_000), "the number is another's by now"
    PROCESSES.kill(leader.pid)
    until(lambda: not PROCESSES.group_left(leader.pid))
    assert PROCESSES.group_began_at(leader.pid) is None
    leader.stdout.close()


def test_nobody_ends_its_own_group() -> None:
    code = (
        "import os; from accounting.processes import PROCESSES as P; own = os.getpgrp()\n"
        "for pid in (own, 0, 1, -1): P.terminate(pid); P.kill(pid)\n"
        "print(P.in_group(own), P.in_group(1))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, start_new_session=True)
    assert (done.returncode, done.stdout) == (0, "True False\n"), done.stderr


class Told:
    """Processes of which it is told."""

    def __init__(self, *, alive: list[bool], started: str | None, where: Where = Where.here) -> None:
        self._alive, self._started, self._where = alive, started, where

    def alive(self, pid: int) -> bool:
        return self._alive.pop(0)

    def started_at(self, pid: int) -> str | None:
        return self._started

    def began_at(self, pid: int) -> int | None:
        return None

    def where(self, recorded: str) -> Where:
        return self._where

    def in_group(self, pid: int) -> bool:
        return False

    def leads_since(self, pid: int, recorded_at: int) -> bool:
        return False

    def group_began_at(self, pid: int) -> int | None:
        return None

    def group_left(self, pid: int) -> bool:
        return True

    def terminate(self, pid: int) -> None:
        raise AssertionError("nobody is to be ended")

    kill = terminate


@pytest.mark.parametrize(
    ("told", "recorded", "expected"),
    [
        (Told(alive=[True], started="then"), "then", Presence.there),
        (Told(alive=[True], started="later"), "then", Presence.gone),
        (Told(alive=[False], started=None), "then", Presence.gone),
        (Told(alive=[True, False], started=None), "then", Presence.gone),
        (Told(alive=[True, True], started=None), "then", Presence.untold),
        (Told(alive=[True], started="later"), None, Presence.untold),
        (Told(alive=[True], started="later"), "", Presence.untold),
        (Told(alive=[False], started=None), None, Presence.gone),
        (Told(alive=[], started="then", where=Where.elsewhere), "then", Presence.elsewhere),
        (Told(alive=[], started="then", where=Where.before), "then", Presence.gone),
    ],
)
def test_whether_a_process_is_there(told: Told, recorded: str | None, expected: Presence) -> None:
    assert presence(told, 41, recorded) is expected


def test_windows() -> None:
    asked: list[tuple[str, ...]] = []

    def powershell(argv: Sequence[str]) -> str:
        asked.append(tuple(argv))
        return "133485408000000000\r\n" if "41" in argv[-1] else ""

    windows = WindowsProcesses(powershell)
    started = windows.started_at(41)
    assert started is not None
    assert re.fullmatch("[0-9a-f]{16}/-/-/133485408000000000", started)
    assert windows.where(started) is Where.here
    assert windows.where(f"{'0' * 16}/-/-/133485408000000000") is Where.elsewhere
    assert not windows.in_group(41)
    assert windows.started_at(7) is None
    assert asked[0][0] == "powershell"

    def refuse(argv: Sequence[str]) -> str:
        raise FileNotFoundError(argv[0])

    assert WindowsProcesses(refuse).started_at(41) is None
