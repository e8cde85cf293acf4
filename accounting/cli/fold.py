"""`rounds fold`: one session's answer as JSON."""

import click

from accounting.cli import options
from accounting.cli.out import put


@click.command(
    epilog="""\b
Examples:
  rounds fold city/ledger --run 019a2b5e
  rounds fold session.jsonl | jq '.turns[].said'
  rounds fold ~/.claude/projects/-home-me-shop/4f0c1a52-7a5e-4f3e-9d0b-2b1c6f1d8a11.jsonl
  zstdcat old.jsonl.zst | rounds fold - --window 500""",
)
@options.path
@options.run
@options.window
@options.agent
@click.pass_context
def fold(ctx: click.Context, path: str, asked: str | None, window: int | None, agent: str | None) -> None:
    """Print one session as RoundsAnswer JSON, on one line.

    PATH is a ledger's directory, one file of its lines, sessions of another agent (a file, a directory, a database),
    or - for standard input.

    Nothing else goes to standard output. What could not be used goes to standard error, and the exit code is then 1.
    """
    from accounting.cli.choose import fold_chosen
    from accounting.cli.problems import tell_chosen
    from accounting.cli.source import located
    from wire import encode

    with located(path, agent, indexed=True) as found:
        chosen = fold_chosen(found, path, asked, window)
    put(encode(chosen.folded.answer), b"\n")
    ctx.exit(tell_chosen(chosen))
