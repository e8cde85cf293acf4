"""One program under test, by either contract of schema/conformance/protocol.md: what it did with one ledger.

Whatever the program does, an answer to a ledger comes back within the time-out and in bounded memory.
"""

from typing import Protocol

from accounting.conformance.limits import ANSWER_LIMIT, TIMEOUT_MS
from accounting.conformance.long_lived import LongLived
from accounting.conformance.once import OncePerCase
from accounting.conformance.pipes import NoSubjectError
from accounting.conformance.reply import Answered, Crashed, Rejected, Reply, TimedOut
from wire.scalars import RunId

__all__ = [
    "ANSWER_LIMIT",
    "TIMEOUT_MS",
    "Answered",
    "CheckerSubject",
    "Crashed",
    "LongLived",
    "NoSubjectError",
    "OncePerCase",
    "Rejected",
    "Reply",
    "Subject",
    "TimedOut",
]


class Subject(Protocol):
    """A fold under test. `NoSubjectError` is raised by whatever first has to start it, when it cannot be."""

    def fold(self, ledger: bytes, run: RunId) -> Reply:
        """Have it fold one run of a ledger."""
        ...

    def close(self) -> None:
        """End it. Nothing of it is left running."""
        ...


class CheckerSubject(Protocol):
    """A checker under test; otherwise as a `Subject`."""

    def check(self, ledger: bytes) -> Reply:
        """Have it check a ledger."""
        ...

    def close(self) -> None:
        """End it. Nothing of it is left running."""
        ...
