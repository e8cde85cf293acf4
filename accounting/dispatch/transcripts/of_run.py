"""The session file of a dispatched run, and what of the run can be read. Spec: dispatch.md 2.2, 2.4."""

from pathlib import Path
from typing import Final

from msgspec import Struct

from accounting.clock import system_clock
from accounting.dispatch.errors import DispatchTroubleError
from accounting.dispatch.store import RunStore
from accounting.dispatch.transcripts.evidence import evidence
from accounting.dispatch.transcripts.places import is_file, session_file
from accounting.foreign.registry import recognise
from wire.dispatch import TERMINAL, DispatchJournal, TranscriptSummary

_PRINTED: Final = "claude_stream"
"""The reader of what agents print."""


class NothingWrittenError(DispatchTroubleError):
    """There is nothing to read of a run."""


class RunFile(Struct, frozen=True, kw_only=True):
    """Where a run can be read."""

    path: Path
    """The file."""
    agent: str | None
    """The reader of it; `None` where the file tells."""


def run_file(store: RunStore, journal: DispatchJournal) -> RunFile:
    """The file to read a run from.

    The agent's own session file, which knows the times and the task, when it is there and a reader knows it; else what
    the agent printed. Raises `NothingWrittenError`, and says why, when there is neither.
    """
    try:
        session = session_path_of(journal)
        if session is not None and recognise(session) is not None:
            return RunFile(path=session, agent=None)
    except OSError:  # it may not be ours to read; what the agent printed is
        pass
    printed = store.stream_path(journal.run_id)
    if printed.is_file() and printed.stat().st_size:
        # Warnings may stand before the first event, so that the file alone need not tell what it is.
        return RunFile(path=printed, agent=_PRINTED)
    why = "" if journal.error is None else f" ({journal.error.message})"
    yet = "" if journal.state in TERMINAL else " yet"
    raise NothingWrittenError(f"{journal.run_id} is {journal.state}{why}; its agent has written nothing{yet}")


def session_path_of(journal: DispatchJournal) -> Path | None:
    """The session file of a run, when it is there.

    The journal's `sessionFile` was written down before the agent made it; when it is not there, the agent's own
    directory is searched for the session's id.
    """
    named = None if journal.session_file is None else Path(journal.session_file)
    if named is not None and is_file(named):
        return named
    if journal.session_id is None or journal.configuration is None:
        return None
    found = session_file(Path(journal.configuration), journal.workspace, journal.session_id)
    return Path(found) if found is not None and is_file(Path(found)) else None


def transcript_of(journal: DispatchJournal) -> TranscriptSummary | None:
    """What the session file of a run shows of it; `None` when there is none, or it cannot be read."""
    try:
        path = session_path_of(journal)
        return None if path is None else evidence(path, journal, system_clock())
    except OSError:
        return None
