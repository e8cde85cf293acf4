"""`rounds ask chat`: questions and answers in turn, until the person has no more."""

import os
import signal
import sys
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from types import FrameType
from typing import TYPE_CHECKING, Final, Never

import click

from accounting.cli import options as common
from accounting.cli.ask import options
from accounting.cli.out import put
from accounting.cli.telling import NOT_DONE, tell
from accounting.cli.trouble import Trouble

if TYPE_CHECKING:
    from accounting.ask.thread import AskThread
    from wire.ask import AskSeq, AskState

_PROMPT: Final = "you> "
_LEAVING: Final = ("SIGHUP", "SIGTERM")
_LATER: Final = 16
"""How far from the end a question is looked for that was just asked: others may ask in the same thread."""


@click.command(
    epilog="""\b
Examples:
  rounds ask chat --provider 'claude -p'
  rounds ask chat --thread harbour
  rounds ask chat --temporary""",
)
@options.thread
@options.temporary
@options.provider
@options.focus
@common.as_json
@click.pass_context
def chat(
    ctx: click.Context,
    named: str | None,
    command: str | None,
    focus: str | None,
    *,
    temporary: bool,
    as_json: bool,
) -> None:
    """Ask one question after the other, a line each, and see the answers as they come.

    Ctrl-C gives up the question that is being answered; at the prompt it ends the chat, as does the end of input
    (Ctrl-D), a terminal that is closed, or SIGTERM. A temporary thread is gone with the chat. The exit code is 1 when
    the last question was not answered.
    """
    from accounting.cli.ask.config import provider_meant
    from accounting.cli.ask.which import asked_thread

    provider = provider_meant(command)
    thread = asked_thread(named, os.getpid(), temporary=temporary)
    with _until_told_to_leave():
        try:
            ctx.exit(_talk(thread, provider, focus, as_json=as_json))
        finally:
            if temporary:
                from accounting.ask.cancel import discard

                discard(thread)


@contextmanager
def _until_told_to_leave() -> Generator[None]:
    """Let the signals that ask a process to end do so by way of what is to be done at the end; one is enough."""
    numbers: list[int] = []

    def leave(number: int, _frame: FrameType | None) -> Never:
        for other in numbers:
            signal.signal(other, signal.SIG_IGN)
        raise SystemExit(128 + number)

    if threading.current_thread() is threading.main_thread():
        found = (getattr(signal, name, None) for name in _LEAVING)  # not every platform has both
        # Whoever has it ignored wants the chat to go on.
        numbers += [one for one in found if one is not None and signal.getsignal(one) is signal.SIG_DFL]
    for one in numbers:
        signal.signal(one, leave)
    try:
        yield
    finally:
        for one in numbers:
            signal.signal(one, signal.SIG_DFL)


def _talk(thread: "AskThread", provider: tuple[str, ...], focus: str | None, *, as_json: bool) -> int:
    from accounting.ask.send import send
    from accounting.ask.trim import trim
    from accounting.cli.ask.send import refusal
    from wire.ask import AskState

    code = 0
    with _lines() as lines:
        for line in lines:
            if not trim(line):
                continue
            sent = send(thread, line, provider=provider, focus=focus)
            why = refusal(sent, thread)
            if why is None:
                state = _answered(thread, sent.seq, as_json=as_json)
                code = 0 if state is AskState.answered else NOT_DONE
            else:
                tell(why)
                code = NOT_DONE
    return code


def _answered(thread: "AskThread", seq: "AskSeq | None", *, as_json: bool) -> "AskState | None":
    """Show the answer of a question that was just asked; Ctrl-C gives it up."""
    from accounting.ask.cancel import CancelOutcome, cancel
    from accounting.cli.ask.live import watch_answer

    recent = thread.recent(_LATER)
    asked = next((one for one in reversed(recent.shown) if one.seq == seq), None)
    if asked is None:
        tell(f"{thread.name}: question {seq} is not among the last of the thread")
        return None
    try:
        return watch_answer(thread, asked, recent.start, as_json=as_json, headed=False)
    except KeyboardInterrupt:
        outcome = cancel(thread)
    if outcome is CancelOutcome.idle:  # the answer came first
        return watch_answer(thread, asked, recent.start, as_json=as_json, headed=False)
    if not as_json:
        put(b"  (cancelled)\n" if outcome is CancelOutcome.cancelled else b"  (cannot be cancelled)\n")
    return None


@contextmanager
def _lines() -> Generator[Iterator[str]]:
    """The person's lines: prompted for on a terminal, read as they are elsewhere."""
    if sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison] - it is when closed at the start
        raise Trouble("standard input is closed; chat reads questions from it")
    if not sys.stdin.isatty():
        yield (line.decode(errors="replace") for line in sys.stdin.buffer)
        return
    yield _prompted()


def _prompted() -> Iterator[str]:
    with suppress(ImportError):
        import_module("readline")  # with it, a line can be edited
    while True:
        try:
            yield input(_PROMPT)
        except EOFError:
            put(b"\n")
            return
