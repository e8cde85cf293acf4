"""`rounds ask list`: the threads there are, and how their last questions stand."""

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from accounting.cli import options as common
from accounting.cli.out import put
from accounting.cli.trouble import Trouble

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.text import Text

    from accounting.cli.ask.data import ListedThread

_WIDEST_NAME: Final = 24


@click.command(
    "list",
    epilog="""\b
Examples:
  rounds ask list
  rounds ask list ~/.cache/other/ask
  rounds ask list --json | jq -r '.[] | select(.live) | .thread'""",
)
@click.argument("directories", metavar="[DIR]...", nargs=-1, type=click.Path(path_type=Path))
@common.as_json
def list_(directories: tuple[Path, ...], *, as_json: bool) -> None:
    """List threads, the last used first: how the last question stands, when it was asked, and what it is.

    DIR is a directory of threads, perhaps another program's. Without one, yours are listed, the kept and the temporary.
    """
    listed = tuple(_listed(directories))
    if as_json:
        from wire import encode

        put(encode(listed), b"\n")
        return
    from accounting.cli.screen import screen, show_lines

    console = screen()
    show_lines(console, _table(listed, console.width))


def _listed(directories: tuple[Path, ...]) -> "Iterator[ListedThread]":
    from accounting.ask.clock import system_clock
    from accounting.ask.lock_file import live
    from accounting.ask.places import is_thread_id, kept_directory, temporary_directory, threads_in
    from accounting.ask.processes import PROCESSES
    from accounting.ask.thread import AskThread
    from accounting.cli.ask.data import ListedThread
    from wire.ask import AskState

    for directory in directories:
        if not directory.is_dir():
            raise Trouble(f"{directory}: no such directory")
    for directory in directories or (kept_directory(), temporary_directory()):
        for path in threads_in(directory):
            thread = AskThread(path)
            last = next(iter(thread.recent(1).shown), None)
            in_flight = last is not None and last.state in (AskState.waiting, AskState.answering)
            yield ListedThread(
                thread=thread.name,
                path=str(path),
                temporary=is_thread_id(thread.name),
                seq=None if last is None else last.seq,
                at=None if last is None else last.at,
                state=None if last is None else last.state,
                question=None if last is None else last.question,
                live=in_flight and live(thread.lock_path, system_clock(), PROCESSES.alive) is not None,
            )


def _table(listed: "tuple[ListedThread, ...]", width: int) -> "Iterator[Text]":
    from rich.text import Text

    from accounting.ask.moment import moment
    from accounting.cli.draw.lines import DIM, cropped, safe, single, width_of
    from accounting.cli.units import iso

    names = [safe(one.thread) for one in listed]
    column = min(max(map(len, names), default=0), _WIDEST_NAME)
    for one, name in zip(listed, names, strict=True):
        asked = None if one.at is None else moment(one.at)
        line = Text(name.ljust(column), "bold")
        line.append(f"  {_standing(one):<10}", "cyan" if one.live else DIM)
        line.append(f"  {iso(max(asked, 0)) if asked is not None else 'unknown':<20}  ", DIM)
        line.append_text(cropped(single(one.question or ""), max(width - width_of(line), 8)))
        line.rstrip()
        yield line


def _standing(one: "ListedThread") -> str:
    from wire.ask import AskState

    if one.state is None:
        return "empty"
    return "unanswered" if one.state in (AskState.waiting, AskState.answering) and not one.live else one.state.value
