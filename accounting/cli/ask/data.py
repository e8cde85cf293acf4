"""What the commands of `rounds ask` print with `--json`. `watch` and `chat` print a thread's records as they are."""

from collections.abc import Sequence

from msgspec import Struct

from accounting.ask.cancel import CancelOutcome
from accounting.ask.send import SendOutcome
from wire.ask import AskSeq, AskShown, AskState


class SentQuestion(Struct, frozen=True, kw_only=True):
    """A question that was put to a thread."""

    thread: str
    """The thread's name."""
    path: str
    """Its file."""
    outcome: SendOutcome
    """What became of the question."""
    seq: AskSeq | None
    """Its number; null when it is not in the thread."""


class CancelledQuestion(Struct, frozen=True, kw_only=True):
    """What cancelling came to."""

    thread: str
    """The thread's name."""
    path: str
    """Its file."""
    outcome: CancelOutcome
    """What it came to."""


class ShownThread(Struct, frozen=True, kw_only=True):
    """A thread's last questions."""

    thread: str
    """The thread's name."""
    path: str
    """Its file."""
    shown: tuple[AskShown, ...]
    """The questions, each with what is there of its answer."""
    live: bool
    """Whether the last of them is in flight and the thread's lock is held: else nobody answers it."""


class ListedThread(Struct, frozen=True, kw_only=True):
    """One thread of a directory."""

    thread: str
    """The thread's name."""
    path: str
    """Its file."""
    temporary: bool
    """Whether it is named as temporary threads are."""
    seq: AskSeq | None
    """The number of its last question; null when nothing was asked."""
    at: str | None
    """When that was asked; null when nothing was asked."""
    state: AskState | None
    """How that stands; null when nothing was asked."""
    question: str | None
    """Its text; null when nothing was asked."""
    live: bool
    """Whether it is in flight and the thread's lock is held: else nobody answers it."""
    worker: bool
    """Whether, where it is live, somebody is known to answer it, or may still be starting to."""
    readable: bool
    """Whether the thread and its lock read; where they do not, nothing is known of its last question."""


class Swept(Struct, frozen=True, kw_only=True):
    """What a sweep removed."""

    removed: tuple[str, ...]
    """The files of the threads, by name."""


def is_in_flight(shown: Sequence[AskShown]) -> bool:
    """Whether the last of these questions is not settled; false where there is none."""
    return bool(shown) and shown[-1].state in (AskState.waiting, AskState.answering)
