"""Journals and events of made-up runs, for the tests of dispatching."""

from typing import Final, cast

from hypothesis import strategies as st
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
from accounting.dispatch.machine import step
from wire.dispatch import (
    DispatchJournal,
    DispatchKind,
    DispatchState,
    DispatchUsage,
    Invocation,
    StreamResult,
    TranscriptState,
    TranscriptSummary,
)
from wire.scalars import AbsolutePath, DispatchId

BEGAN: Final = 1_788_249_600_000
"""When the made-up runs were written down."""
RUN: Final = cast("DispatchId", "wb-21247a57b8ae3af2")


def path(text: str) -> AbsolutePath:
    return cast("AbsolutePath", text)


QUEUED: Final = DispatchJournal(
    run_id=RUN,
    profile="claude_code",
    kind=DispatchKind.run,
    state=DispatchState.queued,
    workspace=path("/home/ada/harbour"),
    task="mend the sluice",
    invocation=Invocation(argv=("agent", "--print"), env_keys=("HOME", "PATH")),
    configuration=path("/home/ada/.agent"),
    owner_pid=40,
    owner_pid_started_at="400",
    created_at=BEGAN,
    updated_at=BEGAN,
    tool_calls=0,
    other_sessions=0,
    ignored_lines=0,
)


def after(*events: DispatchEvent, journal: DispatchJournal = QUEUED) -> DispatchJournal:
    for event in events:
        journal = step(journal, event)
    return journal


def result(
    *, subtype: str | None = "success", is_error: bool = False, stop_reason: str | None = None, text: str | None = None
) -> StreamResult:
    return StreamResult(subtype=subtype, is_error=is_error, stop_reason=stop_reason, result=text)


SPAWNED: Final = Spawned(at=BEGAN + 10, pid=41, pid_started_at="410")
SPAWN_FAILED: Final = SpawnFailed(at=BEGAN + 10, message="no such program")
INITIALISED: Final = Initialised(
    at=BEGAN + 20, session_id="s1", session_file=path("/home/ada/.agent/projects/x/s1.jsonl")
)
PROGRESSED: Final = Progressed(at=BEGAN + 30, tool_calls=2, other_sessions=1, ignored_lines=3)
SUCCEEDED: Final = Ended(at=BEGAN + 40, result=result())
ERRED: Final = Ended(at=BEGAN + 40, result=result(subtype="error_max_turns", is_error=True))
REAPED: Final = Reaped(at=BEGAN + 50, exit_code=1, signal=None)
CANCEL_ASKED: Final = CancelAsked(at=BEGAN + 55)
KILLED: Final = Killed(at=BEGAN + 60)
RECOVERED: Final = Recovered(at=BEGAN + 90, succeeded=True, reason=None, text="Mended.")
RECOVERED_BADLY: Final = Recovered(at=BEGAN + 90, succeeded=False, reason="interrupted", text=None)
VANISHED: Final = Vanished(at=BEGAN + 80, code="gone", message="the process is gone without a result")

RUNNING: Final = after(SPAWNED)
IN_STATE: Final = {
    DispatchState.queued: QUEUED,
    DispatchState.running: RUNNING,
    DispatchState.succeeded: after(SPAWNED, SUCCEEDED),
    DispatchState.failed: after(SPAWNED, ERRED),
    DispatchState.cancelled: after(SPAWNED, KILLED),
    DispatchState.unknown: after(SPAWNED, INITIALISED, VANISHED),
}
"""A run in each state."""


def transcript(
    state: TranscriptState,
    *,
    session: str | None = "s1",
    modified: int = BEGAN + 1000,
    at: int | None = BEGAN + 900,
    offset: int | None = None,
    reason: str | None = None,
) -> TranscriptSummary:
    """A session file that ends so."""
    return TranscriptSummary(
        path=path("/home/ada/.agent/projects/x/s1.jsonl"),
        size=500,
        bytes_read=500,
        truncated=False,
        modified_at=modified,
        session_id=session,
        last_text="Mended.",
        state=state,
        state_at=at,
        state_offset=offset,
        reason=reason,
        rows=3,
        unreadable=0,
        user_messages=1,
        assistant_messages=1,
        tool_calls=0,
        tool_errors=0,
        waiting_calls=0,
    )


# What hypothesis makes of them.

_TIMES = st.integers(0, 2 * BEGAN)
_COUNTS = st.integers(0, 5)
_WORDS = st.sampled_from([None, "", "success", "error_max_turns", "error_during_execution", "end_turn"])
_TEXTS = st.none() | st.text(max_size=5)
RESULTS: Final = st.builds(
    StreamResult,
    subtype=_WORDS,
    is_error=st.booleans(),
    result=_TEXTS,
    stop_reason=st.sampled_from([None, "end_turn", "stop_sequence"]),
    num_turns=st.none() | _COUNTS,
    cost_usd_micros=st.none() | _COUNTS,
    usage=st.none() | st.builds(DispatchUsage, input_tokens=_COUNTS, output_tokens=_COUNTS),
)
EVENTS: Final[st.SearchStrategy[DispatchEvent]] = st.one_of(
    st.builds(Spawned, at=_TIMES, pid=st.sampled_from([41, 42]), pid_started_at=st.sampled_from([None, "410", "420"])),
    st.builds(SpawnFailed, at=_TIMES, message=st.text(max_size=5)),
    st.builds(
        Initialised,
        at=_TIMES,
        session_id=st.sampled_from(["s1", "s2"]),
        session_file=st.sampled_from([None, path("/a/s1.jsonl"), path("/b/s1.jsonl")]),
        session_bytes=st.sampled_from([None, 0, 7]),
    ),
    st.builds(Progressed, at=_TIMES, tool_calls=_COUNTS, other_sessions=_COUNTS, ignored_lines=_COUNTS),
    st.builds(Ended, at=_TIMES, result=RESULTS),
    st.builds(Reaped, at=_TIMES, exit_code=st.none() | _COUNTS, signal=st.sampled_from([None, "SIGTERM"])),
    st.builds(CancelAsked, at=_TIMES),
    st.builds(Killed, at=_TIMES),
    st.builds(
        Recovered, at=_TIMES, succeeded=st.booleans(), reason=st.sampled_from([None, "interrupted"]), text=_TEXTS
    ),
    st.builds(Vanished, at=_TIMES, code=st.just("gone"), message=st.text(max_size=5)),
)
"""Any event, at any time: clocks are put back."""
_SEEN = st.sampled_from([BEGAN - 1, BEGAN, BEGAN + 1])
SUMMARIES: Final = st.builds(
    transcript,
    st.sampled_from(TranscriptState),
    session=st.sampled_from([None, "s1", "s2"]),
    modified=_SEEN,
    at=st.none() | _SEEN,
    offset=st.sampled_from([None, 99, 100, 101]),
)


def told_at(event: DispatchEvent, at: int) -> DispatchEvent:
    """The same event at another time."""
    return structs.replace(event, at=at)
