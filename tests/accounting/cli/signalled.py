"""`rounds`, which is sent a signal when it reaches a step: `python -m tests.accounting.cli.signalled SIGNAL STEP ...`.

The steps are those of `accounting.dispatch.steps`.
"""

import signal
import sys

from accounting.cli import main
from accounting.dispatch import steps


def signal_at(number: signal.Signals, name: str) -> None:
    """Send this process the signal when it reaches the step of that name."""

    def reached(step: str) -> None:
        if step == name:
            signal.raise_signal(number)

    steps.reached = reached


if __name__ == "__main__":
    signal_at(signal.Signals[sys.argv[1]], sys.argv[2])
    main(sys.argv[3:], prog_name="rounds")
