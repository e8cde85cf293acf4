"""Followers in threads, event loops and processes are woken by a new line, told by the system or by the clock."""

import asyncio
import errno
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import NoReturn

import pytest
from watchdog.events import FileModifiedEvent, FileMovedEvent

from accounting.ledger import Ledger, Problem
from accounting.ledger.following import Follower, observing, watch
from accounting.ledger.following.bell import Bell
from accounting.ledger.segments import BLOCK
from tests.accounting.ledger.following.model import View, Writer, standing
from tests.accounting.ledger.following.waiting import (
    DEADLINE,
    eventually,
    follow,
    guarded,
    idle,
    meanwhile,
    observed,
    refused,
    waits,
)

ROOT = Path(__file__).resolve().parents[4]


def test_new_lines_come_to_a_thread_that_waits(writer: Writer) -> None:
    with (
        guarded(follow(writer)) as one,
        meanwhile(idle(one), lambda: writer.group(b"\0\0"), writer.roll, lambda: writer.group(b"\0")),
    ):
        assert [next(one)[0].seq for _ in range(6)] == [0, 1, 2, 3, 4, 5]


def test_new_lines_come_to_an_event_loop_that_goes_on(writer: Writer) -> None:
    async def main() -> None:
        with guarded(follow(writer)) as one:
            found: list[int] = []

            async def consume() -> None:
                async for record, _ in one:
                    found.append(record.seq)

            consumer = asyncio.create_task(consume())
            for count in range(3, 40):
                while len(found) < count or not waits(one):
                    await asyncio.sleep(0)
                writer.group(b"\0")
            while len(found) < 40:
                await asyncio.sleep(0)
            one.stop()
            await consumer
            assert found == list(range(40))

    asyncio.run(main())


WRITER = """
import os, sys
from pathlib import Path
from tests.accounting.ledger.following.model import Writer
writer = Writer(Path(sys.argv[1]))
for count in range(60):
    writer.group(bytes((count, 3, 7)), bytes((count * 4, 200)), rolls=count % 2)
    if count % 5 == 0:
        writer.failed(bytes((1, 2, 3)), b"", 2, 600, 0)
    if count % 7 == 0:
        writer.crashed(bytes((1, 2)), b"", 0, 300, 0)
    descriptor = os.open(writer.newest, os.O_RDWR)
    os.fdatasync(descriptor)
    os.close(descriptor)
writer.put(writer.line(0, "city_halted"))
"""


@pytest.mark.parametrize("way", ["for", "async for"])
@pytest.mark.parametrize("told", [True, False], ids=["told", "untold"])
def test_a_writer_in_another_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, told: bool) -> None:
    (tmp_path / f"ledger-{0:020d}.jsonl").touch()
    if not told:
        monkeypatch.setattr(watch, "observe", lambda path, ring: None)  # pyright: ignore
        monkeypatch.setattr(watch, "UNTOLD", 0.01)
    view = View()
    one = Ledger(tmp_path).follow(report=view.report)

    async def main() -> None:
        async for record, place in one:
            view.take(record, place)
            if record.kind == "city_halted":
                break

    with (
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path)], cwd=ROOT) as process,
        guarded(one),
    ):
        if way == "async for":
            asyncio.run(main())
        else:
            for record, place in one:
                view.take(record, place)
                if record.kind == "city_halted":
                    break
    assert process.returncode == 0
    assert view.items == standing(tmp_path)
    assert len(view.items) > 180
    assert view.unreadable == []


def test_own_reads_wake_nobody(writer: Writer) -> None:
    bell = Bell()
    rung: list[str] = []
    stage = "reading"

    def ring() -> None:
        rung.append(stage)
        bell.ring()

    told = observing.observe(writer.folder, ring)
    assert told is not None
    for _ in range(50):
        assert len(list(Ledger(writer.folder).records())) == 3
    stage = "writing"
    writer.group(b"\0")
    bell.wait(DEADLINE)
    told.end()
    assert set(rung) == {"writing"}


@pytest.mark.parametrize(
    ("ledger", "file", "rings"),
    [
        ("one.jsonl", "one.jsonl", True),
        ("one.jsonl", "two.jsonl", False),
        (None, f"ledger-{0:020d}.jsonl", True),
        (None, "notes.txt", False),
    ],
)
def test_other_files_wake_nobody(tmp_path: Path, ledger: str | None, file: str, *, rings: bool) -> None:
    rung: list[bool] = []
    ringer = observing._Ringer(ledger, lambda: rung.append(True))  # pyright: ignore[reportPrivateUsage]
    ringer.on_any_event(FileModifiedEvent(str(tmp_path / file)))
    ringer.on_any_event(FileMovedEvent(str(tmp_path / "other"), str(tmp_path / file)))
    assert rung == [True] * 2 * rings


def test_a_ledger_behind_a_link_is_watched(writer: Writer, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(writer.folder)
    bell = Bell()
    told = observing.observe(link, bell.ring)
    assert told is not None
    writer.group(b"\0")
    started = time.monotonic()
    bell.wait(DEADLINE)
    told.end()
    assert time.monotonic() - started < DEADLINE


def test_a_watch_ceases_with_its_directory(writer: Writer) -> None:
    told = observing.observe(writer.folder, lambda: None)
    assert told is not None
    assert told.alive
    shutil.rmtree(writer.folder)
    eventually(lambda: not told.alive)
    told.end()


class Telling:
    """A watch that does what the test says."""

    alive = True
    ended = False

    def end(self) -> None:
        self.ended = True


def test_a_watch_is_begun_again_when_it_ceased_or_the_directory_is_another(
    writer: Writer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    begun: list[Telling] = []

    def observe(*_: object) -> Telling:
        begun.append(Telling())
        return begun[-1]

    monkeypatch.setattr(watch, "observe", observe)
    one = watch.Watch(writer.folder, lambda: None)
    assert [one.patience() for _ in range(3)] == [0.0, watch.TOLD, watch.TOLD]
    begun[0].alive = False
    assert [one.patience() for _ in range(2)] == [0.0, watch.TOLD]
    writer.folder.rename(tmp_path / "elsewhere")
    assert one.patience() == watch.UNTOLD
    writer.folder.mkdir()
    assert [one.patience() for _ in range(2)] == [0.0, watch.TOLD]
    one.close()
    assert [(told.alive, told.ended) for told in begun] == [(False, True), (True, True), (True, True)]


def test_a_directory_that_goes_and_comes_back_is_watched_again(writer: Writer, tmp_path: Path) -> None:
    problems: list[Problem] = []
    with guarded(follow(writer, problems.append)) as one:

        def write() -> None:
            eventually(lambda: waits(one))
            before = observed(one)
            away = shutil.copytree(writer.folder, tmp_path / "away")
            shutil.rmtree(writer.folder)
            eventually(lambda: bool(problems))
            away.rename(writer.folder)
            eventually(lambda: refused(one) or observed(one) not in (None, before))
            writer.group(b"\0")

        with meanwhile(write):
            assert [next(one)[0].seq for _ in range(4)] == [0, 1, 2, 3]
    assert {problem.code.value for problem in problems} == {"unreadable"}


# Not told.


@pytest.mark.parametrize("limit", [errno.EMFILE, errno.ENOSPC])
def test_where_the_system_refuses_a_watch_the_clock_does(
    writer: Writer, monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    def refuse(*_: object) -> NoReturn:
        raise OSError(limit, os.strerror(limit))

    if limit == errno.EMFILE:
        monkeypatch.setattr(observing, "Observer", refuse)
    else:
        monkeypatch.setattr("watchdog.observers.inotify_c.InotifyFD.add_callback", refuse, raising=False)
    with (
        guarded(follow(writer)) as one,
        meanwhile(lambda: eventually(lambda: refused(one)), lambda: writer.group(b"\0")),
    ):
        assert [next(one)[0].seq for _ in range(4)] == [0, 1, 2, 3]


def test_without_watchdog_the_clock_does(writer: Writer) -> None:
    with subprocess.Popen(
        [sys.executable, "-X", "dev", "-W", "error", "-c", UNTOLD, str(writer.folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "2\n"
        writer.group(b"\0")
        output, error = process.communicate(timeout=DEADLINE)
    assert (process.returncode, output, error) == (0, "3\n1\n", "")


UNTOLD = """
import sys, threading
sys.modules["watchdog"] = None
from accounting.ledger import Ledger
for record, _ in Ledger(sys.argv[1]).follow():
    if record.seq >= 2:
        print(record.seq, flush=True)
    if record.seq == 3:
        break
print(threading.active_count())
"""


# The bell.


def test_a_bell_may_be_rung_by_a_signal_at_any_moment() -> None:
    bell = Bell()
    rings = 0

    def ring(*_: object) -> None:
        nonlocal rings
        rings += 1
        bell.ring()

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 1e-4, 1e-4)
    try:
        deadline = time.monotonic() + DEADLINE
        while rings < 1000:
            bell.wait(1e-5)
            assert time.monotonic() < deadline
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_bell_wakes_an_event_loop() -> None:
    bell = Bell()

    def waiting() -> bool:
        return bell._waiter is not None  # pyright: ignore[reportPrivateUsage]

    with meanwhile(lambda: eventually(waiting), bell.ring):
        asyncio.run(asyncio.wait_for(bell.wait_async(3600), DEADLINE))


def test_a_ring_with_nobody_waiting_is_kept() -> None:
    bell = Bell()
    bell.ring()
    bell.ring()
    bell.wait(DEADLINE)
    asyncio.run(asyncio.wait_for(bell.wait_async(0), DEADLINE))
    bell.ring()
    asyncio.run(asyncio.wait_for(bell.wait_async(3600), DEADLINE))


def test_a_bell_outlives_the_loop_that_waited_on_it() -> None:
    bell = Bell()
    loop = asyncio.new_event_loop()
    bell._waiter = (loop, loop.create_future())  # pyright: ignore[reportPrivateUsage]
    loop.close()
    bell.ring()
    bell.wait(DEADLINE)


# Side by side.


def test_many_followers_in_threads(writer: Writer) -> None:
    found: list[list[int]] = [[] for _ in range(12)]
    ones = [follow(writer) for _ in found]

    def consume(one: Follower, into: list[int]) -> None:
        into.extend(record.seq for record, _ in one)

    threads = [threading.Thread(target=consume, args=pair) for pair in zip(ones, found, strict=True)]
    for thread in threads:
        thread.start()
    for _ in range(20):
        writer.group(b"\0\0", b"\x80")
    eventually(lambda: all(waits(one) for one in ones))
    writer.group(b"\0")
    eventually(lambda: all(len(into) == 44 for into in found))
    for one in ones:
        one.stop()
    for thread in threads:
        thread.join()
    assert found == [list(range(44))] * 12


def test_many_followers_in_one_event_loop(writer: Writer) -> None:
    async def consume(one: Follower) -> list[int]:
        found: list[int] = []
        async for record, _ in one:
            found.append(record.seq)
            if record.seq == 33:
                one.stop()
        return found

    async def main() -> list[list[int]]:
        ones = [follow(writer) for _ in range(12)]
        tasks = [asyncio.create_task(consume(one)) for one in ones]
        while not all(waits(one) for one in ones):
            await asyncio.sleep(0)
        for _ in range(31):
            writer.group(b"\0")
            await asyncio.sleep(0)
        return await asyncio.wait_for(asyncio.gather(*tasks), DEADLINE)

    assert asyncio.run(main()) == [list(range(34))] * 12


def test_a_large_ledger_leaves_the_event_loop_its_turns(writer: Writer) -> None:
    for _ in range(40):
        writer.group(bytes(200))
    blocks = writer.newest.stat().st_size // BLOCK
    turns = 0

    async def tick() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async def main() -> None:
        ticking = asyncio.create_task(tick())
        async for record, _ in follow(writer):
            if record.seq == writer.seq - 1:
                break
        ticking.cancel()

    asyncio.run(main())
    assert blocks > 20
    assert turns >= blocks
