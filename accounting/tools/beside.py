"""What tools do, done beside the loop that talks to the client."""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import Final, TypeVar

T = TypeVar("T")


class Beside:
    """Threads, one for each call: a long wait holds up no other call, and no pool can be full."""

    def __init__(self) -> None:
        self._deeds: Final[list[Thread]] = []

    async def done(self, work: Callable[[], T], *, to_the_end: bool) -> T:
        """What `work` returns or raises.

        A client that gives the call up, or goes, is not waited for, and a thread ends with the process at the latest:
        but for what is to be done `to_the_end`, which `finish` waits for.
        """
        done: Future[T] = Future()
        done.set_running_or_notify_cancel()

        def work_and_tell() -> None:
            try:
                done.set_result(work())
            except BaseException as error:  # noqa: BLE001 - it is raised where it is awaited
                done.set_exception(error)

        thread = Thread(target=work_and_tell, daemon=True)
        thread.start()
        if to_the_end:
            self._deeds[:] = [*(one for one in self._deeds if one.is_alive()), thread]
        return await asyncio.wrap_future(done)

    def finish(self, seconds: float) -> None:
        """Wait until what is to be done to the end is done, for so many seconds at most."""
        deadline = time.monotonic() + seconds
        for thread in self._deeds:
            thread.join(max(0.0, deadline - time.monotonic()))
