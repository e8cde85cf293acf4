"""The end of a command that cannot go on: one clear line and an exit code."""

import errno
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import IO, Any, Final

import click

from accounting.cli.visible import visible

USAGE: Final = 2
"""Exit code of wrong usage and of a path that cannot be read."""
INTERRUPTED: Final = 130
"""Exit code after Ctrl-C."""
PIPE_CLOSED: Final = 141
"""Exit code when whoever reads the output has stopped reading."""


class Trouble(click.ClickException):
    """Why a command cannot go on. `message` says what, where and what to do; lines after it may list choices."""

    exit_code = USAGE

    def __init__(self, message: str, choices: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.choices = choices

    def show(self, file: IO[Any] | None = None) -> None:
        """Print it on standard error."""
        lines = (f"rounds: {visible(self.message)}", *(f"  {visible(choice)}" for choice in self.choices))
        click.echo("\n".join(lines), file=file, err=file is None)


@contextmanager
def endings() -> Generator[None]:
    """Turns what can end a command from outside into its exit code, quietly, and usage errors into one line.

    Raises `click.exceptions.Exit` or `Trouble`.
    """
    # Help asked for by giving no command is an error to newer versions of click, and shows itself.
    help_error: Any = getattr(click.exceptions, "NoArgsIsHelpError", ())
    try:
        yield
    except KeyboardInterrupt:
        _silence()
        raise click.exceptions.Exit(INTERRUPTED) from None
    except click.UsageError as error:
        if isinstance(error, help_error):
            raise
        command = "rounds" if error.ctx is None else error.ctx.command_path
        raise Trouble(f"{error.format_message().rstrip('.')}; see `{command} --help`") from None
    except OSError as error:
        _silence()
        if error.errno == errno.EPIPE:
            raise click.exceptions.Exit(PIPE_CLOSED) from None
        where = "" if error.filename is None else f"{error.filename}: "
        raise Trouble(f"{where}{error.strerror or error}") from None


def _silence() -> None:
    """Sends what is still unwritten, and would be tried again as the interpreter exits, to nowhere."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            try:
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
            except (OSError, ValueError, AttributeError):
                continue
