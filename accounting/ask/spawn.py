"""How a worker is started: decided by a pure function, then done. Spec: asks.md 1.0, 1.9.

The worker is our own command line again, on a hidden command, detached. Its command line names the thread, the question
and the lock, and nothing else: the provider's command comes by the environment.
"""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from threading import Thread
from typing import Final, TypeAlias

from msgspec import Struct

from accounting.ask.environment import worker_environment
from accounting.processes.detached import Detached, plan_module, start_detached
from wire.ask import AskSeq
from wire.scalars import IsoTime

COMMAND: Final = ("ask", "worker")
"""The hidden command."""


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


Start: TypeAlias = Callable[[Job, Sequence[str]], int | None]
"""Starts a worker for a job with a provider's command: its process, `None` when none could be started."""


def plan(job: Job, *, platform: str, executable: str, orig_argv: Sequence[str]) -> Detached:
    """How to start a worker from an interpreter that was itself started with `orig_argv` (`sys.orig_argv`)."""
    notify = () if job.notify is None else ("--notify", job.notify)
    return plan_module(
        "accounting.cli",
        (*COMMAND, "--seq", str(job.seq), "--taken", job.taken, *notify, "--", job.thread),
        platform=platform,
        executable=executable,
        orig_argv=orig_argv,
    )


def start_worker(job: Job, provider: Sequence[str]) -> int | None:
    """Start a worker, which goes on when this process ends. Its process; `None` when the system starts none."""
    if not sys.executable:
        return None
    how = plan(job, platform=sys.platform, executable=sys.executable, orig_argv=sys.orig_argv)
    return launch(how, worker_environment(os.environ, provider))


def launch(how: Detached, environ: Mapping[str, str]) -> int | None:
    """Start a process as planned, its standard streams closed; `None` when the system starts none."""
    try:
        worker = start_detached(how, environ)
    except (OSError, ValueError):  # the latter for a NUL in an argument
        return None
    # A sender that lives on collects it, or the worker would seem to run for ever.
    Thread(target=worker.wait, name="ask-worker", daemon=True).start()
    return worker.pid
