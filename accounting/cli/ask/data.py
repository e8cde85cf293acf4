"""What the commands of `rounds ask` print with `--json`. `watch` and `chat` print a thread's records as they are."""

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
    """Whether somebody is answering it."""


class Swept(Struct, frozen=True, kw_only=True):
    """What a sweep removed."""

    removed: tuple[str, ...]
    """The files of the threads, by name."""
