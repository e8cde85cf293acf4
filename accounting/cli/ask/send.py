"""`rounds ask send`: a question put to a thread."""

import os
from typing import TYPE_CHECKING

import click

from accounting.cli import options as common
from accounting.cli.ask import options
from accounting.cli.out import put
from accounting.cli.reading import standard_input
from accounting.cli.telling import NOT_DONE, tell
from accounting.cli.trouble import Trouble

if TYPE_CHECKING:
    from accounting.ask.send import Sent
    from accounting.ask.thread import AskThread


@click.command(
    epilog="""\b
Examples:
  rounds ask send --provider 'claude -p' 'Where is the port set?'
  rounds ask send --thread harbour --focus 019a2b5e 'Why did it stop?'
  git diff | rounds ask send -""",
)
@click.argument("text", metavar="TEXT")
@options.thread
@options.temporary
@options.provider
@options.focus
@common.as_json
@click.pass_context
def send(
    ctx: click.Context,
    text: str,
    named: str | None,
    command: str | None,
    focus: str | None,
    *,
    temporary: bool,
    as_json: bool,
) -> None:
    """Ask a question, and return while it is being answered: `rounds ask watch` shows the answer.

    TEXT is the question, or - for standard input. A thread answers one question at a time: while it does, another is
    refused. A temporary thread belongs to the shell that asked, and is swept once that is gone.
    """
    from accounting.ask.send import send as put_to
    from accounting.cli.ask.config import provider_meant
    from accounting.cli.ask.which import asked_thread, called

    question = standard_input("the question").decode(errors="replace") if text == "-" else text
    provider = provider_meant(command)
    thread = asked_thread(named, os.getppid(), temporary=temporary)
    sent = put_to(thread, question, provider=provider, focus=focus)
    why = refusal(sent, thread)
    if as_json:
        from accounting.cli.ask.data import SentQuestion
        from wire import encode

        told = SentQuestion(thread=thread.name, path=str(thread.path), outcome=sent.outcome, seq=sent.seq)
        put(encode(told), b"\n")
    elif why is None:
        watch = f"rounds ask watch --thread {called(thread)}"
        put(f"{thread.name} {sent.seq}: being answered; `{watch}` shows it\n".encode(errors="replace"))
    else:
        tell(why)
    ctx.exit(0 if why is None else NOT_DONE)


def refusal(sent: "Sent", thread: "AskThread") -> str | None:
    """Why a question is not being answered; `None` when it is. Raises `Trouble` for a blank one."""
    from accounting.ask.send import SendOutcome
    from accounting.cli.ask.which import called

    name, which = thread.name, f"--thread {called(thread)}"
    match sent.outcome:
        case SendOutcome.sent:
            return None
        case SendOutcome.locked:
            return (
                f"{name}: an earlier question is being answered; `rounds ask watch {which}` shows it,"
                f" `rounds ask cancel {which}` gives it up"
            )
        case SendOutcome.empty:
            raise Trouble("the question is blank")
        case SendOutcome.no_provider:
            return f"{name}: nobody answers: name a command with --provider, for example 'claude -p', or in ask.toml"
        case SendOutcome.spawn_failed:
            return f"{name}: no worker could be started; question {sent.seq} waits: cancel it, or ask again"
        case SendOutcome.nested:
            return "this is a provider's own call: it asks nothing"
