"""What `claude -p` writes with `--output-format stream-json` or `json`: lines, or one array. Spec: foreign.md 3.2.

A stream names no prompt, so a session has no task; what it cost is told once for all of it and stands in the totals.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from accounting.foreign.auditing import unread_fields
from accounting.foreign.claude_stream.reading import AGENT, read_sessions
from accounting.foreign.claude_stream.rows import Event, kind_of, sureness
from accounting.foreign.fidelity import Tally
from accounting.foreign.sample import Sample
from accounting.foreign.session import Reader, Session, Source, run_of

__all__ = ["READER", "ClaudeStream"]


class ClaudeStream:
    """The reader of the stream."""

    @property
    def name(self) -> str:
        """`claude_stream`."""
        return AGENT

    def recognise(self, sample: Sample) -> float:
        """The mean of how surely each event is of such a stream."""
        return sum(map(sureness, sample.rows)) / len(sample.rows) if sample.rows else 0.0

    def find(self, path: Path, sample: Sample | None) -> Iterator[Source]:
        """The sessions of the stream, as one source."""
        if sample is not None:
            told = (row.get("session_id") for row in sample.rows if row.get("subtype") in ("init", "success"))
            own = next((id_ for id_ in told if isinstance(id_, str)), None)
            yield Source(agent=AGENT, path=path, run=None if own is None else run_of(AGENT, own))

    def read(self, source: Source) -> Iterator[Session]:
        """The sessions, each followed by its sub-agents."""
        return read_sessions(source.path)

    def unread(self, source: Source) -> tuple[Tally, ...]:
        """The fields of the events that are not read, by kind of event; of a file of lines."""
        return unread_fields(source.path, Event, kind_of)


READER: Final[Reader] = ClaudeStream()
