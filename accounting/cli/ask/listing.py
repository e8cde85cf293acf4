"""`rounds ask list`: the threads there are, and how their last questions stand."""

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from accounting.cli import options as common
from accounting.cli.out import put
from accounting.cli.telling import NOT_DONE, tell
from accounting.cli.trouble import Trouble

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.text import Text

    from accounting.cli.ask.data import ListedThread
    from wire.ask import AskShown

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
@click.pass_context
def list_(ctx: click.Context, directories: tuple[Path, ...], *, as_json: bool) -> None:
    """List threads, the last asked in first: how the last question stands, when it was asked, and what it is.

    DIR is a directory of threads, perhaps another program's. Without one, yours are listed, the kept and the temporary.
    The exit code is 1 when one of the threads cannot be read.
    """
    listed = tuple(map(_listed, _threads(directories)))
    code = 0 if all(one.readable for one in listed) else NOT_DONE
    if as_json:
        from wire import encode

        put(encode(listed), b"\n")
        ctx.exit(code)
    from accounting.cli.screen import screen, show_lines

    console = screen()
    show_lines(console, _table(listed, console.width))
    ctx.exit(code)


def _threads(directories: tuple[Path, ...]) -> list[Path]:
    """The threads of the directories, those of them all together, the last asked in first."""
    from accounting.ask.places import asked_ns, kept_directory, temporary_directory, threads_in

    for directory in directories:
        if not directory.is_dir():
            raise Trouble(f"{directory}: no such directory")
    found: list[tuple[int, Path]] = []
    for directory in directories or (kept_directory(), temporary_directory()):
        for path in threads_in(directory):
            with suppress(FileNotFoundError):  # removed since it was listed
                found.append((-asked_ns(path), path))
    return [path for _, path in sorted(found, key=lambda one: one[0])]


def _listed(path: Path) -> "ListedThread":
    """How a thread stands; tells of one that cannot be read."""
    from accounting.ask.places import is_thread_id
    from accounting.ask.thread import AskThread
    from accounting.cli.ask.data import ListedThread, is_in_flight
    from accounting.cli.ask.presence import Presence, presence

    thread = AskThread(path)
    at_it = Presence.nobody
    shown: tuple[AskShown, ...] = ()
    readable = True
    try:
        at_it = presence(thread)
        shown = thread.recent(1).shown
    except OSError as error:
        readable = False
        tell(f"{error.filename or path}: {error.strerror or error}")
    last = shown[-1] if shown else None
    live = is_in_flight(shown) and at_it is not Presence.nobody
    return ListedThread(
        thread=thread.name,
        path=str(path),
        temporary=is_thread_id(thread.name),
        seq=None if last is None else last.seq,
        at=None if last is None else last.at,
        state=None if last is None else last.state,
        question=None if last is None else last.question,
        live=live,
        worker=live and at_it is Presence.worker,
        readable=readable,
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
        return "empty" if one.readable else "unreadable"
    if one.state not in (AskState.waiting, AskState.answering) or one.worker:
        return one.state.value
    return "no worker" if one.live else "unanswered"
