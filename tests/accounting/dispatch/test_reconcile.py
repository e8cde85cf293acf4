"""A run whose process may be gone, by hand and for any state."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from accounting.dispatch.reconcile import ProcessState, reconcile
from tests.accounting.dispatch.journals import (
    BEGAN,
    CANCEL_ASKED,
    IN_STATE,
    INITIALISED,
    QUEUED,
    RUNNING,
    SPAWN_FAILED,
    SPAWNED,
    SUMMARIES,
    VANISHED,
    after,
    transcript,
)
from wire.dispatch import TERMINAL, DispatchError, DispatchJournal, DispatchState, TranscriptState, TranscriptSummary

NOW = BEGAN + 5000
GONE, ALIVE = ProcessState.gone, ProcessState.alive
TOLD = after(SPAWNED, INITIALISED)
COMPLETED = transcript(TranscriptState.completed)


def _end(journal: DispatchJournal) -> tuple[str, str | None, str | None]:
    return journal.state, journal.state_source, journal.stop_reason


def test_a_completed_transcript() -> None:
    journal = reconcile(TOLD, GONE, COMPLETED, NOW)
    assert _end(journal) == ("succeeded", "transcript", "end_turn")
    assert (journal.result_text, journal.error, journal.finished_at) == ("Mended.", None, NOW)


def test_a_transcript_that_ends_badly() -> None:
    journal = reconcile(TOLD, GONE, transcript(TranscriptState.failed, reason="interrupted"), NOW)
    assert _end(journal) == ("failed", "transcript", "interrupted")
    assert _end(reconcile(TOLD, GONE, transcript(TranscriptState.failed), NOW)) == ("failed", "transcript", "error")


@pytest.mark.parametrize(
    "summary",
    [
        None,
        transcript(TranscriptState.open),
        transcript(TranscriptState.unknown),
        transcript(TranscriptState.completed, session="s2"),
        transcript(TranscriptState.failed, session="s2"),
        transcript(TranscriptState.completed, at=BEGAN - 1),  # an old session, written to since
        transcript(TranscriptState.completed, at=BEGAN - 1, offset=500),
        transcript(TranscriptState.completed, at=None, offset=500),  # how much was there before is not known
    ],
)
def test_nothing_that_shows_an_end(summary: TranscriptSummary | None) -> None:
    journal = reconcile(TOLD, GONE, summary, NOW)
    assert _end(journal) == ("unknown", "process-exit", None)
    assert journal.error == DispatchError(code="gone", message="the process is gone without a result")
    assert reconcile(journal, GONE, summary, NOW + 1) is journal


def test_the_dispatch_began_when_it_was_written_down() -> None:
    for summary in (
        transcript(TranscriptState.completed, at=BEGAN),
        transcript(TranscriptState.completed, modified=BEGAN - 1),  # whatever the file system says
        transcript(TranscriptState.completed, session=None),
    ):
        assert _end(reconcile(TOLD, GONE, summary, NOW)) == ("succeeded", "transcript", "end_turn")


@pytest.mark.parametrize(
    ("before", "offset", "counts"),
    [(0, 0, True), (100, 100, True), (100, 99, False), (100, None, False), (None, 100, False)],
)
def test_an_end_without_a_time_counts_behind_what_was_there_before(
    before: int | None, offset: int | None, *, counts: bool
) -> None:
    told = structs.replace(TOLD, session_bytes=before)
    for state in (TranscriptState.completed, TranscriptState.failed):
        found = reconcile(told, GONE, transcript(state, at=None, offset=offset), NOW)
        assert found.state_source == ("transcript" if counts else "process-exit")


def test_gone_after_somebody_set_about_cancelling_it() -> None:
    asked = after(CANCEL_ASKED, journal=TOLD)
    assert reconcile(asked, ALIVE, COMPLETED, NOW) is asked
    assert _end(reconcile(asked, GONE, COMPLETED, NOW)) == ("succeeded", "transcript", "end_turn")
    interrupted = transcript(TranscriptState.failed, reason="interrupted")
    for summary in (None, interrupted, transcript(TranscriptState.open), transcript(TranscriptState.completed, at=0)):
        found = reconcile(asked, GONE, summary, NOW)
        assert _end(found) == ("cancelled", "observation", None)
        assert (found.error, found.finished_at) == (None, NOW)


def test_a_transcript_of_a_run_that_named_no_session_is_not_believed() -> None:
    assert reconcile(RUNNING, GONE, COMPLETED, NOW).state == "unknown"


def test_an_owner_that_is_gone_before_it_started_anything() -> None:
    assert reconcile(QUEUED, ALIVE, None, NOW) is QUEUED
    journal = reconcile(QUEUED, GONE, COMPLETED, NOW)
    assert _end(journal) == ("unknown", "process-exit", None)
    assert journal.error is not None
    assert journal.error.code == "never_started"
    assert reconcile(journal, GONE, COMPLETED, NOW) is journal


def test_a_completion_that_is_found_late() -> None:
    lost = after(VANISHED, journal=TOLD)
    assert reconcile(lost, GONE, None, NOW) is lost
    assert _end(reconcile(lost, GONE, COMPLETED, NOW)) == ("succeeded", "transcript", "end_turn")
    assert _end(reconcile(lost, GONE, transcript(TranscriptState.failed), NOW))[:2] == ("failed", "transcript")


@pytest.mark.invariant("D1")
@given(
    st.sampled_from(
        [
            *IN_STATE.values(),
            TOLD,
            after(CANCEL_ASKED, journal=TOLD),
            structs.replace(TOLD, session_bytes=100),
            after(SPAWN_FAILED),
        ]
    ),
    st.sampled_from(ProcessState),
    SUMMARIES | st.none(),
)
def test_for_any_state_and_any_transcript(
    journal: DispatchJournal, process: ProcessState, summary: TranscriptSummary | None
) -> None:
    """The rule of dispatch.md 2.2, said the other way round: what may come out, and what must have been there."""
    now = reconcile(journal, process, summary, NOW)
    if now is not journal:
        assert process is GONE
        assert journal.state not in TERMINAL or journal.state is DispatchState.unknown
        assert now.state in TERMINAL
        assert now.state_source in ("transcript", "process-exit") or journal.cancel_asked_at is not None
        assert now.state_source == "transcript" or now.state == (
            "unknown" if journal.cancel_asked_at is None else "cancelled"
        )
        if now.state_source == "transcript":
            assert summary is not None
            assert summary.state == ("completed" if now.state == "succeeded" else "failed")
            assert summary.session_id in (None, now.session_id)
            if summary.state_at is None:
                assert (summary.state_offset or 0) >= 100 == now.session_bytes
            else:
                assert summary.state_at >= journal.created_at
    elif process is GONE:
        assert journal.state in TERMINAL
    assert reconcile(now, process, summary, NOW) is now
