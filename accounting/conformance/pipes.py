"""A program at the other end of three pipes that may do anything: hang, flood, die, leave children behind.

One loop writes and reads, without threads. Memory is bounded by what is kept of each stream, time by a deadline, and
whatever is left of the program's process group when it is closed is killed. POSIX only.
"""

import os
import selectors
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from enum import Enum
from time import monotonic
from typing import IO, Final, cast

STDERR_KEPT: Final = 8 << 10
"""Bytes of standard error that are kept: the last ones."""
_CHUNK: Final = 1 << 16
_TICK: Final = 0.05
"""Seconds at most between two looks at whether the program still lives: a child of its may hold the pipes open."""
_FIRST_TICK: Final = 0.0005
_GRACE: Final = 5.0


class NoSubjectError(Exception):
    """The program cannot be started at all. The message says why, and what to do."""


class Pause(Enum):
    """Why reading stopped."""

    line = "line"
    """A whole line is there."""
    end = "end"
    """There will be no more."""
    late = "late"
    """The deadline has passed."""
    flood = "flood"
    """More came than is kept."""


class Child:
    """One process, the leader of a group of its own."""

    def __init__(self, argv: Sequence[str], limit: int) -> None:
        """Starts it; `limit` is the most bytes that an answer may have. Raises `NoSubjectError`."""
        try:
            self._process = subprocess.Popen(  # noqa: S603 - running the named program is what this is for
                argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise NoSubjectError(
                f"{argv[0]}: cannot be started: {why}; give the program and its arguments after --, and a script"
                " by its path with a #! line, or its interpreter before it"
            ) from None
        self._limit = limit
        self._in, self._out, self._err = (
            cast("IO[bytes]", pipe) for pipe in (self._process.stdin, self._process.stdout, self._process.stderr)
        )
        self._selector = selectors.DefaultSelector()
        for pipe in (self._out, self._err):
            self._selector.register(pipe, selectors.EVENT_READ)
        for pipe in (self._in, self._out, self._err):
            os.set_blocking(pipe.fileno(), False)
        self._unsent = memoryview(b"")
        self._read = bytearray()
        self._newline = -1
        self._stderr = bytearray()
        self._ended = False

    def send(self, data: bytes) -> None:
        """Have this written while reading goes on. What the program does not take is dropped when it closes its end."""
        if self._in.closed:
            return
        if not self._unsent:
            self._selector.register(self._in, selectors.EVENT_WRITE)
        self._unsent = memoryview(bytes(self._unsent) + data)
        self._write()

    def read_line(self, deadline: float) -> Pause:
        """Go on until a line is there (`take_line`)."""
        tick = _TICK
        while self._newline < 0:
            if len(self._read) > self._limit:
                return Pause.flood
            if self._ended or self._gone():
                return Pause.end if self._newline < 0 else Pause.line
            if not self._turn(deadline, tick):
                return Pause.late
        return Pause.line

    def read_all(self, deadline: float) -> Pause:
        """Close standard input once all is written, and go on until the program is gone (`take_all`)."""
        tick = _FIRST_TICK
        while True:
            if not self._unsent:
                self._close_stdin()
            if len(self._read) > self._limit:
                return Pause.flood
            if self._gone():
                return Pause.flood if len(self._read) > self._limit else Pause.end
            if not self._turn(deadline, tick if self._ended else _TICK):
                return Pause.late
            if self._ended:
                tick = min(2 * tick, _TICK)

    def take_line(self) -> bytes:
        """The line that is there, without its newline."""
        line = bytes(self._read[: self._newline])
        del self._read[: self._newline + 1]
        self._newline = self._read.find(b"\n")
        return line

    def take_all(self) -> bytes:
        """All that was read and not taken."""
        return bytes(self._read)

    def peek(self) -> bytes:
        """What has been said and not been asked for, after a look at the pipe."""
        self._take(self._out)
        return bytes(self._read[:200])

    @property
    def stderr(self) -> str:
        """The end of what the program wrote to standard error."""
        return self._stderr[-STDERR_KEPT:].decode("utf-8", "replace")

    def exit_code(self, wait: float = 0.0) -> int | None:
        """How it ended, negative for a signal; `None` when it has not within so many seconds."""
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(wait)
        return None

    def close(self) -> None:
        """Kill what is left of it, its children too, and let go of the pipes."""
        # A group outlives its leader, whose number is not given away while the group has members.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE)
        self._selector.close()
        for pipe in (self._in, self._out, self._err):
            with suppress(OSError):
                pipe.close()

    def _turn(self, deadline: float, tick: float) -> bool:
        """Wait for something to do and do it; `False` when it is too late."""
        left = deadline - monotonic()
        if left <= 0:
            return False
        for key, _ in self._selector.select(min(left, tick)):
            pipe = cast("IO[bytes]", key.fileobj)
            if pipe is self._in:
                self._write()
            else:
                self._take(pipe)
        return True

    def _write(self) -> None:
        try:
            while self._unsent:
                self._unsent = self._unsent[os.write(self._in.fileno(), self._unsent[:_CHUNK]) :]
        except BlockingIOError:
            return
        except OSError:  # it has closed its end: what it says all the same is what counts
            self._close_stdin()
            return
        self._selector.unregister(self._in)

    def _close_stdin(self) -> None:
        self._unsent = memoryview(b"")
        if not self._in.closed:
            with suppress(KeyError):
                self._selector.unregister(self._in)
            with suppress(OSError):
                self._in.close()

    def _take(self, pipe: IO[bytes]) -> bool:
        """Read once from a pipe; `False` when there is nothing now, or nothing any more."""
        try:
            data = os.read(pipe.fileno(), _CHUNK)
        except BlockingIOError:
            return False
        if not data:
            with suppress(KeyError):
                self._selector.unregister(pipe)
            self._ended = self._ended or pipe is self._out
            return False
        if pipe is self._err:
            self._stderr += data
            del self._stderr[: -2 * STDERR_KEPT]
            return True
        if self._newline < 0:
            at = data.find(b"\n")
            self._newline = len(self._read) + at if at >= 0 else -1
        self._read += data
        return True

    def _gone(self) -> bool:
        """Whether it has exited. Then what is left in the pipes has been read, whoever else holds them open."""
        if self._process.poll() is None:
            return False
        while len(self._read) <= self._limit and self._take(self._out):
            pass
        for _ in range(STDERR_KEPT):  # a flood by a child of it has to end some time
            if not self._take(self._err):
                break
        return True
