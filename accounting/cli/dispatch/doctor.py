"""`rounds dispatch doctor`: whether agents can be started from here, and how."""

import shlex
from typing import TYPE_CHECKING

import click

from accounting.cli import options as common
from accounting.cli.dispatch.options import dispatching
from accounting.cli.out import put
from accounting.cli.telling import NOT_DONE, tell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.text import Text

    from wire.dispatch import DoctorReport, ProfileReport


@click.command(
    epilog="""\b
Examples:
  rounds dispatch doctor
  rounds dispatch doctor --json | jq '.profiles[] | select(.ready) | .profile'""",
)
@common.as_json
@click.pass_context
def doctor(ctx: click.Context, *, as_json: bool) -> None:
    """Show every profile: what is there of its agent, the command that would start it, and what stands in the way.

    Nothing is started or written. Of the environment the names are shown that an agent is given, and no values. The
    exit code is 1 when no agent can be started, or the state directory or dispatch.toml is not as it should be.
    """
    from accounting.dispatch.doctor import doctor as look

    with dispatching():
        report = look()
    if as_json:
        from wire import encode

        put(encode(report), b"\n")
    else:
        from accounting.cli.screen import screen, show_lines, width_for

        console = screen()
        show_lines(console, _drawn(report, width_for(console)))
        for problem in report.problems:
            tell(problem)
    well = any(one.ready for one in report.profiles) and not report.problems
    ctx.exit(0 if well else NOT_DONE)


def _drawn(report: "DoctorReport", width: int | None) -> "Iterator[Text]":
    from rich.text import Text

    from accounting.cli.dispatch.drawing import labelled

    for one in report.profiles:
        head = Text(one.profile, "bold")
        head.append("  ready" if one.ready else "  not ready", "green" if one.ready else "bold red")
        yield head
        yield from labelled(_facts(one), width)
        yield Text()
    yield Text("runs", "bold")
    yield from labelled([("are kept in", report.state_directory)], width)


def _facts(one: "ProfileReport") -> "Iterator[tuple[str, str | None]]":
    yield "program", one.program
    yield "run by", one.interpreter
    yield "installed in", one.installation
    yield "its directory", one.configuration
    for planned in one.planned:
        task = " < TASK" if planned.task_on_stdin else ""
        yield planned.kind, f"{shlex.join(planned.invocation.argv)}{task}"
    names = {name for planned in one.planned for name in planned.invocation.env_keys}
    yield "environment", " ".join(sorted(names)) or None
    for problem in one.problems:
        yield "note" if one.ready else "missing", problem
