"""`rounds ask cancel`: a question given up."""

import click

from accounting.cli import options as common
from accounting.cli.ask import options
from accounting.cli.ask.telling import NOT_DONE, tell
from accounting.cli.out import put


@click.command(
    epilog="""\b
Examples:
  rounds ask cancel
  rounds ask cancel --thread harbour""",
)
@options.thread
@common.as_json
@click.pass_context
def cancel(ctx: click.Context, named: str | None, *, as_json: bool) -> None:
    """Give up the question that is being answered: end whoever answers it, and all that this started.

    A question that nobody is at is settled too. Where nothing is in flight, nothing happens. The exit code is 1 when
    the worker cannot be ended.
    """
    from accounting.ask.cancel import CancelOutcome
    from accounting.ask.cancel import cancel as give_up
    from accounting.cli.ask.which import thread_there

    thread = thread_there(named)
    outcome = give_up(thread)
    stuck = outcome is CancelOutcome.stuck
    if as_json:
        from accounting.cli.ask.data import CancelledQuestion
        from wire import encode

        put(encode(CancelledQuestion(thread=thread.name, path=str(thread.path), outcome=outcome)), b"\n")
    elif stuck:
        tell(f"{thread.name}: whoever answers cannot be ended; is it another user's?")
    else:
        done = "cancelled" if outcome is CancelOutcome.cancelled else "nothing is being answered"
        put(f"{thread.name}: {done}\n".encode())
    ctx.exit(NOT_DONE if stuck else 0)
