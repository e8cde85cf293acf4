"""Following in threads, event loops and processes: woken, stopped, interrupted, and nothing left behind.

Nothing here waits for time to pass: everything is waited for, with a deadline that only a failure reaches.
"""

import asyncio
import errno
import gc
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NoReturn

import pytest
from watchdog.events import FileModifiedEvent, FileMovedEvent

from accounting.ledger import Ledger, Place, Problem
from accounting.ledger.following import Follower, observing, watch
from accounting.ledger.following.bell import Bell
from accounting.ledger.segments import BLOCK
from tests.accounting.ledger.following.model import View, Writer, standing
from wire import Record

ROOT = Path(__file__).resolve().parents[4]
DEADLINE = 30.0
Item = tuple[Record, Place]


@pytest.fixture
def writer(tmp_path: Path) -> Writer:
    """A ledger of three lines."""
    folder = tmp_path / "ledger"
    folder.mkdir()
    writer = Writer(folder)
    writer.group(b"\0\0\0")
    return writer


@pytest.fixture(autouse=True)
def nothing_left_behind() -> Generator[None]:
    """Threads and file descriptors are afterwards what they were before."""
    before = threading.active_count(), descriptors()
    yield
    gc.collect()
    eventually(lambda: (threading.active_count(), descriptors()) == before)


def descriptors() -> int:
    listed = Path("/proc/self/fd")
    return len(list(listed.iterdir())) if listed.exists() else 0


def eventually(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + DEADLINE
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.001)


@contextmanager
def guarded(one: Follower) -> Generator[Follower]:
    """A follower that is stopped at the deadline."""
    timer = threading.Timer(DEADLINE, one.stop)
    timer.start()
    try:
        with one:
            yield one
    finally:
        timer.cancel()
        timer.join()


def ignore(problem: Problem) -> None:
    pass


def follow(writer: Writer, report: Callable[[Problem], None] = ignore, *, from_now: bool = False) -> Follower:
    return Ledger(writer.folder).follow(report=report, from_now=from_now)


def waits(one: Follower) -> bool:
    """Whether it has begun to watch, told or untold: all there was before has been handed out."""
    return one._watch._directory is not None  # pyright: ignore[reportPrivateUsage]


def observed(one: Follower) -> object:
    return one._watch._observing  # pyright: ignore[reportPrivateUsage]


def refused(one: Follower) -> bool:
    return one._watch._refused  # pyright: ignore[reportPrivateUsage]


def idle(one: Follower) -> Callable[[], None]:
    return lambda: eventually(lambda: waits(one))


@contextmanager
def meanwhile(*works: Callable[[], object]) -> Generator[None]:
    """These are done one after the other in another thread."""
    thread = threading.Thread(target=lambda: [work() for work in works])
    thread.start()
    try:
        yield
    finally:
        thread.join()


# Woken.


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


# Stopped.


def test_stopped_before_it_began(writer: Writer) -> None:
    one = follow(writer)
    one.stop()
    assert list(one) == []
    assert list(one) == []


def test_stopped_from_another_thread_while_it_waits(writer: Writer) -> None:
    with (
        guarded(follow(writer)) as one,
        meanwhile(idle(one), one.stop),
    ):
        assert [record.seq for record, _ in one] == [0, 1, 2]
        assert list(one) == []


def test_stopped_from_another_thread_while_an_event_loop_waits(writer: Writer) -> None:
    async def main() -> list[int]:
        async with one:
            return [record.seq async for record, _ in one]

    with (
        guarded(follow(writer)) as one,
        meanwhile(idle(one), one.stop),
    ):
        assert asyncio.run(main()) == [0, 1, 2]


def test_stopped_from_its_own_loop(writer: Writer) -> None:
    one = follow(writer)
    found: list[int] = []
    for record, _ in one:
        found.append(record.seq)
        one.stop()
    assert found == [0]


def test_stopped_when_records_are_void(writer: Writer) -> None:
    """What a fold does, which cannot take records back."""
    size = writer.newest.stat().st_size
    with guarded(follow(writer, lambda problem: one.stop())) as one:
        found = [next(one)[0].seq for _ in range(3)]
        writer.cut(writer.newest.name, size // 3)
        found += [record.seq for record, _ in one]
    assert found == [0, 1, 2]


@pytest.mark.parametrize("way", ["for", "async for"])
def test_stopped_by_a_signal_handler(writer: Writer, way: str) -> None:
    async def main() -> list[int]:
        return [record.seq async for record, _ in one]

    def stop(*_: object) -> None:
        one.stop()

    before = signal.signal(signal.SIGUSR1, stop)
    try:
        with (
            guarded(follow(writer)) as one,
            meanwhile(idle(one), lambda: os.kill(os.getpid(), signal.SIGUSR1)),
        ):
            found = asyncio.run(main()) if way == "async for" else [record.seq for record, _ in one]
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert found == [0, 1, 2]


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


# Interrupted.


def test_an_error_of_the_one_who_follows_leaves_nothing_behind(writer: Writer) -> None:
    with suppress(ZeroDivisionError), guarded(follow(writer)) as one:
        for _ in one:
            raise ZeroDivisionError
    assert list(one) == []


def test_an_error_of_whoever_problems_go_to_ends_it(writer: Writer) -> None:
    def fail(problem: Problem) -> NoReturn:
        raise FileNotFoundError("not ours")

    writer.put(b"junk\n")
    one = follow(writer, fail)
    with pytest.raises(FileNotFoundError, match="not ours"):
        list(one)
    assert list(one) == []


def test_a_wait_that_is_given_up_may_be_taken_up_again(writer: Writer) -> None:
    async def main() -> None:
        one = follow(writer)
        threads = threading.active_count()
        assert [(await anext(one))[0].seq for _ in range(3)] == [0, 1, 2]
        for seq in range(3, 6):
            waiting = asyncio.ensure_future(anext(one))
            while one._bell._waiter is None:  # pyright: ignore[reportPrivateUsage]
                await asyncio.sleep(0)
            waiting.cancel()
            with suppress(asyncio.CancelledError):
                await waiting
            assert threading.active_count() == threads
            writer.group(b"\0")
            assert (await anext(one))[0].seq == seq
        one.close()

    asyncio.run(main())


def test_a_loop_that_is_left_and_a_follower_that_is_forgotten(writer: Writer) -> None:
    problems: list[object] = []
    one = follow(writer, problems.append)
    problems.append(one)  # a cycle, for the garbage collector
    for record, _ in one:
        if record.seq == 1:
            break
    assert next(one)[0].seq == 2
    with meanwhile(idle(one), lambda: writer.group(b"\0")):
        assert next(one)[0].seq == 3


@pytest.mark.parametrize("way", ["for", "async for"])
def test_ctrl_c_in_a_process_that_follows(writer: Writer, way: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-X", "dev", "-W", "error", "-c", INTERRUPTED, str(writer.folder), way],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert [process.stdout.readline() for _ in range(4)] == ["0\n", "1\n", "2\n", "waits\n"]
        process.send_signal(signal.SIGINT)
        output, error = process.communicate(timeout=DEADLINE)
    assert (process.returncode, output, error) == (0, "interrupted, 1 thread\n", "")


INTERRUPTED = """
import asyncio, signal, sys, threading
from accounting.ledger import Ledger
from accounting.ledger.following.bell import Bell
ways = Bell.wait, Bell.wait_async
def told(way):
    def wait(*given):
        Bell.wait, Bell.wait_async = ways
        print("waits", flush=True)
        return way(*given)
    return wait
Bell.wait, Bell.wait_async = map(told, ways)
signal.signal(signal.SIGINT, signal.default_int_handler)
async def main():
    async for record, _ in Ledger(sys.argv[1]).follow():
        print(record.seq, flush=True)
try:
    if sys.argv[2] == "async for":
        asyncio.run(main())
    for record, _ in Ledger(sys.argv[1]).follow():
        print(record.seq, flush=True)
except KeyboardInterrupt:
    print("interrupted,", threading.active_count(), "thread")
"""


def test_a_process_may_end_while_it_follows(writer: Writer) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error", "-c", ENDED, str(writer.folder)],
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "2\n", "")


ENDED = """
import sys, threading
from accounting.ledger import Ledger
following = Ledger(sys.argv[1]).follow()
def follow():
    for record, _ in following:
        if record.seq == 2:
            print(record.seq)
thread = threading.Thread(target=follow, daemon=True)
thread.start()
while following._watch._directory is None:
    thread.join(0.001)
"""


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
