"""What can happen to a dispatched run, as `step` is told it. Spec: dispatch.md 2.2."""

from typing import TypeAlias

from msgspec import Struct

from wire.dispatch import Pid, StreamResult
from wire.scalars import AbsolutePath, TimeMs


class Spawned(Struct, frozen=True, kw_only=True):
    """The agent's process is there."""

    at: TimeMs
    pid: Pid
    pid_started_at: str | None
    """As its system spells it; `None` where the system does not tell."""


class SpawnFailed(Struct, frozen=True, kw_only=True):
    """The agent could not be started."""

    at: TimeMs
    message: str
    """Why, for people."""


class Initialised(Struct, frozen=True, kw_only=True):
    """The stream named a session."""

    at: TimeMs
    session_id: str
    session_file: AbsolutePath | None
    """Where the agent keeps it; `None` when it keeps none, or that is not known."""
    session_bytes: int | None = None
    """How much of it there is, 0 when it is not there yet; `None` when that is not known."""


class Progressed(Struct, frozen=True, kw_only=True):
    """The stream went on. Counts from its beginning: told again, they change nothing."""

    at: TimeMs
    tool_calls: int
    other_sessions: int
    ignored_lines: int


class Ended(Struct, frozen=True, kw_only=True):
    """The stream holds a result."""

    at: TimeMs
    result: StreamResult


class Reaped(Struct, frozen=True, kw_only=True):
    """The process ended, and its parent, one of ours, collected it."""

    at: TimeMs
    exit_code: int | None
    """`None` when a signal ended it."""
    signal: str | None
    """The signal's name; `None` when none did."""


class CancelAsked(Struct, frozen=True, kw_only=True):
    """Somebody is about to send the process a signal, to cancel the run."""

    at: TimeMs


class Killed(Struct, frozen=True, kw_only=True):
    """Somebody set about cancelling the run, and its process was proven gone after that."""

    at: TimeMs


class Recovered(Struct, frozen=True, kw_only=True):
    """The process is gone, and the agent's own session file shows how the run ended."""

    at: TimeMs
    succeeded: bool
    reason: str | None
    """Why it failed, in a word; `None` when it did not, or no word is known."""
    text: str | None
    """The last that the model said; `None` when it is not known."""


class Vanished(Struct, frozen=True, kw_only=True):
    """The process is gone, or never came, and nothing shows how the run ended."""

    at: TimeMs
    code: str
    """A word for programs."""
    message: str
    """A sentence for people."""


DispatchEvent: TypeAlias = (
    Spawned | SpawnFailed | Initialised | Progressed | Ended | Reaped | CancelAsked | Killed | Recovered | Vanished
)
"""Any of them."""
