"""A question put to a thread, and a worker started that answers it. Spec: asks.md 1.9."""

import errno
import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from enum import StrEnum
from typing import Final

from msgspec import Struct

from accounting.ask.ending import end_worker
from accounting.ask.environment import nested
from accounting.ask.fold import AskFold
from accounting.ask.lock_file import HeldLock, acquire
from accounting.ask.moment import moment
from accounting.ask.notify import notifier
from accounting.ask.run import NO_PROVIDER
from accounting.ask.spawn import Job, Start, start_worker
from accounting.ask.thread import AskThread
from accounting.ask.trim import trim
from accounting.clock import stamp, system_clock
from accounting.processes import PROCESSES
from accounting.secrets import redacted
from wire.ask import ASK_SEQ_MAX, AskError, AskMeta, AskQuestion, AskSeq, AskState

CUT_OFF: Final = "the answer was cut off: whoever was answering is gone\nask again"
"""What a question is told that was in flight when the next one found nobody answering it."""
_SETTLING_S: Final = 1.0
_POLL_S: Final = 0.005


class SendOutcome(StrEnum):
    """What became of a question."""

    sent = "sent"
    """It is in the thread, and a worker answers it."""
    locked = "locked"
    """An earlier one is being answered: nothing was written."""
    empty = "empty"
    """It is blank: nothing was written."""
    no_provider = "no-provider"
    """It is in the thread, and so is that nobody can answer it."""
    spawn_failed = "spawn-failed"
    """It is in the thread and waits, for no worker could be started: cancel it, or ask another."""
    nested = "nested"
    """A provider called: nothing was written."""


class Sent(Struct, frozen=True, kw_only=True):
    """A question that was put to a thread."""

    outcome: SendOutcome
    """What became of it."""
    seq: AskSeq | None = None
    """Its number; `None` when it is not in the thread."""


def send(
    thread: AskThread,
    text: str,
    *,
    provider: Sequence[str],
    focus: str | None = None,
    notify: str | None = None,
    start: Start = start_worker,
    environ: Mapping[str, str] | None = None,
) -> Sent:
    """Ask a question, and return when a worker has taken it up; `AskThread.follow` shows the answer as it comes.

    `provider` is the command that answers, without a shell, empty when there is none; `focus` the session that the
    person is looking at; `notify` an address to tell of what was written (`accounting.ask.notify`).

    Raises `OSError` when the thread cannot be read or written to, or has no number left for a question. Then no worker
    was started, and the lock is free.
    """
    environ = os.environ if environ is None else environ
    question = trim(_sound(text))
    if not question:
        return Sent(outcome=SendOutcome.empty)
    if nested(environ):
        return Sent(outcome=SendOutcome.nested)
    lock = _acquired(thread)
    tell = notifier(notify)
    if lock is None:
        tell()
        return Sent(outcome=SendOutcome.locked)
    keep = False
    try:
        seq = _ask(thread, lock, question, trim(_sound(focus or "")) or None, _command(provider, environ))
        if seq is None:
            return Sent(outcome=SendOutcome.locked)
        if not provider:
            thread.append(AskError(seq=seq, at=stamp(system_clock()), message=NO_PROVIDER))
            return Sent(outcome=SendOutcome.no_provider, seq=seq)
        worker = start(
            Job(thread=str(thread.path.absolute()), seq=seq, taken=lock.started_at, notify=notify), tuple(provider)
        )
        if worker is None:
            return Sent(outcome=SendOutcome.spawn_failed, seq=seq)
        keep = True  # the worker's now; it says so itself as well, should this process end here
        with suppress(OSError):
            lock.record(worker)
        return Sent(outcome=SendOutcome.sent, seq=seq)
    finally:
        if not keep:
            lock.release()
        tell()


def _acquired(thread: AskThread) -> HeldLock | None:
    """The lock, after ending what is left of whoever held it before; `None` when somebody is answering."""
    deadline = time.monotonic() + _SETTLING_S
    while True:
        lock, before = acquire(thread.lock_path, system_clock(), PROCESSES.alive)
        if lock is not None:
            if before is not None and before.pid > 0:
                end_worker(before.pid, moment(before.started_at) or 0)
            return lock
        # Whoever answered may have settled the question and be about to let go.
        shown = thread.recent(1).shown
        busy = bool(shown) and shown[-1].state in (AskState.waiting, AskState.answering)
        if busy or time.monotonic() > deadline:
            return None
        time.sleep(_POLL_S)


def _ask(thread: AskThread, lock: HeldLock, text: str, focus: str | None, command: str) -> AskSeq | None:
    """Write the question; its number, or `None`, with nothing written, when the lock went meanwhile."""
    parsed = thread.read()
    fold = AskFold.of(parsed.events)
    if fold.next_seq() > ASK_SEQ_MAX:
        raise OSError(errno.EOVERFLOW, "no number is left for another question; begin a new thread", str(thread.path))
    if not lock.is_held():
        return None
    at = stamp(system_clock())
    with thread.open() as writer:
        if not parsed.events:
            writer.append(AskMeta(run_id=thread.name, started_at=at, provider=command))
        # Nobody is answering it, for nobody else has the lock.
        if (left := fold.in_flight()) is not None:
            writer.append(AskError(seq=left, at=at, message=CUT_OFF))
        writer.append(AskQuestion(seq=fold.next_seq(), at=at, focus=focus, text=text))
    return fold.next_seq()


def _command(provider: Sequence[str], environ: Mapping[str, str]) -> str:
    if not provider:
        return "(none)"
    # What the program is called is no secret, whatever variable holds the same word.
    return " ".join((provider[0], *(redacted(word, environ) for word in provider[1:])))


def _sound(text: str) -> str:
    """A text with its surrogates joined to characters, and half a pair as U+FFFD: what a thread can hold."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
