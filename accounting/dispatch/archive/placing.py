"""Where in a directory of the archive a session is, and where it goes: nothing that is there is replaced.

Spec: dispatch.md 2.5.
"""

import os
import re
from itertools import count
from pathlib import Path
from typing import Final

from msgspec import DecodeError

from accounting import private
from accounting.dispatch.archive.copying import holds, new_file, write
from accounting.dispatch.archive.stage import Placing
from accounting.dispatch.archive.taken import MANIFEST, Taken
from accounting.ledger.writing.system import SYSTEM
from wire import decode, encode
from wire.dispatch import ArchiveManifest

_DAY_AND_PROJECT: Final = 2
"""How many directories of the archive there are above a manifest."""


def find(directory: Path, taken: Taken) -> ArchiveManifest | None:
    """The manifest of what was archived there with the same content, and still holds it; `None` when there is none.

    Of a run it is the run's own: one of another run, or of a session by itself, does not say what it is of. Raises
    `OSError`.
    """
    ours = re.compile(rf"({re.escape(taken.origin.session_id)}(?:\.[1-9][0-9]*)?){re.escape(MANIFEST)}")
    try:
        names = [path.name for path in directory.iterdir()]
    except (FileNotFoundError, NotADirectoryError):
        return None
    stems = (match[1] for name in names if (match := ours.fullmatch(name)) is not None)
    for stem in sorted(stems, key=lambda stem: (len(stem), stem)):
        manifest = _read(directory / f"{stem}{MANIFEST}")
        wanted = taken.manifest(stem)
        # One that says another place was moved with its directory since: it would tell a copy where none is.
        if manifest is None or (manifest.session_id, manifest.dir, manifest.copy, manifest.subagents) != (
            wanted.session_id,
            wanted.dir,
            wanted.copy,
            wanted.subagents,
        ):
            continue
        if wanted.run_id is not None and manifest.run_id != wanted.run_id:
            continue
        if all(holds(directory / path, copied.size, copied.sha256) for path, copied in taken.files(stem).items()):
            return manifest
    return None


def place(directory: Path, taken: Taken, staging: Path) -> ArchiveManifest:
    """Put the copies and then the manifest under the first stem that is free. Raises `OSError`, with nothing put."""
    stem = next(stem for stem in map(taken.stem, count(1)) if _is_free(directory, taken, stem))
    manifest = taken.manifest(stem)
    staged = staging / "manifest"
    with new_file(staged) as file:
        write(file, encode(manifest) + b"\n", staged)
    placing = Placing()
    try:
        for above in (*reversed(directory.parents[: _DAY_AND_PROJECT - 1]), directory):
            placing.directory(above)
        for path, copied in taken.files(stem).items():
            target = directory / path
            for above in reversed(target.parents[: path.count("/")]):
                placing.directory(above)
            if not os.path.lexists(target):  # else it is an equal one of somebody who was killed
                placing.file(copied.file, target)
        _sync(directory, {(directory / path).parent for path in taken.files(stem)})
        placing.file(staged, directory / f"{stem}{MANIFEST}")
        SYSTEM.sync_directory(directory)
    except BaseException:
        placing.undo()
        raise
    return manifest


def _is_free(directory: Path, taken: Taken, stem: str) -> bool:
    """Whether nothing is under a stem but what is equal to what is to be put there."""
    if os.path.lexists(directory / f"{stem}{MANIFEST}"):
        return False
    for path, copied in taken.files(stem).items():
        target = directory / path
        if os.path.lexists(target) and not holds(target, copied.size, copied.sha256):
            return False
        for above in target.parents[: path.count("/")]:
            if os.path.lexists(above) and (above.is_symlink() or not above.is_dir()):
                return False
    return True


def _read(path: Path) -> ArchiveManifest | None:
    if path.is_symlink() or not path.is_file():
        return None
    try:
        return decode(private.read_whole(path) or b"", ArchiveManifest)
    except (DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _sync(directory: Path, below: set[Path]) -> None:
    """Return when all names down to the copies are on the disk itself."""
    for path in below:
        while path != directory:
            SYSTEM.sync_directory(path)
            path = path.parent  # noqa: PLW2901 - the way up
    for path in (directory, *directory.parents[:_DAY_AND_PROJECT]):
        SYSTEM.sync_directory(path)
