"""A provider that runs, with its pipes. Spec: asks.md 1.9.

Threads read and write the pipes, which works on every platform and never makes one pipe wait for another. Whoever
listens takes the pieces from a queue, which a signal handler may put a word into as well.
"""

import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from queue import SimpleQueue
from threading import Semaphore, Thread
from typing import IO, Final

from accounting.ask.ending import KILL_GRACE_MS
from accounting.ask.trim import trim
from accounting.secrets import without_cut_secret

_READ: Final = 1 << 16
_AHEAD: Final = 16
"""How many pieces are read before they are written: a fast provider waits for the disk."""
_STDERR_KEPT: Final = 1 << 13
"""How many bytes of standard error are kept, the last ones."""
_STDERR_S: Final = 0.25
"""How long the end of standard error is waited for: something the provider started may hold it open for ever."""


class Ended:
    """Nothing more comes from standard output."""


class Wake:
    """Something outside changed."""


class RunningProvider:
    """A provider that runs, with its pipes."""

    def __init__(self, argv: Sequence[str], environ: Mapping[str, str], prompt: str) -> None:
        self.pieces: Final[SimpleQueue[bytes | type[Ended | Wake]]] = SimpleQueue()
        self.room: Final = Semaphore(_AHEAD)
        self._environ = environ
        self._stderr = bytearray()
        self._cut = False
        """Whether standard error had more."""
        self._over = False
        self.process: Final = subprocess.Popen(  # noqa: S603 - the person's own command, without a shell
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environ, bufsize=0
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self._threads = (
            Thread(target=_feed, args=(self.process.stdin, prompt.encode(errors="replace")), daemon=True),
            Thread(target=self._read, args=(self.process.stdout,), daemon=True),
            Thread(target=self._read_errors, args=(self.process.stderr,), daemon=True),
        )
        for thread in self._threads:
            thread.start()

    def _read(self, pipe: IO[bytes]) -> None:
        with pipe:
            while piece := pipe.read(_READ):
                self.room.acquire()
                if self._over:
                    self.room.release()  # for the next piece, which nobody waits for either
                else:
                    self.pieces.put(piece)
        self.pieces.put(Ended)

    def _read_errors(self, pipe: IO[bytes]) -> None:
        with pipe:
            while piece := pipe.read(_READ):
                self._stderr += piece
                if len(self._stderr) > _STDERR_KEPT:
                    self._cut = True
                    del self._stderr[:-_STDERR_KEPT]

    def errors(self) -> str:
        """What it wrote to standard error, the last of it. No part of a secret is left where it was cut."""
        self._threads[2].join(_STDERR_S)
        end = bytes(self._stderr)
        return trim((without_cut_secret(end, self._environ) if self._cut else end).decode(errors="replace"))

    def end(self) -> None:
        """End it, if it runs: ask, wait a little, and end it for good. What it started is its worker's to end."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(KILL_GRACE_MS / 1000)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        # A reader that waits for room goes on to the end, and closes its pipe.
        self._over = True
        self.room.release()


def _feed(pipe: IO[bytes], content: bytes) -> None:
    with suppress(OSError), pipe:  # it need not read all of it
        rest = memoryview(content)
        while rest:
            rest = rest[pipe.write(rest) or 0 :]
