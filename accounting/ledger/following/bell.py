"""What a follower waits on, in a thread or in an event loop, and anything else may ring."""

import asyncio
from asyncio import AbstractEventLoop, Future
from contextlib import suppress
from queue import Empty, SimpleQueue


class Bell:
    """Rung from any thread or signal handler; one waits on it at a time. A ring with nobody waiting is kept."""

    def __init__(self) -> None:
        # Not an Event: its lock may be held by the very thread that a signal handler interrupts. This queue's put may
        # interrupt its own get.
        self._rung: SimpleQueue[None] = SimpleQueue()
        self._waiter: tuple[AbstractEventLoop, Future[None]] | None = None

    def ring(self) -> None:
        """Wake whoever waits, or whoever waits next."""
        if not self._rung.empty():
            return
        self._rung.put(None)
        if (waiter := self._waiter) is not None:
            loop, future = waiter
            with suppress(RuntimeError):  # the loop was closed
                loop.call_soon_threadsafe(_wake, future)

    def wait(self, seconds: float) -> None:
        """Wait for a ring, no longer than this; the thread is blocked."""
        with suppress(Empty):
            self._rung.get(timeout=seconds)

    async def wait_async(self, seconds: float) -> None:
        """Wait for a ring, no longer than this; the event loop is not blocked."""
        loop = asyncio.get_running_loop()
        future = loop.create_future()
        # First said that somebody waits, then looked whether it has rung: a ring between the two is seen either way.
        self._waiter = (loop, future)
        timer = loop.call_later(seconds, _wake, future)
        try:
            if self._rung.empty():
                await future
        finally:
            self._waiter = None
            timer.cancel()
        with suppress(Empty):
            self._rung.get_nowait()


def _wake(future: "Future[None]") -> None:
    if not future.done():
        future.set_result(None)
