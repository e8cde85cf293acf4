"""The states of a dispatched run: `step(journal, event)` is the journal after an event. Pure. Spec: dispatch.md 2.2.

    journal = step(journal, Spawned(at=now, pid=41, pid_started_at="77"))

A final state is final: whatever comes late changes nothing, but that an `unknown` run may be recovered from its
transcript. What cannot happen to a run that is not final is refused.
"""

from typing import Final, assert_never

from msgspec import structs

from accounting.dispatch.events import (
    CancelAsked,
    DispatchEvent,
    Ended,
    Initialised,
    Killed,
    Progressed,
    Reaped,
    Recovered,
    Spawned,
    SpawnFailed,
    Vanished,
)
from wire.dispatch import TERMINAL, DispatchError, DispatchJournal, DispatchState, StateSource, StreamResult
from wire.scalars import TimeMs

SUCCESS: Final = "end_turn"
"""The stop reason of a success that states none."""
SPAWN_ERROR: Final = "spawn_error"
"""The stop reason of a run whose agent could not be started."""
_ERROR: Final = "error"
_LONGEST: Final = 400
"""Characters of a result that are told as the error."""


class IllegalEventError(Exception):
    """The event cannot happen to a run in that state."""

    def __init__(self, journal: DispatchJournal, event: DispatchEvent) -> None:
        super().__init__(f"{journal.run_id} is {journal.state}: it cannot be told {type(event).__name__}")
        self.journal = journal
        """The run as it stands."""
        self.event = event
        """What was refused."""


def is_success(result: StreamResult) -> bool:
    """Whether a result is one: no error, and no word but `success`. Spec: dispatch.md 2.3."""
    return not result.is_error and result.subtype in (None, "success")


def step(journal: DispatchJournal, event: DispatchEvent) -> DispatchJournal:
    """The journal after an event; the same object when that changes nothing.

    Raises `IllegalEventError` when the event cannot happen to a run that stands so.
    """
    if journal.state in TERMINAL:
        late = journal.state is DispatchState.unknown and isinstance(event, Recovered)
        return _recovered(journal, event) if late and isinstance(event, Recovered) else journal
    if journal.state is DispatchState.queued:
        return _step_queued(journal, event)
    return _step_running(journal, event)


def _step_queued(journal: DispatchJournal, event: DispatchEvent) -> DispatchJournal:
    match event:
        case Spawned():
            return structs.replace(
                journal,
                state=DispatchState.running,
                pid=event.pid,
                pid_started_at=event.pid_started_at,
                started_at=_later(journal, event.at),
                updated_at=_later(journal, event.at),
            )
        case SpawnFailed():
            return _ended(
                journal,
                event.at,
                DispatchState.failed,
                StateSource.observation,
                SPAWN_ERROR,
                DispatchError(code=SPAWN_ERROR, message=event.message),
            )
        case Vanished():
            return _vanished(journal, event)
        case Initialised() | Progressed() | Ended() | Reaped() | CancelAsked() | Killed() | Recovered():
            raise IllegalEventError(journal, event)
        case _:
            assert_never(event)


def _step_running(journal: DispatchJournal, event: DispatchEvent) -> DispatchJournal:
    match event:
        case Initialised():
            return _initialised(journal, event)
        case Progressed():
            return _progressed(journal, event)
        case Ended():
            return _result(journal, event.at, event.result)
        case Reaped():
            return _reaped(journal, event)
        case CancelAsked():
            return _cancel_asked(journal, event)
        case Killed():
            return _ended(journal, event.at, DispatchState.cancelled, StateSource.observation, None, None)
        case Recovered():
            return _recovered(journal, event)
        case Vanished():
            return _vanished(journal, event)
        case Spawned():
            if (event.pid, event.pid_started_at) == (journal.pid, journal.pid_started_at):
                return journal  # told again
            raise IllegalEventError(journal, event)
        case SpawnFailed():
            raise IllegalEventError(journal, event)
        case _:
            assert_never(event)


def _initialised(journal: DispatchJournal, event: Initialised) -> DispatchJournal:
    """The first session that the stream names is the run's; another is counted, as the stream is followed."""
    if journal.session_id is not None:
        return journal
    return structs.replace(
        journal,
        session_id=event.session_id,
        session_file=event.session_file,
        session_bytes=event.session_bytes,
        updated_at=_later(journal, event.at),
    )


def _progressed(journal: DispatchJournal, event: Progressed) -> DispatchJournal:
    """Counts only grow: whoever has read less of the stream knows less."""
    counts = {
        "tool_calls": max(journal.tool_calls, event.tool_calls),
        "other_sessions": max(journal.other_sessions, event.other_sessions),
        "ignored_lines": max(journal.ignored_lines, event.ignored_lines),
    }
    if all(getattr(journal, name) == count for name, count in counts.items()):
        return journal
    return structs.replace(journal, **counts, updated_at=_later(journal, event.at))


def _reaped(journal: DispatchJournal, event: Reaped) -> DispatchJournal:
    if (journal.exit_code, journal.signal) != (None, None) or (event.exit_code, event.signal) == (None, None):
        return journal  # a process is collected once
    at = _later(journal, event.at)
    return structs.replace(journal, exit_code=event.exit_code, signal=event.signal, updated_at=at)


def _cancel_asked(journal: DispatchJournal, event: CancelAsked) -> DispatchJournal:
    if journal.cancel_asked_at is not None:
        return journal
    at = _later(journal, event.at)
    return structs.replace(journal, cancel_asked_at=at, updated_at=at)


def _result(journal: DispatchJournal, at: TimeMs, result: StreamResult) -> DispatchJournal:
    well = is_success(result)
    if well:
        reason = result.stop_reason or SUCCESS
    else:
        # `success` is no word for an error, and neither is the reason for which the model stopped.
        reason = _ERROR if result.subtype in (None, "", "success") else result.subtype
    return structs.replace(
        _ended(
            journal,
            at,
            DispatchState.succeeded if well else DispatchState.failed,
            StateSource.observation,
            reason,
            None if well else DispatchError(code=reason, message=_cut(result.result) or "the agent reported an error"),
        ),
        usage=result.usage,
        cost_usd_micros=result.cost_usd_micros,
        num_turns=result.num_turns,
        duration_ms=result.duration_ms,
        result_text=result.result,
    )


def _recovered(journal: DispatchJournal, event: Recovered) -> DispatchJournal:
    reason = SUCCESS if event.succeeded else event.reason or _ERROR
    message = f"its process is gone, and the session file ends so: {reason}"
    return structs.replace(
        _ended(
            journal,
            event.at,
            DispatchState.succeeded if event.succeeded else DispatchState.failed,
            StateSource.transcript,
            reason,
            None if event.succeeded else DispatchError(code=reason, message=message),
        ),
        result_text=event.text,
    )


def _vanished(journal: DispatchJournal, event: Vanished) -> DispatchJournal:
    error = DispatchError(code=event.code, message=event.message)
    return _ended(journal, event.at, DispatchState.unknown, StateSource.process_exit, None, error)


def _ended(
    journal: DispatchJournal,
    at: TimeMs,
    state: DispatchState,
    source: StateSource,
    reason: str | None,
    error: DispatchError | None,
) -> DispatchJournal:
    return structs.replace(
        journal,
        state=state,
        state_source=source,
        stop_reason=reason,
        error=error,
        finished_at=_later(journal, at),
        updated_at=_later(journal, at),
    )


def _cut(text: str | None) -> str:
    """A text's beginning: the whole of it is in `resultText`."""
    text = text or ""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _later(journal: DispatchJournal, at: TimeMs) -> TimeMs:
    """The time of an event: a clock that was put back does not make a journal older, nor its end come before it."""
    return max(journal.updated_at, at)
