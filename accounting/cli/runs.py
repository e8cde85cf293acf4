"""`rounds runs`: the sessions of a ledger, a line of figures each."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import click

from accounting.cli import options
from accounting.cli.out import put

if TYPE_CHECKING:
    from accounting.cli.foreign import Foreign
    from accounting.foreign import FidelityReport
    from accounting.ledger import Ledger
    from accounting.views.runs import RunSummary

_Listed: TypeAlias = "tuple[tuple[RunSummary, ...], Callable[[], int]]"
"""The runs, and what then tells the problems and gives the exit code."""


@click.command(
    epilog="""\b
Examples:
  rounds runs city/ledger
  rounds runs city/ledger --run 019a2b5e
  rounds runs ~/.codex/sessions
  rounds runs city/ledger --json | jq -r '.[] | select(.state == "open") | .run'""",
)
@options.path
@click.option(
    "--run",
    "asked",
    metavar="ID",
    help="This session only: its id, or as much of its beginning as no other shares.",
)
@options.agent
@options.as_json
@click.pass_context
def runs(ctx: click.Context, path: str, asked: str | None, agent: str | None, *, as_json: bool) -> None:
    """List the sessions of a ledger: when, how many turns and calls, tokens, cost, and how each ended.

    PATH is a ledger's directory, one file of its lines, sessions of another agent (a file, a directory, a database),
    or - for standard input. A session that stands in several files is listed as often.

    A figure that not every reply reports is marked with +, and one that none reports is unknown; in JSON it is null,
    and `uncounted` and `unpriced` say how many replies a sum lacks.
    """
    from accounting.cli.source import located
    from accounting.ledger import Ledger

    with located(path, agent, indexed=asked is not None) as found:
        listed, code = _of_ledger(found, path, asked) if isinstance(found, Ledger) else _of_others(found, asked)
    if as_json:
        from wire import encode

        put(encode(listed), b"\n")
    else:
        from accounting.cli.screen import screen, show_lines
        from accounting.cli.table import table

        console = screen()
        show_lines(console, table(listed, console.width))
    ctx.exit(code())


def _of_ledger(ledger: "Ledger", path: str, asked: str | None) -> "_Listed":
    from accounting.cli.choose import reading_chosen
    from accounting.cli.problems import tell
    from accounting.cli.source import reading
    from accounting.views.runs import read_runs

    if asked is None:
        with reading(ledger, "reading"):
            found = read_runs(ledger)
    else:
        found = reading_chosen(
            ledger, path, asked, "reading", lambda run: read_runs(ledger, run), lambda read: bool(read.runs)
        )
    return found.runs, lambda: tell(found.problems, found.problem_counts)


def _of_others(foreign: "Foreign", asked: str | None) -> "_Listed":
    from accounting.cli.problems import tell_damage, tell_passed_over
    from accounting.views.runs import summaries

    listed: list[RunSummary] = []
    reports: list[FidelityReport] = []
    for session in foreign.sessions() if asked is None else (foreign.chosen(asked),):
        listed += summaries((record, None) for record in session.records)
        reports.append(session.report)
    if asked is None:
        tell_passed_over(foreign.shown, foreign.passed_over)
    return tuple(listed), lambda: tell_damage(reports)
