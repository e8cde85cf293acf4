"""An agent's directory to archive from, and what has to hold of an archive whatever happened to it."""

import hashlib
from pathlib import Path

import msgspec

from accounting.dispatch.archive import archive
from wire import decode
from wire.dispatch import ArchiveIndexLine, ArchiveManifest, Toolkit

SID = "0f3c9a52-7d1e-4b0a-9f41-2c5d8e6b7a10"
NOON = 1_796_126_400_000
"""The noon of 1 December 2026 in UTC."""
TOOLKIT = Toolkit(name="rounds", version="0.1.0")
VENDOR_INDEX = b'{"vendor":"own"}\n'


def home(at: Path, session: bytes = b'{"type":"message"}\n', **subagents: bytes) -> Path:
    """An agent's directory with one session, and an archive with an index of the agent's own."""
    project = at / "projects" / "-srv-site"
    project.mkdir(parents=True)
    (project / f"{SID}.jsonl").write_bytes(session)
    for name, content in subagents.items():
        folder = project / SID / "subagents"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.jsonl").write_bytes(content)
    (at / "session-archive").mkdir()
    (at / "session-archive" / "index.json").write_bytes(VENDOR_INDEX)
    (at / "settings.json").write_bytes(b"{}")
    return at


def source(home: Path) -> Path:
    return home / "projects" / "-srv-site" / f"{SID}.jsonl"


def archived(home: Path, project: str = "site", now: int = NOON) -> ArchiveManifest:
    return archive(source(home), session_id=SID, project=project, configuration=home, now=now, toolkit=TOOLKIT)


def vendors(home: Path) -> dict[str, tuple[bytes, int, int]]:
    """All of the agent's own files: bytes, time and mode. What is listed is part of it."""
    return {
        str(path.relative_to(home)): (
            path.read_bytes() if path.is_file() else b"",
            path.stat().st_mtime_ns,
            path.stat().st_mode,
        )
        for path in sorted(home.rglob("*"))
        if path.parent == home / "session-archive" or "session-archive" not in path.relative_to(home).parts
        if not path.name.startswith(("rounds-", ".rounds-", "20"))
        if path.name != "session-archive"  # a directory's own time tells that there is something new
    }


def manifests(home: Path) -> list[Path]:
    return sorted((home / "session-archive").rglob("*.manifest.json"))


def copies(home: Path) -> list[Path]:
    """The files of sessions in an archive, sub-agents' left out."""
    return sorted((home / "session-archive").glob("20*/*/*.jsonl"))


def index(home: Path) -> list[ArchiveIndexLine]:
    """The lines of the index that read."""
    path = home / "session-archive" / "rounds-index.jsonl"
    lines: list[ArchiveIndexLine] = []
    for line in path.read_bytes().split(b"\n") if path.exists() else ():
        try:
            lines.append(decode(line, ArchiveIndexLine))
        except msgspec.DecodeError:
            continue
    return lines


def check_whole(home: Path) -> list[ArchiveManifest]:
    """Every manifest reads, and what it says of its files is so."""
    found: list[ArchiveManifest] = []
    for path in manifests(home):
        manifest = decode(path.read_bytes(), ArchiveManifest)
        for one in (manifest.copy, *manifest.subagents):
            content = (path.parent / one.path).read_bytes()
            assert (len(content), hashlib.sha256(content).hexdigest()) == (one.size, one.sha256), one.path
        assert (manifest.source.size, manifest.source.sha256) == (manifest.copy.size, manifest.copy.sha256)
        assert path.name == f"{manifest.copy.path.removesuffix('.jsonl')}.manifest.json"
        found.append(manifest)
    return found
