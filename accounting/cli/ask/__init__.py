"""`rounds ask`: questions to a thread, answered by a command of the person's own. Spec: asks.md, issue 7."""

import click

from accounting.cli.ask.cancel import cancel
from accounting.cli.ask.chat import chat
from accounting.cli.ask.listing import list_
from accounting.cli.ask.send import send
from accounting.cli.ask.show import show
from accounting.cli.ask.sweep import sweep
from accounting.cli.ask.watch import watch
from accounting.cli.ask.worker import worker

__all__ = ["ask"]


@click.group(
    epilog="""\b
Examples:
  rounds ask send --provider 'claude -p' 'Where is the port set?'
  rounds ask watch
  rounds ask chat --thread harbour
  rounds ask list""",
)
def ask() -> None:
    """Ask, and be answered by a command of your own: a conversation whose file is its turn list.

    The question goes into a thread, a worker that outlives the terminal writes the answer there piece by piece, and
    every command here reads the thread. Threads are kept in rounds/ask in the data directory. The command that answers
    is given with --provider, or in ask.toml: provider = "claude -p". It gets the prompt on standard input.

    Exit codes: 0 done; 1 refused, not answered, or cancelled; 2 wrong usage; 130 interrupted.
    """


for command in (send, show, watch, cancel, chat, list_, sweep, worker):
    ask.add_command(command)
