"""How a worker is started: decided by a pure function, then done. Spec: asks.md 1.0, 1.9.

The worker is our own command line again, on a hidden command: detached, so that it outlives the terminal; leading a
process group, so that it can be ended with all that it starts; its standard streams closed; the interpreter's own flags
passed on. Its command line names the thread, the question and the lock, and nothing else: the provider's command comes
by the environment.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from threading import Thread
from typing import Final, TypeAlias

from msgspec import Struct

from accounting.ask.environment import worker_environment
from wire.ask import AskSeq
from wire.scalars import IsoTime

COMMAND: Final = ("ask", "worker")
"""The hidden command."""
_VALUED: Final = frozenset("WX")
_LAST: Final = frozenset("cm")
_DETACHED_PROCESS, _CREATE_NEW_PROCESS_GROUP = 0x8, 0x200


class Job(Struct, frozen=True, kw_only=True):
    """What a worker is to do."""

    thread: str
    """The path of the thread's file, from the root."""
    seq: AskSeq
    """The question to answer."""
    taken: IsoTime
    """By which the lock is known that it works under."""
    notify: str | None = None
    """The address to tell when the thread grows; `None` for nobody."""


class Plan(Struct, frozen=True, kw_only=True):
    """How to start a worker."""

    argv: tuple[str, ...]
    """The command."""
    new_session: bool
    """Whether it leads a session, and so a group: on POSIX."""
    creation_flags: int
    """What Windows is told in place of that; 0 elsewhere."""


Start: TypeAlias = Callable[[Job, Sequence[str]], int | None]
"""Starts a worker for a job with a provider's command: its process, `None` when none could be started."""


def plan(job: Job, *, platform: str, executable: str, orig_argv: Sequence[str]) -> Plan:
    """How to start a worker from an interpreter that was itself started with `orig_argv` (`sys.orig_argv`)."""
    windows = platform == "win32"
    notify = () if job.notify is None else ("--notify", job.notify)
    return Plan(
        argv=(
            executable,
            *interpreter_flags(orig_argv),
            "-P",  # what lies in the working directory is not to be taken for a module
            *("-m", "accounting.cli", *COMMAND),
            *("--seq", str(job.seq), "--taken", job.taken, *notify, "--", job.thread),
        ),
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


def start_worker(job: Job, provider: Sequence[str]) -> int | None:
    """Start a worker, which goes on when this process ends. Its process; `None` when the system starts none."""
    if not sys.executable:
        return None
    how = plan(job, platform=sys.platform, executable=sys.executable, orig_argv=sys.orig_argv)
    return launch(how, worker_environment(os.environ, provider))


def launch(how: Plan, environ: Mapping[str, str]) -> int | None:
    """Start a process as planned, its standard streams closed; `None` when the system starts none."""
    try:
        worker = subprocess.Popen(  # noqa: S603 - our own interpreter
            how.argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=how.new_session,
            creationflags=how.creation_flags,
            env=environ,
        )
    except (OSError, ValueError):  # the latter for a NUL in an argument
        return None
    # A sender that lives on collects it, or the worker would seem to run for ever.
    Thread(target=worker.wait, name="ask-worker", daemon=True).start()
    return worker.pid
