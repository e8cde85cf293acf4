"""Payloads about a session as a whole: how it began, where it works, how it ended. Spec: ledger.md 6."""

from enum import StrEnum
from typing import Literal, TypeAlias

from msgspec import Raw, Struct

from wire.scalars import U64, B3Hash, GitOid, Locator, RunId, Seq, Who, check_range


class Effort(StrEnum):
    """How hard the model was asked to think. Absent is not `none`."""

    none = "none"
    """Not at all."""
    low = "low"
    """A little."""
    medium = "medium"
    """In between."""
    high = "high"
    """Much."""
    xhigh = "xhigh"
    """More than `high`."""
    max = "max"
    """As much as the model can."""


class Mode(StrEnum):
    """What the session is for."""

    chat = "chat"
    """Talk."""
    work = "work"
    """Work on files."""


class Writing(StrEnum):
    """What the session may write."""

    full = "full"
    """New files, and changes to those there are."""
    create = "create"
    """New files only."""


class Admission(StrEnum):
    """What has to hold before the session's work is admitted; the words are the city's own."""

    standing = "standing"
    """The standing rules."""
    tested = "tested"
    """The tests pass."""
    contract_kept = "contract_kept"
    """The contract is kept."""
    double_validated = "double_validated"
    """Two validations agree."""


class WorkLanding(StrEnum):
    """Where the session's work goes when it is done."""

    ordinary = "ordinary"
    """Where work ordinarily goes."""
    experiment = "experiment"
    """Apart, as an experiment."""


class RunPolicy(Struct, frozen=True, kw_only=True):
    """The terms a session runs under; all four are always stated."""

    mode: Mode
    """What the session is for."""
    write: Writing
    """What it may write."""
    admit: Admission
    """What has to hold before its work is admitted."""
    landing: WorkLanding
    """Where its work goes."""


class Skill(Struct, frozen=True, kw_only=True):
    """A skill the session was given."""

    name: str
    """The skill's name."""
    hash: B3Hash
    """Hash of its content."""


class OpeningManner(StrEnum):
    """How a session came to its task."""

    from_job = "from_job"
    """Out of a job file."""
    inherited = "inherited"
    """Taken over from another session."""
    with_person = "with_person"
    """Together with a person."""


class RunStarted(Struct, frozen=True, kw_only=True):
    """A session began. Every field may be absent; `{}` is valid."""

    task: str | None = None
    """What to do; null or absent reads as empty."""
    goal: str | None = None
    """What it is for; null or absent reads as empty."""
    job: Locator | None = None
    """The job file the session was started from; null when there is none."""
    parent: RunId | None = None
    """The session that started this one; null when none did."""
    predecessor: RunId | None = None
    """The session this one takes over from; null when there is none."""
    skills: tuple[Skill, ...] | None = None
    """The skills it was given; null when not recorded."""
    dispatched_by: Who | None = None
    """Who sent it; null when not recorded."""
    policy: RunPolicy | None = None
    """The terms it runs under; null when not recorded."""
    naming: B3Hash | None = None
    """Hash of the names in force when it began; null when not recorded."""
    opening: OpeningManner | None = None
    """How it came to its task; null when not recorded."""
    effort: Effort | None = None
    """How hard the model was asked to think; null when not recorded, which is not `none`."""

    def __post_init__(self) -> None:
        check_range(self.job)


class Evidence(Struct, frozen=True, kw_only=True):
    """A line that shows what a completion claims."""

    seq: Seq
    """`seq` of the line."""
    kind: str
    """The kind of that line."""


class RunFrozen(Struct, frozen=True, kw_only=True):
    """A session ended."""

    completion: str
    """How: `done`, `limit`, `cancelled` today."""
    evidence: tuple[Evidence, ...] | None = None
    """The lines that show it; null when none are named."""
    cause: Literal["process_died"] | None = None
    """What ended it from outside; null when nothing did."""


class WorktreeOpened(Struct, frozen=True, kw_only=True):
    """A session got a working tree of its own."""

    name: str
    """The tree's name, never a path."""
    disk_bytes: U64
    """Its size in bytes."""


class JobPinned(Struct, frozen=True, kw_only=True):
    """A checkpoint that pins a dispatch's job; there is no commit."""

    job: Locator
    """The job file."""

    def __post_init__(self) -> None:
        check_range(self.job)


class CommitCheckpoint(Struct, frozen=True, kw_only=True):
    """A checkpoint that is a commit."""

    oid: GitOid
    """The commit."""
    model: str | None = None
    """The model that made it; null when not recorded."""
    effort: Effort | None = None
    """The effort it was made with; null when not recorded."""
    predecessor: GitOid | None = None
    """The checkpoint before it; null for the first."""
    scope: tuple[str, ...] | None = None
    """The places it was allowed to touch; null or absent reads as empty."""
    files: tuple[str, ...] | None = None
    """The files it touched; null or absent reads as empty."""


CheckpointCommitted: TypeAlias = JobPinned | CommitCheckpoint
"""The work so far was committed, or a dispatch's job was pinned: what fits as a pinned job is one."""


class FileDiscarded(Struct, frozen=True, kw_only=True):
    """Files were thrown away."""

    paths: tuple[str, ...]
    """The files."""
    restoration: Raw = Raw(b"null")
    """How to bring them back; any JSON, null or absent when there is no way."""


class LogTruncated(Struct, frozen=True, kw_only=True):
    """A writer cut a torn tail off the ledger."""

    dropped_bytes: U64
    """How many bytes it cut."""
