"""The body of the hidden command that answers one question and ends. Spec: asks.md 1.0, 1.9."""

import os
import signal
from pathlib import Path

from accounting.ask.environment import worker_provider
from accounting.ask.notify import notifier
from accounting.ask.own_group import end_own_group
from accounting.ask.provider import Cancel
from accounting.ask.run import RunOutcome, run
from accounting.ask.thread import AskThread
from wire.ask import AskSeq
from wire.scalars import IsoTime


def work(thread: Path, seq: AskSeq, taken: IsoTime, notify: str | None = None) -> RunOutcome:
    """Answer question `seq` under the lock taken at `taken`, telling the address `notify`, if any, as the answer grows.

    SIGTERM and SIGINT cancel it. Whatever the provider started is ended too, by the process group that a worker leads:
    this process may be ended with it, so that this is the last thing to call. Raises `OSError` as `run` does.
    """
    cancel = Cancel()

    def give_up(number: int, frame: object) -> None:  # noqa: ARG001 - what a handler is called with
        cancel()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, give_up)
    try:
        return run(AskThread(thread), seq, taken, worker_provider(os.environ), notify=notifier(notify), cancel=cancel)
    finally:
        end_own_group()
