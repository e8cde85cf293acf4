"""What keeps a run from being started, looked at or cancelled. A run that failed is no error: its journal says so."""

from pathlib import Path
from typing import Final

from wire.scalars import DispatchId


class DispatchTroubleError(Exception):
    """What all of them are. The message is for people: what, where, and what to do."""


class UnknownRunError(DispatchTroubleError):
    """There is no run of that name."""

    def __init__(self, run: str, runs: Path) -> None:
        super().__init__(f"{run}: no such run in {runs}; `rounds dispatch list` shows those there are")
        self.run: Final = run
        """What was asked for."""


class CorruptJournalError(DispatchTroubleError):
    """A journal does not read: half-written by another program, or damaged. It says nothing about its run."""

    def __init__(self, path: Path, message: str) -> None:
        super().__init__(f"{path}: this journal does not read ({message}); move it away once you know how the run went")
        self.path: Final = path
        """Its file."""
        self.message: Final = message
        """What is wrong with it, and where."""


class RunBusyError(DispatchTroubleError):
    """Another process has been changing the run for long."""

    def __init__(self, run: DispatchId, holder: str) -> None:
        super().__init__(f"{run} is being changed by {holder}; try again")
        self.run: Final = run
        """The run."""


class KeyCollisionError(DispatchTroubleError):
    """The id that an idempotency key names is another run's, which was started with another key or none."""

    def __init__(self, run: DispatchId) -> None:
        super().__init__(f"{run} was started with another idempotency key; nothing was started, choose another key")
        self.run: Final = run
        """The other run."""


class RequestError(DispatchTroubleError):
    """What was asked for cannot be started as it is; nothing was written down."""
