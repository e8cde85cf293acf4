"""`rounds show`: one session drawn."""

import click

from accounting.cli import options
from accounting.cli.out import put


@click.command(
    epilog="""\b
Examples:
  rounds show city/ledger
  rounds show city/ledger --run 019a2b5e
  rounds show city/ledger --run 019a2b5e --window 200 | less -R
  ssh host cat session.jsonl | rounds show -""",
)
@options.path
@options.run
@options.window
@options.as_json
@click.pass_context
def show(ctx: click.Context, path: str, asked: str | None, window: int | None, *, as_json: bool) -> None:
    """Draw one session: its turns, what was said, what was called and what came of it.

    PATH is a ledger's directory, one file of its lines, or - for standard input.

    What could not be used goes to standard error, and the exit code is then 1.
    """
    from accounting.cli.choose import fold_chosen
    from accounting.cli.problems import tell, tell_outside
    from accounting.cli.source import opened

    with opened(path, indexed=True) as ledger:
        folded = fold_chosen(ledger, path, asked, window)
    if as_json:
        from wire import encode

        put(encode(folded.answer), b"\n")
    else:
        from accounting.cli.draw import draw
        from accounting.cli.screen import screen, show_lines

        console = screen()
        show_lines(console, draw(folded, console.width, window))
        tell_outside(folded.outside)
    ctx.exit(tell(folded.problems, folded.problem_counts))
