"""`rounds ask cancel`: a question given up."""

import click

from accounting.cli import options as common
from accounting.cli.ask import options
from accounting.cli.out import put
from accounting.cli.telling import NOT_DONE, tell


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
    """Give up the question that is being answered: end whoever answers it, and all that stays in its group.

    A question that nobody is at is settled too. Where nothing is in flight, nothing happens. The exit code is 1 when
    the worker cannot be ended, and for a provider's own call.
    """
    from accounting.ask.cancel import CancelOutcome
    from accounting.ask.cancel import cancel as give_up
    from accounting.cli.ask.which import thread_there

    thread = thread_there(named)
    outcome = give_up(thread)
    done = outcome in (CancelOutcome.cancelled, CancelOutcome.idle)
    if as_json:
        from accounting.cli.ask.data import CancelledQuestion
        from wire import encode

        put(encode(CancelledQuestion(thread=thread.name, path=str(thread.path), outcome=outcome)), b"\n")
    elif done:
        came_to = "cancelled" if outcome is CancelOutcome.cancelled else "nothing is being answered"
        put(f"{thread.name}: {came_to}\n".encode(errors="replace"))
    elif outcome is CancelOutcome.nested:
        tell("this is a provider's own call: it cancels nothing")
    else:
        tell(f"{thread.name}: whoever answers cannot be ended; is it another user's?")
    ctx.exit(0 if done else NOT_DONE)
