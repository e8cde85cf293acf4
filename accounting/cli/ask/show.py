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
    from accounting.cli.ask.which import thread_there

    thread = thread_there(named)
    shown = thread.recent(last).shown
    if as_json:
        from accounting.cli.ask.data import ShownThread
        from wire import encode

        put(encode(ShownThread(thread=thread.name, path=str(thread.path), shown=shown)), b"\n")
        return
    from accounting.ask.clock import system_clock
    from accounting.ask.lock_file import live
    from accounting.ask.processes import PROCESSES
    from accounting.cli.ask.drawing import draw_thread, width_for
    from accounting.cli.screen import screen, show_lines

    now = system_clock()
    held = live(thread.lock_path, now, PROCESSES.alive) is not None
    console = screen()
    show_lines(console, draw_thread(shown, now, width_for(console), live=held))
