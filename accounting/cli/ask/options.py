"""Options that several commands of `rounds ask` share."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


def thread(command: F) -> F:
    """Which thread."""
    option = click.option(
        "--thread",
        "named",
        metavar="NAME|PATH",
        help="A thread's name, its file, or a directory for the one asked in last there."
        " Not given: the thread of yours that was asked in last.",
    )
    return option(command)


def temporary(command: F) -> F:
    """A thread that is not kept."""
    return click.option("--temporary", is_flag=True, help="Ask in a new thread that is not kept.")(command)


def provider(command: F) -> F:
    """Who answers."""
    option = click.option(
        "--provider",
        "command",
        metavar="COMMAND",
        help="The command that answers, split into words as a shell does, run without one: 'claude -p'."
        " Not given: the one of ask.toml.",
    )
    return option(command)


def focus(command: F) -> F:
    """What the person is looking at."""
    return click.option("--focus", metavar="ID", help="The session that the question is about.")(command)
