"""The files that a generator writes: each says what made it, and no other file is written over."""

import os
import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from accounting.codegen import CodegenError, Language
from wire import SCHEMA_HASH, SCHEMA_VERSION

_COMMENTS: Final = ("#", "//")


class Stale(StrEnum):
    """Why a file is not as it would be written."""

    missing = "missing"
    """There is none."""
    differs = "differs"
    """It was written once, and its text is another now."""
    in_the_way = "in_the_way"
    """Something else has its name."""
    left_over = "left_over"
    """It was written once, and is no longer."""


def header(language: str, comment: str) -> str:
    """The first lines of a file, each behind `comment`: what made it, and from which schema."""
    assert comment in _COMMENTS
    lines = (_mark(language), f"Schema of rounds, version {SCHEMA_VERSION}, hash", SCHEMA_HASH)
    return "".join(f"{comment} {line}\n" for line in lines)


def write(out: Path, language: str, files: Mapping[str, str]) -> tuple[Path, ...]:
    """Writes texts, which have their `header`, by path below `out`; says what was written.

    Raises `CodegenError` before it writes anything when something is in the way, and `OSError` when it cannot write;
    no file is replaced before all of them are written beside their places.
    """
    paths = {out / name: text.encode() for name, text in files.items()}
    for path, text in paths.items():
        assert _is_of(language, text), f"{path} has no header"
        _refuse_what_is_in_the_way(path, language)
    beside = {path: path.with_name(f".{path.name}.{os.getpid()}.new") for path in paths}
    try:
        for path, text in paths.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            beside[path].write_bytes(text)
        for path, ready in beside.items():
            ready.replace(path)
    finally:
        for ready in beside.values():
            ready.unlink(missing_ok=True)
    return tuple(paths)


def stale(language: Language, out: Path) -> Mapping[Path, Stale]:
    """What in `out` is not as it would be written, by path. Raises `CodegenError` when the generator is missing."""
    with TemporaryDirectory() as folder:
        fresh = {path.relative_to(folder): path.read_bytes() for path in language.generate(Path(folder))}
    found = {out / name: _state(out / name, language.name, text) for name, text in fresh.items()}
    left = {path: Stale.left_over for path in _written(out, {*fresh}, language.name) if path not in found}
    return {path: state for path, state in found.items() if state is not None} | left


def _state(path: Path, language: str, text: bytes) -> Stale | None:
    if _in_the_way(path, language) is not None:
        return Stale.in_the_way
    if not path.exists():
        return Stale.missing
    return None if path.read_bytes() == text else Stale.differs


def _written(out: Path, fresh: set[Path], language: str) -> Iterator[Path]:
    """The files that this language wrote: in `out` itself, and anywhere in the folders that it has there."""
    folders = sorted({out / name.parts[0] for name in fresh if len(name.parts) > 1})
    for path in (*out.glob("*"), *(path for folder in folders for path in sorted(folder.rglob("*")))):
        if _is_ours(path, language):
            yield path


def _refuse_what_is_in_the_way(path: Path, language: str) -> None:
    found = _in_the_way(path, language)
    if found is not None:
        raise CodegenError(
            f"{found}: in the way, and not written by `rounds codegen {language}`; move it, or name another --out"
        )


def _in_the_way(path: Path, language: str) -> Path | None:
    """What is where the file has to be, or is no folder where one of its folders has to be."""
    # A link is never ours, wherever it leads: a file would be written there, or the link lost.
    if os.path.lexists(path):
        return None if _is_ours(path, language) else path
    nearest = next(folder for folder in path.absolute().parents if os.path.lexists(folder))
    return None if nearest.is_dir() else nearest


def _is_ours(path: Path, language: str) -> bool:
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        return _is_of(language, file.readline(200))


def _mark(language: str) -> str:
    return f"Made by `rounds codegen {language}`: not to be edited, but made again."


def _is_of(language: str, text: bytes) -> bool:
    """Whether the first line is the mark and nothing else; git may have changed how it ends."""
    comments = "|".join(map(re.escape, _COMMENTS))
    return re.match(rf"(?:{comments}) {re.escape(_mark(language))}\r?\n".encode(), text) is not None
