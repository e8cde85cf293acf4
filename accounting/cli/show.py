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
  rounds show ~/.claude --run 4f0c1a52-7a5e-4f3e-9d0b-2b1c6f1d8a11
  rounds show wb-21247a57b8ae3af2
  ssh host cat session.jsonl | rounds show -""",
)
@options.path
@options.run
@options.window
@options.agent
@options.as_json
@click.pass_context
def show(
    ctx: click.Context, path: str, asked: str | None, window: int | None, agent: str | None, *, as_json: bool
) -> None:
    """Draw one session: its turns, what was said, what was called and what came of it.

    PATH is a ledger's directory, one file of its lines, sessions of another agent (a file, a directory, a database), a
    dispatched run (its id, or a beginning of it that no other shares), or - for standard input. Of another agent's
    session it also says which turns are off the live branch, which figures are estimated or put together from several
    rows, and what its sub-agents are.

    A dispatched run is shown as its agent wrote it down; where that file is not there, as the agent printed it so far.

    What could not be used goes to standard error, and the exit code is then 1.
    """
    from accounting.cli.choose import fold_chosen
    from accounting.cli.problems import tell_chosen, tell_outside
    from accounting.cli.source import located

    with located(path, agent, indexed=True) as found:
        chosen = fold_chosen(found, path, asked, window)
    if as_json:
        from wire import encode

        put(encode(chosen.folded.answer), b"\n")
    else:
        from accounting.cli.draw import draw
        from accounting.cli.screen import screen, show_lines

        console = screen()
        show_lines(console, draw(chosen.folded, console.width, window, chosen.session))
        tell_outside(chosen.folded.outside)
    ctx.exit(tell_chosen(chosen))
