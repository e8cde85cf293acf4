"""`rounds dispatch start`: work given to an agent."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from accounting.cli import options as common
from accounting.cli.dispatch import options
from accounting.cli.reading import as_text, standard_input
from accounting.cli.telling import tell
from accounting.cli.trouble import Trouble

if TYPE_CHECKING:
    from wire.dispatch import DispatchJournal
    from wire.scalars import AbsolutePath


@click.command(
    epilog="""\b
Examples:
  rounds dispatch start --profile claude_code --workspace . 'Fix the tide table.'
  rounds dispatch start --profile workbuddy --workspace ~/harbour --review --wait 600 'What leaks?'
  rounds dispatch start --profile claude_code --workspace . --key nightly-2026-09-01 - < task.md""",
)
@click.argument("task", metavar="[TASK]", required=False)
@click.option("--profile", required=True, metavar="NAME", help="Which agent: `rounds dispatch doctor` lists them.")
@click.option(
    "--workspace",
    required=True,
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="The directory the agent works in.",
)
@click.option("--review", is_flag=True, help="It may read and must not edit.")
@click.option(
    "--key",
    metavar="KEY",
    help="One run for each KEY: where it named one before, that one is the answer, and nothing is started.",
)
@click.option(
    "--task-file", "file", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path), help="What is to be done."
)
@click.option("--wait", "wait_ms", metavar="SECONDS", type=options.seconds, help="Wait for its end, so long at most.")
@common.as_json
@click.pass_context
def start(
    ctx: click.Context,
    task: str | None,
    profile: str,
    workspace: Path,
    key: str | None,
    file: Path | None,
    wait_ms: int | None,
    *,
    review: bool,
    as_json: bool,
) -> None:
    """Start an agent on a task, and return once its session is known, after 8 seconds at the latest.

    TASK says what is to be done; - reads it from standard input. The agent may edit within the workspace, or with
    --review only read; a profile that would turn its permission checks off is refused. It goes on when this command
    ends.

    The exit code is 1 when the run has ended otherwise than well, also one that KEY named before; with --wait it is
    that of `rounds dispatch wait`.
    """
    with options.dispatching():
        from msgspec import UNSET

        from accounting.cli.dispatch.held_back import held_back
        from accounting.cli.dispatch.outcome import exit_code, standing, tell_run
        from accounting.cli.dispatch.waiting import session_known, waited
        from accounting.cli.dispatch.which import own_store
        from accounting.dispatch.dispatching import dispatch
        from accounting.dispatch.start import StartRequest
        from wire.dispatch import TERMINAL, DispatchKind

        request = StartRequest(
            profile=profile,
            kind=DispatchKind.review if review else DispatchKind.run,
            workspace=_directory(workspace),
            task=_task(task, file),
            key=key,
        )
        store = own_store()
        journal: DispatchJournal | None = None
        try:
            # Broken off between writing down and starting, a run would be unknown for good, and its key be spent.
            with held_back():
                journal = dispatch(request, store=store, wait_ms=0)
            if journal.idempotent_replay is UNSET:
                journal = session_known(store, journal.run_id)
        except KeyboardInterrupt:
            if journal is not None:
                tell(standing(journal))
            raise
        _tell_replay(journal)
        if wait_ms is not None and journal.state not in TERMINAL:
            journal = waited(store, journal.run_id, wait_ms)
        tell_run(store, journal, as_json=as_json)
        ctx.exit(exit_code(journal, waited=wait_ms is not None))


def _directory(workspace: Path) -> "AbsolutePath":
    """The directory that is meant, there or not: a key is answered also when it is gone."""
    from accounting.dispatch.homes import from_root
    from wire.scalars import absolute_path

    directory = absolute_path(os.path.realpath(from_root(workspace)))
    assert directory is not None
    return directory


def _task(text: str | None, file: Path | None) -> str:
    if (text is None) == (file is None):
        raise Trouble("give the task in words, as - for standard input, or with --task-file, one of them")
    if file is not None:
        return as_text(file.read_bytes(), str(file), "the task")
    return as_text(standard_input("the task"), "standard input", "the task") if text == "-" else text or ""


def _tell_replay(journal: "DispatchJournal") -> None:
    from msgspec import UNSET

    if journal.idempotent_replay is UNSET:
        return
    differs = () if journal.replay_differs is UNSET else journal.replay_differs
    another = f", which was asked for with another {', '.join(differs)}" if differs else ""
    tell(f"the key names {journal.run_id} already{another}; nothing was started")
