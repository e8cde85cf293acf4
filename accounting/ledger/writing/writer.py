"""The writer of a ledger: one at a time, groups that are on disk when it says so. Spec: ledger.md 7."""

import os
from collections.abc import Callable
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import Self

from accounting.clock import system_clock
from accounting.ledger.writing.draft import Draft
from accounting.ledger.writing.errors import AppendError, WriterUnusableError
from accounting.ledger.writing.group import group
from accounting.ledger.writing.lock import WriterLock
from accounting.ledger.writing.opening import open_tip
from accounting.ledger.writing.storing import Store
from accounting.ledger.writing.system import SYSTEM, System
from wire.record.envelope import EventRecord
from wire.record.kinds import Kind
from wire.scalars import NIL_RUN, B3Hash, TimeMs


class LedgerWriter:
    """Appends lines to a ledger: as a context manager, or until `close`. Threads may share it. Spec: ledger.md 7.

    Opening takes the ledger's lock, makes its directory when it is missing (in a directory that is there), and proves
    the whole of it. A line that was never finished is cut off and a `log_truncated` line says so; zeros at the end are
    room set aside, and are cut without a word.

    `now` is the clock for drafts without a time, `system` the platform.

    Raises `LedgerHeldError` when the ledger has a writer, before anything of it is read or written;
    `UnprovenLedgerError` when it breaks a rule of the format, with nothing changed; `AppendError` when there is no room
    to say what was cut; `OSError` when the ledger cannot be read or made ready; `ModuleNotFoundError` without the extra
    `ledger`.
    """

    def __init__(
        self,
        directory: str | os.PathLike[str],
        *,
        now: Callable[[], TimeMs] = system_clock,
        system: System = SYSTEM,
    ) -> None:
        self.directory = Path(directory).resolve()
        """The ledger's directory, resolved."""
        self._now = now
        self._process = os.getpid()
        self._guard = RLock()
        self._busy = False
        self._closed = False
        self._lock = WriterLock(self.directory, system)
        try:
            tip, torn = open_tip(self.directory, system)
            self._store = Store(tip, system)
            try:
                if torn:
                    self._tell_of(torn)
            except BaseException:
                self._store.close()
                raise
        except BaseException:
            self._lock.release()
            raise

    @property
    def last_hash(self) -> B3Hash | None:
        """BLAKE3 of the last line: kept elsewhere it pins the end, which no chain can. `None` when there is no line."""
        tip = self._store.tip
        return tip.prev if tip.next_seq else None

    def append(self, *drafts: Draft) -> tuple[EventRecord, ...]:
        """Append one group of lines, and return what they record once every one of them is on disk.

        The kind of a line with `ig` is returned as the word it was given as, which is no `Kind`. No drafts, no lines.

        Raises `DraftError` when a draft is refused, before anything is written; `AppendError` when the group could not
        be stored, and nothing of it counts; `WriterUnusableError` when this writer writes no more. What interrupts the
        writing (Ctrl-C) is passed on when the group has been taken back.
        """
        self._only_here()
        with self._guard:
            self._ready()
            if not drafts:
                return ()
            now = self._now()
            self._busy = True
            try:
                tip = self._store.tip
                lines = group(drafts, tip.next_seq, tip.prev, now)
                self._store.add(lines)
            finally:
                self._busy = False
            return lines.records

    def close(self) -> None:
        """Give the ledger up for the next writer. Closing again does nothing."""
        if os.getpid() != self._process:
            return  # the ledger is not this process's to give up
        with self._guard:
            if self._busy:
                raise WriterUnusableError(_BUSY)
            if not self._closed:
                self._closed = True
                try:
                    self._store.close()
                finally:
                    self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _only_here(self) -> None:
        if os.getpid() != self._process:
            raise WriterUnusableError(
                f"{self.directory}: this writer belongs to process {self._process}, from which this one was forked. "
                "Append there, or open a writer here once that one is closed"
            )

    def _ready(self) -> None:
        """Raise `WriterUnusableError` unless a group may be written now."""
        if self._closed:
            why = "this writer is closed. Open the ledger again"
        elif self._busy:
            why = _BUSY
        elif self._store.midway:
            why = "an earlier group failed and could not be cut off again. Close this writer and open the ledger again"
        elif not self._lock.held:
            why = f"{self._lock.path} was removed or replaced, so that others may write. Open the ledger again"
        elif not self._store.untouched:
            why = (
                f"{self._store.tip.path} is not as this writer left it: something else wrote to it, or removed it. "
                "End that, and open the ledger again"
            )
        else:
            return
        raise WriterUnusableError(f"{self.directory}: {why}")

    def _tell_of(self, torn: int) -> None:
        notice = Draft(run=NIL_RUN, who="city", kind=Kind.log_truncated, data={"dropped_bytes": torn})
        try:
            self.append(notice)
        except AppendError as error:
            error.add_note(f"{torn} bytes of a line that was never finished were cut off before, and no line says so")
            raise


_BUSY = "a group is being written, and whoever asks interrupted that. Ask again when it is done"
