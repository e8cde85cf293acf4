"""Where an agent keeps a session: `<configuration>/projects/<slug>/<session>.jsonl`. Spec: dispatch.md 2.4.

A session's id comes from the agent's output, so it is not trusted: what could lead out of a directory names no file.
"""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from wire.scalars import AbsolutePath, absolute_path

PROJECTS: Final = "projects"
"""The directory of an agent's directories of sessions, one for each workspace."""
SUFFIX: Final = ".jsonl"
"""How the file of a session ends."""

_CLAUDE: Final = ".claude"
"""What Claude Code's own directory is called, unless somebody has chosen another."""
_is_session_id = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,199}").fullmatch
_is_windows = re.compile(r"[A-Za-z]:|\\\\").match
_LONGEST: Final = 200
"""Letters of a slug of Claude Code up to which it is not cut and given a hash."""


def is_session_id(text: str) -> bool:
    """Whether a text can be a session's id: one segment of a path, of letters, digits, `.`, `_` and `-`."""
    return _is_session_id(text) is not None


def slugs(workspace: str, *, claude: bool = False) -> tuple[str, ...]:
    """What the directory of a workspace's sessions may be called, the likelier first.

    Separators turned into `-`; the same without the `-` that it begins with, as CodeBuddy has it; every character but
    letters and digits turned into `-`, as Claude Code does, which is the first where the place is called as its own
    (`claude`). All lose something: two workspaces can share one. What Claude Code makes of a path of more than 200
    characters holds a hash that is not published, and is not among them. On Windows the `:` of a drive is a separator.
    """
    plain = re.sub(r"[/\\:]" if _is_windows(workspace) else "/", "-", workspace)
    strict = re.sub(r"[^A-Za-z0-9]", "-", workspace)
    strict = strict if len(strict) <= _LONGEST else ""
    found = (strict, plain, plain.lstrip("-")) if claude else (plain, plain.lstrip("-"), strict)
    return tuple(dict.fromkeys(slug for slug in found if slug)) or ("-",)


def session_file(configuration: Path, workspace: str, session_id: str) -> AbsolutePath | None:
    """The file of a session: the one that is there, whatever its directory is called, else where it is to be expected.

    Of several, that of the workspace, else the last written. Expected is the directory of the workspace that is there,
    else the likelier name. `None` for an id that is none (`is_session_id`), and for a configuration directory that is
    not absolute.
    """
    if not is_session_id(session_id):
        return None
    projects = configuration / PROJECTS
    name = f"{session_id}{SUFFIX}"
    own = [projects / slug for slug in slugs(workspace, claude=configuration.name == _CLAUDE)]
    there = next((folder / name for folder in own if is_file(folder / name)), None) or _last_written(projects, name)
    if there is None:
        there = next((folder for folder in own if _is_directory(folder)), own[0]) / name
    return absolute_path(str(there))


def session_files(configuration: Path) -> Iterator[Path]:
    """The files of sessions below a configuration directory, in no order; those of sub-agents are none.

    Nothing when there is no directory of projects. Raises `OSError` when that cannot be listed; a single project that
    cannot is passed over.
    """
    for folder in _projects(configuration / PROJECTS):
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                name = entry.name
                if name.endswith(SUFFIX) and not name.startswith("agent-") and is_session_id(name[: -len(SUFFIX)]):
                    yield Path(entry.path)


def _last_written(projects: Path, name: str) -> Path | None:
    found: list[tuple[int, Path]] = []
    with suppress(OSError):
        for folder in _projects(projects):
            with suppress(OSError):
                path = folder / name
                if path.is_file():
                    found.append((path.stat().st_mtime_ns, path))
    return max(found)[1] if found else None


def _projects(projects: Path) -> list[Path]:
    """The directories in one, those behind a link included. Raises `OSError` when it is there and cannot be listed."""
    try:
        with os.scandir(projects) as entries:
            return [Path(entry.path) for entry in entries if entry.is_dir()]
    except FileNotFoundError:
        return []


def is_file(path: Path) -> bool:
    """Whether there is a file; not where the path is none, as a name that is too long, or may not be looked at."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _is_directory(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False
