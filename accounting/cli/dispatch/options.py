"""What several commands of `rounds dispatch` share."""

import math
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, Final, TypeVar

import click

from accounting.cli.trouble import Trouble

F = TypeVar("F", bound=Callable[..., Any])
MOST_S: Final = 366 * 24 * 3600
"""The longest that is waited when a time is given: a year, in seconds."""


def run(command: F) -> F:
    """Which run."""
    return click.argument("named", metavar="RUN")(command)


def seconds(text: str) -> int:
    """So many seconds on a command line, in milliseconds. Raises `click.BadParameter`: infinity is no number here."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= MOST_S:
        raise click.BadParameter(f"{text!r} is no number of seconds from 0 to {MOST_S:,}")
    return round(value * 1000)


@contextmanager
def dispatching() -> Generator[None]:
    """Around all that is done: what keeps it from being done ends the command with one clear line."""
    from accounting.dispatch.errors import DispatchTroubleError

    try:
        yield
    except DispatchTroubleError as error:
        raise Trouble(str(error)) from None
