"""Which thread a command means: by its name, its file, a directory, or the one that was asked in last."""

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Final

from accounting.cli.trouble import Trouble

if TYPE_CHECKING:
    from accounting.ask.thread import AskThread

FIRST: Final = "main"
"""What the first thread is called when nobody names it."""
_LOOKED_AT: Final = 1 << 16
_STARTS: Final = tuple(f'{{"t":"{word}",'.encode() for word in ("meta", "question", "chunk", "end", "aborted", "error"))


def thread_meant(named: str | None) -> "AskThread":
    """The thread that is meant, there or not; `None` is the kept one that was asked in last, or the first.

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
    """The thread that is meant, which has to be there, if only as a lock: its first question is just being asked.

    Raises `Trouble` when it is not, and as `thread_meant` does.
    """
    thread = thread_meant(named)
    if thread.exists or thread.lock_path.exists():
        return thread
    if named is None:
        raise Trouble("there is no thread yet; `rounds ask send TEXT` begins one")
    raise Trouble(f"{thread.path}: no such thread; `rounds ask list` lists yours, `rounds ask send TEXT` begins one")


def called(thread: "AskThread") -> str:
    """How a thread is named on a command line: by its name where that is enough, else by its path."""
    from accounting.ask.places import ThreadNameError, thread_path

    try:
        named = thread_path(thread.name) == thread.path
    except ThreadNameError:
        named = False
    return shlex.quote(thread.name if named else str(thread.path.absolute()))


def new_temporary_thread(owner: int) -> "AskThread":
    """A new temporary thread that belongs to a process; those whose process is gone are swept on the way."""
    from accounting.ask.places import SUFFIX, new_thread_id, temporary_directory
    from accounting.ask.sweep import sweep
    from accounting.ask.thread import AskThread

    sweep()
    return AskThread(temporary_directory() / f"{new_thread_id(owner)}{SUFFIX}")


def asked_thread(named: str | None, owner: int, *, temporary: bool) -> "AskThread":
    """The thread to ask in.

    Raises `Trouble` when both a thread and a temporary one are wanted, for a file of something else than a thread, and
    for a new file that no list of threads would show; `OSError` when what is there cannot be read.
    """
    if not temporary:
        thread = thread_meant(named)
        _refuse_others(thread)
        return thread
    if named is not None:
        raise Trouble("--temporary makes a thread of its own; leave out --thread")
    return new_temporary_thread(owner)


def _refuse_others(thread: "AskThread") -> None:
    """Nothing is added to a file that holds anything but a thread: notes, a program, a ledger."""
    from accounting.ask.places import SUFFIX

    if not thread.exists:
        if thread.path.suffix != SUFFIX:
            raise Trouble(f"{thread.path}: no such thread; the file of a new one ends in `{SUFFIX}`")
    elif not _is_thread(_beginning(thread.path)):
        raise Trouble(f"{thread.path}: this is no thread, and nothing is added to it; name another with --thread")


def _beginning(path: Path) -> bytes:
    from accounting.private import open_file

    with os.fdopen(open_file(path, os.O_RDONLY), "rb") as file:
        return file.read(_LOOKED_AT)


def _is_thread(beginning: bytes) -> bool:
    """Whether a file that begins so is a thread: it is empty, holds a record, or only records that were torn."""
    from accounting.ask.parse import parse

    lines = [line for line in beginning.split(b"\n") if line.strip()]
    if not lines:
        return len(beginning) < _LOOKED_AT
    if not lines[0].lstrip().startswith(b"{"):
        return False
    if parse(beginning).events:
        return True
    return all(_starts_record(line) and parse(line).torn for line in lines)


def _starts_record(line: bytes) -> bool:
    """Whether it is what is there of a record's line."""
    return any(line.startswith(start) or start.startswith(line) for start in _STARTS)


def _is_name(named: str) -> bool:
    """Whether it is spelled as a name, so that a directory that happens to be here is not meant."""
    return os.sep not in named and (os.altsep is None or os.altsep not in named) and named not in (".", "..")
