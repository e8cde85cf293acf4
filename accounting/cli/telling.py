"""What commands say beside their output, and the exit code that goes with it."""

from typing import Final

import click

from accounting.cli.visible import visible

NOT_DONE: Final = 1
"""Exit code when what was asked for was refused, failed, or was cancelled."""


def tell(line: str) -> None:
    """Say it on standard error."""
    click.echo(f"rounds: {visible(line)}", err=True)
