"""When to look again: told by the system where it tells, and by the clock."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from accounting.ledger.following.observing import Observing

try:
    from accounting.ledger.following.observing import observe
except (ImportError, Warning):  # the extra `ledger` is not installed, or does not work on this system

    def observe(path: Path, ring: Callable[[], None]) -> "Observing | None":  # noqa: ARG001
        """Nobody tells."""
        return None


UNTOLD: Final = 0.2
"""Seconds between two looks where nothing is told."""
TOLD: Final = 1.0
"""Seconds between two looks all the same where changes are told: a network file system tells only of this machine's."""


class Watch:
    """The watch over one ledger; begun by the first `patience`, and begun again when the directory is another one."""

    def __init__(self, path: Path, ring: Callable[[], None]) -> None:
        self._path: Final = path
        self._alone: Final = not path.is_dir()
        """Whether the ledger is one file: its directory is then another's, and may stay when the file goes."""
        self._ring: Final = ring
        self._observing: Observing | None = None
        self._directory: tuple[int, int] | None = None
        self._refused = False

    def patience(self) -> float:
        """How many seconds to wait for a ring before the next look; 0 when changes before now were not told."""
        directory = self._identity()
        if self._observing is not None and not (self._observing.alive and self._directory == directory):
            self.close()
        if self._observing is None and directory is not None and not self._refused:
            self._directory, self._observing = directory, observe(self._path, self._ring)
            self._refused = self._observing is None
            return 0.0
        return UNTOLD if self._observing is None else TOLD

    def close(self) -> None:
        """End the watch and its threads. It may be begun again."""
        observing, self._observing = self._observing, None
        if observing is not None:
            observing.end()

    def _identity(self) -> tuple[int, int] | None:
        """Which directory the ledger's files are in; `None` while there is none."""
        try:
            found = (self._path.resolve().parent if self._alone else self._path).stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino
