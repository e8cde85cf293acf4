"""A session that was copied and is to be placed, and how its manifest reads wherever that is. Pure."""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from accounting.dispatch.archive.copying import Copied
from wire.dispatch import (
    MANIFEST_VERSION,
    ArchiveCopy,
    ArchiveManifest,
    ArchiveMode,
    ArchiveSource,
    Toolkit,
)
from wire.scalars import AbsolutePath, DispatchId, TimeMs

MANIFEST: Final = ".manifest.json"
"""How the file of a manifest ends."""
_COPY: Final = ".jsonl"


class Origin(Struct, frozen=True, kw_only=True):
    """Which session is archived, and by whom."""

    session_id: str
    """The agent's own id."""
    project: str
    """What it is archived under."""
    path: AbsolutePath
    """Its file."""
    directory: AbsolutePath
    """Where it goes in the archive."""
    archived_at: TimeMs
    """When, UTC milliseconds."""
    run_id: DispatchId | None
    """The dispatched run that it is of; `None` for a session by itself."""
    toolkit: Toolkit
    """What archives it."""


class Taken(Struct, frozen=True, kw_only=True):
    """A session's copies, not placed yet. A stem is what the names of all its files in the archive begin with."""

    origin: Origin
    """Which session."""
    session: Copied
    """Its file."""
    subagents: Mapping[str, Copied]
    """Its sub-agents' files, by name."""

    def stem(self, number: int) -> str:
        """The stem of the first, second ... archive of the session on one day."""
        return self.origin.session_id if number == 1 else f"{self.origin.session_id}.{number}"

    def files(self, stem: str) -> dict[str, Copied]:
        """Each copy by its path below the directory of the manifest, with `/` between names."""
        placed = {f"{stem}/subagents/{name}": copied for name, copied in sorted(self.subagents.items())}
        return {f"{stem}{_COPY}": self.session, **placed}

    def manifest(self, stem: str) -> ArchiveManifest:
        """What is put down of it under a stem."""
        own, *subagents = (
            ArchiveCopy(path=path, size=copied.size, sha256=copied.sha256) for path, copied in self.files(stem).items()
        )
        return ArchiveManifest(
            version=MANIFEST_VERSION,
            session_id=self.origin.session_id,
            project=self.origin.project,
            archived_at=self.origin.archived_at,
            mode=ArchiveMode.copy,
            dir=self.origin.directory,
            source=ArchiveSource(
                path=self.origin.path,
                size=self.session.size,
                mtime_ms=self.session.modified_at,
                sha256=self.session.sha256,
            ),
            source_grew=self.session.grew,
            copy=own,
            run_id=self.origin.run_id,
            subagents=tuple(subagents),
            toolkit=self.origin.toolkit,
        )

    @staticmethod
    def manifest_name(manifest: ArchiveManifest) -> str:
        """The file name of a manifest: it lies beside the copy, under one stem."""
        return f"{manifest.copy.path.removesuffix(_COPY)}{MANIFEST}"
