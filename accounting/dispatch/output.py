"""The output of a run's agent, read on each time that somebody looks. Spec: dispatch.md 2.0, 2.3."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from msgspec import structs

from accounting import private
from accounting.clock import system_clock
from accounting.dispatch.events import DispatchEvent, Ended, Initialised, Killed
from accounting.dispatch.machine import is_success
from accounting.dispatch.stream import StreamReading
from accounting.dispatch.transcripts.places import session_file
from wire.dispatch import DispatchJournal
from wire.scalars import AbsolutePath

_CHUNK: Final = 1 << 20


class Output:
    """What an agent has printed to a file, as far as it was read."""

    def __init__(self, path: Path) -> None:
        self._path: Final = path
        self._reading = StreamReading()
        self._file: tuple[int, int] | None = None
        self._at = 0

    def events(self, journal: DispatchJournal, *, whole: bool) -> tuple[DispatchEvent, ...]:
        """All that it says by now. `whole` when there will be no more of it; ask for nothing after that.

        Once somebody has set about cancelling the run, an error result is the doing of that, and no end by itself.
        Raises `OSError`.
        """
        self._read_on()
        if whole:
            self._reading.finish()
        events = self._reading.events(system_clock(), _places(journal))
        if journal.cancel_asked_at is not None:
            events = _of_cancelling(events, whole=whole)
        return tuple(_measured(journal, event) for event in events)

    def _read_on(self) -> None:
        try:
            descriptor = private.open_file(self._path, os.O_RDONLY)
        except FileNotFoundError:
            return
        with os.fdopen(descriptor, "rb", buffering=0) as file:
            stat = os.fstat(descriptor)
            if self._file != (stat.st_dev, stat.st_ino) or stat.st_size < self._at:
                self._reading, self._at = StreamReading(), 0
                self._file = (stat.st_dev, stat.st_ino)
            file.seek(self._at)
            # To the end as it is now: an agent may print faster than it is read.
            while self._at < stat.st_size and (data := file.read(min(_CHUNK, stat.st_size - self._at))):
                self._reading.feed(data)
                self._at += len(data)


def _of_cancelling(events: tuple[DispatchEvent, ...], *, whole: bool) -> tuple[DispatchEvent, ...]:
    """What counts of a run that is to be cancelled: in place of an error result, its end by that, once it is gone."""
    last = events[-1]
    if not isinstance(last, Ended) or is_success(last.result):
        return events
    return (*events[:-1], *([Killed(at=last.at)] if whole else []))


def _measured(journal: DispatchJournal, event: DispatchEvent) -> DispatchEvent:
    """The first naming of a session, with how much there is of its file: that need not be of this run."""
    if not isinstance(event, Initialised) or event.session_file is None or journal.session_id is not None:
        return event
    try:
        size = Path(event.session_file).stat().st_size
    except FileNotFoundError:
        size = 0
    except OSError:
        return event
    return structs.replace(event, session_bytes=size)


def _places(journal: DispatchJournal) -> Callable[[str], AbsolutePath | None]:
    """Where the agent keeps a session; looked up only for the first that its output names."""

    def place(session_id: str) -> AbsolutePath | None:
        if journal.session_id is not None or journal.configuration is None:
            return None
        return session_file(Path(journal.configuration), journal.workspace, session_id)

    return place
