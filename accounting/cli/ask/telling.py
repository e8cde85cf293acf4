"""What the commands of `rounds ask` say beside their output, and the exit codes that go with it."""

from typing import Final

import click

from accounting.cli.visible import visible

NOT_DONE: Final = 1
"""Exit code when a question was refused, failed, or was cancelled."""


def tell(line: str) -> None:
    """Say it on standard error."""
    click.echo(f"rounds: {visible(line)}", err=True)
