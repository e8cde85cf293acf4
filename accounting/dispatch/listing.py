"""All the runs there are. Spec: dispatch.md 2.2."""

from typing import Final

from accounting.dispatch.errors import CorruptJournalError, RunBusyError, UnknownRunError
from accounting.dispatch.observe import Observing
from accounting.dispatch.store import RunStore
from accounting.processes import PROCESSES, Processes
from wire.dispatch import DispatchJournal, DispatchList, UnreadableJournal
from wire.scalars import absolute_path

_PATIENCE_S: Final = 1.0


def list_runs(store: RunStore, *, limit: int | None = None, processes: Processes = PROCESSES) -> DispatchList:
    """The runs, the newest first, each as it stands now; with a limit only so many of them.

    A journal that does not read is told of, whatever the limit. A run that somebody is changing, or whose news cannot
    be written down, stands as it is written. Raises `OSError` when the directory cannot be listed.
    """
    found: list[DispatchJournal] = []
    unreadable: list[UnreadableJournal] = []
    for run in store.ids():
        try:
            found.append(store.read(run))
        except UnknownRunError:  # somebody has moved it away since
            continue
        except (CorruptJournalError, OSError) as error:
            message = error.message if isinstance(error, CorruptJournalError) else error.strerror or str(error)
            # Journals are UTF-8, and the name of a directory need not be.
            path = absolute_path(str(store.journal_path(run)).encode(errors="backslashreplace").decode())
            assert path is not None
            unreadable.append(UnreadableJournal(path=path, message=message))
    found.sort(key=lambda journal: (-journal.created_at, journal.run_id))
    runs = tuple(_now(store, journal, processes) for journal in found[:limit])
    return DispatchList(runs=runs, unreadable=tuple(unreadable))


def _now(store: RunStore, journal: DispatchJournal, processes: Processes) -> DispatchJournal:
    try:
        return Observing(store, journal.run_id, processes).look(_PATIENCE_S)
    except (RunBusyError, UnknownRunError, CorruptJournalError, OSError):
        return journal
