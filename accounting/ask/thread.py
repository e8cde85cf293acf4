"""A thread on disk: its file, what stands beside it, reading and adding to it. Spec: asks.md 1.1, 1.2, 1.11.

    thread = AskThread(kept_directory() / "harbour.jsonl")
    turns = completed_turns(thread.read().events)

A thread's file only ever grows: nothing here rewrites, cuts or replaces it.
"""

import errno
import os
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from msgspec import Struct

from accounting import private
from accounting.ask.fold import REPLAYED_TURNS, AskFold
from accounting.ask.following import AskFollower
from accounting.ask.parse import Parsed, parse
from accounting.ask.places import LOCK_SUFFIX, PARKED_SUFFIX, thread_name
from wire import encode
from wire.ask import AskAborted, AskEnd, AskError, AskEvent, AskMeta, AskQuestion, AskSeq, AskShown, AskTurn

_FIRST_WINDOW: Final = 1 << 16


class Recent(Struct, frozen=True, kw_only=True):
    """The end of a thread."""

    shown: tuple[AskShown, ...]
    """Its last questions as a person sees them."""
    start: int
    """Byte offset of a record at or before the first of those questions: where following may begin."""


class Asked(Struct, frozen=True, kw_only=True):
    """A question that is to be answered."""

    question: AskQuestion
    """The question; of two with its number the later one."""
    before: tuple[AskTurn, ...]
    """The last completed turns, as many as are replayed."""


class _End:
    """The events from a byte of the file on."""

    def __init__(self, events: tuple[AskEvent, ...], start: int) -> None:
        self.events = events
        self.start = start
        self.fold = AskFold.of(events)
        self.asked = {event.seq: event for event in events if isinstance(event, AskQuestion)}


class AskWriter:
    """A thread's file, open for the records of one turn; `AskThread.open` makes one."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self._path = path
        self._descriptor = descriptor

    def append(self, event: AskEvent) -> None:
        """Add one record, in one write. After bytes of another writer that end in no newline it begins with one.

        Raises `OSError` when not all of it was taken, for want of room for example. The thread then ends in a part of
        it, or is as it was: what was there stays, and the next record begins on a line of its own.
        """
        line = encode(event) + b"\n"
        if self._is_torn():
            line = b"\n" + line
        try:
            taken = os.write(self._descriptor, line)
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self._path)) from None
        if taken != len(line):
            raise OSError(
                errno.ENOSPC, f"only {taken} of {len(line)} bytes of a record were taken; make room", str(self._path)
            )

    def _is_torn(self) -> bool:
        size = os.lseek(self._descriptor, 0, os.SEEK_END)
        if not size:
            return False
        os.lseek(self._descriptor, size - 1, os.SEEK_SET)
        return os.read(self._descriptor, 1) != b"\n"


class AskThread:
    """A thread by its path. Making one touches nothing; a thread without a file is the empty thread."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path: Final = Path(path)
        """Its file."""
        self.name: Final = thread_name(self.path)
        """What it is called: the file's name without `.jsonl`."""
        self.lock_path: Final = self.path.with_name(self.path.name + LOCK_SUFFIX)
        """The file that says that a question is being answered."""
        self.parked_path: Final = self.path.with_name(self.path.name + PARKED_SUFFIX)
        """The file of the search text that is parked beside it."""

    @property
    def exists(self) -> bool:
        """Whether there is anything at its path."""
        return self.path.exists()

    def read(self) -> Parsed:
        """All of its events. Raises `OSError` when there is a file that cannot be read, which is no empty thread."""
        return parse(private.read_whole(self.path) or b"")

    def question(self, seq: AskSeq) -> Asked | None:
        """A question that waits, and what was said before it, from the end of the file; bounded as `recent` is.

        `None` when it was never asked, or is settled. Raises `OSError` as `read` does.
        """
        end = self._end(
            lambda end: seq in end.asked and len(end.fold.completed_turns(REPLAYED_TURNS)) == REPLAYED_TURNS
        )
        if seq not in end.asked or any(
            isinstance(one, AskEnd | AskAborted | AskError) and one.seq == seq for one in end.events
        ):
            return None
        return Asked(question=end.asked[seq], before=end.fold.completed_turns(REPLAYED_TURNS))

    def recent(self, questions: int) -> Recent:
        """The last `questions` questions, from the end of the file; all of them when there are fewer.

        What is read is bounded by what they need. That is exact where questions come by rising number and each before
        what answers it, as the lock has it. Where the part that was read shows another order, all of the file is read.
        Raises `OSError` as `read` does, `ValueError` unless `questions` is above 0.
        """
        if questions < 1:
            raise ValueError(f"questions is {questions}: ask for 1 or more")
        # One more than is shown, for whether the focus changed from one question to the next.
        end = self._end(lambda end: len(end.fold.shown()) > questions)
        return Recent(shown=end.fold.shown()[-questions:], start=end.start)

    def follow(self, start: int = 0) -> AskFollower:
        """The events from the byte `start` on, as they come; see `AskFollower`."""
        return AskFollower(self.path, start)

    @contextmanager
    def open(self) -> Generator[AskWriter]:
        """Open it to add records, making the file and its directory when they are missing; closed at the end.

        Raises `OSError`.
        """
        private.make_directory(self.path.parent)
        descriptor = private.open_file(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        try:
            yield AskWriter(self.path, descriptor)
        finally:
            os.close(descriptor)

    def append(self, event: AskEvent) -> None:
        """Add one record; see `AskWriter.append`."""
        with self.open() as writer:
            writer.append(event)

    def park(self, text: str) -> None:
        """Keep a search text that a person has not finished beside the thread. Raises `OSError`."""
        private.make_directory(self.path.parent)
        private.write_whole(self.parked_path, text.encode(errors="replace"), os.O_TRUNC)

    def parked(self) -> str | None:
        """The search text that was parked, `None` when none is. It stays parked. Raises `OSError`."""
        content = private.read_whole(self.parked_path)
        return None if content is None else content.decode(errors="replace")

    def unpark(self) -> None:
        """Remove the parked search text, if there is one. Raises `OSError`."""
        self.parked_path.unlink(missing_ok=True)

    def remove(self) -> None:
        """Remove the thread's three files, those that are there. Raises `OSError` after trying each."""
        failure: OSError | None = None
        for path in (self.path, self.lock_path, self.parked_path):
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                failure = failure or error
        if failure is not None:
            raise failure

    def _end(self, enough: Callable[[_End], bool]) -> _End:
        """As much of the thread's end as is enough, or all of it."""
        with suppress(FileNotFoundError):
            size = self.path.stat().st_size
            window = _FIRST_WINDOW
            while window < size:
                content = private.read_whole(self.path, size - window) or b""
                # The window may begin within a line: whatever stands before its first newline is left out.
                skipped = content.find(b"\n") + 1
                if skipped:
                    end = _End(parse(content[skipped:]).events, size - window + skipped)
                    if not _in_order(end.events):
                        break
                    if enough(end):
                        return end
                window *= 2
        return _End(self.read().events, 0)


def _in_order(events: Iterable[AskEvent]) -> bool:
    """Whether each question is higher than all before it, and nothing answers one that is still to come."""
    highest = 0
    asked = False
    for event in events:
        if isinstance(event, AskMeta):
            continue
        if isinstance(event, AskQuestion):
            if event.seq <= highest:
                return False
            asked = True
        elif asked and event.seq > highest:
            return False
        highest = max(highest, event.seq)
    return True
