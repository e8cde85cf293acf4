"""Options that several commands share."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


def path(command: F) -> F:
    """What to read."""
    return click.argument("path", metavar="PATH", type=click.Path(allow_dash=True))(command)


def paths(command: F) -> F:
    """What to read, perhaps several."""
    return click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(allow_dash=True))(
        command
    )


def agent(command: F) -> F:
    """Whose sessions they are, where what the files hold does not tell."""
    option = click.option(
        "--from",
        "agent",
        metavar="AGENT",
        help="Read PATH as sessions of this agent (claude_code, codex ...) instead of letting the files tell.",
    )
    return option(command)


def run(command: F) -> F:
    """Which session of it."""
    option = click.option(
        "--run",
        "asked",
        metavar="ID",
        help="The session: its id, or as much of its beginning as no other shares. Not needed when there is only one.",
    )
    return option(command)


def window(command: F) -> F:
    """How much of the session."""
    option = click.option(
        "--window",
        metavar="N",
        type=click.IntRange(min=1),
        help="Only the newest N records of the session.",
    )
    return option(command)


def as_json(command: F) -> F:
    """JSON instead of a drawing."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON, on one line.")(command)
