"""Which session `--run` means, and reading it."""

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from accounting.cli.problems import tell
from accounting.cli.source import reading
from accounting.cli.trouble import Trouble

if TYPE_CHECKING:
    from accounting.cli.foreign import Foreign
    from accounting.foreign import Session
    from accounting.ledger import Ledger
    from accounting.views.rounds import Rounds
    from wire.scalars import RunId

T = TypeVar("T")
_LISTED: Final = 20
"""How many candidates are named."""
_COMPARED: Final = 20_000
"""How many ids a mistyped one is compared with."""


class Chosen(NamedTuple):
    """A session, folded."""

    folded: "Rounds"
    session: "Session | None"
    """The session of another agent that it is; `None` when it is a ledger's."""


def fold_chosen(found: "Ledger | Foreign", path: str, asked: str | None, window: int | None) -> Chosen:
    """The fold of the session that `asked` names. Raises `Trouble` as `reading_chosen` does."""
    from accounting.ledger import Ledger
    from accounting.views.rounds import read_rounds, rounds

    if not isinstance(found, Ledger):
        session = found.chosen(asked)
        return Chosen(rounds(session.records, session.run, window), session)

    def fold(run: "RunId") -> "Rounds":
        return read_rounds(found, run, window)

    folded = reading_chosen(
        found, path, asked, "folding", fold, lambda folded: bool(folded.used or folded.outside or folded.passed)
    )
    return Chosen(folded, None)


def reading_chosen(
    ledger: "Ledger",
    path: str,
    asked: str | None,
    label: str,
    read: "Callable[[RunId], T]",
    found: Callable[[T], bool],
) -> T:
    """What `read` makes of the session that `asked` names by its id or a beginning of it; `None` means the only one.

    An id in full is read straight away, and stands if anything is `found`; what runs there are is looked up only where
    that is needed.

    Raises `Trouble` when it names no session or several, or the ledger cannot be read.
    """
    from accounting.ledger import Problems
    from wire.scalars import run_id

    wanted = None if asked is None else asked.strip().lower()
    run = run_id(wanted)
    if run is not None:
        with reading(ledger, label):
            result = read(run)
        if found(result):
            return result
    problems = Problems()
    with reading(ledger, "looking for runs"):
        runs = ledger.run_ids(problems.add)
    if not runs:
        tell(problems.listed, problems.counts)
        from accounting.cli.foreign import unknown

        raise unknown(path)
    run = _only(runs, path) if wanted is None else _named(runs, path, wanted)
    with reading(ledger, label):
        return read(run)


def _only(runs: "dict[RunId, int]", path: str) -> "RunId":
    from wire.scalars import NIL_RUN

    sessions = [run for run in runs if run != NIL_RUN] or [NIL_RUN]
    if len(sessions) == 1:
        return sessions[0]
    raise Trouble(f"{path}: {len(sessions):,} runs in it; choose one with --run", _choices(sessions, runs))


def _named(runs: "dict[RunId, int]", path: str, wanted: str) -> "RunId":
    meant = [run for run in runs if run.startswith(wanted)]
    if len(meant) == 1:
        return meant[0]
    if meant:
        raise Trouble(
            f"{path}: {len(meant):,} runs begin with {wanted!r}; give more of the id with --run", _choices(meant, runs)
        )
    by_beginning: dict[str, list[RunId]] = {}
    for run in [*runs][-_COMPARED:]:
        by_beginning.setdefault(run[: len(wanted)], []).append(run)
    near = [run for beginning in get_close_matches(wanted, by_beginning) for run in by_beginning[beginning]]
    if near:
        raise Trouble(f"{path}: no run {wanted!r}; near it, for --run:", _choices(near, runs))
    if len(runs) <= _LISTED:
        raise Trouble(f"{path}: no run {wanted!r}; for --run there are:", _choices(runs, runs))
    raise Trouble(f"{path}: no run {wanted!r} among {len(runs):,}; `rounds runs` lists them")


def _choices(candidates: "Iterable[RunId]", runs: "dict[RunId, int]") -> tuple[str, ...]:
    listed = [f"{run}  {_lines(runs[run])}" for run in candidates]
    more = len(listed) - _LISTED
    return (*listed[:_LISTED], f"and {more:,} more: `rounds runs` lists them") if more > 0 else tuple(listed)


def _lines(count: int) -> str:
    return "1 line" if count == 1 else f"{count:,} lines"
