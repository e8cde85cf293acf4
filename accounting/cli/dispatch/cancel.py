"""`rounds dispatch cancel`: a run given up."""

import click

from accounting.cli import options as common
from accounting.cli.dispatch import options
from accounting.cli.out import put
from accounting.cli.telling import NOT_DONE, tell


@click.command(
    epilog="""\b
Examples:
  rounds dispatch cancel wb-2124
  rounds dispatch cancel wb-2124 --json""",
)
@options.run
@common.as_json
@click.pass_context
def cancel(ctx: click.Context, named: str, *, as_json: bool) -> None:
    """Give a run up: end its agent with all that stays in its process group, and see that it is gone.

    The agent is asked first, and ended for good after two seconds. Only a process that is proven gone makes a run
    cancelled; one that had ended before, or was faster, stays what it is. The exit code is 1 when it is not cancelled.
    Ctrl-C does not break it off: what it came to is told, and the exit code is 130.
    """
    with options.dispatching():
        from accounting.cli.dispatch.held_back import held_back
        from accounting.cli.dispatch.which import own_store, run_meant
        from accounting.dispatch.cancel import cancel as give_up

        store = own_store()
        run = run_meant(store, named)
        with held_back():
            answer = give_up(store, run)
            if as_json:
                from wire import encode

                put(encode(answer), b"\n")
            else:
                if answer.cancelled:
                    put(f"{run}: cancelled\n".encode())
                if answer.why is not None:
                    tell(f"{run}: {'' if answer.cancelled else 'not cancelled: '}{answer.why}")
        ctx.exit(0 if answer.cancelled else NOT_DONE)
