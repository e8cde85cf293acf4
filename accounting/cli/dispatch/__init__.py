"""`rounds dispatch`: work given to an agent, and what became of it. Spec: dispatch.md, issue 8."""

import click

from accounting.cli.dispatch.archive import archive
from accounting.cli.dispatch.cancel import cancel
from accounting.cli.dispatch.doctor import doctor
from accounting.cli.dispatch.listing import list_
from accounting.cli.dispatch.show import show
from accounting.cli.dispatch.start import start
from accounting.cli.dispatch.wait import wait

__all__ = ["dispatch"]


@click.group(
    epilog="""\b
Examples:
  rounds dispatch doctor
  rounds dispatch start --profile claude_code --workspace . --review 'What leaks?'
  rounds dispatch wait wb-2124
  rounds dispatch list""",
)
def dispatch() -> None:
    """Give work to an agent, and learn what became of it: from any process, later, also after a crash.

    A run is written down before its agent is started, and the agent outlives the terminal. RUN is a run's id, or as
    much of its beginning as no other shares. Runs are kept in $ROUNDS_STATE_DIR (or ~/.local/state/rounds); which
    agents there are, and how each is started, `rounds dispatch doctor` shows.

    Exit codes: 0 done, for a run that was waited for: it succeeded; 1 it failed, was cancelled or is unknown; 2 wrong
    usage, or something is in the way; 3 it had not ended when the time was up; 130 interrupted.
    """


for command in (start, wait, cancel, list_, show, archive, doctor):
    dispatch.add_command(command)
