"""The journals of dispatched runs on disk, and the files beside them. Spec: dispatch.md 2.0, 2.2.

    store = RunStore(state_directory())
    with store.locked(run) as held:
        held.write(step(held.read(), event))

Whoever changes a journal holds the run's lock, reads the journal under it, and writes it whole; the system gives the
lock back when its holder dies. Readers need none of it: a journal appears whole and is replaced whole. All of it is for
its owner alone.
"""

import os
import time
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager, suppress
from io import FileIO
from pathlib import Path
from typing import Final

from msgspec import UNSET, DecodeError, ValidationError, structs

from accounting import private
from accounting.dispatch import steps
from accounting.dispatch.errors import CorruptJournalError, RunBusyError, UnknownRunError
from accounting.ledger.writing.system import SYSTEM
from wire import decode, encode
from wire.dispatch import DispatchJournal
from wire.scalars import DispatchId, dispatch_id

PATIENCE_S: Final = 30.0
"""How long a run's lock is waited for: whoever cancels holds it for some seconds."""
_POLL_S: Final = 0.005

_JOURNAL: Final = ".json"
_STREAM: Final = ".stream.jsonl"
_ERRORS: Final = ".stderr.txt"


class RunStore:
    """The runs of a state directory. Nothing is made before the first run."""

    def __init__(self, directory: Path) -> None:
        self.directory: Final = directory.absolute()
        """The state directory."""
        self.runs: Final = self.directory / "runs"
        """Where the files of all runs are."""

    def journal_path(self, run: DispatchId) -> Path:
        """The run's journal."""
        return self.runs / f"{run}{_JOURNAL}"

    def stream_path(self, run: DispatchId) -> Path:
        """What its agent printed on standard output."""
        return self.runs / f"{run}{_STREAM}"

    def errors_path(self, run: DispatchId) -> Path:
        """What its agent printed on standard error."""
        return self.runs / f"{run}{_ERRORS}"

    def ids(self) -> tuple[DispatchId, ...]:
        """The runs there are, by id; earlier attempts that were cancelled are left out. Raises `OSError`."""
        try:
            names = [entry.name for entry in os.scandir(self.runs)]
        except FileNotFoundError:
            return ()
        stems = (name.removesuffix(_JOURNAL) for name in names if name.endswith(_JOURNAL))
        return tuple(sorted(run for stem in stems if (run := dispatch_id(stem)) is not None))

    def read(self, run: DispatchId) -> DispatchJournal:
        """The journal as it is written.

        Raises `UnknownRunError` when there is none, `CorruptJournalError` when it does not read, `OSError`.
        """
        journal = _read(self.journal_path(run), run)
        if journal is None:
            raise UnknownRunError(run, self.runs)
        return journal

    @contextmanager
    def locked(self, run: DispatchId, wait_s: float = PATIENCE_S) -> Generator["LockedRun"]:
        """Keep all others from changing a run, waiting until they have done so.

        Raises `RunBusyError` when they have not after `wait_s` seconds, and `OSError` when no lock can be had.
        """
        private.make_directory(self.runs)
        path = self.runs / f"{run}.lock"
        # Never removed: two who wait must wait for the same file. A process that this one starts does not inherit it.
        with FileIO(private.open_file(path, os.O_RDWR | os.O_CREAT | os.O_APPEND), "ab") as file:
            deadline = time.monotonic() + wait_s
            while not SYSTEM.lock(file):
                if time.monotonic() > deadline:
                    raise RunBusyError(run, SYSTEM.holder(file) or "another process")
                time.sleep(_POLL_S)
            held = LockedRun(self, run, file)
            try:
                yield held
            finally:
                held.release()


class LockedRun:
    """A run that only this process may change, until it is released."""

    def __init__(self, store: RunStore, run: DispatchId, file: FileIO) -> None:
        self._store: Final = store
        self._file: Final = file
        self._held = True
        self.run: Final = run
        """The run."""

    def read(self) -> DispatchJournal | None:
        """The journal, `None` when there is none. Raises `CorruptJournalError`, `OSError`."""
        return _read(self._store.journal_path(self.run), self.run)

    def create(self, journal: DispatchJournal) -> bool:
        """Write the first journal, whole; false, with nothing changed, when there is one. Raises `OSError`."""
        return self._put(journal, first=True)

    def write(self, journal: DispatchJournal) -> None:
        """Replace the journal, whole. Raises `OSError`, and then the one before stands."""
        self._put(journal, first=False)

    def keep_attempt(self) -> None:
        """Keep the files of a cancelled attempt under another name, `<id>.<n>`. Raises `OSError`.

        The journal stands until the next attempt's is written in its place: a run is never without one. Whoever is
        killed here leaves it to the next to do the rest.
        """
        content = private.read_whole(self._store.journal_path(self.run))
        assert content is not None
        number = 1
        while (kept := private.read_whole(self._attempt(number, _JOURNAL))) not in (None, content):
            number += 1
        if kept is None:
            self._place(self._attempt(number, _JOURNAL), content, first=False)
            steps.reached("attempt kept")
        for path, suffix in (
            (self._store.stream_path(self.run), _STREAM),
            (self._store.errors_path(self.run), _ERRORS),
        ):
            with suppress(FileNotFoundError):
                path.replace(self._attempt(number, suffix))
            steps.reached(f"attempt kept{suffix}")

    def release(self) -> None:
        """Give the lock back, before the end of `locked`."""
        if self._held:
            self._held = False
            SYSTEM.unlock(self._file)

    def again(self) -> AbstractContextManager["LockedRun"]:
        """Take the lock once more, after it was given back. As `RunStore.locked`."""
        return self._store.locked(self.run)

    def _attempt(self, number: int, suffix: str) -> Path:
        return self._store.runs / f"{self.run}.{number}{suffix}"

    def _put(self, journal: DispatchJournal, *, first: bool) -> bool:
        stored = structs.replace(journal, idempotent_replay=UNSET, replay_differs=UNSET)
        if not self._place(self._store.journal_path(self.run), encode(stored), first=first):
            return False
        steps.reached(f"journal {journal.state}")
        return True

    def _place(self, path: Path, content: bytes, *, first: bool) -> bool:
        """A file of this content, whole and on the disk; false when it was to be the first of its name and is not."""
        assert self._held
        new = self._store.runs / f".{self.run}{_JOURNAL}.new"
        new.unlink(missing_ok=True)  # of one that was killed here
        try:
            private.write_whole(new, content, os.O_EXCL)
            with FileIO(private.open_file(new, os.O_RDWR), "rb+") as file:
                SYSTEM.barrier(file)
            steps.reached("journal beside its name")
            if first and not _link(new, path):
                return False
            if not first:
                new.replace(path)
        finally:
            with suppress(OSError):
                new.unlink(missing_ok=True)
        SYSTEM.sync_directory(path.parent)
        return True


def _link(new: Path, path: Path) -> bool:
    """Give a file a second name, which no file has; false when one has it."""
    try:
        os.link(new, path)
    except FileExistsError:
        return False
    except OSError:  # a file system without links: the lock alone has to do
        if path.exists():
            return False
        new.replace(path)
    return True


def _read(path: Path, run: DispatchId) -> DispatchJournal | None:
    content = private.read_whole(path)
    if content is None:
        return None
    try:
        journal = decode(content, DispatchJournal)
    except (ValidationError, DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise CorruptJournalError(path, str(error)) from None
    if journal.run_id != run:
        raise CorruptJournalError(path, f"it is the journal of {journal.run_id}")
    return journal
