"""OpenCode's older storage: a tree with a JSON file for each session, message and part. Spec: foreign.md 3.5.

`session/<project>/<session>.json`, `message/<session>/<message>.json`, `part/<message>/<part>.json`; what a file does
not say of itself, its folder and name do. A file that is broken or cannot be opened costs what it holds.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias, TypeVar

from msgspec import Struct

from accounting.foreign.fidelity import Fidelity
from accounting.foreign.objects import IsRow
from accounting.foreign.opencode.decoding import decoded
from accounting.foreign.opencode.kept import KeptSession
from accounting.foreign.opencode.rows import AGENT, Info, Part
from accounting.foreign.opencode.sniffing import is_message, is_part, is_session
from accounting.foreign.session import Source, run_of
from accounting.ledger.problem import Place

T = TypeVar("T", bound=Struct)
_Known: TypeAlias = tuple[Path, str, str | None]


def tree_sources(path: Path) -> Iterator[Source]:
    """The sessions of a tree that no other one started, each with its sub-agents' beside it, in name order.

    The path is the tree's root, its folder of sessions, or one project in that; of any other folder there are none. A
    session of which only the messages are left has the folder of its messages for its path.
    """
    if _is_root(path):
        known = _session_files(path / "session")
        yield from _families(known)
        owns = {own for _, own, _ in known}
        for folder in sorted(folder for folder in _entries(path / "message") if folder.is_dir()):
            if folder.name not in owns and _files(folder):
                yield _source(folder, folder.name, ())
    elif path.name == "session" and _is_root(path.parent):
        yield from _families(_session_files(path))
    elif path.parent.name == "session" and _is_root(path.parent.parent):
        yield from _families([one for one in _session_files(path.parent) if one[0].parent == path])


def source_of(path: Path) -> Iterator[Source]:
    """The session that one file of a tree belongs to: its own file, or one of its messages."""
    folder = path.parent
    if folder.parent.name == "message" and _is_root(folder.parent.parent):
        root = folder.parent.parent
        named = [file for file, own, _ in _session_files(root / "session") if own == folder.name]
        yield from source_of(named[0]) if named else iter((_source(folder, folder.name, ()),))
        return
    if not _is_root(folder.parent.parent):  # a session's own file, and nothing else of it
        yield _source(path, path.stem, ())
        return
    known = {file: (own, parent) for file, own, parent in _session_files(folder.parent)}
    if path not in known:
        return
    yield _source(path, known[path][0], _below(known[path][0], known))


def read_tree(source: Source) -> Iterator[tuple[KeptSession, Fidelity]]:
    """The session of a source and its sub-agents'. Raises `OSError` when its own file or folder cannot be read."""
    yield _read(source.path)
    for path in source.beside:
        try:
            yield _read(path)
        except OSError:
            continue


def _read(path: Path) -> tuple[KeptSession, Fidelity]:
    fidelity = Fidelity(AGENT, str(path))
    if path.is_dir():
        session = KeptSession(path.name)
        _messages(session, path, fidelity)
        return session, fidelity
    root = path.parent.parent.parent
    place = _place(path)
    info = decoded(path.read_bytes(), Info, fidelity, place, is_session)
    own = (None if info is None else info.id) or _own(path, root)
    session = KeptSession(own)
    if info is not None:
        fidelity.mapped(place, "session")
        session.put(info, place)
    _messages(session, root / "message" / own, fidelity)
    return session, fidelity


def _messages(session: KeptSession, folder: Path, fidelity: Fidelity) -> None:
    root = folder.parent.parent
    for path in _files(folder):
        place = _place(path)
        info = _document(path, Info, fidelity, is_message)
        own = (None if info is None else info.id) or path.stem
        session.put_message(own, info or Info(), place)
        parts = root / "part" / own
        for file in _files(parts if parts.is_dir() else root / "part" / path.stem):
            part = _document(file, Part, fidelity, is_part)
            if part is not None:
                session.put_part(own, part.id or file.stem, part, _place(file))


def _document(path: Path, shape: type[T], fidelity: Fidelity, is_row: IsRow) -> T | None:
    try:
        data = path.read_bytes()
    except OSError:
        fidelity.files.append(f"{path} (not readable)")
        return None
    return decoded(data, shape, fidelity, _place(path), is_row)


def _families(known: list[_Known]) -> Iterator[Source]:
    owns = {own for _, own, _ in known}
    by_file = {file: (own, parent) for file, own, parent in known}
    roots = [(file, own) for file, own, parent in known if parent is None or parent not in owns]
    taken: set[Path] = set()
    for file, own in (*roots, *((file, own) for file, own, _ in known)):  # at last those that name one another
        if file not in taken:
            beside = tuple(one for one in _below(own, by_file) if one not in taken)
            taken |= {file, *beside}
            yield _source(file, own, beside)


def _is_root(folder: Path) -> bool:
    return (folder / "message").is_dir() and ((folder / "session").is_dir() or (folder / "part").is_dir())


def _below(own: str, known: dict[Path, tuple[str, str | None]]) -> tuple[Path, ...]:
    """The files of a session's sub-agents, and of theirs, in name order."""
    above = {own}
    found: set[Path] = set()
    grown = True
    while grown:
        more = {file for file, (one, parent) in known.items() if parent in above and one not in above}
        grown = bool(more - found)
        found |= more
        above |= {known[file][0] for file in more}
    return tuple(sorted(found))


def _session_files(folder: Path) -> list[_Known]:
    """The session files below a folder: each with its session's id and that of the session's parent."""
    root = folder.parent
    found: list[_Known] = []
    for project in sorted(_entries(folder)):
        for path in _files(project):
            try:
                data = path.read_bytes()
            except OSError:
                continue
            info = decoded(data, Info, Fidelity(AGENT), _place(path), is_session)
            if info is not None and info.id and info.time is not None:
                found.append((path, info.id, info.parent_id or None))
            elif (root / "message" / (own := _own(path, root))).is_dir():
                found.append((path, own, None if info is None else info.parent_id or None))
    return found


def _own(path: Path, root: Path) -> str:
    """The id of a session whose file does not say it: the name of the file, with or without what stands before it."""
    bare = path.stem.removeprefix("ses_")
    return bare if bare != path.stem and (root / "message" / bare).is_dir() else path.stem


def _source(path: Path, own: str, beside: tuple[Path, ...]) -> Source:
    return Source(agent=AGENT, path=path, beside=beside, run=run_of(AGENT, own))


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in _entries(folder) if path.suffix == ".json")


def _entries(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:  # not there, or no folder
        return []


def _place(path: Path) -> Place:
    return Place(segment=str(path), line=1, offset=0)
