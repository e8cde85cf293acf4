"""Followers are stopped, interrupted and forgotten, and leave nothing behind."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from typing import NoReturn

import pytest

from accounting.ledger import Problem
from tests.accounting.ledger.following.model import Writer
from tests.accounting.ledger.following.waiting import (
    DEADLINE,
    follow,
    guarded,
    idle,
    meanwhile,
)


def test_stopped_before_it_began(writer: Writer) -> None:
    one = follow(writer)
    one.stop()
    assert list(one) == []
    assert list(one) == []


def test_stopping_wakes_whoever_waits(writer: Writer) -> None:
    one = follow(writer)
    one.stop()
    assert not one._bell._rung.empty()  # pyright: ignore[reportPrivateUsage]


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
        writer.group(b"\0\0")
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
