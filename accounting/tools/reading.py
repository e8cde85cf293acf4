"""A session as rounds, whatever it is of: an agent's own file, a dispatched run, a ledger."""

import os
import stat
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from msgspec import Struct, structs

from accounting.dispatch.agents import session_named
from accounting.dispatch.observe import observe
from accounting.dispatch.places import state_directory
from accounting.dispatch.store import RunStore
from accounting.dispatch.transcripts.of_run import run_file
from accounting.dispatch.transcripts.sessions import NoSuchSessionError
from accounting.foreign import NotForeignError, sessions
from accounting.ledger import Ledger, NotALedgerError
from accounting.ledger.pick import owner
from accounting.tools.tool import ToolError
from accounting.views.rounds import read_rounds, rounds
from wire import Opening, RoundsAnswer
from wire.dispatch import DispatchJournal
from wire.scalars import NIL_RUN, DispatchId, RunId, absolute_path, dispatch_id

_HEAD: Final = 1 << 16
_LISTED: Final = 20


def readable(path: str) -> Path:
    """The path, when it is a file or a directory: whatever else could be waited on for ever.

    Raises `ToolError`, and `OSError` when it is not there.
    """
    found = Path(path)
    mode = found.stat().st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise ToolError(f"{path}: neither a file nor a directory")
    return found


@contextmanager
def naming(path: Path) -> Generator[None]:
    """Around reading a path: an `OSError` names it, also where the system does not, as when a read fails."""
    try:
        yield
    except OSError as error:
        if error.filename is not None:
            raise
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error


def is_ledger(path: Path) -> bool:
    """Whether a file begins as a ledger does. Raises `OSError`."""
    with path.open("rb") as file:
        return owner(file.read(_HEAD)) is not None


class Place(Struct, frozen=True, kw_only=True):
    """Where a session can be read."""

    path: Path
    """Its file, or a ledger."""
    agent: str | None = None
    """The reader of it; `None` where the file tells."""
    run: DispatchJournal | None = None
    """The dispatched run that it is of, if it was named by that."""


def session_place(named: str, environ: Mapping[str, str]) -> Place:
    """Where a session lies: that of a run, by the run's id; a path as it is; an agent's, by the id it gave it.

    Raises `ToolError` when there is none, `accounting.dispatch.errors.DispatchTroubleError`, and `OSError`.
    """
    run = dispatch_id(named)
    if run is not None:
        return _place_of_run(RunStore(state_directory(environ)), run)
    if absolute_path(named) is not None:
        return Place(path=readable(named))
    if "/" in named or os.sep in named:
        raise ToolError(f"{named}: no session's id, and no whole path; begin the path at the root")
    try:
        return Place(path=session_named(named, environ).path)
    except NoSuchSessionError as error:
        raise ToolError(f"{error}{run_hint(named)}") from error


def run_hint(named: str) -> str:
    """What to add where a text that looks like a run's id named nothing."""
    return "; a run's id is `wb-` and 16 hex digits, list_runs lists them" if named.startswith("wb-") else ""


def _place_of_run(store: RunStore, run: DispatchId) -> Place:
    journal = observe(store, run)
    found = run_file(store, journal)
    return Place(path=found.path, agent=found.agent, run=journal)


def rounds_at(place: Place, run: RunId | None) -> RoundsAnswer:
    """A session: the only one there, or that run. What its agent does not say of its task is taken from the journal.

    Raises `ToolError` when the place holds no session, or not that one, or several and none was named, and `OSError`.
    """
    with naming(place.path):
        answer = _rounds_of(place, run)
    if place.run is None or (answer.opening is not None and answer.opening.task.strip()):
        return answer
    opening = answer.opening or Opening(task="", goal="", at=place.run.created_at)
    return structs.replace(answer, opening=structs.replace(opening, task=place.run.task))


def _rounds_of(place: Place, run: RunId | None) -> RoundsAnswer:
    try:
        if place.agent is None and (place.path.is_dir() or is_ledger(place.path)):
            return _of_ledger(Ledger(place.path), run)
    except NotALedgerError as error:
        raise ToolError(f"{error}; of an agent's sessions give the file of one") from error
    return _of_agent(place, run)


def _of_ledger(ledger: Ledger, run: RunId | None) -> RoundsAnswer:
    runs = [one for one in ledger.run_ids() if one != NIL_RUN]
    if run is None and len(runs) == 1:
        run = runs[0]
    if run is None or run not in runs:
        which = "no run in it" if not runs else "no such run" if run else f"{len(runs):,} runs in it, say which"
        raise ToolError(f"{ledger.path}: {which}{_named(runs)}")
    return read_rounds(ledger, run).answer


def _of_agent(place: Place, run: RunId | None) -> RoundsAnswer:
    found: list[RunId] = []
    try:
        for session in sessions(place.path, place.agent):
            if run is None or session.run == run:
                return rounds(session.records, session.run).answer
            found.append(session.run)
    except NotForeignError as error:
        raise ToolError(f"{error}; nor is it a ledger") from error
    raise ToolError(f"{place.path}: no such run{_named(found)}" if found else f"{place.path}: no session in it")


def _named(runs: list[RunId]) -> str:
    more = f" and {len(runs) - _LISTED:,} more" if len(runs) > _LISTED else ""
    return f"; there are {', '.join(runs[:_LISTED])}{more}" if runs else ""
