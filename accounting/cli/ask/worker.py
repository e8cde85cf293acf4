"""`rounds ask worker`, hidden: what answers one question, and ends. `accounting.ask.spawn` starts it."""

from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

if TYPE_CHECKING:
    from wire.scalars import IsoTime


@click.command(hidden=True)
@click.argument("thread", type=click.Path(path_type=Path))
@click.option("--seq", required=True, type=click.IntRange(min=1), help="The question.")
@click.option("--taken", required=True, help="By which the lock is known that it works under.")
@click.option("--notify", help="Whom to tell as the answer grows: the path of a datagram socket.")
def worker(thread: Path, seq: int, taken: str, notify: str | None) -> None:
    """Answer one question of a thread. Not for people: a thread's sender starts it."""
    from accounting.ask.worker import work

    work(thread, seq, cast("IsoTime", taken), notify)
