"""Claude Code session files, `projects/<slug>/<session>.jsonl`, and those of sub-agents. Spec: foreign.md 3.1."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from accounting.foreign.auditing import unread_fields
from accounting.foreign.claude_code.files import AGENT, source_of
from accounting.foreign.claude_code.reading import read_sessions
from accounting.foreign.claude_code.rows import Line, kind_of, sureness
from accounting.foreign.fidelity import Tally
from accounting.foreign.sample import Sample
from accounting.foreign.session import Reader, Session, Source

__all__ = ["READER", "ClaudeCode"]


class ClaudeCode:
    """The reader of Claude Code's own files."""

    @property
    def name(self) -> str:
        """`claude_code`."""
        return AGENT

    def recognise(self, sample: Sample) -> float:
        """The mean of how surely each row is a line of such a file."""
        if sample.document or not sample.rows:
            return 0.0
        return sum(map(sureness, sample.rows)) / len(sample.rows)

    def find(self, path: Path, sample: Sample | None) -> Iterator[Source]:
        """The session that the file is of."""
        if sample is not None:
            yield source_of(path, sample)

    def read(self, source: Source) -> Iterator[Session]:
        """The session, then its sub-agents."""
        return read_sessions(source)

    def unread(self, source: Source) -> tuple[Tally, ...]:
        """The fields of the main file's lines that are not read, by kind of line."""
        return unread_fields(source.path, Line, kind_of)


READER: Final[Reader] = ClaudeCode()
