"""OpenCode sessions: the storage tree, the SQLite database, and the server's events as lines. Spec: foreign.md 3.5."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from accounting.foreign.fidelity import Fidelity
from accounting.foreign.opencode.conversation import Conversation
from accounting.foreign.opencode.database import database_sources, is_database, is_sqlite, read_database
from accounting.foreign.opencode.events import read_events
from accounting.foreign.opencode.family import in_families
from accounting.foreign.opencode.kept import KeptSession
from accounting.foreign.opencode.rows import AGENT
from accounting.foreign.opencode.sniffing import is_message, is_session, sureness
from accounting.foreign.opencode.tree import read_tree, source_of, tree_sources
from accounting.foreign.sample import Sample, take_sample
from accounting.foreign.session import Reader, Session, Source

__all__ = ["READER", "OpenCode"]

_ENOUGH: Final = 0.3


class OpenCode:
    """The reader of OpenCode's own files and events."""

    @property
    def name(self) -> str:
        """`opencode`."""
        return AGENT

    def recognise(self, sample: Sample) -> float:
        """The mean of how surely each row is OpenCode's; for a database, whether it has the tables."""
        if is_database(sample):
            return 1.0
        sure = [sureness(row) for row in sample.rows]
        mean = sum(sure) / len(sure) if sure else 0.0
        return mean if mean >= _ENOUGH else 0.0

    def find(self, path: Path, sample: Sample | None) -> Iterator[Source]:
        """The sessions of a database, of a tree or of one file of it; of a stream the stream."""
        if sample is None:
            yield from tree_sources(path)
        elif is_sqlite(sample):
            yield from database_sources(path)
        elif _is_tree_file(sample):
            yield from source_of(path)
        else:
            yield Source(agent=AGENT, path=path)

    def read(self, source: Source) -> Iterator[Session]:
        """The session, then its sub-agents; of a stream every session in it."""
        if source.path.is_dir() or (source.run is not None and source.within is None):
            found = list(read_tree(source))
        elif source.within is not None or is_sqlite(take_sample(source.path)):
            found = list(read_database(source))
        else:
            found = _streamed(source.path)
        yield from in_families([Conversation(kept, fidelity) for kept, fidelity in found])


def _is_tree_file(sample: Sample) -> bool:
    return len(sample.rows) == 1 and any(is_session(row) or is_message(row) for row in sample.rows)


def _streamed(path: Path) -> list[tuple[KeptSession, Fidelity]]:
    """The sessions of a stream; what is told of the file as a whole is told with the first."""
    fidelity = Fidelity(AGENT, str(path))
    sessions = list(read_events(path, fidelity).values()) or [KeptSession(path.stem)]
    owns = {session.id for session in sessions}
    sessions.sort(key=lambda session: session.info.parent_id in owns)
    return [(session, Fidelity(AGENT, str(path)) if number else fidelity) for number, session in enumerate(sessions)]


READER: Final[Reader] = OpenCode()
