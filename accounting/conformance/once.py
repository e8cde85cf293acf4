"""Contract (a): a program that is run once for each ledger."""

from collections.abc import Sequence
from time import monotonic, perf_counter
from typing import Final

from accounting.conformance.exact import exact_json
from accounting.conformance.limits import ANSWER_LIMIT, TIMEOUT_MS
from accounting.conformance.pipes import Child, Pause
from accounting.conformance.reply import (
    Answered,
    Crashed,
    Rejected,
    Reply,
    TimedOut,
    exit_words,
    flooded,
    microseconds,
    quoted,
)
from wire.scalars import RunId

RUN_HERE: Final = "{run}"
"""What stands for the run's id in a command."""


class OncePerCase:
    """A program that is run once for each ledger: contract (a)."""

    def __init__(self, argv: Sequence[str], *, timeout_ms: int = TIMEOUT_MS, answer_limit: int = ANSWER_LIMIT) -> None:
        """`argv` is the program and its arguments; `{run}` in it stands for the run's id, which else comes last."""
        self._argv = tuple(argv)
        self._timeout_ms = timeout_ms
        self._limit = answer_limit

    def fold(self, ledger: bytes, run: RunId) -> Reply:
        """Run it: the ledger on standard input, the run's id as an argument."""
        if any(RUN_HERE in word for word in self._argv):
            return self._run(tuple(word.replace(RUN_HERE, run) for word in self._argv), ledger)
        return self._run((*self._argv, run), ledger)

    def check(self, ledger: bytes) -> Reply:
        """Run it: the ledger on standard input."""
        return self._run(self._argv, ledger)

    def close(self) -> None:
        """There is nothing to end: each run has ended when its reply is there."""

    def _run(self, argv: tuple[str, ...], ledger: bytes) -> Reply:
        child = Child(argv, self._limit)
        try:
            begun = perf_counter()
            child.send(ledger)
            pause = child.read_all(monotonic() + self._timeout_ms / 1000)
            took_us = microseconds(begun)
            if pause is Pause.late:
                return TimedOut(after_ms=self._timeout_ms)
            if pause is Pause.flood:
                return Crashed(how=flooded(self._limit), stderr=child.stderr)
            return _ended(child, took_us)
        finally:
            child.close()


def _ended(child: Child, took_us: int) -> Reply:
    """The reply of a program that was run once and has exited."""
    code, said = child.exit_code(), child.take_all()
    if code is not None and code < 0:
        return Crashed(how=exit_words(code), stderr=child.stderr)
    if code:
        note = " (it printed an answer all the same)" if said.strip().startswith(b"{") else ""
        return Rejected(message=f"{exit_words(code)}{note}: {child.stderr.strip()}".removesuffix(": "))
    if not said.strip():
        return Crashed(how="exited with 0 and printed nothing", stderr=child.stderr)
    try:
        return Answered(answer=exact_json(said), took_us=took_us)
    except ValueError as error:
        return Crashed(how=f"exited with 0 and printed {quoted(said)}, which is no JSON: {error}", stderr=child.stderr)
