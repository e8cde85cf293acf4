"""How a launcher is started: decided by a pure function, then done. Spec: dispatch.md 2.0, 2.2.

The launcher is a detached process of its own, which becomes the agent. Its command line names the run and no more.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from subprocess import Popen
from typing import Final

from accounting import private
from accounting.dispatch.store import RunStore
from accounting.processes.detached import Detached, plan_module, start_detached
from wire.scalars import DispatchId

MODULE: Final = "accounting.dispatch.launch"
"""What a launcher runs."""


def plan_launcher(
    store: Path, run: DispatchId, *, task_on_stdin: bool, platform: str, executable: str, orig_argv: Sequence[str]
) -> Detached:
    """How to start the launcher of a run, from an interpreter that was started with `orig_argv` (`sys.orig_argv`)."""
    arguments = ("stdin" if task_on_stdin else "argument", str(store), run)
    return plan_module(MODULE, arguments, platform=platform, executable=executable, orig_argv=orig_argv)


def start_launcher(
    store: RunStore, run: DispatchId, *, task_on_stdin: bool, environ: Mapping[str, str]
) -> "Popen[bytes]":
    """Start the launcher of a run, with files of the run for its output. Raises `OSError` when there is none started.

    It is given this process's environment too, for the interpreter; the agent is given `environ` alone.
    """
    if not sys.executable:
        raise OSError("the interpreter's own path is not known, so that it cannot be started again")
    how = plan_launcher(
        store.directory,
        run,
        task_on_stdin=task_on_stdin,
        platform=sys.platform,
        executable=sys.executable,
        orig_argv=sys.orig_argv,
    )
    output = _new_file(store.stream_path(run))
    try:
        errors = _new_file(store.errors_path(run))
        try:
            return start_detached(how, {**os.environ, **environ}, output=output, errors=errors)
        finally:
            os.close(errors)
    finally:
        os.close(output)


def _new_file(path: Path) -> int:
    """A new file to append to. What is left of another run's is its own business."""
    path.unlink(missing_ok=True)
    return private.open_file(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL)
