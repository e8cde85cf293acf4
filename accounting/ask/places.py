"""Where threads live and what they are called. Spec: asks.md 1.0, 1.1.

Two directories of our own: the cache directory for temporary threads, which belong to a living process and carry its
number in their names, and the data directory for kept threads, which a person named. Naming a thread makes nothing.
"""

import os
import re
import secrets
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from accounting.ask.asked import last_asked

SUFFIX: Final = ".jsonl"
"""How the file of a thread ends."""
LOCK_SUFFIX: Final = ".lock"
"""What is put after a thread's file name for its lock."""
PARKED_SUFFIX: Final = ".browseq"
"""What is put after a thread's file name for the search text that is parked beside it."""

_is_thread_id = re.compile(r"[0-9]+-[0-9a-f]{8}").fullmatch
_is_name = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}").fullmatch


class ThreadNameError(ValueError):
    """The text is neither the name of a thread nor a path to one; the message says why."""


def is_thread_id(text: str) -> bool:
    """Whether a text is a ThreadId, the name of a temporary thread: `<pid>-<8 lower-case hex digits>`."""
    return _is_thread_id(text) is not None


def new_thread_id(pid: int | None = None) -> str:
    """The name of a temporary thread of the process `pid`, this one for `None`. No two are alike, but by chance."""
    return f"{os.getpid() if pid is None else pid}-{secrets.token_hex(4)}"


def temporary_directory(environ: Mapping[str, str] | None = None) -> Path:
    """Where temporary threads are: `$XDG_CACHE_HOME/rounds/ask`, or below `~/.cache`. `None` is this environment.

    A variable that is blank or no absolute path counts as not set.
    """
    return _base("XDG_CACHE_HOME", ".cache", environ) / "rounds" / "ask"


def kept_directory(environ: Mapping[str, str] | None = None) -> Path:
    """Where kept threads are: `$XDG_DATA_HOME/rounds/ask`, or below `~/.local/share`; see `temporary_directory`."""
    return _base("XDG_DATA_HOME", ".local/share", environ) / "rounds" / "ask"


def new_temporary(environ: Mapping[str, str] | None = None) -> Path:
    """The path of a new temporary thread of this process; nothing is made."""
    return temporary_directory(environ) / f"{new_thread_id()}{SUFFIX}"


def thread_path(text: str, environ: Mapping[str, str] | None = None) -> Path:
    """The path that a person means by a name or a path.

    What holds a separator, or ends in `.jsonl`, is a path, of whichever directory. Else it is the name of a kept
    thread; a ThreadId is that of a temporary one. Nothing has to be there.
    Raises `ThreadNameError` for a name that is none: letters, digits, `.`, `_` and `-`, 64 at most, a letter or a digit
    first, and not ending as a lock does.
    """
    if text.endswith(SUFFIX) or os.sep in text or (os.altsep is not None and os.altsep in text):
        return Path(text)
    if is_thread_id(text):
        return temporary_directory(environ) / f"{text}{SUFFIX}"
    if _is_name(text) is None or text.endswith((LOCK_SUFFIX, PARKED_SUFFIX)):
        raise ThreadNameError(
            f"{text!r} is no name of a thread: give up to 64 letters, digits, `.`, `_` or `-`, "
            f"beginning with a letter or a digit, or a path that ends in `{SUFFIX}`"
        )
    return kept_directory(environ) / f"{text}{SUFFIX}"


def thread_name(path: Path) -> str:
    """What a thread is called, from its path: the file's name without `.jsonl`."""
    return path.name.removesuffix(SUFFIX)


def threads_in(directory: Path) -> tuple[Path, ...]:
    """The threads of a directory, the last asked in first; those of one time by name. None when there is no directory.

    See `asked_ns` for the time. Raises `OSError` when the directory cannot be listed.
    """
    found: list[tuple[int, str, Path]] = []
    try:
        entries = [*os.scandir(directory)]
    except FileNotFoundError:
        return ()
    for entry in entries:
        if entry.name.endswith(SUFFIX) and entry.name != SUFFIX:
            with suppress(FileNotFoundError):  # removed since it was listed
                if entry.is_file():
                    found.append((-asked_ns(Path(entry.path)), entry.name, Path(entry.path)))
    return tuple(path for _, _, path in sorted(found))


def last_used(directory: Path) -> Path | None:
    """The thread of a directory that was asked in last: the default of the command line. `None` when there is none.

    The threads themselves tell; no list of uses is kept beside them. Raises `OSError` as `threads_in` does.
    """
    return next(iter(threads_in(directory)), None)


def asked_ns(path: Path) -> int:
    """When a thread was last asked in, in UTC nanoseconds, for ordering threads by it.

    The time of its last question, for an answer in flight writes to the file without anybody using it. The file's own
    time where there is no question that reads, or only one that is still to come. Raises `OSError` when there is no
    file.
    """
    written = path.stat().st_mtime_ns
    asked = None
    with suppress(OSError):  # it may be another's
        asked = last_asked(path)
    return written if asked is None else min(asked * 1_000_000, written)


def _base(variable: str, below_home: str, environ: Mapping[str, str] | None) -> Path:
    environ = os.environ if environ is None else environ
    value = environ.get(variable, "")
    if value.strip() and Path(value).is_absolute():
        return Path(value)
    home = environ.get("HOME", "")
    return (Path(home) if home else Path.home()) / below_home
