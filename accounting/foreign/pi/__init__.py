"""pi session files, `sessions/--<cwd>--/<time>_<id>.jsonl`, versions 1 to 3. Spec: foreign.md 3.6."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from accounting.foreign.objects import without_surrogates
from accounting.foreign.pi.rows import sureness
from accounting.foreign.pi.transcript import Transcript
from accounting.foreign.pi.turns import AGENT, named_after
from accounting.foreign.sample import Sample
from accounting.foreign.session import Reader, Session, Source, run_of
from wire.scalars import run_id

__all__ = ["READER", "Pi"]


class Pi:
    """The reader of pi's own files."""

    @property
    def name(self) -> str:
        """`pi`."""
        return AGENT

    def recognise(self, sample: Sample) -> float:
        """The mean of how surely each row is a line of such a file."""
        if not sample.rows:
            return 0.0
        return sum(map(sureness, sample.rows)) / len(sample.rows)

    def find(self, path: Path, sample: Sample | None) -> Iterator[Source]:
        """The session that the file is of."""
        if sample is None:
            return
        stated = (row.get("id") for row in sample.rows if row.get("type") == "session")
        own = next((own for own in stated if isinstance(own, str) and own), None)
        if own is None and run_id(named_after(path.name).lower()) is not None:
            own = named_after(path.name)
        yield Source(agent=AGENT, path=path, run=None if own is None else run_of(AGENT, without_surrogates(own)[0]))

    def read(self, source: Source) -> Iterator[Session]:
        """The session. A session that branched off another is one of its own; the outline tells what it copied."""
        yield Transcript(source.path).session()


READER: Final[Reader] = Pi()
