"""What is answered about dispatched runs: a list of them, a cancelling, and whether agents can be started at all.

Spec: dispatch.md 2.0, 2.2.
"""

from msgspec import Struct

from wire.dispatch.journal import DispatchJournal, DispatchKind, Invocation
from wire.scalars import AbsolutePath


class UnreadableJournal(Struct, frozen=True, kw_only=True):
    """A journal that does not read: half-written by another program, or damaged. It is never taken for a success."""

    path: AbsolutePath
    """Its file."""
    message: str
    """What is wrong with it, and where."""


class DispatchList(Struct, frozen=True, kw_only=True):
    """Dispatched runs, the newest first."""

    runs: tuple[DispatchJournal, ...]
    """Their journals."""
    unreadable: tuple[UnreadableJournal, ...]
    """Journals that do not read, by path."""


class CancelAnswer(Struct, frozen=True, kw_only=True):
    """What cancelling a run came to."""

    cancelled: bool
    """Whether the run is cancelled now: its process was proven gone."""
    why: str | None = None
    """Why it is not: it had ended before, or its process cannot be ended. And what was found of a run that had ended
    before, its own process or what that had started, and whether it was ended; null when there is nothing to say."""
    run: DispatchJournal
    """The run as it stands."""


class PlannedInvocation(Struct, frozen=True, kw_only=True, rename="camel"):
    """How an agent would be started for a kind of work."""

    kind: DispatchKind
    """What it may do then."""
    invocation: Invocation
    """The command, its arguments, and the names of what its environment is given."""
    task_on_stdin: bool
    """Whether the task is handed over on standard input; otherwise `{task}` stands for it in an argument."""


class ProfileReport(Struct, frozen=True, kw_only=True, rename="camel"):
    """What was found of one agent on this machine, and how it would be started."""

    profile: str
    """The profile's name."""
    ready: bool
    """Whether a run can be started by it."""
    program: AbsolutePath | None = None
    """What would be started; null when it was not found."""
    interpreter: AbsolutePath | None = None
    """What runs the program, when it is a script; null when it needs none, or none was found."""
    installation: AbsolutePath | None = None
    """Where the agent's command line is installed, when its profile looks for that; null otherwise."""
    configuration: AbsolutePath | None = None
    """The agent's own directory, where its sessions are; null when there is none."""
    planned: tuple[PlannedInvocation, ...]
    """How it would be started, by kind; none when it is not ready."""
    problems: tuple[str, ...]
    """What stands in the way or is odd, each with what to do."""


class DoctorReport(Struct, frozen=True, kw_only=True, rename="camel"):
    """Whether runs can be dispatched from here. Nothing was started or written to find out."""

    state_directory: AbsolutePath
    """Where journals and streams are kept."""
    profiles: tuple[ProfileReport, ...]
    """Every profile there is, by name."""
    problems: tuple[str, ...]
    """What is wrong with the state directory or the configuration of profiles, each with what to do."""
