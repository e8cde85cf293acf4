"""A process of ours that goes on when this one ends: decided by a pure function, then started.

It is our own interpreter again, with its own flags and a module to run: detached, so that it outlives the terminal;
leading a session, and so a process group, so that it can be ended with all that it starts. Spec: asks.md 1.9,
dispatch.md 2.0.
"""

import subprocess
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

_VALUED: Final = frozenset("WX")
_LAST: Final = frozenset("cm")
_DETACHED_PROCESS, _CREATE_NEW_PROCESS_GROUP = 0x8, 0x200


class Detached(Struct, frozen=True, kw_only=True):
    """How to start a process."""

    argv: tuple[str, ...]
    """The command."""
    new_session: bool
    """Whether it leads a session, and so a group: on POSIX."""
    creation_flags: int
    """What Windows is told in place of that; 0 elsewhere."""


def plan_module(
    module: str, arguments: Sequence[str], *, platform: str, executable: str, orig_argv: Sequence[str]
) -> Detached:
    """How to run a module of ours, from an interpreter that was itself started with `orig_argv` (`sys.orig_argv`)."""
    windows = platform == "win32"
    return Detached(
        # -P: what lies in the working directory is not to be taken for a module.
        argv=(executable, *interpreter_flags(orig_argv), "-P", "-m", module, *arguments),
        new_session=not windows,
        creation_flags=_DETACHED_PROCESS | _CREATE_NEW_PROCESS_GROUP if windows else 0,
    )


def interpreter_flags(orig_argv: Sequence[str]) -> tuple[str, ...]:
    """The interpreter's own flags out of its command line: all before the module, the code or the script."""
    flags: list[str] = []
    words = iter(orig_argv[1:])
    for word in words:
        if word == "-" or not word.startswith("-"):
            break
        if word.startswith("--"):
            flags += [word, *([next(words, "")] if word == "--check-hash-based-pycs" else ())]
            continue
        # Letters may stand together, and one that takes a value ends them: `-bWerror`, `-Im module`.
        at = next((index for index, letter in enumerate(word[1:], 1) if letter in _VALUED | _LAST), len(word))
        if at == len(word):
            flags.append(word)
        elif word[at] in _LAST:
            flags += [word[:at]] if at > 1 else []
            break
        else:
            flags += [word] if at + 1 < len(word) else [word, next(words, "")]
    return tuple(flags)


def start_detached(
    how: Detached, environ: Mapping[str, str], *, output: int = subprocess.DEVNULL, errors: int = subprocess.DEVNULL
) -> "subprocess.Popen[bytes]":
    """Start a process as planned, with descriptors for what it prints and nothing to read.

    Raises `OSError` when the system starts none, and `ValueError` for a NUL in an argument or the environment.
    """
    return subprocess.Popen(  # noqa: S603 - our own interpreter
        how.argv,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=errors,
        start_new_session=how.new_session,
        creationflags=how.creation_flags,
        env=environ,
    )
