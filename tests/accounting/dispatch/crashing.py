"""A dispatcher, a launcher, or who cancels: killed at a named step, or at a random moment by who started it.

    python -m tests.accounting.dispatch.crashing DIRECTORY MARK KEY TASK
    python -m tests.accounting.dispatch.crashing cancel DIRECTORY KEY STEP

The environment names the steps: `CRASH_DISPATCHER` and `CRASH_LAUNCHER`. A launcher is this module again, which it is
given in place of its own; then its arguments are those of `accounting.dispatch.launch`.
"""

import os
import signal
import sys
import time
from pathlib import Path

from accounting.dispatch import launch, launching, steps
from accounting.dispatch.cancel import cancel
from accounting.dispatch.ids import run_id_of
from accounting.dispatch.store import RunStore
from tests.accounting.dispatch.runs import World

NAME = "tests.accounting.dispatch.crashing"


def crash_at(name: str) -> None:
    """Kill this process when it reaches the step of that name."""

    def reached(step: str) -> None:
        if step == name:
            os.kill(os.getpid(), signal.SIGKILL)

    steps.reached = reached


def main(arguments: list[str]) -> int:
    if arguments[0] in ("stdin", "argument"):
        crash_at(os.environ.get("CRASH_LAUNCHER", ""))
        return launch.main(arguments)
    if arguments[0] == "cancel":
        crash_at(arguments[3])
        print(cancel(RunStore(Path(arguments[1])), run_id_of(arguments[2]), grace_ms=100).cancelled)
        return 0
    directory, mark, key, task = arguments
    launching.MODULE = NAME  # type: ignore[misc]
    crash_at(os.environ.get("CRASH_DISPATCHER", ""))
    world = World(Path(directory), mark)
    if hold := os.environ.get("CRASH_HOLD"):
        print("ready", flush=True)
        while not Path(hold).exists():
            time.sleep(0.001)
    run = world.start(task, key)
    print(run.state.value, "replay" if run.idempotent_replay is True else "", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
