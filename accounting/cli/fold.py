"""`rounds fold`: one session's answer as JSON."""

import click

from accounting.cli import options
from accounting.cli.out import put


@click.command(
    epilog="""\b
Examples:
  rounds fold city/ledger --run 019a2b5e
  rounds fold session.jsonl | jq '.turns[].said'
  zstdcat old.jsonl.zst | rounds fold - --window 500""",
)
@options.path
@options.run
@options.window
@click.pass_context
def fold(ctx: click.Context, path: str, asked: str | None, window: int | None) -> None:
    """Print one session as RoundsAnswer JSON, on one line.

    PATH is a ledger's directory, one file of its lines, or - for standard input.

    Nothing else goes to standard output. What could not be used goes to standard error, and the exit code is then 1.
    """
    from accounting.cli.choose import fold_chosen
    from accounting.cli.problems import tell
    from accounting.cli.source import opened
    from wire import encode

    with opened(path, indexed=True) as ledger:
        folded = fold_chosen(ledger, path, asked, window)
    put(encode(folded.answer), b"\n")
    ctx.exit(tell(folded.problems, folded.problem_counts))
