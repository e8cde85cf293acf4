"""The tools for sessions that agents keep: list them, read one, archive one. Spec: dispatch.md 2.4, 2.5, 2.7."""

import os
from typing import Annotated

from msgspec import Meta, Struct, structs

from accounting.dispatch.agents import agents
from accounting.dispatch.archived import archive_run, archive_session
from accounting.dispatch.places import state_directory
from accounting.dispatch.store import RunStore
from accounting.dispatch.transcripts.sessions import NoSuchSessionError, list_sessions
from accounting.tools.configured import configuration_of
from accounting.tools.newest import newest
from accounting.tools.reading import rounds_at, run_hint, session_place
from accounting.tools.sessions_text import manifest_text, rounds_text, sessions_text
from accounting.tools.shortened import sessions_listed
from accounting.tools.tool import Effects, Tool, ToolError, tool
from wire import RoundsAnswer
from wire.dispatch import ArchiveManifest, SessionList
from wire.scalars import RunId, dispatch_id


class ListSessions(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What `list_sessions` takes."""

    profile: str | None = None
    """Only the sessions of this agent: the name of a profile that `doctor` lists; of all when it is not given."""
    limit: Annotated[int, Meta(ge=1, le=200)] = 20
    """How many at most, 1 to 200."""


class ReadSession(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True, rename="camel"):
    """What `read_session` takes."""

    session_id: str
    """Which: the whole id that `list_sessions` answers, the id of a dispatched run (`wb-` and 16 hex digits), or the
    path from the root of an agent's session file or of a ledger."""
    run: RunId | None = None
    """Which run of a ledger, or of a file of several sessions, a lower-case uuid; needed when a ledger holds more than
    one. It has nothing to do with dispatched runs."""
    turns: Annotated[int, Meta(ge=1, le=1000)] = 20
    """How many turns at most, 1 to 1000, the newest; fewer where those would be too much to read."""
    before: Annotated[int, Meta(ge=2)] | None = None
    """Only turns before the one of this number, 2 or more: to read on backwards."""


class ArchiveSession(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True, rename="camel"):
    """What `archive_session` takes."""

    session_id: str
    """Which: the whole id that `list_sessions` answers, or the id of a dispatched run (`wb-` and 16 hex digits)."""
    project: str
    """What to archive it under: one name, no path."""


def sessions() -> tuple[Tool, ...]:
    """The entries of the table."""
    return (
        tool(
            "list_sessions",
            "The sessions that agents keep on this machine, the last written first: what each was about and how it"
            " stands. Titles and texts are cut to 1,000 characters, the cut marked by `…`. Reads only.",
            ListSessions,
            SessionList,
            _list,
            sessions_text,
        ),
        tool(
            "read_session",
            "A session as rounds: for each turn what was said, which tools were called, and what came of it: the"
            " newest turns, 64 KiB at most, texts that were cut marked by `…`; `before` reads on backwards.",
            ReadSession,
            RoundsAnswer,
            _read,
            rounds_text,
        ),
        tool(
            "archive_session",
            "Copy a session into the archive of its agent, with a manifest of what was copied. The session stays where"
            " it is, and asked again, unchanged, it is not copied twice.",
            ArchiveSession,
            ArchiveManifest,
            _archive,
            manifest_text,
            Effects(reads_only=False, destroys=False, repeatable=True, reaches_out=False),
        ),
    )


def _list(asked: ListSessions) -> SessionList:
    if asked.profile is not None:
        directory = configuration_of(asked.profile, os.environ)
        return sessions_listed(list_sessions({asked.profile: directory}, limit=asked.limit))
    known = agents(os.environ)
    listed = list_sessions(known.directories, limit=asked.limit)
    return sessions_listed(structs.replace(listed, notes=(*known.notes, *listed.notes)))


def _read(asked: ReadSession) -> RoundsAnswer:
    return newest(rounds_at(session_place(asked.session_id, os.environ), asked.run), asked.turns, asked.before)


def _archive(asked: ArchiveSession) -> ArchiveManifest:
    run = dispatch_id(asked.session_id)
    if run is not None:
        return archive_run(RunStore(state_directory()), run, asked.project)
    try:
        return archive_session(asked.session_id, asked.project)
    except NoSuchSessionError as error:
        raise ToolError(f"{error}{run_hint(asked.session_id)}") from error
