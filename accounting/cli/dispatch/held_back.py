"""Signals that end a command, held back while it does what must not be broken off."""

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType
from typing import Final

_ENDING: Final = ("SIGINT", "SIGTERM", "SIGHUP")


@contextmanager
def held_back() -> Generator[None]:
    """Do what is in the block to its end, and only then be interrupted or ended, if that was asked for meanwhile.

    Where the block ends by an error the signal is dropped: the command ends by that. What is in it takes seconds at
    most, so that nobody has to kill the command. Raises `KeyboardInterrupt`.
    """
    if threading.current_thread() is not threading.main_thread():  # others are never interrupted
        yield
        return
    came: list[int] = []

    def note(number: int, _frame: FrameType | None) -> None:
        came.append(number)

    before = {
        number: signal.signal(number, note)
        for number in (getattr(signal, name, None) for name in _ENDING)
        if number is not None and signal.getsignal(number) not in (signal.SIG_IGN, None)
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if came:
        signal.raise_signal(came[0])
