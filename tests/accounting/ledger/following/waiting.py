"""Followers that wait, and what is done meanwhile. Everything has a deadline, which only a failure reaches."""

import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from accounting.ledger import Ledger, Problem
from accounting.ledger.following import Follower
from tests.accounting.ledger.following.model import Writer

DEADLINE = 30.0


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
