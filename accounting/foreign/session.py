"""What a reader of another agent's files finds and gives back: `Source`, `Session`, and the `Reader` that makes them.

Spec: foreign.md 3, the mapping rules. A session's `records` are in our kinds and payloads; `seq` counts them from 0,
and `places[seq]` says where in the agent's own files each came from.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final, Protocol, runtime_checkable
from uuid import UUID, uuid5

from msgspec import Struct

from accounting.foreign.fidelity import FidelityReport, Tally
from accounting.foreign.outline import Outline
from accounting.foreign.sample import Sample
from accounting.ledger.problem import Place
from wire.record.envelope import Record
from wire.scalars import RunId, run_id

_NAMESPACE: Final = UUID("3f1c5f0a-6b7e-5d0c-9c52-8a6d4b0e7f21")


class Source(Struct, frozen=True, kw_only=True):
    """What was found on disk: the files of one session, not read yet."""

    agent: str
    """Name of the reader that knows the format, as `claude_code`."""
    path: Path
    """The main file, or the directory where a session is a tree."""
    beside: tuple[Path, ...] = ()
    """Further files of the same session (sub-agents, say), in name order."""
    run: RunId | None = None
    """The session's run, where the file's name or first rows tell it cheaply; null when only reading will tell."""
    within: str | None = None
    """The agent's own id of the one session that is meant, where `path` holds many (a database); null otherwise."""


class Session(Struct, frozen=True, kw_only=True):
    """One session of another agent as our records, and beside them whatever the records have no field for."""

    run: RunId
    """The run: the agent's session id when it is a uuid, else made from agent and id."""
    agent: str
    """Name of the reader, as `claude_code`."""
    id: str
    """The agent's own id of the session; for a sub-agent also what tells it from its parent."""
    parent: RunId | None = None
    """The run that started this one; null for a session that a person started, and where it is not known."""
    started_by: str | None = None
    """Id of the call in the parent that started this run; null where it is not known."""
    records: tuple[Record, ...]
    """The session as ledger records, `seq` from 0 without a gap."""
    places: tuple[Place, ...]
    """Where each record came from; as many as records. A record drawn from several rows names the first."""
    report: FidelityReport
    """What was mapped, derived, dropped and damaged."""
    outline: Outline
    """The session report: branches, compactions, refusals, and the standing of every figure."""
    stream: bool = False
    """Whether it is what the agent printed while it ran, of which there may be a session file too.

    Such a record of a session knows less of each request: it may lack the times, the task and what names a request.
    """

    @property
    def has_times(self) -> bool:
        """Whether any row has a time; otherwise each record's is 0, which is no moment in 1970 but stands for none."""
        return any(record.t for record in self.records)


class Reader(Protocol):
    """How one agent's files are read. A module gives one as its `READER`; see docs/foreign-readers.md."""

    @property
    def name(self) -> str:
        """The agent's name: a lower-case word, unique in the registry."""
        ...

    def recognise(self, sample: Sample) -> float:
        """How sure it is that a file is its own, from 0 (not at all) to 1: about the share of rows it knows as its own.

        It looks at several rows and at what only this format has; a file name alone is never enough.
        """
        ...

    def find(self, path: Path, sample: Sample | None) -> Iterator[Source]:
        """The sources that a path holds, in a fixed order.

        `sample` is that of a file that `recognise` knew. It is `None` for a directory: then only a format whose
        sessions are whole trees gives anything, since the files in a directory are offered one by one.
        """
        ...

    def read(self, source: Source) -> Iterator[Session]:
        """The sessions of a source: the main one first, then its sub-agents, each after the one that started it.

        Raises `OSError` for a file that cannot be read, and nothing else, whatever the file holds.
        """
        ...


@runtime_checkable
class Audited(Protocol):
    """A reader that can also say which fields it does not read."""

    def unread(self, source: Source) -> tuple[Tally, ...]:
        """The fields of a source's rows that are not read, as dropped tallies. Raises `OSError`, and nothing else."""
        ...


def run_of(agent: str, own: str) -> RunId:
    """The run of a session that its agent calls `own`: that id when it is a uuid, else one made from agent and id."""
    own = own.encode(errors="replace").decode()  # half a surrogate pair has no bytes
    known = run_id(own.lower())
    if known is not None:
        return known
    made = run_id(str(uuid5(_NAMESPACE, f"{agent}:{own}")))
    assert made is not None
    return made
