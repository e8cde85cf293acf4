"""Where the files of a session are: the main one, those of its sub-agents, and whose they are. Spec: foreign.md 3.1."""

import os
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final

from msgspec import DecodeError, Struct, json

from accounting.foreign.sample import Sample
from accounting.foreign.session import Source, run_of
from wire.scalars import JsonObject, run_id

AGENT: Final = "claude_code"
_PREFIX: Final = "agent-"
_SESSION: Final = re.compile(rb'"sessionId"\s*:\s*"([^"\\]*)"').search


class Meta(Struct, frozen=True, kw_only=True, rename="camel"):
    """The file beside a sub-agent's, which says what started it."""

    tool_use_id: str | None = None
    parent_agent_id: str | None = None


def is_agent_file(path: Path) -> bool:
    """Whether a file is named as a sub-agent's."""
    return path.name.startswith(_PREFIX) and path.suffix == ".jsonl"


def agent_of(path: Path) -> str:
    """The sub-agent that a file is named after."""
    return path.stem.removeprefix(_PREFIX)


def session_of(path: Path) -> str | None:
    """The session that a file is named after; `None` when its name is no uuid."""
    return path.stem if run_id(path.stem.lower()) is not None else None


def meta_of(path: Path) -> Meta:
    """What stands beside a sub-agent's file; empty when nothing does, or it does not read."""
    try:
        return json.decode(path.with_name(f"{path.stem}.meta.json").read_bytes(), type=Meta)
    except (OSError, DecodeError, RecursionError):
        return Meta()


def source_of(path: Path, sample: Sample) -> Source:
    """The session that a file is of, with the sub-agents' files that lie where the agent puts them."""
    stated = _first(reversed(sample.rows), "sessionId")
    if is_agent_file(path):
        agent_id = _first(sample.rows, "agentId") or agent_of(path)
        if stated is None:
            return Source(agent=AGENT, path=path)
        alone = stated if stated in (agent_id, f"agent-{agent_id}") else f"{stated}/{agent_id}"
        return Source(agent=AGENT, path=path, run=run_of(AGENT, alone))
    own = session_of(path) or stated
    sidechain = bool(sample.rows) and all(
        row.get("isSidechain") is True for row in sample.rows if row.get("type") in ("user", "assistant")
    )
    run = None if own is None or (sidechain and session_of(path) is None) else run_of(AGENT, own)
    return Source(agent=AGENT, path=path, beside=tuple(_beside(path, own)), run=run)


def _first(rows: Iterable[JsonObject], key: str) -> str | None:
    return next((value for row in rows if isinstance(value := row.get(key), str)), None)


def _beside(path: Path, session: str | None) -> Iterator[Path]:
    folder = path.with_suffix("") / "subagents"
    if folder.is_dir():
        yield from sorted(folder.rglob(f"{_PREFIX}*.jsonl"))
    if session is not None and session_of(path) is not None:
        # A directory may hold hundreds of sessions and of these files, and each session asks for all of them.
        with os.scandir(path.parent) as entries:
            loose = [entry for entry in entries if entry.name.startswith(_PREFIX) and entry.name.endswith(".jsonl")]
        yield from (path.parent / name for name in sorted(entry.name for entry in loose if _is_of(entry, session)))


def _is_of(file: os.DirEntry[str], session: str) -> bool:
    """Whether the first line of a sub-agent's file names the session."""
    try:
        stat = file.stat()
        return _session_in(file.path, stat.st_size, stat.st_mtime_ns) == session
    except OSError:
        return False


@lru_cache(maxsize=4096)
def _session_in(file: str, size: int, changed_ns: int) -> str | None:  # noqa: ARG001 - a changed file is asked anew
    """The session that the first line of a file names. Raises `OSError`."""
    with Path(file).open("rb") as opened:
        found = _SESSION(opened.readline(1 << 14))
    return None if found is None else found[1].decode(errors="replace")
