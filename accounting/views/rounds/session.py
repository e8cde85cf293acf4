"""Folding what is at hand: records in memory, a ledger on disk, one run of it or every run. Spec: rounds.md 3."""

import os
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from msgspec import Struct, structs

from accounting.ledger import Ledger, Place, Problem, ProblemCode, Problems
from accounting.views.rounds.fold import RoundsFold
from accounting.views.rounds.opening import NamesLookup
from accounting.views.rounds.pairings import REACH, Letters
from wire.answer.rounds import RoundsAnswer
from wire.record.envelope import Record
from wire.record.kinds import Kind
from wire.scalars import NIL_RUN, JsonObject, RunId

Placed: TypeAlias = tuple[Record, Place | None]
"""A record, and where it was read from when it was read from a file."""


_APPROVALS: Final = frozenset((Kind.approval_requested, Kind.approval_resolved))


class Rounds(Struct, frozen=True, kw_only=True):
    """One session's answer, and beside it everything that is not in it. Spec: rounds.md 0, I13."""

    answer: RoundsAnswer
    """The session as turns."""
    cut: bool
    """Whether older records of the run were left out: the answer begins in its midst, and no `landing` is known."""
    problems: tuple[Problem, ...]
    """What could not be used, or was read otherwise than written: the first 1,000, in the order met."""
    problem_counts: Mapping[ProblemCode, int]
    """How many problems of each code there are, the unlisted ones included."""
    used: int
    """Records of the run that are in the answer."""
    outside: Mapping[str, int]
    """Records of the run that make or answer something and found no place, by kind."""
    passed: Mapping[str, int]
    """Records of the run that a view does not draw, by kind."""


def rounds(
    records: Iterable[Record], run: RunId, window: int | None = None, names: NamesLookup | None = None
) -> Rounds:
    """Fold one run out of records in file order, which may be of many runs.

    `window` keeps only the newest so many records of the run (`ValueError` when negative). `names` looks up the names
    that a session froze. A run without records has an answer without turns.
    """
    return _fold(((record, None) for record in records), run, window, names, Problems())


def read_rounds(
    ledger: Ledger | str | os.PathLike[str],
    run: RunId,
    window: int | None = None,
    names: NamesLookup | None = None,
) -> Rounds:
    """Fold one run of a ledger on disk, as `rounds` does; problems come with file, line and byte offset.

    Raises `OSError` when the ledger cannot be read, `accounting.ledger.NotALedgerError` when the path holds none.
    """
    opened = ledger if isinstance(ledger, Ledger) else Ledger(ledger)
    problems = Problems()
    return _fold(opened.records(run, problems.add), run, window, names, problems)


def every_run(records: Iterable[Placed], *, texts: bool = True) -> dict[RunId, RoundsFold]:
    """Fold every run at once, in the order in which they first appear.

    `texts=False` keeps no words, only figures and outcomes.
    """
    folds: dict[RunId, RoundsFold] = {}
    letters = Letters()
    asked: dict[object, list[RoundsFold]] = {}
    for record, place in records:
        fold = folds.get(record.run)
        if fold is None:
            fold = folds[record.run] = RoundsFold(record.run, texts=texts, letters=letters)
        fold.feed(record, place)
        if record.kind not in _APPROVALS:
            continue
        if record.kind == Kind.approval_requested:
            asked.setdefault(_id(record), []).append(fold)
        elif record.run == NIL_RUN:
            for asker in asked.pop(_id(record), ()):
                if asker is not fold:
                    asker.feed(record)
    return folds


def _id(record: Record) -> str | None:
    id = record.data.get("id")  # noqa: A001 - the record's own word
    return id if isinstance(id, str) else None


def _fold(
    records: Iterable[Placed], run: RunId, window: int | None, names: NamesLookup | None, problems: Problems
) -> Rounds:
    cut = False
    if window is not None:
        records, cut = _newest(records, run, window)
    fold = RoundsFold(run, names=names, cut=cut, problems=problems)
    for record, place in records:
        fold.feed(record, place)
    return result(fold)


def result(fold: RoundsFold) -> Rounds:
    """What a fold has come to."""
    return Rounds(
        answer=fold.answer(),
        cut=fold.cut,
        problems=fold.problems.listed,
        problem_counts=fold.problems.counts,
        used=fold.used,
        outside=dict(fold.outside),
        passed=dict(fold.passed),
    )


def _newest(records: Iterable[Placed], run: RunId, window: int) -> tuple[Iterator[Placed], bool]:
    """The newest so many records of a run and whatever of other runs can bear on them; whether any were left out."""
    if window < 0:
        raise ValueError(f"a window of {window} records")
    kept: deque[Placed] = deque()
    # Letters sent before the window begins, of other runs, may still be taken in within it.
    sent_before: deque[Placed] = deque(maxlen=REACH)
    own = 0
    cut = False
    for item in records:
        ours = item[0].run == run
        kept.append(item if ours else _half(item))
        own += ours
        while kept and (own > window or kept[0][0].run != run):
            oldest = kept.popleft()
            if oldest[0].run == run:
                own -= 1
                cut = True
            elif oldest[0].kind == Kind.signal_enqueued:
                sent_before.append(oldest)
    return iter((*sent_before, *kept)), cut


def _half(item: Placed) -> Placed:
    """Of a record that waits for its other half, what a pairing reads: a letter may carry much more."""
    record, place = item
    data: JsonObject = {key: record.data[key] for key in ("id", "from", "kind") if key in record.data}
    carried = record.data.get("payload")
    if isinstance(carried, dict) and "text" in carried:
        data["payload"] = {"text": carried["text"]}
    return structs.replace(record, data=data), place
