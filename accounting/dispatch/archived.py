"""Which session is archived: a dispatched run's, or one that an agent keeps, by its id. Spec: dispatch.md 2.5."""

from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

from accounting.clock import system_clock
from accounting.dispatch.agents import session_named
from accounting.dispatch.archive import archive
from accounting.dispatch.errors import DispatchTroubleError
from accounting.dispatch.observe import observe
from accounting.dispatch.store import RunStore
from accounting.dispatch.transcripts.of_run import session_path_of
from wire.dispatch import ArchiveManifest, Toolkit
from wire.scalars import DispatchId


class NoSessionError(DispatchTroubleError):
    """A run has no session file that could be archived."""


def archive_run(store: RunStore, run: DispatchId, project: str) -> ArchiveManifest:
    """Archive the session of a run, as it is now, and answer what was copied.

    Raises `NoSessionError`; `UnknownRunError`, `CorruptJournalError`, `RunBusyError`; and as `archive` does.
    """
    journal = observe(store, run)
    path = session_path_of(journal)
    if path is None or journal.session_id is None or journal.configuration is None:
        raise NoSessionError(
            f"{run} is {journal.state}, and its agent's own session file is not there; what the agent printed is in"
            f" {store.stream_path(run)}"
        )
    return archive(
        path,
        session_id=journal.session_id,
        project=project,
        configuration=Path(journal.configuration),
        run_id=run,
        now=system_clock(),
        toolkit=_toolkit(),
    )


def archive_session(session_id: str, project: str, environ: Mapping[str, str] | None = None) -> ArchiveManifest:
    """Archive a session of any agent that has a profile, by its whole id. `None` is this environment.

    Raises `NoSuchSessionError` (`accounting.dispatch.transcripts.sessions`), and as `archive` does.
    """
    place = session_named(session_id, environ)
    return archive(
        place.path,
        session_id=session_id,
        project=project,
        configuration=place.configuration,
        now=system_clock(),
        toolkit=_toolkit(),
    )


def _toolkit() -> Toolkit:
    return Toolkit(name="rounds", version=version("rounds"))
