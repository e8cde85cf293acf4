"""The sessions that agents keep on this machine: listed, and found by their id. Spec: dispatch.md 2.4.

Nothing is written. A directory of a gigabyte costs a look at each file's name and time, and the summaries of those that
are shown.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from stat import S_ISREG
from typing import Final

from msgspec import DecodeError, Struct, json

from accounting.dispatch.errors import DispatchTroubleError
from accounting.dispatch.transcripts.places import is_session_id, session_files
from accounting.dispatch.transcripts.summary import summarise
from accounting.processes import PROCESSES, Processes
from wire.dispatch import SessionList, SessionListed

_LIVE: Final = "sessions"
"""The directory in which each process of an agent keeps a file that is named after its number."""
_LARGEST: Final = 1 << 16
"""Bytes of such a file up to which it is read."""
_NEAR_MS: Final = 60_000
"""How much later than it wrote that file a process may seem to have begun: the clock may have been set since."""
_is_pid = re.compile(r"[1-9][0-9]{0,9}").fullmatch


class NoSuchSessionError(DispatchTroubleError):
    """There is no session of that id, or the id is not whole, or is none."""


class SessionPlace(Struct, frozen=True, kw_only=True):
    """Where a session is."""

    profile: str
    """The profile of the agent whose it is."""
    path: Path
    """Its file."""
    configuration: Path
    """The agent's own directory."""


class _Found(Struct, frozen=True):
    changed_ns: int
    profile: str
    path: Path

    @property
    def key(self) -> tuple[int, str, str]:
        return -self.changed_ns, str(self.path), self.profile


class _Live(Struct, frozen=True, kw_only=True, rename="camel"):
    """What a process of an agent says of itself; every field has a default."""

    session_id: str | None = None


def list_sessions(configurations: Mapping[str, Path], *, limit: int, processes: Processes = PROCESSES) -> SessionList:
    """The sessions below the agents' own directories, by profile; the last written first, `limit` at most.

    No two profiles have the same directory. What cannot be listed or read is told in `notes`, and leaves its place to
    the next.
    """
    notes: list[str] = []
    found: list[_Found] = []
    for profile, configuration in configurations.items():
        try:
            for path in session_files(configuration):
                found.extend(_seen(profile, path))
        except OSError as error:
            notes.append(_note(error, configuration))
    live = {profile: _live(configuration, processes) for profile, configuration in configurations.items()}
    listed: list[SessionListed] = []
    for one in sorted(found, key=lambda one: one.key):
        if len(listed) >= limit:
            break
        try:
            summary = summarise(one.path)
        except OSError as error:
            notes.append(_note(error, one.path))
            continue
        alive = live[one.profile]
        own = one.path.stem
        listed.append(
            SessionListed(
                profile=one.profile,
                session_id=own,
                project=one.path.parent.name.encode(errors="replace").decode(),
                live=None if alive is None else own in alive,
                summary=summary,
            )
        )
    return SessionList(sessions=tuple(listed), found=len(found), notes=tuple(notes))


def find_session(configurations: Mapping[str, Path], session_id: str) -> SessionPlace:
    """Where the session of an id is; of several copies the one last written.

    Raises `NoSuchSessionError`: also for a beginning of an id, which may be that of another session tomorrow.
    """
    if not is_session_id(session_id):
        raise NoSuchSessionError(f"{session_id!r} is no session's id: that is letters, digits, `.`, `_` and `-`")
    found: list[_Found] = []
    begun: set[str] = set()
    unlisted: list[str] = []
    for profile, configuration in configurations.items():
        try:
            for path in session_files(configuration):
                if path.stem == session_id:
                    found.extend(_seen(profile, path))
                elif path.stem.startswith(session_id):
                    begun.add(path.stem)
        except OSError as error:
            unlisted.append(_note(error, configuration))
    if found:
        best = min(found, key=lambda one: one.key)
        return SessionPlace(profile=best.profile, path=best.path, configuration=configurations[best.profile])
    if begun:
        which = next(iter(begun)) if len(begun) == 1 else f"{len(begun):,} sessions"
        raise NoSuchSessionError(f"{session_id!r} is only the beginning of an id, of {which}; give the whole id")
    where = ", ".join(str(configuration / "projects") for configuration in configurations.values())
    notes = "".join(f"; {note}" for note in unlisted)
    raise NoSuchSessionError(f"no session {session_id!r} in {where or 'any place: no agent has a directory'}{notes}")


def _seen(profile: str, path: Path) -> list[_Found]:
    """A file with its time; nothing when it has gone meanwhile, or is no file."""
    try:
        return [_Found(path.stat().st_mtime_ns, profile, path)] if path.is_file() else []
    except OSError:
        return []


def _live(configuration: Path, processes: Processes) -> set[str] | None:
    """The sessions that a process is at; `None` where the agent keeps no account of them."""
    folder = configuration / _LIVE
    try:
        files = sorted(folder.iterdir())
    except OSError:
        return None
    named: set[str] = set()
    for file in files:
        if file.suffix != ".json" or not _is_pid(file.stem):
            continue
        if processes.alive(int(file.stem)) and (own := _session_at(file, processes)) is not None:
            named.add(own)
    return named


def _session_at(file: Path, processes: Processes) -> str | None:
    """The session that a process says it is at; `None` also when its number is another's by now."""
    try:
        status = file.stat()
        began = processes.began_at(int(file.stem))
        if not S_ISREG(status.st_mode) or (began is not None and began > status.st_mtime * 1000 + _NEAR_MS):
            return None
        with file.open("rb") as opened:
            return json.decode(opened.read(_LARGEST), type=_Live).session_id
    except (OSError, DecodeError, RecursionError, UnicodeDecodeError):
        return None


def _note(error: OSError, path: Path) -> str:
    told = f"{error.filename or path}: cannot be read: {error.strerror or error}"
    return told.encode(errors="replace").decode()
