"""Every run of a ledger in one line of figures. Spec: rounds.md 3; unknown is null, never 0."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from msgspec import Struct

from accounting.ledger import Ledger, Problem, ProblemCode, Problems
from accounting.ledger.problem import LISTED
from accounting.views.rounds import RoundsFold, every_run
from accounting.views.rounds.session import Placed
from wire.answer.note import Note, Waiting
from wire.answer.rounds import Outcome, RoundsAnswer
from wire.record.kinds import Kind
from wire.scalars import NIL_RUN, U64, U64_MAX, RunId, TimeMs, Tokens, UsdMicros

OPEN: Final = "open"
"""State of a run without an ending."""
WAITING: Final = "waiting"
"""State of a run without an ending that has asked for an approval nobody has given or denied."""
UNREADABLE: Final = "unreadable"
"""State of a run whose ending cannot be read."""


class RunSummary(Struct, frozen=True, kw_only=True):
    """One run in figures. What is summed is what was reported; beside each sum stands how many replies it lacks."""

    run: RunId
    """The run."""
    first: TimeMs | None
    """The smallest time on any of its records, UTC milliseconds; times need not rise. Null when none has a time: 0
    stands for one that was not recorded."""
    last: TimeMs | None
    """The largest time on any of its records, UTC milliseconds; null as `first` is."""
    turns: U64
    """Requests to a model, those without a reply included."""
    calls: U64
    """Tool calls."""
    failed: U64
    """Calls that failed."""
    input: Tokens | None
    """Tokens of all prompts that were reported; null when no reply reports them, or the sum goes past u64."""
    output: Tokens | None
    """Tokens of all replies that were reported; null when no reply reports them, or the sum goes past u64."""
    uncounted: U64
    """Turns with a reply that does not say how many tokens it took: `input` and `output` lack them."""
    spent: UsdMicros | None
    """Millionths of a US dollar billed; null when no reply says, or the sum goes past u64."""
    unpriced: U64
    """Turns with a reply that does not say what it cost: `spent` lacks them."""
    state: str
    """How it ended, in the record's word (`done`, `limit`, `cancelled` today); without an ending `waiting` when an
    approval is asked for and not answered, else `open`; `unreadable` when its ending cannot be read."""


class Runs(Struct, frozen=True, kw_only=True):
    """The runs of a ledger, and beside them what could not be used. Spec: rounds.md 0."""

    runs: tuple[RunSummary, ...]
    """In the order in which they first appear."""
    problems: tuple[Problem, ...]
    """What could not be used, or was read otherwise than written, in ledger order: the first ones in full."""
    problem_counts: Mapping[ProblemCode, int]
    """How many problems of each code there are, the unlisted ones included."""


def summaries(records: Iterable[Placed]) -> tuple[RunSummary, ...]:
    """The runs that the records belong to, in the order in which they first appear.

    The nil run is the city itself: it is there only if it has turns, or when there is no other.
    """
    return _summarise(records)[0]


def read_runs(ledger: Ledger | str | os.PathLike[str], run: RunId | None = None) -> Runs:
    """The runs of a ledger on disk; problems come with file, line and byte offset.

    With `run` that one alone, if it has a record, and of the problems those that reading it meets.

    Raises `OSError` when the ledger cannot be read, `accounting.ledger.NotALedgerError` when the path holds none.
    """
    opened = ledger if isinstance(ledger, Ledger) else Ledger(ledger)
    met = Problems()
    runs, folds = _summarise(opened.records(run, met.add), run)
    order = {segment.name: index for index, segment in enumerate(opened.segments)}

    def where(problem: Problem) -> tuple[int, int]:
        return (0, 0) if problem.place is None else (order[problem.place.segment], problem.place.offset)

    counts = Counter(met.counts)
    listed = list(met.listed)
    for fold in folds:
        counts.update(fold.problems.counts)
        listed += fold.problems.listed
    return Runs(runs=runs, problems=tuple(sorted(listed, key=where)[:LISTED]), problem_counts=dict(counts))


class _Seen(Struct):
    """What of a run's records its answer does not show."""

    first: TimeMs = 0
    last: TimeMs = 0
    replies: int = 0
    """Turns that have a reply."""
    replied: bool = True
    """Whether the latest turn has one; so while there is no turn."""


def _summarise(
    records: Iterable[Placed], asked: RunId | None = None
) -> tuple[tuple[RunSummary, ...], tuple[RoundsFold, ...]]:
    seen: dict[RunId, _Seen] = {}
    watched = _watched(records, seen)
    folds = every_run(watched, texts=False) if asked is None else _one_run(watched, asked)
    answers = {run: fold.answer() for run, fold in folds.items()}
    listed = [run for run, answer in answers.items() if run != NIL_RUN or answer.turns or len(answers) == 1]
    return tuple(_summary(folds[run], answers[run], seen[run]) for run in listed), tuple(folds.values())


def _one_run(records: Iterable[Placed], run: RunId) -> dict[RunId, RoundsFold]:
    fold = RoundsFold(run, texts=False)
    for record, place in records:
        fold.feed(record, place)
    return {run: fold} if fold.used or fold.outside or fold.passed else {}


def _watched(records: Iterable[Placed], seen: dict[RunId, _Seen]) -> Iterator[Placed]:
    for item in records:
        record = item[0]
        run = seen.get(record.run)
        if run is None:
            run = seen[record.run] = _Seen()
        if record.t > run.last:
            run.last = record.t
        if record.t and (record.t < run.first or not run.first):
            run.first = record.t
        if record.kind == Kind.model_called:
            run.replied = False
        elif record.kind == Kind.model_returned and not run.replied:
            run.replied = True
            run.replies += 1
        yield item


def _summary(fold: RoundsFold, answer: RoundsAnswer, seen: _Seen) -> RunSummary:
    calls = [call for turn in answer.turns for call in turn.calls]
    used = [turn.used for turn in answer.turns if turn.used is not None]
    spent = [turn.spent for turn in answer.turns if turn.spent is not None]
    return RunSummary(
        run=fold.run,
        first=seen.first or None,
        last=seen.last or None,
        turns=len(answer.turns),
        calls=len(calls),
        failed=sum(call.outcome is Outcome.failed for call in calls),
        input=total(counts.input for counts in used),
        output=total(counts.output for counts in used),
        uncounted=seen.replies - len(used),
        spent=total(spent),
        unpriced=seen.replies - len(spent),
        state=_state(fold, answer),
    )


def total(terms: Iterable[int]) -> int | None:
    """The sum of the terms; `None` when there are none, or when it goes past u64: a wrong sum is worse than none."""
    known = list(terms)
    summed = sum(known)
    return summed if known and summed <= U64_MAX else None


def _state(fold: RoundsFold, answer: RoundsAnswer) -> str:
    if answer.closing is not None:
        return answer.closing.completion
    if fold.problems.counts.get(ProblemCode.closing_unreadable):
        return UNREADABLE
    return WAITING if any(map(_asks, (note for turn in answer.turns for note in turn.notes))) else OPEN


def _asks(note: Note) -> bool:
    waits = note.variant
    return isinstance(waits, Waiting) and waits.answered is None
