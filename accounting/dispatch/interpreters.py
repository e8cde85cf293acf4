"""What runs a program that is a script: found by its version, and never started. Spec: dispatch.md 2.0, 2.1."""

import os
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from accounting.dispatch.homes import expanded, why_no_file
from accounting.dispatch.profile import Interpreter

_HEAD: Final = 256
_SCRIPTS: Final = (".js", ".mjs", ".cjs", ".py")
_version_in_path = re.compile(r"[/\\]v?(\d{1,9})\.(\d{1,9})\.(\d{1,9})[/\\]").search
_version_in_header = re.compile(r"#define\s+NODE_(?:MAJOR|MINOR|PATCH)_VERSION\s+(\d{1,9})\b").findall
_MOST_HEADER: Final = 64 << 10


def needs_interpreter(program: Path, interpreter: Interpreter | None) -> bool:
    """Whether a file does not run by itself, or would look for that interpreter on PATH, where it need not be."""
    if not os.access(program, os.X_OK):
        return True
    if interpreter is None:
        return False
    if program.suffix in _SCRIPTS:
        return True
    try:
        with program.open("rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return False
    name = os.fsencode(Path(interpreter.name).name)
    return head.startswith(b"#!") and name in head.partition(b"\n")[0]


def interpreter_of(
    wanted: Interpreter, configuration: str | None, environ: Mapping[str, str], problems: list[str]
) -> Path | None:
    """The first interpreter that is new enough, else one that cannot be told; what is wrong is added to `problems`."""
    least = ".".join(map(str, wanted.at_least))
    unsure = None
    old: list[str] = []
    for path in _interpreters(wanted, configuration, environ):
        version = _version(path) if wanted.at_least else ()
        if version is None:
            unsure = unsure or path
        elif version >= wanted.at_least:
            return path
        else:
            old.append(f"{path} is {'.'.join(map(str, version))}")
    if unsure is not None:
        problems.append(f"{unsure}: its version cannot be read without starting it; it has to be {least} or newer")
        return unsure
    if old:
        problems.append(f"{wanted.name} is too old: {', '.join(old)}; install {least} or newer")
    else:
        at_least = f" {least} or newer" if least else ""
        problems.append(f"{wanted.name} is not on PATH, and the program is a script for it; install it{at_least}")
    return None


def _interpreters(wanted: Interpreter, configuration: str | None, environ: Mapping[str, str]) -> Iterator[Path]:
    named = expanded(wanted.name, environ)
    if named is not None:
        yield from (named,) if why_no_file(named) is None else ()
    else:
        # Each of them: the first on PATH may be too old.
        directories = dict.fromkeys(environ.get("PATH", "").split(os.pathsep))
        found = (shutil.which(wanted.name, path=directory) for directory in directories)
        yield from (Path(path) for path in found if path is not None)
    for pattern in wanted.places if configuration is not None else ():
        versions = sorted(Path(configuration or "").glob(pattern), key=lambda path: _version(path) or (), reverse=True)
        yield from (path for path in versions if os.access(path, os.X_OK))


def _version(interpreter: Path) -> tuple[int, ...] | None:
    """The version of node, by the directory it is kept in or the header beside it; `None` when neither tells."""
    for path in (interpreter, Path(os.path.realpath(interpreter))):
        match = _version_in_path(str(path))
        if match is not None:
            return tuple(map(int, match.groups()))
        header = path.parent.parent / "include/node/node_version.h"
        if why_no_file(header) is not None:
            continue
        try:
            with header.open(errors="replace") as file:
                parts = _version_in_header(file.read(_MOST_HEADER))
        except OSError:
            continue
        if len(parts) == 3:
            return tuple(map(int, parts))
    return None
