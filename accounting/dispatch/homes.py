"""Where a person's directories are, by an environment that is given rather than this process's own; what is there."""

import os
import re
import stat
from collections.abc import Callable, Mapping
from pathlib import Path

from accounting.dispatch.errors import DispatchTroubleError

_variable = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*)").match


class PlaceError(DispatchTroubleError):
    """A path cannot be told from the root: the working directory is gone, or nobody knows a home."""


def from_root(path: Path) -> Path:
    """A path from the root; a relative one is below the working directory. Raises `PlaceError` when that is gone."""
    try:
        return path.absolute()
    except OSError as error:
        why = error.strerror or error
        raise PlaceError(f"{path}: the working directory cannot be told ({why}); change to one that is there") from None


def home(environ: Mapping[str, str]) -> Path:
    """The person's home, from the root: `$HOME`, or what the system has for it. Raises `PlaceError`."""
    named = environ.get("HOME", "")
    if named.strip():
        return from_root(Path(named))
    try:
        return from_root(Path.home())
    except RuntimeError:
        raise PlaceError("HOME is not set, and the system knows no home of this user; set HOME") from None


def based(variable: str, below_home: str, environ: Mapping[str, str]) -> Path:
    """The directory that a variable names, or one below the home; blank, or no absolute path, counts as not set."""
    value = environ.get(variable, "")
    if value.strip() and Path(value).is_absolute():
        return Path(value)
    return home(environ) / below_home


def expanded(text: str, environ: Mapping[str, str]) -> Path | None:
    """A path with the home for a `~` that it begins with, or a variable's value for its `$NAME`.

    `None` when it is no absolute path then: the variable is not set, or the path is relative.
    """
    match = _variable(text)
    if text == "~" or text.startswith(("~/", f"~{os.sep}")):
        text = f"{home(environ)}{text[1:]}"
    elif match is not None:
        text = environ.get(match[1], "") + text[match.end() :]
    path = Path(text)
    return path if path.is_absolute() else None


def why_no_directory(path: Path) -> str | None:
    """Why a path is no directory that can be looked at: `no such directory`; `None` when it is one."""
    return _why_not(path, stat.S_ISDIR, "directory")


def why_no_file(path: Path) -> str | None:
    """Why a path is no regular file that can be looked at: `no such file`; `None` when it is one."""
    return _why_not(path, stat.S_ISREG, "file")


def _why_not(path: Path, is_one: Callable[[int], bool], noun: str) -> str | None:
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return f"no such {noun}"
    except OSError as error:  # a directory above that is locked, a name that is too long, links that lead in a circle
        return error.strerror or str(error)
    except ValueError:  # a NUL
        return f"no path of a {noun}"
    return None if is_one(mode) else f"no {noun}"
