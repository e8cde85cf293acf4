"""Ask threads among the sessions that are read: whose file it is, and handing it to `accounting.ask`. Spec: asks.md.

Threads of our own, and those that another program keeps in the same format.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from accounting.ask.places import thread_name
from accounting.ask.session import AGENT, thread_session
from accounting.foreign.sample import Sample
from accounting.foreign.session import Reader, Session, Source, run_of
from wire.scalars import JsonObject

__all__ = ["READER", "Asks"]

_NEEDED: Final[dict[object, tuple[str, ...]]] = {
    "meta": ("runId", "startedAt"),
    "question": ("seq", "text"),
    "chunk": ("seq", "text"),
    "end": ("seq", "at"),
    "aborted": ("seq", "at"),
    "error": ("seq", "message"),
}
"""What stands beside each word of `t`."""


class Asks:
    """The reader of threads."""

    @property
    def name(self) -> str:
        """`ask`."""
        return AGENT

    def recognise(self, sample: Sample) -> float:
        """The share of the rows that are records of a thread."""
        return sum(map(_is_event, sample.rows)) / len(sample.rows) if sample.rows else 0.0

    def find(self, path: Path, sample: Sample | None) -> Iterator[Source]:
        """The thread that the file is."""
        if sample is not None:
            yield Source(agent=AGENT, path=path, run=run_of(AGENT, thread_name(path)))

    def read(self, source: Source) -> Iterator[Session]:
        """The thread as a session."""
        yield thread_session(source.path.read_bytes(), thread_name(source.path), str(source.path))


def _is_event(row: JsonObject) -> bool:
    word = row.get("t")
    needed = _NEEDED.get(word) if isinstance(word, str) else None
    return needed is not None and all(key in row for key in needed)


READER: Final[Reader] = Asks()
