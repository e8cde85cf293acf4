"""The journal of a dispatched run: its states, and how each of them came to be known. Spec: dispatch.md 2.0, 2.2.

    from wire import DispatchJournal, decode
    from wire.dispatch import TERMINAL

    journal = decode(path.read_bytes(), DispatchJournal)
    if journal.state in TERMINAL: ...

One JSON document for each run, rewritten whole.
"""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Annotated, Final, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType

from wire.scalars import I64, U32_MAX, U64, AbsolutePath, DispatchId, Sha256, TimeMs, Tokens, UsdMicros

Pid: TypeAlias = Annotated[
    int, Meta(ge=1, le=U32_MAX, description="The number of a process; another may have it once the process is gone.")
]


class DispatchKind(StrEnum):
    """What the agent may do in the workspace."""

    review = "review"
    """Read; it must not edit."""
    run = "run"
    """Edit, within the workspace."""


class DispatchState(StrEnum):
    """Where a dispatched run stands. The last four are final, but that `unknown` may become one of the two before."""

    queued = "queued"
    """Written down, and nothing started yet."""
    running = "running"
    """The agent was started."""
    succeeded = "succeeded"
    """The agent reported a result that is no error."""
    failed = "failed"
    """The agent reported an error, or could not be started."""
    cancelled = "cancelled"
    """Somebody cancelled it, and the process was seen to be gone."""
    unknown = "unknown"
    """The process is gone without a result: never counted as success."""


class StateSource(StrEnum):
    """How a final state came to be known."""

    observation = "observation"
    """A process of ours saw it: the result in the stream, a start that failed, a death after cancelling."""
    transcript = "transcript"
    """Recovered afterwards from the agent's own session file."""
    process_exit = "process-exit"
    """The process is gone, with neither."""


SOURCES: Final[Mapping[DispatchState, tuple[StateSource, ...]]] = MappingProxyType(
    {
        DispatchState.queued: (),
        DispatchState.running: (),
        DispatchState.succeeded: (StateSource.observation, StateSource.transcript),
        DispatchState.failed: (StateSource.observation, StateSource.transcript),
        DispatchState.cancelled: (StateSource.observation,),
        DispatchState.unknown: (StateSource.process_exit,),
    }
)
"""How each state can come to be known; a state with no source is not final."""

TERMINAL: Final = frozenset(state for state, sources in SOURCES.items() if sources)
"""The final states."""


class Invocation(Struct, frozen=True, kw_only=True, rename="camel"):
    """How the agent was started."""

    argv: tuple[str, ...]
    """The command and its arguments."""
    env_keys: tuple[str, ...]
    """The names of what its environment was given; never the values."""


class DispatchUsage(Struct, frozen=True, kw_only=True, rename="camel"):
    """Tokens of a whole run, or of one request in its stream, as absolute counts."""

    input_tokens: Tokens
    """All prompts, cached parts included."""
    output_tokens: Tokens
    """All replies."""
    cache_read_tokens: Tokens | None = None
    """Tokens of `inputTokens` that came out of the provider's cache; null when not reported, which is not 0."""
    cache_write_tokens: Tokens | None = None
    """Tokens of `inputTokens` that were stored into the provider's cache; null when not reported, which is not 0."""


class DispatchError(Struct, frozen=True, kw_only=True):
    """Why a run failed, or why nobody knows how it went."""

    code: str
    """A word for programs; a newer writer may know more."""
    message: str
    """A sentence for people."""


class DispatchJournal(Struct, frozen=True, kw_only=True, rename="camel"):
    """One dispatched run, as far as it is known.

    Raises `ValueError` (`msgspec.ValidationError` when decoded) for a state and a source that do not go together:
    `SOURCES` lists what does. Spec: dispatch.md 2.2.
    """

    run_id: DispatchId
    """The run's id; with an idempotency key, the first 16 digits of its SHA-256 after `wb-`."""
    idempotency_key_sha256: Sha256 | None = None
    """SHA-256 of the idempotency key's UTF-8; null without a key. The key itself is not stored."""
    profile: str
    """The profile by which it was started: which agent it is, and how that is called."""
    kind: DispatchKind
    """What the agent may do."""
    state: DispatchState
    """Where the run stands."""
    state_source: StateSource | None = None
    """How the final state came to be known; null exactly while the state is not final."""
    stop_reason: str | None = None
    """Why it stopped: `end_turn` on success, else the agent's word for the error; null until then and if unknown."""
    workspace: AbsolutePath
    """The directory the agent works in."""
    task: str
    """What it was asked to do."""
    invocation: Invocation
    """How it was started."""
    configuration: AbsolutePath | None = None
    """The agent's own directory, where it keeps its sessions; null when it keeps none."""
    owner_pid: Pid
    """The process that wrote the journal and starts the agent."""
    owner_pid_started_at: str
    """When and where the owner started: equal texts mean the same process."""
    pid: Pid | None = None
    """The agent's process; null until it was started."""
    pid_started_at: str | None = None
    """When and where the agent's process started: machine, boot, namespace and time, between slashes, as its system
    spells them; null until it was started, and if the system does not say."""
    session_id: str | None = None
    """The agent's own id for the session, the first that it said; null until then."""
    session_file: AbsolutePath | None = None
    """The agent's own file of the session; null until its id is known, and if the agent keeps none."""
    session_bytes: U64 | None = None
    """Bytes that `sessionFile` held when the run was first seen to name it; 0 when it was not there, null when it has
    none or could not be looked at. What stands before them is of an earlier run, unless its own time says otherwise."""
    cancel_asked_at: TimeMs | None = None
    """When somebody first set about cancelling it, UTC milliseconds, before its process was sent a signal; null when
    nobody did. It need not be cancelled: it may have been faster, or go on."""
    created_at: TimeMs
    """When the run was written down, UTC milliseconds."""
    started_at: TimeMs | None = None
    """When the agent was started, UTC milliseconds; null until then."""
    finished_at: TimeMs | None = None
    """When the final state was reached, or noticed, UTC milliseconds; null until then."""
    updated_at: TimeMs
    """When the journal was last written, UTC milliseconds."""
    tool_calls: U64
    """How many tools the agent has called so far, as far as seen; those of its sub-agents included."""
    other_sessions: U64
    """How many times the stream has named another session than `sessionId`."""
    ignored_lines: U64
    """Lines of the stream so far that told nothing here: warnings, and events of other kinds than are used."""
    usage: DispatchUsage | None = None
    """Tokens; null until the agent reported a result with counts."""
    cost_usd_micros: UsdMicros | None = None
    """Millionths of a US dollar that the agent reported; null when it reported none, which is not free."""
    num_turns: U64 | None = None
    """How many turns the agent reported; null when it reported none."""
    duration_ms: U64 | None = None
    """Milliseconds that the agent reported to have taken; null when it reported none."""
    result_text: str | None = None
    """The agent's last word; null until it reported a result, and when that holds no text."""
    exit_code: I64 | None = None
    """The agent's exit code; null unless a parent of ours reaped it, and when a signal ended it."""
    signal: str | None = None
    """The name of the signal that ended the agent, as `SIGTERM`; null when none did, or nobody of ours reaped it."""
    error: DispatchError | None = None
    """Why it failed, or why nobody knows; null otherwise."""
    idempotent_replay: bool | UnsetType = UNSET
    """Only in an answer: true when the key named a run that was there already. Absent in the file; never null."""
    replay_differs: tuple[str, ...] | UnsetType = UNSET
    """Only in an answer to a replay: which of `profile`, `kind`, `workspace` and `task` were asked for otherwise than
    this run was started. Absent in the file, and when none was; never null."""

    def __post_init__(self) -> None:
        allowed = SOURCES[self.state]
        if self.state_source not in (allowed or (None,)):
            known = " or ".join(allowed) or "null"
            raise ValueError(f"`stateSource` of a run that is {self.state} is {known}")
