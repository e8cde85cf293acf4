"""What `codex exec --json` writes: a stream of items without times. Spec: foreign.md 3.3.

The stream tells the tokens of one of Codex's own turns in one sum, and not the requests in it: such a turn is one turn.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from accounting.foreign.auditing import unread_fields
from accounting.foreign.codex_exec.rows import Event, is_row, kind_of, sureness
from accounting.foreign.codex_exec.stream import AGENT, Stream
from accounting.foreign.fidelity import Tally
from accounting.foreign.outline import Outline
from accounting.foreign.rows import rows
from accounting.foreign.sample import Sample
from accounting.foreign.session import Reader, Session, Source, run_of

__all__ = ["READER", "CodexExec"]


class CodexExec:
    """The reader of the stream."""

    @property
    def name(self) -> str:
        """`codex_exec`."""
        return AGENT

    def recognise(self, sample: Sample) -> float:
        """The mean of how surely each row is a line of such a stream."""
        return sum(map(sureness, sample.rows)) / len(sample.rows) if sample.rows else 0.0

    def find(self, path: Path, sample: Sample | None) -> Iterator[Source]:
        """The session that the stream is of."""
        if sample is not None:
            told = (row.get("thread_id") for row in sample.rows if row.get("type") == "thread.started")
            own = next((id_ for id_ in told if isinstance(id_, str)), None)
            yield Source(agent=AGENT, path=path, run=None if own is None else run_of(AGENT, own))

    def unread(self, source: Source) -> tuple[Tally, ...]:
        """The fields of its lines that are not read."""
        return unread_fields(source.path, Event, kind_of)

    def read(self, source: Source) -> Iterator[Session]:
        """The session."""
        stream = Stream(source.path)
        for event, place in rows(source.path, Event, stream.fidelity, is_row=is_row):
            stream.read(event, place)
        stream.finish()
        if stream.began is not None:
            stream.draft.start(*stream.began)
        yield stream.draft.session(
            AGENT,
            stream.id,
            Outline(
                turns=stream.standings(),
                failed_requests=tuple(stream.failures),
                stops=tuple(stream.stops),
            ),
            stream=True,
        )


READER: Final[Reader] = CodexExec()
