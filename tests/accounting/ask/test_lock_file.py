"""The lock on disk: exclusive, whole, its holder's alone to remove, and taken over by one. Spec: asks.md 1.0, 1.6."""

import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from stat import S_IMODE
from threading import Barrier, BrokenBarrierError

import pytest

from accounting.ask import LOCK_STALE_MS
from accounting.ask.lock_file import HeldLock, acquire, live, look, take_from
from tests.accounting.ask.threads import AT, AT_MS
from wire.ask import AskLock

OWN, DEAD = 500, 501


def alive(pid: int) -> bool:
    return pid == OWN


def taken(path: Path, now: int = AT_MS) -> HeldLock | None:
    return acquire(path, now, alive)[0]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ask" / "one.jsonl.lock"


def test_its_life(path: Path) -> None:
    held = taken(path)
    assert held is not None
    assert path.read_bytes() == b'{"pid":0,"startedAt":"2026-10-05T09:30:00.000Z"}'
    assert (S_IMODE(path.stat().st_mode), S_IMODE(path.parent.stat().st_mode)) == (0o600, 0o700)
    assert taken(path, AT_MS + 1) is None
    assert held.record(OWN)
    assert path.read_bytes() == b'{"pid":500,"startedAt":"2026-10-05T09:30:00.000Z"}'
    assert taken(path, AT_MS + 2) is None
    assert live(path, AT_MS, alive) == AskLock(pid=OWN, started_at=AT)
    held.release()
    assert look(path) is None
    held.release()
    assert taken(path, AT_MS + 3) is not None
    assert {entry.name for entry in path.parent.iterdir()} == {path.name, ".guard"}


@pytest.mark.parametrize(
    "content",
    [
        f'{{"pid":{DEAD},"startedAt":"{AT}"}}',
        '{"pid":500,"startedAt":"yesterday-ish"}',
        '{"pid":0,"startedAt":"2026-10-05T09:19:59.999Z"}',
        "",
        "[]",
    ],
)
def test_a_stale_lock_is_taken_over(path: Path, content: str) -> None:
    path.parent.mkdir()
    path.write_text(content)
    os.utime(path, (0, 0))
    held, before = acquire(path, AT_MS, alive)
    assert held is not None
    assert held.is_held()
    assert look(path) == AskLock(pid=0, started_at=held.started_at)
    if content.startswith("{"):
        assert before is not None
        assert before.pid == json.loads(content)["pid"]
        assert before.started_at != held.started_at
    else:
        assert before is None


@pytest.mark.parametrize("content", [b"", b'{"pi'])
def test_a_lock_that_is_being_written_is_held(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    written = path.stat().st_mtime_ns // 1_000_000
    assert taken(path, written + 1999) is None
    assert taken(path, written - 1999) is None
    assert path.read_bytes() == content
    assert taken(path, written + 2000) is not None


@pytest.mark.invariant("A7")
def test_the_old_holder_lets_the_new_one_be(path: Path) -> None:
    old = taken(path)
    new = taken(path, AT_MS + LOCK_STALE_MS + 1)
    assert old is not None
    assert new is not None
    assert not old.is_held()
    assert not old.record(OWN)
    old.release()
    assert new.is_held()
    assert look(path) == AskLock(pid=0, started_at=new.started_at)


@pytest.mark.parametrize("step", [0, -1, -900])
def test_locks_of_one_moment_are_told_apart(path: Path, step: int) -> None:
    """Also where the clock stands still, or goes back."""
    known: set[str] = set()
    for turn in range(5):
        held = taken(path, AT_MS + turn * step)
        assert held is not None
        known.add(held.started_at)
        held.release()
    assert len(known) == 5


def test_what_was_judged_is_what_is_taken(path: Path) -> None:
    held = taken(path)
    assert held is not None
    judged = look(path)
    held.record(OWN)
    assert take_from(path, judged, AT_MS) is None
    assert take_from(path, None, AT_MS) is None
    assert held.is_held()
    new = take_from(path, look(path), AT_MS)
    assert new is not None
    assert new.started_at != held.started_at
    new.release()
    assert take_from(path, None, AT_MS) is not None


def test_another_program_that_is_first_wins(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It does not know of our guard: it makes its lock between our look and our own."""
    link = os.link

    def late(new: Path, there: Path) -> None:
        there.write_text(f'{{"pid":{OWN},"startedAt":"{AT}"}}')
        link(new, there)

    monkeypatch.setattr(os, "link", late)
    assert taken(path) is None
    assert look(path) == AskLock(pid=OWN, started_at=AT)


def test_without_links(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "link", refuse)
    assert taken(path) is not None
    assert taken(path) is None


@pytest.mark.invariant("A7")
@pytest.mark.parametrize("before", [None, f'{{"pid":{DEAD},"startedAt":"{AT}"}}', "[]"])
def test_of_many_one_wins(path: Path, before: str | None) -> None:
    path.parent.mkdir()
    with ThreadPoolExecutor(8) as pool:
        for _ in range(20):
            path.unlink(missing_ok=True)
            if before is not None:
                path.write_text(before)
                os.utime(path, (0, 0))
            start = Barrier(8)

            def race(_: int, start: Barrier = start) -> HeldLock | None:
                start.wait()
                return taken(path)

            winners = [held for held in pool.map(race, range(8)) if held is not None]
            assert len(winners) == 1
            assert winners[0].is_held()


@pytest.mark.invariant("A7")
def test_judging_a_stale_lock_and_taking_it_is_one_step(path: Path) -> None:
    path.parent.mkdir()
    path.write_text(f'{{"pid":{DEAD},"startedAt":"{AT}"}}')
    both = Barrier(2)

    def judged_by_both(_: int) -> bool:
        with suppress(BrokenBarrierError):
            both.wait(0.2)  # which never comes: the second is kept out while the first is here
        return False

    def take(_: int) -> HeldLock | None:
        return acquire(path, AT_MS, judged_by_both)[0]

    with ThreadPoolExecutor(2) as pool:
        assert sum(held is not None for held in pool.map(take, range(2))) == 1


TAKER = """
import sys
from pathlib import Path
from accounting.ask.lock_file import acquire
from accounting.processes import PROCESSES
from accounting.clock import system_clock
print("ready", flush=True)
sys.stdin.readline()
held, _ = acquire(Path(sys.argv[1]), system_clock(), PROCESSES.alive)
print(held is not None, flush=True)
sys.stdin.readline()
"""


def test_of_many_processes_one_takes_a_stale_lock_over(path: Path) -> None:
    path.parent.mkdir()
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    path.write_text(f'{{"pid":{gone.pid},"startedAt":"{AT}"}}')
    takers = [
        subprocess.Popen(
            [sys.executable, "-c", TAKER, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        for _ in range(4)
    ]
    said: list[str] = []
    for turn in range(2):
        for taker in takers:
            assert taker.stdout is not None
            assert taker.stdin is not None
            if turn == 0:
                assert taker.stdout.readline() == "ready\n"
        if turn == 0:
            for taker in takers:
                assert taker.stdin is not None
                taker.stdin.write("\n")
        else:
            said = [taker.stdout.readline() for taker in takers if taker.stdout is not None]
    for taker in takers:
        taker.communicate("\n")
    assert sorted(said) == ["False\n"] * 3 + ["True\n"]


def test_one_who_dies_while_changing_a_lock_holds_nobody_up(path: Path) -> None:
    code = (
        "import os, sys; from pathlib import Path; from accounting.ask import lock_file\n"
        "os.link = lambda *_: os._exit(9)\n"
        "lock_file.acquire(Path(sys.argv[1]), 1, lambda _: True)"
    )
    assert subprocess.run([sys.executable, "-c", code, path], check=False).returncode == 9
    assert (path.parent / ".lock.new").exists()
    began = time.monotonic()
    assert taken(path) is not None
    assert time.monotonic() - began < 5
    assert {entry.name for entry in path.parent.iterdir()} == {path.name, ".guard"}
