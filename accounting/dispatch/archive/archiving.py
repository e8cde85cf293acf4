"""Archiving a session: its file and its sub-agents' are copied, then placed, and the manifest last.

The manifest is what makes an archive whole. Copies without one are of somebody who was killed: they count for nothing,
but that equal ones are not copied twice. Spec: dispatch.md 2.5.
"""

import errno
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from accounting import private
from accounting.dispatch.archive.copying import copy
from accounting.dispatch.archive.errors import ArchiveError
from accounting.dispatch.archive.index import held_index
from accounting.dispatch.archive.names import check_name
from accounting.dispatch.archive.placing import find, place
from accounting.dispatch.archive.stage import refuse_link, stage
from accounting.dispatch.archive.taken import Origin, Taken
from accounting.foreign.objects import without_surrogates
from wire.dispatch import ArchiveIndexLine, ArchiveManifest, Toolkit
from wire.scalars import AbsolutePath, DispatchId, TimeMs, absolute_path

DIRECTORY: Final = "session-archive"
"""Where the archive is, below the agent's own directory."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_SUBAGENTS: Final = "subagents"
_ENDING: Final = ".jsonl"


def archive(
    session: Path,
    *,
    session_id: str,
    project: str,
    configuration: Path,
    run_id: DispatchId | None = None,
    now: TimeMs,
    toolkit: Toolkit,
) -> ArchiveManifest:
    """Copy a session, as it is now, to `<configuration>/session-archive/<local date>/<project>/`, and put it down.

    `session` is its file, `<session_id>.jsonl`; its sub-agents' are taken along. What was archived that day with the
    same content is not archived again: its manifest is the answer. `run_id` is the dispatched run it is of.

    Raises `ArchiveNameError` for a project or an id that is no single name, `ArchiveError` for an id that is not whole,
    `SourceChangedError` when a file was cut or replaced while it was copied, `ArchiveBusyError` when another process
    has been archiving for a minute, and `OSError` when something cannot be read or written. Nothing is left then, but
    where the index alone could not be added to: the next archiving adds the line.
    """
    check_name("project", project)
    check_name("session id", session_id)
    session, configuration = session.absolute(), configuration.absolute()
    if session.name != f"{session_id}{_ENDING}":
        raise ArchiveError(f"{session} is not the file of the session {session_id!r}: give the id whole")
    for path in (session, configuration):
        if not path.exists():
            raise FileNotFoundError(errno.ENOENT, "nothing is there to archive", str(path))
    root = configuration / DIRECTORY
    directory = root / _local_date(now) / project
    spelled = _spelled(directory)
    origin = Origin(
        session_id=session_id,
        project=project,
        path=_spelled(session),
        directory=spelled,
        archived_at=now,
        run_id=run_id,
        toolkit=toolkit,
    )
    for path in (directory.parent, directory):
        refuse_link(path)
    private.make_directory(root)
    with held_index(root) as index, stage(root) as staging:
        taken = _take(session, origin, staging)
        manifest = find(directory, taken)
        if manifest is None:
            manifest = place(directory, taken, staging)
        index.add(
            ArchiveIndexLine(
                archived_at=manifest.archived_at,
                session_id=session_id,
                project=project,
                dir=spelled,
                manifest=taken.manifest_name(manifest),
                sha256=manifest.copy.sha256,
                size=manifest.copy.size,
            )
        )
    return manifest


def _take(session: Path, origin: Origin, staging: Path) -> Taken:
    """The session and its sub-agents' files, copied to be placed."""
    own = copy(session, staging / "session")
    subagents = {
        file.name: copy(file, staging / f"subagent-{number}")
        for number, file in enumerate(_subagents(session.parent / origin.session_id / _SUBAGENTS))
    }
    return Taken(origin=origin, session=own, subagents=subagents)


def _subagents(directory: Path) -> list[Path]:
    try:
        found = sorted(path for path in directory.iterdir() if path.name.endswith(_ENDING) and path.is_file())
    except (FileNotFoundError, NotADirectoryError):
        return []
    for path in found:
        _spelled(path)
    return found


def _spelled(path: Path) -> AbsolutePath:
    """A path as a manifest gives it."""
    spelled = absolute_path(str(path))
    if spelled is None or without_surrogates(spelled)[1]:
        raise ArchiveError(f"{str(path)!r} cannot be put down: a name in it is no text in UTF-8; rename it")
    return spelled


def _local_date(now: TimeMs) -> str:
    return (_EPOCH + timedelta(milliseconds=now)).astimezone().date().isoformat()
