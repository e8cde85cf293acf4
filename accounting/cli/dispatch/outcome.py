"""What a run's state means to whoever waits for it: the exit code, and the line or drawing that tells."""

from typing import Final

from accounting.cli.out import put
from accounting.cli.telling import NOT_DONE
from accounting.cli.visible import visible
from accounting.dispatch.store import RunStore
from wire import encode
from wire.dispatch import TERMINAL, DispatchJournal, DispatchState

NOT_ENDED: Final = 3
"""Exit code for a run that had not ended when the time was up."""


def exit_code(journal: DispatchJournal, *, waited: bool) -> int:
    """The exit code for a run as it stands; one that goes on is well unless its end was waited for.

    A run that failed, was cancelled or is unknown is not done.
    """
    if journal.state not in TERMINAL:
        return NOT_ENDED if waited else 0
    return 0 if journal.state is DispatchState.succeeded else NOT_DONE


def tell_run(store: RunStore, journal: DispatchJournal, *, as_json: bool) -> None:
    """Print a run: as JSON, drawn once it has ended, and else in one line that says what may be done."""
    if as_json:
        put(encode(journal), b"\n")
    elif journal.state in TERMINAL:
        from accounting.cli.dispatch.drawing import show_run

        show_run(store, journal)
    else:
        put(f"{standing(journal)}\n".encode(errors="replace"))


def standing(journal: DispatchJournal) -> str:
    """How a run stands, in one line that says what may be done."""
    run = journal.run_id
    if journal.state in TERMINAL:
        return f"{run}: {journal.state}; `rounds dispatch show {run}` shows it"
    session = "no session yet" if journal.session_id is None else f"session {visible(journal.session_id)}"
    return f"{run}: {journal.state}, {session}; `rounds dispatch wait {run}` waits for its end"
