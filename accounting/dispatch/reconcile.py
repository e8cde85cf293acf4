"""A run whose process may be gone: what its journal should say. Pure. Spec: dispatch.md 2.2, the reconcile rule."""

from enum import StrEnum

from accounting.dispatch.events import Killed, Recovered, Vanished
from accounting.dispatch.machine import step
from wire.dispatch import TERMINAL, DispatchJournal, DispatchState, TranscriptState, TranscriptSummary
from wire.scalars import TimeMs


class ProcessState(StrEnum):
    """Whether a run's process is there: the agent's, or while it is queued the one that wrote the journal."""

    alive = "alive"
    """It runs."""
    gone = "gone"
    """It has ended, or its number is another's now."""


def reconcile(
    journal: DispatchJournal, process: ProcessState, transcript: TranscriptSummary | None, now: TimeMs
) -> DispatchJournal:
    """The journal as it should be, given whether its process is there and what the agent's session file shows.

    The same object when nothing follows. What the stream holds is to be told to `step` before: only a run without a
    result is judged here. A completion counts when it came after the dispatch began. One that somebody set about
    cancelling is cancelled, whoever finds it gone, unless it had completed: an interruption is the cancelling's doing.
    `transcript` is `None` when there is none, or it cannot be read.
    """
    if journal.state in TERMINAL and journal.state is not DispatchState.unknown:
        return journal
    if process is ProcessState.alive:
        return journal
    if journal.state is DispatchState.queued:
        message = "the dispatcher is gone, and the agent was never started"
        return step(journal, Vanished(at=now, code="never_started", message=message))
    if transcript is not None and _is_of_run(journal, transcript):
        match transcript.state:
            case TranscriptState.completed:
                return step(journal, Recovered(at=now, succeeded=True, reason=None, text=transcript.last_text))
            case TranscriptState.failed if journal.cancel_asked_at is None:
                text = transcript.last_text
                return step(journal, Recovered(at=now, succeeded=False, reason=transcript.reason, text=text))
            case TranscriptState.failed | TranscriptState.open | TranscriptState.unknown:
                pass
    if journal.cancel_asked_at is not None:
        return step(journal, Killed(at=now))
    return step(journal, Vanished(at=now, code="gone", message="the process is gone without a result"))


def _is_of_run(journal: DispatchJournal, transcript: TranscriptSummary) -> bool:
    """Whether what ends the transcript came after the dispatch began: an old session may have been taken up again.

    The time of that row tells, and where it has none its place, behind what there was when the run named the session.
    """
    if journal.session_id is None or journal.started_at is None:
        return False
    if transcript.session_id is not None and transcript.session_id != journal.session_id:
        return False
    if transcript.state_at is not None:
        return transcript.state_at >= journal.created_at
    before, place = journal.session_bytes, transcript.state_offset
    return before is not None and place is not None and place >= before
