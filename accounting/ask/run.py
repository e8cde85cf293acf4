"""A question answered: the provider's answer into the thread, and what became of it. Spec: asks.md 1.9.

Whoever runs this was handed the lock by the sender. Nothing is written once that lock is another's.
"""

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from enum import StrEnum
from functools import partial
from typing import Final, assert_never

from accounting.ask.environment import nested, provider_environment
from accounting.ask.lock import LOCK_STALE_MS
from accounting.ask.lock_file import HeldLock
from accounting.ask.notify import Notify, silent
from accounting.ask.prompt import prompt
from accounting.ask.provider import Aborted, Answered, Cancel, Ending, Failed, Lost, call_provider
from accounting.ask.thread import Asked, AskThread, AskWriter
from accounting.clock import stamp, system_clock
from accounting.secrets import redacted
from wire.ask import AskChunk, AskEnd, AskError, AskSeq
from wire.scalars import IsoTime

TIMEOUT_MS: Final = 300_000
"""How long a provider may take."""
NO_PROVIDER: Final = "no provider is set up\nname a command that answers with --provider, for example 'claude -p'"
"""What a question is told that nobody can answer."""


class RunOutcome(StrEnum):
    """How a run ended."""

    answered = "answered"
    """The question is settled: its answer is complete, or an error says why there is none."""
    aborted = "aborted"
    """It was cancelled, and whoever cancelled it says so in the thread; or the thread could not be written to."""
    no_question = "no-question"
    """There is no such question, or it is settled: nothing was added."""
    no_provider = "no-provider"
    """No provider was given, and an error in the thread says so."""
    nested = "nested"
    """A provider called: nothing was read or written."""
    lost = "lost"
    """The lock is another's, or gone: nothing was added since."""


def run(
    thread: AskThread,
    seq: AskSeq,
    taken: IsoTime,
    provider: Sequence[str],
    *,
    notify: Notify = silent,
    cancel: Cancel | None = None,
    timeout_ms: int = TIMEOUT_MS,
    environ: Mapping[str, str] | None = None,
) -> RunOutcome:
    """Answer question `seq` of a thread, under the lock that was taken at `taken`, and release that lock.

    A cancelled run releases nothing. Raises `ValueError` for a timeout that outlasts the lock, `OSError` when the
    thread or its lock cannot be read.
    """
    if not 0 < timeout_ms < LOCK_STALE_MS:
        raise ValueError(f"timeout_ms is {timeout_ms}: pass more than 0 and less than {LOCK_STALE_MS}")
    environ = os.environ if environ is None else environ
    cancel = Cancel() if cancel is None else cancel
    if nested(environ):
        return RunOutcome.nested
    lock = HeldLock(thread.lock_path, taken)
    if not lock.is_held():
        return RunOutcome.lost
    try:
        asked = thread.question(seq)
        if asked is None:
            return RunOutcome.no_question
        with thread.open() as writer:
            return _answer(_Turn(asked, writer, lock, environ, notify, cancel), provider, timeout_ms)
    finally:
        if not cancel.given:
            lock.release()
            notify()


class _Turn:
    """One question being answered."""

    def __init__(
        self,
        asked: Asked,
        writer: AskWriter,
        lock: HeldLock,
        environ: Mapping[str, str],
        notify: Notify,
        cancel: Cancel,
    ) -> None:
        self.asked = asked
        self.writer = writer
        self.lock = lock
        self.environ = environ
        self.notify = notify
        self.cancel = cancel

    @property
    def seq(self) -> AskSeq:
        return self.asked.question.seq

    def write(self, text: str) -> None:
        self.writer.append(AskChunk(seq=self.seq, text=text))

    def settle(self, message: str | None) -> bool:
        """Write that the answer is complete, or why there is none; false when the lock is another's."""
        if not self.lock.is_held():
            return False
        at = stamp(system_clock())
        if message is None:
            self.writer.append(AskEnd(seq=self.seq, at=at))
        else:
            self.writer.append(AskError(seq=self.seq, at=at, message=redacted(message, self.environ)))
        return True


def _answer(turn: _Turn, provider: Sequence[str], timeout_ms: int) -> RunOutcome:
    if not provider:
        return RunOutcome.no_provider if turn.settle(NO_PROVIDER) else RunOutcome.lost
    try:
        if not turn.lock.record(os.getpid()):
            return RunOutcome.lost
        ending = call_provider(
            provider,
            prompt(turn.asked.before, turn.asked.question),
            environ=provider_environment(turn.environ),
            write=turn.write,
            notify=turn.notify,
            held=turn.lock.is_held,
            cancel=turn.cancel,
            timeout_ms=timeout_ms,
        )
        return _settled(turn, ending)
    except OSError as error:
        # There is no room, most likely; a few bytes of why may still find a place. Letting go of the lock needs none.
        if not turn.cancel.given:
            with suppress(OSError):
                turn.settle(f"the answer could not be written down: {error.strerror or error}")
        return RunOutcome.aborted


def _settled(turn: _Turn, ending: Ending) -> RunOutcome:
    match ending:
        case Answered():
            settle = partial(turn.settle, None)
        case Failed():
            settle = partial(turn.settle, ending.message)
        case Aborted():
            return RunOutcome.aborted
        case Lost():
            return RunOutcome.lost
        case _:
            assert_never(ending)
    return RunOutcome.answered if settle() else RunOutcome.lost
