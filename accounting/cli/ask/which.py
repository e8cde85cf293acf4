"""Which thread a command means: by its name, its file, a directory, or the one that was used last."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from accounting.cli.trouble import Trouble

if TYPE_CHECKING:
    from accounting.ask.thread import AskThread

FIRST: Final = "main"
"""What the first thread is called when nobody names it."""


def thread_meant(named: str | None) -> "AskThread":
    """The thread that is meant, there or not; `None` is the kept one that was written to last, or the first.

    Raises `Trouble` for a name that is none, and a directory without threads.
    """
    from accounting.ask.places import ThreadNameError, kept_directory, last_used, thread_path
    from accounting.ask.thread import AskThread

    if named is None:
        kept = kept_directory()
        return AskThread(last_used(kept) or thread_path(FIRST))
    if Path(named).is_dir() and not _is_name(named):
        last = last_used(Path(named))
        if last is None:
            raise Trouble(f"{named}: no thread in this directory; `rounds ask list` lists yours")
        return AskThread(last)
    try:
        return AskThread(thread_path(named))
    except ThreadNameError as error:
        raise Trouble(f"--thread: {error}") from None


def thread_there(named: str | None) -> "AskThread":
    """The thread that is meant, which has to be there. Raises `Trouble` when it is not, and as `thread_meant` does."""
    thread = thread_meant(named)
    if thread.exists:
        return thread
    if named is None:
        raise Trouble("there is no thread yet; `rounds ask send TEXT` begins one")
    raise Trouble(f"{thread.path}: no such thread; `rounds ask list` lists yours, `rounds ask send TEXT` begins one")


def new_temporary_thread(owner: int) -> "AskThread":
    """A new temporary thread that belongs to a process; those whose process is gone are swept on the way."""
    from accounting.ask.places import SUFFIX, new_thread_id, temporary_directory
    from accounting.ask.sweep import sweep
    from accounting.ask.thread import AskThread

    sweep()
    return AskThread(temporary_directory() / f"{new_thread_id(owner)}{SUFFIX}")


def asked_thread(named: str | None, owner: int, *, temporary: bool) -> "AskThread":
    """The thread to ask in.

    Raises `Trouble` when both a thread and a temporary one are wanted, and for a file of something else than a thread.
    """
    if not temporary:
        thread = thread_meant(named)
        _refuse_others(thread)
        return thread
    if named is not None:
        raise Trouble("--temporary makes a thread of its own; leave out --thread")
    return new_temporary_thread(owner)


def _refuse_others(thread: "AskThread") -> None:
    """Nothing is added to a file that holds other lines than a thread's: a ledger, say."""
    from accounting.foreign.ask import READER
    from accounting.foreign.sample import take_sample

    if thread.exists:
        sample = take_sample(thread.path)
        if sample.rows and not READER.recognise(sample):
            raise Trouble(f"{thread.path}: this is no thread, and nothing is added to it; name another with --thread")


def _is_name(named: str) -> bool:
    """Whether it is spelled as a name, so that a directory that happens to be here is not meant."""
    return os.sep not in named and (os.altsep is None or os.altsep not in named) and named not in (".", "..")
