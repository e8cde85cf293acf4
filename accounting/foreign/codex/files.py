"""Where rollouts lie and what their names and first rows tell. Spec: foreign.md 3.3."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from msgspec import DecodeError, json

from accounting.foreign.codex.compressed import Opened
from accounting.foreign.codex.entries import unwrapped
from accounting.foreign.codex.rows import Item, Line

AGENT: Final = "codex"
"""The reader's name."""
_NAME = re.compile(r"rollout-.*?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl(?:\.zst)?", re.ASCII).fullmatch
_HEAD: Final = 1 << 22
_NEIGHBOURS: Final = 64
"""How many files beside a renamed one are looked into."""


def named_id(path: Path) -> str | None:
    """The session's id, which the name of a rollout ends with."""
    match = _NAME(path.name)
    return None if match is None else match[1]


def own_id(path: Path, head: Item | None) -> str:
    """The session's id: by the file's name, by its first `session_meta`, else the bare name."""
    told = None if head is None else head_id(head)
    return named_id(path) or told or path.name.removesuffix(".zst").removesuffix(".jsonl")


def head_id(head: Item) -> str | None:
    """The id that a `session_meta` gives its session."""
    return head.id or head.session_id


def head_of(path: Path) -> Item | None:
    """The `session_meta` of the first row; `None` when that is another or does not read. Raises `OSError`."""
    with Opened(path) as opened:
        line = opened.text.readline(_HEAD)
    try:
        envelope, item = unwrapped(json.decode(line, type=Line))
    except (DecodeError, RecursionError, UnicodeDecodeError):
        return None
    return item if envelope == "session_meta" else None


def parent_file(path: Path, parent: str) -> Path | None:
    """The file of another session: by its name in the tree of sessions, or among the files in the same directory."""
    here = path.parent
    named = sorted(found for found in _named(here, parent) if found != path)
    if named:
        return named[0]
    for beside in _beside(here, path):
        try:
            head = head_of(beside)
        except OSError:
            continue
        if head is not None and head_id(head) == parent:
            return beside
    return None


def _named(here: Path, session: str) -> Iterator[Path]:
    if re.fullmatch(r"[\w-]+", session, re.ASCII) is None:
        return
    pattern = f"rollout-*{session}.jsonl*"
    yield from here.glob(pattern)
    day, month, year = here, here.parent, here.parent.parent
    if all(part.name.isdigit() for part in (day, month, year)):
        home = year.parent.parent
        yield from year.parent.glob(f"*/*/*/{pattern}")
        yield from (home / "archived_sessions").glob(pattern)
    elif here.name == "archived_sessions":
        yield from (here.parent / "sessions").glob(f"*/*/*/{pattern}")


def _beside(here: Path, path: Path) -> list[Path]:
    """Files in the same directory that were given another name."""
    try:
        files = sorted(file for file in here.iterdir() if file.name.endswith((".jsonl", ".jsonl.zst")))
    except OSError:
        return []
    return [file for file in files if file != path and named_id(file) is None and file.is_file()][:_NEIGHBOURS]
