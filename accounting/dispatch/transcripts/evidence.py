"""What a session file shows of a dispatched run: an end counts only when it is the run's own. Spec: dispatch.md 2.2.

A session goes on when somebody takes it up by hand: then its end says nothing of the run that began it.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from msgspec import structs

from accounting.dispatch.transcripts.ending import DECIDED, Ending
from accounting.dispatch.transcripts.rows import Line, read_lines, time_of
from accounting.dispatch.transcripts.summary import summarise
from accounting.dispatch.transcripts.turns import read_turn
from accounting.foreign.sample import LONGEST
from wire.dispatch import DispatchJournal, DispatchState, TranscriptState, TranscriptSummary
from wire.scalars import TimeMs

_CHUNK: Final = 1 << 20


def evidence(path: Path, journal: DispatchJournal, now: TimeMs) -> TranscriptSummary:
    """The summary of a run's session file, its state `unknown` where an end is not shown to be the run's.

    That is when the end is later than the process's, or than `now`; when a person put in more than the one prompt that
    a dispatch has; and when the whole file, of which the summary may leave out the middle, does not end like that.
    Whether it comes after the dispatch's beginning is for `reconcile` to say. Raises `OSError`.
    """
    summary = summarise(path)
    if summary.state not in DECIDED or (_is_in_time(summary, journal, now) and _is_shown(summary, path, journal)):
        return summary
    return structs.replace(summary, state=TranscriptState.unknown, state_at=None, state_offset=None, reason=None)


def _is_in_time(summary: TranscriptSummary, journal: DispatchJournal, now: TimeMs) -> bool:
    """Whether what ends it may have been written while the process was there."""
    latest = now
    if journal.state is DispatchState.unknown and journal.finished_at is not None:  # it was gone by then
        latest = journal.finished_at
    # A row without a time was written before the file was last written.
    return (summary.modified_at if summary.state_at is None else summary.state_at) <= latest


def _is_shown(summary: TranscriptSummary, path: Path, journal: DispatchJournal) -> bool:
    """Whether all that was there when the summary was made ends so, in the run's session, after one prompt at most."""
    ending = Ending()
    prompts: set[str | int] = set()
    for line in _lines(path, summary.size):
        for held in line.rows:
            read = read_turn(held)
            ending.take(held.row, read, line.offset)
            if read.by_person and _is_since(journal, time_of(held.row), line.offset):
                prompts.add(held.row.uuid or held.row.id or line.offset)
                if len(prompts) > 1:
                    return False
    return ending.decided_by() == summary.state_offset and ending.session in (None, journal.session_id)


def _is_since(journal: DispatchJournal, t: TimeMs | None, offset: int) -> bool:
    """Whether a row may have been written since the dispatch began."""
    return offset >= (journal.session_bytes or 0) if t is None else t >= journal.created_at


def _lines(path: Path, size: int) -> Iterator[Line]:
    """The lines of the first bytes of a file, of which only a few are in memory at once."""
    with path.open("rb") as file:
        at = 0
        while at < size and (data := file.read(min(_CHUNK, size - at))):
            if not data.endswith(b"\n"):
                data += file.readline(min(LONGEST, size - at - len(data)))
            # The rest of a row that is longer than any that is read does not read either.
            yield from read_lines(data, at)
            at += len(data)
