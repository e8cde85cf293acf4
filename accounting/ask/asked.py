"""When a thread was last asked in, from the end of its file: an answer that is being written is no use of it."""

import os
from pathlib import Path
from typing import Final

from accounting import private
from accounting.ask.moment import moment
from accounting.ask.parse import parse
from wire.ask import AskQuestion
from wire.scalars import TimeMs

_WINDOW: Final = 1 << 16


def last_asked(path: Path) -> TimeMs | None:
    """When the last question of a thread's file was asked; `None` when there is none with a time that reads.

    However long the answer after it is, little of it is held at once. Raises `OSError` when the file cannot be read.
    """
    with os.fdopen(private.open_file(path, os.O_RDONLY), "rb") as file:
        start = file.seek(0, os.SEEK_END)
        begun = b""  # what is there of a line that begins further up
        while start:
            size = min(_WINDOW, start)
            start -= size
            file.seek(start)
            lines = (file.read(size) + begun).split(b"\n")
            begun = lines.pop(0) if start else b""
            for line in reversed(lines):
                if (at := _asked(line)) is not None:
                    return at
    return None


def _asked(line: bytes) -> TimeMs | None:
    if b'"question"' not in line:  # most lines are pieces of an answer
        return None
    times = (moment(event.at) for event in parse(line).events if isinstance(event, AskQuestion))
    return next(times, None)
