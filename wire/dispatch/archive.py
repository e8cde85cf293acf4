"""The archive of sessions: what a manifest and a line of its index say. Spec: dispatch.md 2.5."""

from enum import StrEnum
from typing import Annotated, Final, TypeAlias

from msgspec import Meta, Struct

from wire.scalars import U64, AbsolutePath, DispatchId, Sha256, TimeMs

MANIFEST_VERSION: Final = 1
"""The version of the manifest's form that is written here."""

ManifestVersion: TypeAlias = Annotated[int, Meta(ge=1, le=1, description="The version of the manifest's form: 1.")]


class ArchiveMode(StrEnum):
    """How a session came into the archive."""

    copy = "copy"
    """By copying: the session file stays where it is."""


class ArchiveSource(Struct, frozen=True, kw_only=True, rename="camel"):
    """The session file, as it was when it was copied."""

    path: AbsolutePath
    """Where it lies."""
    size: U64
    """Its bytes when it was opened: so many were copied."""
    mtime_ms: TimeMs
    """When it was last written then, UTC milliseconds."""
    sha256: Sha256
    """SHA-256 of those bytes."""


class ArchiveCopy(Struct, frozen=True, kw_only=True):
    """A copy in the archive; what it holds was read again and hashed."""

    path: str
    """Its path below the directory of its manifest, with `/` between names."""
    size: U64
    """Its bytes."""
    sha256: Sha256
    """SHA-256 of them."""


class Toolkit(Struct, frozen=True, kw_only=True):
    """What made the archive."""

    name: str
    """The program."""
    version: str
    """Its version."""


class ArchiveManifest(Struct, frozen=True, kw_only=True, rename="camel"):
    """What was archived of one session, where from and when. Lies beside the copy."""

    version: ManifestVersion
    """The version of this form."""
    session_id: str
    """The agent's own id of the session, whole."""
    project: str
    """What it was archived under: one name, no path."""
    archived_at: TimeMs
    """When, UTC milliseconds."""
    mode: ArchiveMode
    """How it came here."""
    dir: AbsolutePath
    """Where the manifest lies."""
    source: ArchiveSource
    """What was copied."""
    source_grew: bool
    """Whether it had grown when the copy was done: what came later is not in it."""
    copy: ArchiveCopy
    """The copy."""
    run_id: DispatchId | None = None
    """The dispatched run that the session is of; null when it was named by itself."""
    subagents: tuple[ArchiveCopy, ...]
    """Copies of the files of its sub-agents, by path."""
    toolkit: Toolkit
    """What made it."""


class ArchiveIndexLine(Struct, frozen=True, kw_only=True, rename="camel"):
    """One line of the index of an archive, to which lines are only added."""

    archived_at: TimeMs
    """When, UTC milliseconds."""
    session_id: str
    """The agent's own id of the session."""
    project: str
    """What it was archived under."""
    dir: AbsolutePath
    """Where its manifest lies."""
    manifest: str
    """The manifest's file name."""
    sha256: Sha256
    """SHA-256 of the session file's copy."""
    size: U64
    """Bytes of it."""
