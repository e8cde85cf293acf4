"""`rounds ask watch`: an answer as it comes."""

from typing import TYPE_CHECKING

import click

from accounting.cli import options as common
from accounting.cli.ask import options
from accounting.cli.telling import NOT_DONE, tell
from accounting.cli.trouble import Trouble

if TYPE_CHECKING:
    from accounting.ask.thread import AskThread
    from wire.ask import AskState


@click.command(
    epilog="""\b
Examples:
  rounds ask watch
  rounds ask watch --thread harbour
  rounds ask watch --json | jq -j 'select(.t == "chunk").text'""",
)
@options.thread
@common.as_json
@click.pass_context
def watch(ctx: click.Context, named: str | None, *, as_json: bool) -> None:
    """Show the last question of a thread and its answer as it comes, until that is whole.

    Ctrl-C ends the watching, not the answer. With --json it prints the question's records, one a line. The exit code is
    1 when the question failed, was cancelled, or nobody is answering it.
    """
    from accounting.cli.ask.live import watch_answer
    from accounting.cli.ask.which import thread_there

    thread = thread_there(named)
    recent = thread.recent(1)
    if not recent.shown:
        raise Trouble(f"{thread.path}: nothing was asked in this thread")
    ctx.exit(_exit_code(watch_answer(thread, recent.shown[-1], recent.start, as_json=as_json), thread))


def _exit_code(state: "AskState | None", thread: "AskThread") -> int:
    """The exit code for how a question stands; tells that nobody answers it (`None`)."""
    from wire.ask import AskState

    if state is None:
        from accounting.cli.ask.which import called

        cancel = f"rounds ask cancel --thread {called(thread)}"
        tell(f"nobody is answering; `{cancel}` gives the question up, and another may be asked at once")
    return 0 if state is AskState.answered else NOT_DONE
