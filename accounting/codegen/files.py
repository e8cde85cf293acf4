"""The files that a generator writes: each says what made it, and no other file is written over."""

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from accounting.codegen import CodegenError, Language
from wire import SCHEMA_HASH, SCHEMA_VERSION

_LOOKED_AT: Final = 400
"""Within how many of its first bytes a file says what made it."""


def header(language: str, comment: str) -> str:
    """The first lines of a file, each behind `comment`: what made it, and from which schema."""
    lines = (
        f"{_mark(language)}: not to be edited, but made again.",
        f"Schema of rounds, version {SCHEMA_VERSION}, hash",
        SCHEMA_HASH,
    )
    return "".join(f"{comment} {line}\n" for line in lines)


def write(out: Path, language: str, files: Mapping[str, str]) -> tuple[Path, ...]:
    """Writes texts, which have their `header`, by path below `out`; says what was written.

    Raises `CodegenError` before it writes anything when a file in the way has not the header of this language.
    """
    paths = {out / name: text for name, text in files.items()}
    for path, text in paths.items():
        assert _is_of(language, text.encode()), f"{path} has no header"
        if path.exists() and not (path.is_file() and _is_of(language, path.read_bytes())):
            raise CodegenError(
                f"{path}: in the way, and not written by `rounds codegen {language}`; move it, or name another --out"
            )
    for path, text in paths.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return tuple(paths)


def stale(language: Language, out: Path) -> tuple[Path, ...]:
    """Which files in `out` are missing, or not what would be written. Raises as `Language.generate` does."""
    with TemporaryDirectory() as folder:
        fresh = {path.relative_to(folder): path.read_bytes() for path in language.generate(Path(folder))}
    there = {out / name: text for name, text in fresh.items()}
    return tuple(path for path, text in there.items() if not path.is_file() or path.read_bytes() != text)


def _mark(language: str) -> str:
    return f"Made by `rounds codegen {language}`"


def _is_of(language: str, text: bytes) -> bool:
    return _mark(language).encode() in text[:_LOOKED_AT]
