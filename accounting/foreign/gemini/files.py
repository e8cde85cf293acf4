"""Where the files of a Gemini CLI session are, and how those of sub-agents hang on to it. Spec: foreign.md 3.4.

A sub-agent's file lies in a folder beside its parent's that is named after the parent: `chats/<parent>/<id>.jsonl`.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from accounting.foreign.fidelity import Fidelity
from accounting.foreign.gemini.conversation import AGENT, Conversation
from accounting.foreign.gemini.replay import Replay
from accounting.foreign.objects import without_surrogates
from accounting.foreign.outline import Child
from accounting.foreign.sample import Sample, take_sample
from accounting.foreign.session import Session, Source, run_of
from wire.scalars import RunId, run_id

_CHATS: Final = "chats"


class _Part:
    """A file of the session, and which other started it."""

    def __init__(self, path: Path) -> None:
        replay = Replay(path, Fidelity(AGENT, str(path)))
        replay.read(take_sample(path))
        self.names: Final = frozenset(name for name in (replay.session_id, path.stem) if name)
        """What its parent's calls and its sub-agents' folder may call it."""
        self.folder: Final = path.parent.name
        self.above: Final = _above(path, replay.kind)
        own = _own(path, replay.session_id or path.stem, self.above)
        self.conversation: Final = Conversation(replay, own, run_of(AGENT, own))
        self.parent: _Part | None = None
        self.call: str | None = None
        self.turn: int | None = None

    @property
    def depth(self) -> int:
        """How many started one another before it; a ring, which only damage makes, ends the count."""
        passed = {id(self)}
        above = self.parent
        while above is not None and id(above) not in passed:
            passed.add(id(above))
            above = above.parent
        return len(passed)


def source_of(path: Path, sample: Sample) -> Source:
    """The session that a file is of, with the files of its sub-agents and of theirs."""
    stated = next((own for row in sample.rows if isinstance(own := row.get("sessionId"), str) and own), None)
    kind = next((kind for row in sample.rows if isinstance(kind := row.get("kind"), str)), None)
    above = _above(path, kind)
    run = None if stated is None else run_of(AGENT, _own(path, without_surrogates(stated)[0], above))
    chats = path.parent if above is None else path.parent.parent
    return Source(agent=AGENT, path=path, beside=tuple(_beside(chats, path, stated)), run=run)


def read_sessions(source: Source) -> Iterator[Session]:
    """The main session, then its sub-agents, each after the one that started it. Raises `OSError`."""
    main = _Part(source.path)
    subs: list[_Part] = []
    for path in source.beside:
        try:
            subs.append(_Part(path))
        except OSError:
            main.conversation.files.append(f"{path} (not readable)")
    parts = [main, *subs]
    for sub in subs:
        _link(sub, parts)
    yield _session(main, parts)
    for sub in sorted(subs, key=lambda sub: sub.depth):
        yield _session(sub, parts)


def _link(sub: _Part, parts: list[_Part]) -> None:
    """Find what started a sub-agent: a call that names it, or else the session that its folder is named after."""
    for part in parts:
        for agent, call, turn in part.conversation.started:
            if part is not sub and agent in sub.names:
                sub.parent, sub.call, sub.turn = part, call, turn
                return
    sub.parent = next((part for part in parts if part is not sub and sub.folder in part.names), None)


def _session(part: _Part, parts: list[_Part]) -> Session:
    parent: RunId | None = None if part.above is None else run_of(AGENT, part.above)
    if part.parent is not None:
        parent = part.parent.conversation.run
    children = tuple(
        Child(run=sub.conversation.run, call=sub.call, turn=sub.turn) for sub in parts if sub.parent is part
    )
    return part.conversation.session(parent, part.call, children)


def _beside(chats: Path, path: Path, stated: str | None) -> Iterator[Path]:
    asked = [name for name in dict.fromkeys((stated, path.stem)) if name is not None and _is_name(name)]
    seen = {path}
    for name in asked:
        for file in sorted((chats / name).glob("*.json*")):
            if file not in seen and file.suffix in (".json", ".jsonl"):
                seen.add(file)
                asked.append(file.stem)
                yield file


def _is_name(name: str) -> bool:
    """Whether a session's id can be a folder's name, and no way to another folder."""
    return name not in ("", ".", "..") and not set(name) & set("/\\\0")


def _own(path: Path, stated: str, above: str | None) -> str:
    """The session's id: of a sub-agent whose id is no uuid with its parent's before it, for others may be so called."""
    if above is None or (stated != above and run_id(stated.lower()) is not None):
        return stated
    return f"{above}/{path.stem if stated == above else stated}"


def _above(path: Path, kind: str | None) -> str | None:
    """The session whose sub-agent a file is of, by the folder it lies in; `None` for a main session."""
    folder = path.parent.name
    if path.parent.parent.name == _CHATS or (kind == "subagent" and run_id(folder.lower()) is not None):
        return folder
    return None
