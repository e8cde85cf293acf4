"""WorkBuddy and CodeBuddy transcripts, `projects/<slug>/<session>.jsonl`, in both dialects. Spec: dispatch.md 2.4."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from accounting.foreign.auditing import unread_fields
from accounting.foreign.fidelity import Tally
from accounting.foreign.sample import Sample
from accounting.foreign.session import Reader, Session, Source, run_of
from accounting.foreign.workbuddy.reading import is_sub, main_of, own_id, read_sessions, sub_id
from accounting.foreign.workbuddy.rows import Row, kind_of, sureness
from accounting.foreign.workbuddy.transcript import AGENT

__all__ = ["READER", "WorkBuddy"]


class WorkBuddy:
    """The reader of both programs' transcripts."""

    @property
    def name(self) -> str:
        """`workbuddy`."""
        return AGENT

    def recognise(self, sample: Sample) -> float:
        """The mean of how surely each row is of such a transcript."""
        return sum(map(sureness, sample.rows)) / len(sample.rows) if sample.rows else 0.0

    def find(self, path: Path, sample: Sample | None) -> Iterator[Source]:
        """The session that the file is of, with its sub-agents' files."""
        if sample is None:
            return
        stated = next((own for row in sample.rows if isinstance(own := row.get("sessionId"), str)), None)
        if is_sub(path):
            yield Source(agent=AGENT, path=path, run=run_of(AGENT, sub_id(path, stated, main_of(path))))
            return
        beside = tuple(sorted((path.with_suffix("") / "subagents").glob("agent-*.jsonl")))
        yield Source(agent=AGENT, path=path, beside=beside, run=run_of(AGENT, own_id(path, stated)))

    def read(self, source: Source) -> Iterator[Session]:
        """The session, then its sub-agents."""
        return read_sessions(source)

    def unread(self, source: Source) -> tuple[Tally, ...]:
        """The fields of the main file's rows that are not read, by kind of row."""
        return unread_fields(source.path, Row, kind_of)


READER: Final[Reader] = WorkBuddy()
