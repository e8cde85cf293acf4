"""Contract (b): a program that stays, and answers one request after the other."""

import base64
from collections.abc import Callable, Sequence
from time import monotonic, perf_counter
from typing import Any, Final, cast

from msgspec import UNSET, Struct, UnsetType, ValidationError, convert
from msgspec.json import encode

from accounting.conformance.exact import exact_json
from accounting.conformance.limits import ANSWER_LIMIT, TIMEOUT_MS
from accounting.conformance.pipes import Child, Pause
from accounting.conformance.protocol import (
    PROTOCOL,
    SPEC,
    Check,
    Checked,
    Fold,
    Folded,
    ProtocolReply,
    Request,
    Start,
    Started,
    Stop,
)
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
from wire.scalars import Json, RunId

_PARTING: Final = 1.0
"""Seconds at most for a subject to go, where nobody asks how it did."""
_LEAVING: Final = 5.0
"""Seconds at most for a subject to leave when it is told to."""
STARTS: Final = 3
"""After so many starts in a row that failed none is tried again."""


class LongLived:
    """A program that stays and answers one request after the other: contract (b). It is started again when it fails."""

    def __init__(self, argv: Sequence[str], *, timeout_ms: int = TIMEOUT_MS, answer_limit: int = ANSWER_LIMIT) -> None:
        """`argv` is the program and its arguments. It is started when it is first asked something."""
        self._argv = tuple(argv)
        self._timeout_ms = timeout_ms
        self._limit = answer_limit
        self._child: Child | None = None
        self._id = 0
        self._failed: list[Reply] = []
        self.started: Started | None = None
        """What the program calls itself, once it has said so."""

    def fold(self, ledger: bytes, run: RunId) -> Reply:
        """Ask for one run of a ledger."""
        self._id += 1
        text, data = as_text(ledger)
        return self._asked(Fold(id=self._id, run=run, ledger=text, ledger_base64=data), Folded, _answer_of)

    def check(self, ledger: bytes) -> Reply:
        """Ask what is wrong with a ledger."""
        self._id += 1
        text, data = as_text(ledger)
        return self._asked(Check(id=self._id, ledger=text, ledger_base64=data), Checked, _findings_of)

    @property
    def given_up(self) -> bool:
        """Whether so many starts in a row have failed that none is tried again."""
        return len(self._failed) >= STARTS

    def stop(self) -> Crashed | TimedOut | None:
        """Tell it to stop, and say how it did not do so; `None` when it exited with 0, or was not running."""
        return self._stopped(_LEAVING)

    def close(self) -> None:
        """Tell it to stop, and end it when it does not."""
        self._stopped(_PARTING)

    def _stopped(self, seconds: float) -> Crashed | TimedOut | None:
        child, self._child = self._child, None
        if child is None:
            return None
        try:
            if unasked := child.peek():
                return Crashed(how=f"said {quoted(unasked)} without being asked", stderr=child.stderr)
            after_ms = min(int(seconds * 1000), self._timeout_ms)
            child.send(as_line(Stop()))
            pause = child.read_all(monotonic() + after_ms / 1000)
            if pause is Pause.late:
                return TimedOut(after_ms=after_ms)
            code, said = child.exit_code(), child.take_all()
            if code == 0 and not said:
                return None
            did = f"said {quoted(said)}" if said else exit_words(code)
            how = f"{did} after `stop`, where it has to exit with 0 and say nothing more"
            return Crashed(how=how, stderr=child.stderr)
        finally:
            child.close()

    def _asked(self, request: Fold | Check, form: type[Struct], read: Callable[[Any], Json | None]) -> Reply:
        reply = self._reply(request, form, read)
        if isinstance(reply, Crashed | TimedOut) and self._child is not None:
            self._child.close()
            self._child = None
        return reply

    def _reply(self, request: Fold | Check, form: type[Struct], read: Callable[[Any], Json | None]) -> Reply:
        failed = self._start()
        if failed is not None:
            return failed
        child = cast("Child", self._child)
        if unasked := child.peek():
            return Crashed(how=f"said {quoted(unasked)} without being asked", stderr=child.stderr)
        begun = perf_counter()
        said = self._exchange(child, request)
        took_us = microseconds(begun)
        if not isinstance(said, Folded | Checked | Started):
            return said
        if not isinstance(said, form) or isinstance(said, Started):
            return Crashed(how=f"replied to `{_word(said)}` when asked to `{_word(request)}`", stderr=child.stderr)
        if said.id != request.id:
            return Crashed(how=f"replied to request {said.id} when asked request {request.id}", stderr=child.stderr)
        answer = read(said)
        if (answer is None) == (said.rejected is UNSET):
            part = "`answer`" if isinstance(said, Folded) else "`findings`"
            both = "both" if answer is not None else "neither"
            return Crashed(how=f"the reply has {both} of {part} and `rejected`", stderr=child.stderr)
        if said.rejected is not UNSET:
            return Rejected(message=said.rejected)
        return Answered(answer=answer, took_us=took_us)

    def _start(self) -> Reply | None:
        """Have it running; what went wrong otherwise."""
        if self._child is not None:
            return None
        if self.given_up:
            return self._failed[-1]
        child = self._child = Child(self._argv, self._limit)
        said = self._exchange(child, Start(protocol=PROTOCOL, spec=SPEC))
        if isinstance(said, Started):
            self.started = said
            self._failed.clear()
            return None
        if isinstance(said, Folded | Checked):
            said = Crashed(how=f"replied to `{_word(said)}` when asked to `start`", stderr=child.stderr)
        if isinstance(said, Crashed):
            said = Crashed(how=f"at `start`: {said.how}", stderr=said.stderr)
        self._failed.append(said)
        return said

    def _exchange(self, child: Child, request: Request) -> ProtocolReply | Reply:
        child.send(as_line(request))
        pause = child.read_line(monotonic() + self._timeout_ms / 1000)
        if pause is Pause.late:
            return TimedOut(after_ms=self._timeout_ms)
        if pause is Pause.flood:
            return Crashed(how=flooded(self._limit), stderr=child.stderr)
        if pause is Pause.end:
            code, rest = child.exit_code(_PARTING), child.take_all()
            said = f", {quoted(rest)} on a line without its newline" if rest else ""
            return Crashed(how=f"{exit_words(code)} without a reply{said}", stderr=child.stderr)
        line = child.take_line()
        try:
            return cast("ProtocolReply", convert(exact_json(line), ProtocolReply))
        except ValidationError as error:
            return Crashed(how=f"the reply {quoted(line)} does not fit the protocol: {error}", stderr=child.stderr)
        except ValueError as error:
            return Crashed(how=f"the reply {quoted(line)} is no JSON: {error}", stderr=child.stderr)


def _answer_of(reply: Folded) -> Json | None:
    return None if reply.answer is UNSET else reply.answer


def _findings_of(reply: Checked) -> Json | None:
    if reply.findings is UNSET:
        return None
    return {"findings": [{"code": one.code, "line": one.line} for one in reply.findings]}


def as_text(ledger: bytes) -> tuple[str | UnsetType, str | UnsetType]:
    """The ledger as a request has it: its text, or else its bytes in base64."""
    try:
        return ledger.decode(), UNSET
    except UnicodeDecodeError:
        return UNSET, base64.b64encode(ledger).decode()


def as_line(request: Request) -> bytes:
    """A request as it is sent."""
    return encode(request) + b"\n"


def _word(message: Struct) -> str:
    return str(message.__struct_config__.tag)
