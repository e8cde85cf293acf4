"""`rounds dispatch wait`: the end of a run, waited for."""

import click

from accounting.cli import options as common
from accounting.cli.dispatch import options


@click.command(
    epilog="""\b
Examples:
  rounds dispatch wait wb-2124
  rounds dispatch wait wb-21247a57b8ae3af2 --timeout 60
  rounds dispatch wait wb-2124 --json | jq -r .resultText""",
)
@options.run
@click.option(
    "--timeout", "timeout_ms", metavar="SECONDS", type=options.seconds, help="How long at most; else for ever."
)
@common.as_json
@click.pass_context
def wait(ctx: click.Context, named: str, timeout_ms: int | None, *, as_json: bool) -> None:
    """Wait until a run has ended, and show what became of it. May be called again and again, from anywhere.

    The exit code is 0 when it succeeded, 1 when it failed, was cancelled or is unknown, and 3 when it had not ended
    when the time was up, which changes nothing about it. Ctrl-C ends the waiting, not the run.
    """
    with options.dispatching():
        from accounting.cli.dispatch.outcome import exit_code, tell_run
        from accounting.cli.dispatch.waiting import waited
        from accounting.cli.dispatch.which import own_store, run_meant

        store = own_store()
        run = run_meant(store, named)
        journal = waited(store, run, timeout_ms)
        tell_run(store, journal, as_json=as_json)
        ctx.exit(exit_code(journal, waited=True))
