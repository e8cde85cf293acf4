"""`rounds runs`: the sessions of a ledger, a line of figures each."""

import click

from accounting.cli import options
from accounting.cli.out import put


@click.command(
    epilog="""\b
Examples:
  rounds runs city/ledger
  rounds runs city/ledger --run 019a2b5e
  rounds runs city/ledger --json | jq -r '.[] | select(.state == "open") | .run'""",
)
@options.path
@click.option(
    "--run",
    "asked",
    metavar="ID",
    help="This session only: its id, or as much of its beginning as no other shares.",
)
@options.as_json
@click.pass_context
def runs(ctx: click.Context, path: str, asked: str | None, *, as_json: bool) -> None:
    """List the sessions of a ledger: when, how many turns and calls, tokens, cost, and how each ended.

    PATH is a ledger's directory, one file of its lines, or - for standard input.

    A figure that not every reply reports is marked with +, and one that none reports is unknown; in JSON it is null,
    and `uncounted` and `unpriced` say how many replies a sum lacks.
    """
    from accounting.cli.choose import reading_chosen
    from accounting.cli.problems import tell
    from accounting.cli.source import opened, reading
    from accounting.views.runs import read_runs

    with opened(path, indexed=asked is not None) as ledger:
        if asked is None:
            with reading(ledger, "reading"):
                found = read_runs(ledger)
        else:
            found = reading_chosen(
                ledger, path, asked, "reading", lambda run: read_runs(ledger, run), lambda read: bool(read.runs)
            )
    if as_json:
        from wire import encode

        put(encode(found.runs), b"\n")
    else:
        from accounting.cli.screen import screen, show_lines
        from accounting.cli.table import table

        console = screen()
        show_lines(console, table(found.runs, console.width))
    ctx.exit(tell(found.problems, found.problem_counts))
