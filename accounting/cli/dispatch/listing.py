"""`rounds dispatch list`: the runs there are."""

from typing import TYPE_CHECKING, Final

import click

from accounting.cli import options as common
from accounting.cli.dispatch import options
from accounting.cli.out import put
from accounting.cli.telling import NOT_DONE, tell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.text import Text

    from wire.dispatch import DispatchJournal

_LEAST_TASK: Final = 16
"""How many columns a task has to have on the line of its run; else it goes below."""
STATES: Final = ("queued", "running", "succeeded", "failed", "cancelled", "unknown")
"""What a run may be, to choose from: all of `DispatchState`, which help is not to be kept waiting for."""


@click.command(
    "list",
    epilog="""\b
Examples:
  rounds dispatch list
  rounds dispatch list --state running --state unknown
  rounds dispatch list --json | jq -r '.runs[] | select(.state == "failed") | .runId'""",
)
@click.option("--limit", metavar="N", type=click.IntRange(min=1), help="Only the newest N.")
@click.option("--state", "states", multiple=True, type=click.Choice(STATES), help="Only runs that stand so.")
@common.as_json
@click.pass_context
def list_(ctx: click.Context, limit: int | None, states: tuple[str, ...], *, as_json: bool) -> None:
    """List runs, the newest first: how each stands now, its agent, when it was written down, and its task.

    The exit code is 1 when a journal does not read.
    """
    with options.dispatching():
        from accounting.cli.dispatch.which import own_store
        from accounting.dispatch.listing import list_runs
        from wire.dispatch import DispatchList

        listed = list_runs(own_store(), limit=None if states else limit)
        if states:
            runs = tuple(one for one in listed.runs if one.state in states)[:limit]
            listed = DispatchList(runs=runs, unreadable=listed.unreadable)
        if as_json:
            from wire import encode

            put(encode(listed), b"\n")
        else:
            from accounting.cli.screen import screen, show_lines

            console = screen()
            show_lines(console, draw_list(listed.runs, console.width))
            for one in listed.unreadable:
                tell(f"{one.path}: this journal does not read: {one.message}")
        ctx.exit(NOT_DONE if listed.unreadable else 0)


def draw_list(runs: "tuple[DispatchJournal, ...]", width: int) -> "Iterator[Text]":
    """The runs: a line each where there is room for its task, else a few."""
    from rich.text import Text

    from accounting.cli.dispatch.drawing import STYLES
    from accounting.cli.draw.lines import DIM, MARGIN, cropped, flow, indented, safe, single, width_of
    from accounting.cli.units import iso

    profiles = [safe(one.profile) for one in runs]
    column = max(map(len, profiles), default=0)
    for one, profile in zip(runs, profiles, strict=True):
        when = iso(one.created_at)
        line = Text(one.run_id, "bold")
        line.append(f"  {one.state:<9}", STYLES[one.state])
        line.append(f"  {one.kind:<6}  {profile:<{column}}  {when}  ", DIM)
        left = width - width_of(line)
        if left >= _LEAST_TASK:
            line.append_text(cropped(single(one.task), left))
            line.rstrip()
            yield line
            continue
        facts = (Text(one.run_id, "bold"), Text(one.state, STYLES[one.state]), Text(one.kind, DIM), Text(profile, DIM))
        first, *more = flow((*facts, Text(when, DIM)), width - MARGIN)
        yield first
        yield from (indented(each, MARGIN) for each in (*more, cropped(single(one.task), width - MARGIN)))
