"""One call of a provider: a command that reads a prompt and writes an answer. Spec: asks.md 1.0, 1.9.

What it writes goes into the thread piece by piece as it comes. UTF-8 is decoded across reads, so that no piece splits a
character.
"""

import codecs
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from queue import Empty
from typing import Final, TypeAlias

from msgspec import Struct

from accounting.ask.notify import Notify
from accounting.ask.running import Ended, RunningProvider, Wake
from accounting.ask.telling import Telling
from accounting.ask.trim import trim

_DRAIN_S: Final = 0.25
"""How long after it ended more is waited for: something it started may hold its pipes open for ever."""
_DRAIN_MOST_S: Final = 2.0
"""How long they are read then if more keeps coming."""
_LOOK_MS: Final = 200
"""How often it is looked whether the lock still stands, once the output is closed."""
_SIGNAL_S: Final = 0.1
"""How long a failure waits for word that it was a cancellation, which ends the provider and its worker together."""


class Answered(Struct, frozen=True):
    """The provider ended well, and wrote something."""


class Aborted(Struct, frozen=True):
    """It was cancelled: whoever cancelled it says so in the thread."""


class Lost(Struct, frozen=True):
    """The lock was taken over meanwhile: nothing more is to be written."""


class Failed(Struct, frozen=True, kw_only=True):
    """There is no answer, or no whole one."""

    message: str
    """Why, and on a second line what to do, where that is known."""


Ending: TypeAlias = Answered | Aborted | Lost | Failed


class Cancel:
    """Word that an answer is not wanted any more; given by a signal handler, or from any thread."""

    def __init__(self) -> None:
        self.given = False
        """Whether it was given."""
        self._listener: Callable[[], None] | None = None

    def __call__(self) -> None:
        """Give it."""
        self.given = True
        if self._listener is not None:
            self._listener()

    def tell(self, listener: Callable[[], None]) -> None:
        """Have `listener` called when it is given."""
        self._listener = listener


def call_provider(
    argv: Sequence[str],
    prompt: str,
    *,
    environ: Mapping[str, str],
    write: Callable[[str], None],
    notify: Notify,
    held: Callable[[], bool],
    cancel: Cancel,
    timeout_ms: int,
) -> Ending:
    """Run a provider with a prompt on its standard input, and `write` each decoded piece of what it answers.

    `notify` is called after what it tells of was written, in the rhythm of `Telling`. `held` says whether the lock
    still stands; it is asked before each piece and each second. Whatever ends this, also an error of `write`, the
    provider is gone afterwards.
    """
    try:
        call = RunningProvider(argv, environ, prompt)
    except (OSError, ValueError) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or str(error)
        fix = "install it, or name another command with --provider"
        return Failed(message=f"cannot start {argv[0]}: {why}\n{fix}")
    try:
        cancel.tell(lambda: call.pieces.put(Wake))
        return _Listening(call, write, notify, held, cancel, timeout_ms).run()
    finally:
        call.end()


class _Listening:
    """The loop over one call."""

    def __init__(
        self,
        call: RunningProvider,
        write: Callable[[str], None],
        notify: Notify,
        held: Callable[[], bool],
        cancel: Cancel,
        timeout_ms: int,
    ) -> None:
        self._call = call
        self._write = write
        self._notify = notify
        self._held = held
        self._cancel = cancel
        self._timeout_ms = timeout_ms
        self._deadline = _now() + timeout_ms
        self._telling = Telling(_now())
        self._decode = codecs.getincrementaldecoder("utf-8")(errors="replace").decode
        self._blank = True

    def run(self) -> Ending:
        ended_at: int | None = None
        until = float(self._deadline)
        while True:
            if self._cancel.given:
                return Aborted()
            now = _now()
            if ended_at is None and self._call.process.poll() is not None:
                ended_at, until = now, now + _DRAIN_S * 1000
            if now >= until:
                if ended_at is None:
                    return self._timed_out()
                break
            piece = self._next(min(self._telling.due(), until) - now)
            if piece is Ended:
                break
            if isinstance(piece, bytes):
                self._call.room.release()
                if not self._take(self._decode(piece)):
                    return Lost()
                if ended_at is not None:
                    until = min(_now() + _DRAIN_S * 1000, ended_at + _DRAIN_MOST_S * 1000)
            elif self._telling.step(_now()):
                if not self._held():
                    return Lost()
                self._notify()
        if not self._take(self._decode(b"", final=True)):
            return Lost()
        return self._ending()

    def _next(self, milliseconds: float) -> bytes | type[Ended | Wake] | None:
        try:
            return self._call.pieces.get(timeout=max(0.0, milliseconds) / 1000)
        except Empty:
            return None

    def _take(self, text: str) -> bool:
        """Write a piece; false when the lock is another's now."""
        if not text:
            return True
        if not self._held():
            return False
        self._write(text)
        self._blank = self._blank and not trim(text)
        if self._telling.wrote(_now()):
            self._notify()
        return True

    def _ending(self) -> Ending:
        # Its output is closed; it may go on for a while all the same.
        while (code := self._call.process.poll()) is None:
            if self._cancel.given:
                return Aborted()
            now = _now()
            if now >= self._deadline:
                return self._timed_out()
            if not self._held():
                return Lost()
            if self._telling.step(now):
                self._notify()
            with suppress(subprocess.TimeoutExpired):
                self._call.process.wait(min(_LOOK_MS, self._telling.due() - now, self._deadline - now) / 1000)
        if self._cancel.given:
            return Aborted()
        if code:
            message = self._call.errors() or _exit(code)
            give_up = time.monotonic() + _SIGNAL_S
            while not self._cancel.given and time.monotonic() < give_up:
                self._next(10)
            return Aborted() if self._cancel.given else Failed(message=message)
        return Failed(message="reply was empty") if self._blank else Answered()

    def _timed_out(self) -> Failed:
        self._call.end()
        return Failed(message=f"timed out after {self._timeout_ms}ms")


def _exit(code: int) -> str:
    if code > 0:
        return f"exited with code {code}"
    try:
        return f"ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"ended by signal {-code}"


def _now() -> int:
    return time.monotonic_ns() // 1_000_000
