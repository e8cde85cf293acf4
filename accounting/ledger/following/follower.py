"""The iterator over a ledger that is being written. Spec: ledger.md 7."""

import asyncio
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Self

from accounting.ledger.following.bell import Bell
from accounting.ledger.following.file import Opened
from accounting.ledger.following.tail import Found, Tail
from accounting.ledger.following.watch import Watch
from accounting.ledger.problem import Place
from accounting.ledger.record import Report
from wire.record.envelope import Record
from wire.scalars import RunId


class Follower:
    """The records of a growing ledger, each with its place, for as long as one asks: `for`, or `async for`.

    Only whole lines are handed out, each once; `accounting.ledger.Ledger.follow` makes one. `with` or `async with`
    releases what it holds, which is nothing but while it is iterated over. One task or thread iterates at a time.
    """

    def __init__(self, path: Path, name: str, run: RunId | None, report: Report, *, from_now: bool) -> None:
        self._bell = Bell()
        self._tail = Tail(path, name, run, report, from_now=from_now)
        self._watch = Watch(path, self._bell.ring)
        self._looking: Iterator[Found] = iter(())
        self._looked = False
        self._stopped = False
        # Also where nobody says that it is over: when it is forgotten, or the interpreter ends.
        # Neither of these two leads back here, as `report` may.
        weakref.finalize(self, _release, self._tail.opened, self._watch)

    def stop(self) -> None:
        """End the iteration, now if it waits. From any thread, a signal handler, or `report`."""
        self._stopped = True
        self._bell.ring()

    def close(self) -> None:
        """End the iteration and release everything. From the thread that iterates."""
        self.stop()
        _release(self._tail.opened, self._watch)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> tuple[Record, Place]:
        try:
            while not self._stopped:
                for found in self._looking:
                    if self._stopped:
                        break
                    if found is not None:
                        return found
                else:
                    if patience := self._patience():
                        self._bell.wait(patience)
                    self._looking = self._tail.look()
        except BaseException:
            self.close()
            raise
        self.close()
        raise StopIteration

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> tuple[Record, Place]:
        try:
            while not self._stopped:
                for found in self._looking:
                    if self._stopped:
                        break
                    if found is not None:
                        return found
                    await asyncio.sleep(0)
                else:
                    if patience := self._patience():
                        await self._bell.wait_async(patience)
                    self._looking = self._tail.look()
        except asyncio.CancelledError:
            # No record was on its way: whoever gave up waiting may ask again.
            _release(self._tail.opened, self._watch)
            raise
        except BaseException:
            self.close()
            raise
        self.close()
        raise StopAsyncIteration

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    def _patience(self) -> float:
        """Seconds to wait before the next look; the first one is at once, and watching begins after it."""
        if not self._looked:
            self._looked = True
            return 0.0
        return self._watch.patience()


def _release(opened: Opened, watch: Watch) -> None:
    watch.close()
    opened.close()
