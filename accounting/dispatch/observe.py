"""What became of a run: its journal brought up to date with its process and its output. Spec: dispatch.md 2.2, 2.3.

Nobody has to be there while an agent works: it prints to a file, and whoever looks next reads on. First it is asked
whether the process is there, then what it printed is read to the end: so a process that is gone has printed all it ever
will, and only then an unfinished last line counts.
"""

import os
from pathlib import Path
from typing import Final

from msgspec import structs

from accounting import private
from accounting.clock import system_clock
from accounting.dispatch.children import child_of
from accounting.dispatch.errors import UnknownRunError
from accounting.dispatch.events import DispatchEvent, Ended, Reaped, SpawnFailed
from accounting.dispatch.machine import step
from accounting.dispatch.output import Output
from accounting.dispatch.reconcile import ProcessState, reconcile
from accounting.dispatch.store import PATIENCE_S, LockedRun, RunStore
from accounting.dispatch.transcripts.of_run import session_path_of, transcript_of
from accounting.processes import PROCESSES, Presence, Processes, presence
from wire.dispatch import TERMINAL, DispatchJournal, DispatchState
from wire.scalars import DispatchId, absolute_path

_EXIT_PATIENCE_S: Final = 0.5
"""How long a child of ours that is at its end may take to be collected, for its exit code to get into the journal."""
_REST_MS: Final = 1000
"""The least time between two writings of a journal for nothing but counts."""
_SAID: Final = 400
"""Characters of what a launcher said last that are told."""


def observe(store: RunStore, run: DispatchId, processes: Processes = PROCESSES) -> DispatchJournal:
    """The run as it stands now; what was found out is written down.

    Raises `UnknownRunError`, `CorruptJournalError`, `RunBusyError` when another process has been changing it for long,
    `OSError`.
    """
    return Observing(store, run, processes).look()


class Observing:
    """A run that is looked at again and again, each time at the cost of what is new in its output."""

    def __init__(self, store: RunStore, run: DispatchId, processes: Processes = PROCESSES) -> None:
        self.store: Final = store
        """Where it is written down."""
        self.run: Final = run
        """The run."""
        self.processes: Final = processes
        """The processes there are."""
        self._output: Final = Output(store.stream_path(run))
        self._has_waited = False

    def look(self, patience_s: float = PATIENCE_S) -> DispatchJournal:
        """The run as it stands now, see `observe`. For news its lock is waited for, up to `patience_s` seconds."""
        journal = self.store.read(self.run)
        told = self._without_writing(journal)
        if told is not None:
            return told
        with self.store.locked(self.run, patience_s) as held:
            return self.catch_up(held)

    def catch_up(self, held: LockedRun) -> DispatchJournal:
        """The run as it stands now, under its lock. Raises as `observe` does."""
        journal = held.read()
        if journal is None:
            raise UnknownRunError(self.run, self.store.runs)
        match journal.state:
            case DispatchState.queued:
                found = self._started(journal)
            case DispatchState.running:
                found = self._run_on(journal)
            case _:
                found = self._found_later(journal)
        told = _counted(found, journal)
        if told is not None:
            return told
        found = _placed(found)
        held.write(found)
        return found

    def presence(self, journal: DispatchJournal) -> Presence:
        """Whether the agent's process is there."""
        return Presence.gone if journal.pid is None else presence(self.processes, journal.pid, journal.pid_started_at)

    def printed(self, journal: DispatchJournal, *, whole: bool) -> tuple[DispatchEvent, ...]:
        """What the output says by now, as `Output.events`."""
        return self._output.events(journal, whole=whole)

    def exited(self, journal: DispatchJournal, wait_s: float = 0.0) -> Reaped | None:
        """How the process ended, if it was a child of ours and has; `None` when nobody can say."""
        child = child_of(self.store.journal_path(self.run))
        if child is None or child.pid != journal.pid or (end := child.ended(wait_s)) is None:
            return None
        if end.exit_code is None and end.signal is None:
            return None
        return Reaped(at=system_clock(), exit_code=end.exit_code, signal=end.signal)

    def _without_writing(self, journal: DispatchJournal) -> DispatchJournal | None:
        """The run as it stands, when nothing has to be written for it; `None` when it is to be looked at locked."""
        match journal.state:
            case DispatchState.queued:
                found = self._started(journal)
            case DispatchState.running if self.presence(journal) is Presence.gone:
                return None
            case DispatchState.running:
                found = self._told(journal, whole=False)
            case _:
                found = self._found_later(journal)
        return _counted(found, journal)

    def _started(self, journal: DispatchJournal) -> DispatchJournal:
        """A run that waits for its agent: whoever was to start it may be gone, or have failed to."""
        now = system_clock()
        owner = presence(self.processes, journal.owner_pid, journal.owner_pid_started_at)
        if owner is Presence.gone:
            return reconcile(journal, ProcessState.gone, None, now)
        if owner is Presence.elsewhere or journal.owner_pid != os.getpid():
            return journal
        # Ours, and under the lock nobody is in the middle of starting it.
        child = child_of(self.store.journal_path(self.run))
        if child is None:
            return step(journal, SpawnFailed(at=now, message="starting it was broken off"))
        if (end := child.ended()) is None:
            return journal
        how = f"exit code {end.exit_code}" if end.signal is None else end.signal
        said = _last_line(self.store.errors_path(self.run))
        message = f"what was to start it ended before ({how}){f': {said}' if said else ''}"
        return step(journal, SpawnFailed(at=now, message=message))

    def _run_on(self, journal: DispatchJournal) -> DispatchJournal:
        gone = self.presence(journal) is Presence.gone
        found = self._told(journal, whole=gone)
        if gone and found.state not in TERMINAL:
            found = reconcile(found, ProcessState.gone, transcript_of(found), system_clock())
        return found

    def _told(self, journal: DispatchJournal, *, whole: bool) -> DispatchJournal:
        events = self.printed(journal, whole=whole)
        # The exit code gets in before what is final does: after that nothing changes any more.
        patient = not self._has_waited and (whole or any(isinstance(event, Ended) for event in events))
        self._has_waited |= patient
        exited = self.exited(journal, _EXIT_PATIENCE_S if patient else 0.0)
        for event in (*(() if exited is None else (exited,)), *events):
            journal = step(journal, event)
        return journal

    def _found_later(self, journal: DispatchJournal) -> DispatchJournal:
        """Of a run that nobody knows the end of, a completed session file may appear."""
        if journal.state is not DispatchState.unknown or journal.session_id is None:
            return journal
        return reconcile(journal, ProcessState.gone, transcript_of(journal), system_clock())


def _counted(found: DispatchJournal, journal: DispatchJournal) -> DispatchJournal | None:
    """What is told without writing it down: nothing new, or only more of the same a moment after the last writing.

    Such counts are written down with what comes next: a journal holds the whole task, and some agents print all the
    time. `None` when what was found is to be written.
    """
    if found is journal:
        return journal
    names = ("tool_calls", "other_sessions", "ignored_lines")
    told = structs.replace(found, updated_at=journal.updated_at)
    is_all = structs.replace(told, **{name: getattr(journal, name) for name in names}) == journal
    return told if is_all and found.updated_at - journal.updated_at < _REST_MS else None


def _placed(found: DispatchJournal) -> DispatchJournal:
    """A run that has ended, with its session file where the agent did put it: it was told of before there was one."""
    if found.state not in TERMINAL or found.session_file is None:
        return found
    try:
        file = session_path_of(found)
    except OSError:  # where it is has no bearing on how the run ended
        return found
    place = None if file is None else absolute_path(str(file))
    return found if place in (None, found.session_file) else structs.replace(found, session_file=place)


def _last_line(path: Path) -> str:
    try:
        lines = (private.read_whole(path) or b"").decode(errors="replace").split("\n")
    except OSError:
        return ""
    return next((line.strip()[:_SAID] for line in reversed(lines) if line.strip()), "")
