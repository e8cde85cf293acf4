"""Sessions of other agents, read as ledger records that the same fold takes. Spec: foreign.md.

from accounting.foreign import read
from accounting.views.rounds import rounds

session = read("~/.claude/projects/-home-me-shop/4f0c….jsonl")
answer = rounds(session.records, session.run).answer
session.places[answer.turns[0].opened]      # file, line and byte offset of a turn's first row
session.outline, session.report             # what the answer has no field for, and how faithfully it was read
"""

import os
from collections.abc import Iterator
from pathlib import Path

from accounting.foreign.fidelity import FidelityReport, Tally
from accounting.foreign.outline import Outline
from accounting.foreign.registry import NotForeignError, UnknownAgentError, reader, readers, sources
from accounting.foreign.session import Audited, Reader, Session, Source, run_of

__all__ = [
    "Audited",
    "FidelityReport",
    "NotForeignError",
    "Outline",
    "Reader",
    "Session",
    "Source",
    "UnknownAgentError",
    "read",
    "read_source",
    "readers",
    "run_of",
    "sessions",
    "sources",
    "unread",
]


def read(path: str | os.PathLike[str], agent: str | None = None, *, audit: bool = False) -> Session:
    """The session that a path holds: the main one, and of several the first.

    `agent` names the reader instead of letting the file tell. With `audit` the report's tallies also tell of the fields
    that the reader does not read (`unread`), at the cost of a pass of its own over the file. Raises `NotForeignError`
    when no reader knows it, `UnknownAgentError`, and `OSError`; never for what the file holds.
    """
    where = Path(path).expanduser()
    for session in sessions(where, agent, audit=audit):
        return session
    raise NotForeignError(where, tuple(one.name for one in readers()))


def sessions(path: str | os.PathLike[str], agent: str | None = None, *, audit: bool = False) -> Iterator[Session]:
    """Every session that a file or directory holds, sub-agents after what started them. Raises as `read` does."""
    for source in sources(Path(path).expanduser(), agent):
        yield from read_source(source, audit=audit)


def unread(source: Source) -> tuple[Tally, ...]:
    """The fields of a source's rows that its reader does not read, to be put beside `report.tallies`.

    It takes a pass of its own over the file. Nothing for a reader that does not offer it. Raises `OSError`.
    """
    asked = reader(source.agent)
    return asked.unread(source) if isinstance(asked, Audited) else ()


def read_source(source: Source, *, audit: bool = False) -> Iterator[Session]:
    """The sessions of one source. Raises `OSError` when it cannot be read.

    With `audit` the report of the first one also tells of the fields that no session's records are drawn from.
    """
    found = reader(source.agent).read(source)
    if not audit:
        return found
    from accounting.foreign.audited import audited

    return audited(found, unread(source))
