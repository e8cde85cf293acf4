"""The state machine: each row of the table and each pair that cannot be, by hand; and what holds for any events."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from accounting.dispatch.events import DispatchEvent, Ended, Recovered, Spawned
from accounting.dispatch.machine import IllegalEventError, is_success, step
from tests.accounting.dispatch.journals import (
    BEGAN,
    CANCEL_ASKED,
    ERRED,
    EVENTS,
    IN_STATE,
    INITIALISED,
    KILLED,
    PROGRESSED,
    QUEUED,
    REAPED,
    RECOVERED,
    RECOVERED_BADLY,
    RESULTS,
    RUNNING,
    SPAWN_FAILED,
    SPAWNED,
    SUCCEEDED,
    VANISHED,
    after,
    result,
    told_at,
)
from wire import decode, encode
from wire.dispatch import TERMINAL, DispatchError, DispatchJournal, DispatchState, DispatchUsage, StreamResult

KINDS = (
    SPAWNED,
    SPAWN_FAILED,
    INITIALISED,
    PROGRESSED,
    SUCCEEDED,
    ERRED,
    REAPED,
    CANCEL_ASKED,
    KILLED,
    RECOVERED,
    RECOVERED_BADLY,
    VANISHED,
)

# dispatch.md 2.2, by hand: from, event, to, source, stop reason.
TABLE: tuple[tuple[str, DispatchEvent, str, str | None, str | None], ...] = (
    ("queued", SPAWNED, "running", None, None),
    ("queued", SPAWN_FAILED, "failed", "observation", "spawn_error"),
    ("queued", VANISHED, "unknown", "process-exit", None),
    ("running", SPAWNED, "running", None, None),  # told again
    ("running", INITIALISED, "running", None, None),
    ("running", PROGRESSED, "running", None, None),
    ("running", REAPED, "running", None, None),
    ("running", CANCEL_ASKED, "running", None, None),
    ("running", SUCCEEDED, "succeeded", "observation", "end_turn"),
    ("running", ERRED, "failed", "observation", "error_max_turns"),
    ("running", KILLED, "cancelled", "observation", None),
    ("running", RECOVERED, "succeeded", "transcript", "end_turn"),
    ("running", RECOVERED_BADLY, "failed", "transcript", "interrupted"),
    ("running", VANISHED, "unknown", "process-exit", None),
    ("unknown", RECOVERED, "succeeded", "transcript", "end_turn"),
    ("unknown", RECOVERED_BADLY, "failed", "transcript", "interrupted"),
)
ILLEGAL: tuple[tuple[str, DispatchEvent], ...] = (
    ("queued", INITIALISED),
    ("queued", PROGRESSED),
    ("queued", SUCCEEDED),
    ("queued", ERRED),
    ("queued", REAPED),
    ("queued", CANCEL_ASKED),
    ("queued", KILLED),
    ("queued", RECOVERED),
    ("queued", RECOVERED_BADLY),
    ("running", SPAWN_FAILED),
)


def _name(value: object) -> str:
    return value if isinstance(value, str) else type(value).__name__


@pytest.mark.parametrize(("state", "event", "to", "source", "reason"), TABLE, ids=_name)
def test_a_row_of_the_table(state: str, event: DispatchEvent, to: str, source: str | None, reason: str | None) -> None:
    journal = step(IN_STATE[DispatchState(state)], event)
    assert (journal.state, journal.state_source, journal.stop_reason) == (to, source, reason)
    assert (journal.finished_at is None) == (source is None)


@pytest.mark.parametrize(("state", "event"), ILLEGAL, ids=_name)
def test_what_cannot_happen_is_refused(state: str, event: DispatchEvent) -> None:
    journal = IN_STATE[DispatchState(state)]
    told = re.escape(f"{journal.run_id} is {state}: it cannot be told {_name(event)}")
    with pytest.raises(IllegalEventError, match=told) as raised:
        step(journal, event)
    assert raised.value.journal is journal
    assert raised.value.event is event


def test_every_pair_is_in_one_of_the_tables_or_final() -> None:
    """The tables above are whole, and what is in neither changes nothing."""
    listed = [(state, event) for state, event, *_ in TABLE] + list(ILLEGAL)
    assert len(listed) == len({(state, id(event)) for state, event in listed})
    rest = [(state, event) for state in DispatchState for event in KINDS if (state, event) not in listed]
    assert len(rest) + len(listed) == len(DispatchState) * len(KINDS)
    for state, event in rest:
        assert state in TERMINAL
        assert step(IN_STATE[state], event) is IN_STATE[state]


def test_another_process_for_a_run_that_has_one_is_refused() -> None:
    assert step(RUNNING, SPAWNED) is RUNNING
    for other in (structs.replace(SPAWNED, pid=42), structs.replace(SPAWNED, pid_started_at="411")):
        with pytest.raises(IllegalEventError, match="cannot be told Spawned"):
            step(RUNNING, other)


def test_a_run_that_came_out_well() -> None:
    """Every field, by hand."""
    usage = DispatchUsage(input_tokens=52, output_tokens=3, cache_read_tokens=40)
    told = StreamResult(
        subtype="success",
        is_error=False,
        result="Mended.",
        stop_reason="stop_sequence",
        num_turns=3,
        duration_ms=59,
        cost_usd_micros=41,
        usage=usage,
        session_id="s1",
    )
    assert after(SPAWNED, INITIALISED, PROGRESSED, REAPED, Ended(at=BEGAN + 99, result=told)) == structs.replace(
        QUEUED,
        state=DispatchState.succeeded,
        state_source="observation",
        stop_reason="stop_sequence",
        pid=41,
        pid_started_at="410",
        session_id="s1",
        session_file=INITIALISED.session_file,
        started_at=BEGAN + 10,
        finished_at=BEGAN + 99,
        updated_at=BEGAN + 99,
        tool_calls=2,
        other_sessions=1,
        ignored_lines=3,
        usage=usage,
        cost_usd_micros=41,
        num_turns=3,
        duration_ms=59,
        result_text="Mended.",
        exit_code=1,
    )


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        (result(subtype="error_max_turns"), "error_max_turns"),  # the word alone is enough
        (result(subtype="success", is_error=True, stop_reason="end_turn"), "error"),
        (result(subtype=None, is_error=True), "error"),
        (result(subtype="", is_error=False), "error"),
    ],
)
def test_what_a_failure_is_called(told: StreamResult, reason: str) -> None:
    journal = after(SPAWNED, Ended(at=BEGAN, result=structs.replace(told, result="No credit left.")))
    assert (journal.state, journal.stop_reason) == ("failed", reason)
    assert journal.error == DispatchError(code=reason, message="No credit left.")
    assert journal.result_text == "No credit left."
    silent = after(SPAWNED, Ended(at=BEGAN, result=told))
    assert silent.error == DispatchError(code=reason, message="the agent reported an error")


def test_a_long_result_is_not_told_twice() -> None:
    for text, message in (("x" * 400, "x" * 400), ("x" * 401, "x" * 399 + "…")):
        journal = after(SPAWNED, Ended(at=BEGAN, result=result(is_error=True, text=text)))
        assert journal.error == DispatchError(code="error", message=message)
        assert journal.result_text == text


def test_who_sets_about_cancelling_first_is_told() -> None:
    journal = after(SPAWNED, CANCEL_ASKED)
    assert (journal.state, journal.cancel_asked_at, journal.updated_at) == ("running", BEGAN + 55, BEGAN + 55)
    assert step(journal, told_at(CANCEL_ASKED, BEGAN + 99)) is journal
    assert after(SUCCEEDED, journal=journal).state == "succeeded"


def test_why_a_run_did_not_start_or_is_lost() -> None:
    assert after(SPAWN_FAILED).error == DispatchError(code="spawn_error", message="no such program")
    assert after(SPAWNED, VANISHED).error == DispatchError(code="gone", message=VANISHED.message)
    found = after(SPAWNED, VANISHED, RECOVERED)
    assert (found.error, found.result_text, found.finished_at) == (None, "Mended.", RECOVERED.at)
    badly = after(SPAWNED, VANISHED, RECOVERED_BADLY)
    assert badly.error == DispatchError(
        code="interrupted", message="its process is gone, and the session file ends so: interrupted"
    )


def test_only_the_first_session_counts() -> None:
    journal = after(SPAWNED, INITIALISED)
    assert (journal.session_id, journal.session_file) == ("s1", INITIALISED.session_file)
    for other in (structs.replace(INITIALISED, session_id="s2"), structs.replace(INITIALISED, session_file=None)):
        assert step(journal, other) is journal


def test_whoever_has_read_less_knows_less() -> None:
    journal = after(SPAWNED, PROGRESSED)
    assert (journal.tool_calls, journal.other_sessions, journal.ignored_lines) == (2, 1, 3)
    assert step(journal, structs.replace(PROGRESSED, tool_calls=1, other_sessions=0, ignored_lines=2)) is journal
    more = step(journal, structs.replace(PROGRESSED, tool_calls=3, other_sessions=0, ignored_lines=2))
    assert (more.tool_calls, more.other_sessions, more.ignored_lines) == (3, 1, 3)


def test_a_process_is_collected_once() -> None:
    journal = after(SPAWNED, REAPED)
    assert (journal.exit_code, journal.signal) == (1, None)
    assert step(journal, structs.replace(REAPED, exit_code=0)) is journal
    assert step(RUNNING, structs.replace(REAPED, exit_code=None)) is RUNNING


# What holds for any events, in any order, at any time.


def _told(journal: DispatchJournal, events: list[DispatchEvent]) -> list[DispatchJournal]:
    """The journal after each event, those that cannot be passed over."""
    seen = [journal]
    for event in events:
        try:
            journal = step(journal, event)
        except IllegalEventError:
            continue
        seen.append(journal)
    return seen


RUNS = st.builds(_told, st.sampled_from([QUEUED, RUNNING]), st.lists(EVENTS, max_size=12))


@given(RESULTS)
def test_success_is_no_error_and_no_word_but_success(told: StreamResult) -> None:
    journal = after(SPAWNED, Ended(at=BEGAN, result=told))
    well = told.is_error is False and (told.subtype is None or told.subtype == "success")
    assert is_success(told) == well
    assert (journal.state is DispatchState.succeeded) == well
    assert (journal.error is None) == well


@pytest.mark.invariant("D2")
@given(st.sampled_from([journal for journal in IN_STATE.values() if journal.state in TERMINAL]), EVENTS)
def test_a_final_state_is_final(journal: DispatchJournal, event: DispatchEvent) -> None:
    """The same object comes back, for all but an unknown run that is recovered."""
    if journal.state is DispatchState.unknown and isinstance(event, Recovered):
        assert step(journal, event).state_source == "transcript"
    else:
        assert step(journal, event) is journal


@pytest.mark.invariant("D1")
@given(st.lists(EVENTS, max_size=12))
def test_no_success_without_evidence(events: list[DispatchEvent]) -> None:
    last = _told(QUEUED, events)[-1]
    if last.state is DispatchState.succeeded:
        shown = [isinstance(one, Recovered) and one.succeeded for one in events]
        reported = [isinstance(one, Ended) and is_success(one.result) for one in events]
        assert any(shown if last.state_source == "transcript" else reported)


@given(RUNS)
def test_what_was_known_stays_known(seen: list[DispatchJournal]) -> None:
    """Counts and times only grow; a process, a session and an end stay, once they are there."""
    for before, now in pairwise(seen):
        for count in ("tool_calls", "other_sessions", "ignored_lines", "updated_at"):
            assert getattr(now, count) >= getattr(before, count)
        once_known = ("pid", "pid_started_at", "session_id", "session_bytes", "started_at", "cancel_asked_at")
        for once in (*once_known, "exit_code", "signal"):
            assert getattr(before, once) in (None, getattr(now, once))
        times = [t for t in (now.created_at, now.started_at, now.finished_at, now.updated_at) if t is not None]
        assert times == sorted(times)
        assert (now.finished_at is not None) == (now.state in TERMINAL)
        assert now.state is not DispatchState.queued or before.state is DispatchState.queued


@given(RUNS)
def test_what_a_run_was_started_with_never_changes_and_it_can_be_written(seen: list[DispatchJournal]) -> None:
    fixed = ("run_id", "idempotency_key_sha256", "profile", "kind", "workspace", "task", "invocation", "created_at")
    for journal in seen:
        assert all(getattr(journal, name) == getattr(QUEUED, name) for name in fixed)
        assert decode(encode(journal), DispatchJournal) == journal


@given(RUNS, EVENTS)
def test_an_event_told_twice_changes_nothing_more(seen: list[DispatchJournal], event: DispatchEvent) -> None:
    try:
        once = step(seen[-1], event)
    except IllegalEventError:
        return
    if isinstance(event, Spawned) or once.state in TERMINAL:
        assert step(once, event) is once
    else:
        assert step(once, told_at(event, 0)) is once
