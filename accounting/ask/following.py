"""The growing end of a thread, each change at the cost of the change. Spec: asks.md 1.2, 1.4, design.md law 6."""

import os
from pathlib import Path
from typing import Final, Self

from msgspec import Struct

from accounting import private
from accounting.ask.parse import parse
from accounting.ledger.following.bell import Bell
from accounting.ledger.following.watch import Watch
from wire.ask import AskEvent


class Look(Struct, frozen=True, kw_only=True):
    """What a look at a thread found new."""

    events: tuple[AskEvent, ...] = ()
    """The records that came, in file order."""
    again: bool = False
    """Whether the thread begins anew, so that what came before is to be forgotten: its file was removed, replaced or
    cut, or a last record without a newline, which had counted, was written on and is no record any more."""


class ThreadTail:
    """What a thread holds now that it did not hold at the last look. Nothing here waits.

    The events of all looks since the last `again` are those of `parse` over a beginning of the file.
    """

    def __init__(self, path: Path, start: int = 0) -> None:
        """Begin at the byte `start`, which is the beginning of a line."""
        self._path: Final = path
        self._at = start
        """Where the first line begins that is not finished."""
        self._rest = b""
        """What there is of that line."""
        self._early = False
        """Whether that line was handed out, whole but for its newline."""
        self._file: tuple[int, int] | None = None

    def look(self) -> Look:
        """What came since the last look. Raises `OSError` when there is a file that cannot be read."""
        try:
            descriptor = private.open_file(self._path, os.O_RDONLY)
        except FileNotFoundError:
            if self._file is None:
                return Look()
            self._forget()
            return Look(again=True)
        with os.fdopen(descriptor, "rb", buffering=0) as file:
            stat = os.fstat(file.fileno())
            if self._file is not None and self._is_another(stat):
                return self._anew(file.read(), stat)
            file.seek(self._at + len(self._rest))
            return self._grown(file.read(), stat)

    def _is_another(self, stat: os.stat_result) -> bool:
        return self._file != (stat.st_dev, stat.st_ino) or stat.st_size < self._at + len(self._rest)

    def _grown(self, content: bytes, stat: os.stat_result) -> Look:
        if self._early and content:
            line = (self._rest + content).split(b"\n", 1)[0]
            if not parse(line).events:
                # Another record was glued to it. Whoever reads the file from the beginning now sees neither.
                return self._anew(private.read_whole(self._path) or b"", stat)
        return Look(events=self._take(content, stat))

    def _take(self, content: bytes, stat: os.stat_result) -> tuple[AskEvent, ...]:
        self._file = (stat.st_dev, stat.st_ino)
        if not content:
            return ()
        given = self._early
        whole, newline, rest = (self._rest + content).rpartition(b"\n")
        self._at += len(whole) + len(newline)
        self._rest = rest
        # A last line without a newline counts if it is whole, as `parse` has it.
        tail = parse(rest).events
        events = (*parse(whole).events, *tail)
        self._early = bool(tail)
        return events[1:] if given else events

    def _anew(self, content: bytes, stat: os.stat_result) -> Look:
        self._forget()
        return Look(events=self._take(content, stat), again=True)

    def _forget(self) -> None:
        self._at, self._rest, self._early, self._file = 0, b"", False, None


class AskFollower:
    """The events of a thread as they come; `with` releases what watches its file. `AskThread.follow` makes one."""

    def __init__(self, path: Path, start: int = 0) -> None:
        self._tail: Final = ThreadTail(path, start)
        self._bell: Final = Bell()
        self._watch: Final = Watch(path, self._bell.ring)
        self._looked = False

    def wait(self, seconds: float) -> Look:
        """What came since the last call, waiting for it up to `seconds`; nothing when nothing came, or on `ring`.

        The first call answers at once with all that is there. Raises `OSError` when there is a file that cannot be
        read.
        """
        look = self._tail.look()
        if look.events or look.again or not self._looked:
            self._looked = True
            return look
        # Watching begins here, so that what came meanwhile was not told: then the patience is 0.
        self._bell.wait(min(seconds, self._watch.patience()))
        return self._tail.look()

    def ring(self) -> None:
        """End a wait, now. From any thread or a signal handler."""
        self._bell.ring()

    def close(self) -> None:
        """Release everything. It may be asked again all the same."""
        self._watch.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
