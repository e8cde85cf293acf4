"""`rounds dispatch show`: what is known of a run."""

import click

from accounting.cli import options as common
from accounting.cli.dispatch import options
from accounting.cli.out import put


@click.command(
    epilog="""\b
Examples:
  rounds dispatch show wb-2124
  rounds dispatch show wb-2124 --json | jq .stateSource""",
)
@options.run
@common.as_json
def show(named: str, *, as_json: bool) -> None:
    """Show a run as it stands now: its state and how that is known, its agent, and the agent's last word.

    A run that failed is shown as any other, with exit code 0. `rounds show RUN` draws what the agent did, turn by turn.
    """
    with options.dispatching():
        from accounting.cli.dispatch.which import own_store, run_meant
        from accounting.dispatch.observe import observe

        store = own_store()
        journal = observe(store, run_meant(store, named))
        if as_json:
            from wire import encode

            put(encode(journal), b"\n")
        else:
            from accounting.cli.dispatch.drawing import show_run

            show_run(store, journal)
