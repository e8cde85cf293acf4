"""Which readers there are, and whose file a path is.

Our own readers are named here and loaded when first needed. Others join by the entry point group `rounds.readers`:
each entry names an object that is a `Reader`. One that does not load is passed over and told by `broken_readers`.
"""

import os
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Final, cast

from msgspec import Struct

from accounting.foreign.sample import Sample, take_sample
from accounting.foreign.session import Reader, Source

GROUP: Final = "rounds.readers"
"""The entry point group by which further readers join."""
_OURS: Final = ("ask", "claude_code", "claude_stream", "codex", "codex_exec", "gemini", "opencode", "pi", "workbuddy")
_SUFFIXES: Final = (".jsonl", ".json", ".ndjson", ".zst", ".db", ".sqlite", ".log")
_ROW_FILES: Final = (".json", ".jsonl")


class NotForeignError(ValueError):
    """No reader knows the file."""

    def __init__(self, path: Path, tried: tuple[str, ...]) -> None:
        super().__init__(f"{path}: no session of an agent that is known here (tried {', '.join(tried)})")
        self.path = path
        self.tried = tried
        """The readers that were asked."""


class UnknownAgentError(ValueError):
    """There is no reader of that name."""

    def __init__(self, name: str, known: tuple[str, ...]) -> None:
        super().__init__(f"no reader is called {name!r}; there are {', '.join(known)}")
        self.name = name
        self.known = known
        """The names there are."""


class _Loaded(Struct, frozen=True):
    readers: dict[str, Reader]
    broken: dict[str, str]


@cache
def _loaded() -> _Loaded:
    readers: dict[str, Reader] = {}
    broken: dict[str, str] = {}
    for name in _OURS:
        try:
            readers[name] = cast("Reader", import_module(f"accounting.foreign.{name}").READER)
        except (ImportError, AttributeError) as error:  # an extra that is not installed
            broken[name] = str(error)
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        try:
            reader = cast("Reader", entry.load())
            readers.setdefault(reader.name, reader)
        except Exception as error:  # noqa: BLE001 - a stranger's module may do anything
            broken[entry.name] = f"{type(error).__name__}: {error}"
    return _Loaded(readers, broken)


def readers() -> tuple[Reader, ...]:
    """Every reader, ours first, then those that joined, by name."""
    return tuple(_loaded().readers.values())


def broken_readers() -> dict[str, str]:
    """Readers that did not load, by name, and why."""
    return dict(_loaded().broken)


def load_again() -> None:
    """Forget which readers were loaded: the next question looks for them anew."""
    _loaded.cache_clear()


def reader(name: str) -> Reader:
    """The reader of that name. Raises `UnknownAgentError`."""
    known = _loaded().readers
    if name not in known:
        raise UnknownAgentError(name, tuple(known))
    return known[name]


def recognise(path: Path) -> tuple[Reader, Sample] | None:
    """The reader that is surest of a file, and what it was shown; `None` when none knows it. Raises `OSError`."""
    sample = take_sample(path)
    best, surest = None, 0.0
    for candidate in readers():
        sure = candidate.recognise(sample)
        if sure > surest:
            best, surest = candidate, sure
    return None if best is None else (best, sample)


def sources(
    path: Path, agent: str | None = None, passed_over: Callable[[Path], None] | None = None
) -> Iterator[Source]:
    """The sessions at a path: of a file those it holds, of a directory those of every file below it, in name order.

    `agent` names the reader instead of letting the files tell. Raises `NotForeignError` for a single file that no
    reader knows, `UnknownAgentError`, and `OSError`. A directory's unknown files are passed over; `passed_over` is told
    each of them that is called `.json` or `.jsonl`.
    """
    if not path.is_dir():
        yield from _of_file(path, agent)
        return
    found: dict[Path, Source] = {}
    for source in _below(path, agent, passed_over or _pass):
        # A database, or a tree, gives several sources under one path.
        found.setdefault(source.path / (source.within or ""), source)
    beside = {file for source in found.values() for file in source.beside}
    yield from (found[key] for key in sorted(found) if found[key].path not in beside)


def _of_file(path: Path, agent: str | None) -> Iterator[Source]:
    if agent is not None:
        yield from reader(agent).find(path, take_sample(path))
        return
    known = recognise(path)
    if known is None:
        raise NotForeignError(path, tuple(_loaded().readers))
    yield from known[0].find(path, known[1])


def _pass(_: Path) -> None:
    """Nobody asked to be told."""


def _below(path: Path, agent: str | None, passed_over: Callable[[Path], None]) -> Iterator[Source]:
    asked = readers() if agent is None else (reader(agent),)
    for name, folders, files in os.walk(path):
        folder = Path(name)
        trees = [source for one in asked for source in one.find(folder, None)]
        if trees:
            yield from trees
            folders.clear()
            continue
        folders.sort()
        for file in sorted(files):
            if file.endswith(_SUFFIXES):
                yield from _known(folder / file, agent, passed_over)


def _known(path: Path, agent: str | None, passed_over: Callable[[Path], None]) -> Iterator[Source]:
    """The sources of a file in a directory: none when no reader knows it or it cannot be opened."""
    try:
        known = recognise(path)
        if known is None:
            if path.suffix in _ROW_FILES:
                passed_over(path)
        elif agent is None or known[0].name == agent:
            yield from known[0].find(path, known[1])
    except OSError:
        return
