"""Where the agents of all profiles keep their own files, and whose a session is. Spec: dispatch.md 2.4.

A profile that does not read does not stand in the way of the others.
"""

import os
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from accounting.dispatch.environment import configuration_directory
from accounting.dispatch.profiles import profiles_that_read
from accounting.dispatch.transcripts.sessions import NoSuchSessionError, SessionPlace, find_session


class Agents(Struct, frozen=True, kw_only=True):
    """The agents there are."""

    directories: dict[str, Path]
    """The directory of each profile's agent, there or not; of profiles that share one, only the first is named."""
    notes: tuple[str, ...]
    """Why there may be more: profiles that do not read."""


def agents(environ: Mapping[str, str] | None = None) -> Agents:
    """The agents of every profile. `None` is this environment."""
    environ = os.environ if environ is None else environ
    every, notes = profiles_that_read(environ)
    found: dict[Path, str] = {}
    for name, profile in every.items():
        directory = configuration_directory(profile, environ)
        if directory is not None:
            found.setdefault(Path(directory), name)
    return Agents(directories={name: directory for directory, name in found.items()}, notes=notes)


def session_named(session_id: str, environ: Mapping[str, str] | None = None) -> SessionPlace:
    """Where the session of an id is, whichever agent's. Raises `NoSuchSessionError`, with what was not looked at."""
    known = agents(environ)
    try:
        return find_session(known.directories, session_id)
    except NoSuchSessionError as error:
        raise NoSuchSessionError("; ".join((str(error), *known.notes))) from None
