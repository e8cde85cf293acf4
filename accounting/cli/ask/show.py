"""`rounds ask show`: the last questions of a thread, and their answers."""

import click

from accounting.cli import options as common
from accounting.cli.ask import options
from accounting.cli.out import put


@click.command(
    epilog="""\b
Examples:
  rounds ask show
  rounds ask show --thread harbour --last 1
  rounds ask show --thread ~/.cache/other/ask/7001-0badf00d.jsonl --json""",
)
@options.thread
@click.option(
    "--last",
    metavar="N",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="How many questions, from the end.",
)
@common.as_json
def show(named: str | None, last: int, *, as_json: bool) -> None:
    """Show the last questions of a thread with their answers.

    Only the end of the thread is read. `rounds show FILE` draws the whole of it as a session, and tells what in it
    could not be read.
    """
    from accounting.cli.ask.presence import Presence, presence
    from accounting.cli.ask.which import thread_there

    thread = thread_there(named)
    shown = thread.recent(last).shown
    at_it = presence(thread)
    if as_json:
        from accounting.cli.ask.data import ShownThread, is_in_flight
        from wire import encode

        live = at_it is not Presence.nobody and is_in_flight(shown[-1:])
        put(encode(ShownThread(thread=thread.name, path=str(thread.path), shown=shown, live=live)), b"\n")
        return
    from accounting.cli.ask.drawing import draw_thread
    from accounting.cli.screen import screen, show_lines, width_for
    from accounting.clock import system_clock

    console = screen()
    show_lines(console, draw_thread(shown, system_clock(), width_for(console), at_it))
