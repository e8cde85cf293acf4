"""What the system tells of a ledger's files, through watchdog (the extra `ledger`)."""

import logging
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from watchdog.events import (
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver
from watchdog.utils import BaseThread

# Opening and closing are left out: with them our own reads would wake us.
_TOLD: Final[list[type[FileSystemEvent]]] = [FileCreatedEvent, FileModifiedEvent, FileMovedEvent, FileDeletedEvent]

# What watchdog says when it is stopped at a bad moment is for nobody; without a handler it would be printed.
logging.getLogger("watchdog").addHandler(logging.NullHandler())


class _Ringer(FileSystemEventHandler):
    def __init__(self, file: str | None, ring: Callable[[], None]) -> None:
        self._file = file
        self._ring = ring

    def on_any_event(self, event: FileSystemEvent) -> None:
        for path in (event.src_path, event.dest_path):
            name = os.fsdecode(path).rpartition(os.sep)[2]
            if name == self._file or (self._file is None and name.endswith(".jsonl")):
                self._ring()


class Observing:
    """A watch that runs; `end` it."""

    def __init__(self, observer: BaseObserver) -> None:
        self._observer: Final = observer

    @property
    def alive(self) -> bool:
        """Whether it still tells: it ceases when the directory is removed."""
        return self._observer.is_alive() and all(emitter.is_alive() for emitter in self._observer.emitters)

    def end(self) -> None:
        """End it and its threads."""
        if isinstance(threading.current_thread(), BaseThread):
            # The garbage collector chose one of the observer's own threads, which cannot wait for itself.
            threading.Thread(target=_end, args=(self._observer,)).start()
        else:
            _end(self._observer)


def observe(path: Path, ring: Callable[[], None]) -> Observing | None:
    """Ring at every change of the ledger's files; `None` where the system refuses to tell."""
    # Of what a link leads to: the link itself never changes.
    real = path.resolve()
    directory, file = (real, None) if real.is_dir() else (real.parent, real.name)
    try:
        observer = Observer()
    except (OSError, RuntimeError):  # no more instances, no more threads
        return None
    try:
        observer.schedule(_Ringer(file, ring), str(directory), event_filter=_TOLD)
        observer.start()
    except (OSError, RuntimeError):
        _end(observer)
        return None
    return Observing(observer)


def _end(observer: BaseObserver) -> None:
    with suppress(OSError, RuntimeError):
        observer.stop()
    if observer.is_alive():
        observer.join()
