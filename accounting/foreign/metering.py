"""The requests of sessions and ledgers, each counted once wherever it stands. Spec: foreign.md 3, 4.

A request that stands in several files (a resumed or forked session, a copy of a file, a ledger that it was imported
into) is one request: it belongs to the run that made it, with the largest of each of its counts. What is kept is a few
hundred bytes for each request, and nothing of what was said; in which order files come makes no difference: whatever
depends on several of them is worked out at the end.
"""

from collections.abc import Callable, Iterable
from typing import Final

from msgspec import structs

from accounting.foreign import read_source
from accounting.foreign.fidelity import FidelityReport, Standing
from accounting.foreign.metered import Request, Whole, add, rows
from accounting.foreign.metered_run import LEDGER, MeteredRun
from accounting.foreign.outline import TurnStanding
from accounting.foreign.provenance import ImportedLine, ImportedRun, imported_run, provenance
from accounting.foreign.session import Session, Source
from accounting.ledger import Ledger, Problem
from wire.record.kinds import Kind
from wire.scalars import RunId


class Meter:
    """Takes in sessions and ledgers, and adds up."""

    def __init__(self) -> None:
        self.damaged: Final[list[FidelityReport]] = []
        """Of the sessions whose files are damaged what was found in them."""
        self._requests: dict[bytes, Request] = {}
        self._streamed: dict[RunId, dict[bytes, Request]] = {}
        """Requests without a name, as a run's stream has them: copies where the run's own file is at hand too."""
        self._filed: set[RunId] = set()
        """The runs whose own file is at hand."""
        self._wholes: dict[RunId, Whole] = {}
        self._parents: dict[RunId, RunId] = {}

    def source(self, source: Source) -> None:
        """Take in the sessions of a source. Raises `OSError` when it cannot be read."""
        for session in read_source(source):
            self.session(session)

    def session(self, session: Session) -> None:
        """Take in one session."""
        if session.report.damage:
            self.damaged.append(session.report)
        self._begin(imported_run(session))
        run = MeteredRun(session.run, session.agent, stream=session.stream)
        turns = session.outline.turns
        for record in session.records:
            number = run.turns
            standing = turns[number] if record.kind == Kind.model_called and number < len(turns) else None
            self._take(run, run.feed(record, standing))
        self._take(run, run.end())

    def ledger(self, ledger: Ledger, report: Callable[[Problem], None] | None = None) -> None:
        """Take in a ledger; of an imported one also what its provenance says of the requests.

        What cannot be used goes to `report`. Raises `OSError`.
        """
        told: dict[RunId, ImportedRun] = {}
        standings: dict[int, TurnStanding] = {}
        for row in provenance(ledger.path) if ledger.path.is_dir() else ():
            if isinstance(row, ImportedRun):
                told[row.run] = row
                self._begin(row)
            elif row.key is not None or row.copied_from is not None or row.figures is not Standing.exact:
                standings[row.seq] = _standing(row)
        runs: dict[RunId, MeteredRun] = {}
        for record, _ in ledger.records() if report is None else ledger.records(report=report):
            run = runs.get(record.run)
            if run is None:
                its = told.get(record.run)
                agent, stream = (LEDGER, False) if its is None else (its.agent, its.stream)
                run = runs[record.run] = MeteredRun(record.run, agent, stream=stream)
            self._take(run, run.feed(record, standings.pop(record.seq, None)))
        for run in runs.values():
            self._take(run, run.end())

    def settled(self) -> tuple[Iterable[Request], Iterable[Whole]]:
        """The requests so far, each once, and the sessions that state only what all of them cost."""
        requests = dict(self._requests)
        for run, streamed in self._streamed.items():
            if run not in self._filed:
                requests.update(streamed)
        self._count_streamed(requests)
        for whole in self._wholes.values():
            whole.models.clear()
            whole.times.clear()
        for request in requests.values():
            covering = {whole.run: whole for run in (request.run, *request.elsewhere) for whole in self._covering(run)}
            request.covered = bool(covering)
            for whole in covering.values():
                whole.models.add(request.model)
                times = {*whole.times, request.t}
                whole.times = {min(times), max(times)}
        return requests.values(), self._wholes.values()

    def requests(self) -> Iterable[Request]:
        """The requests so far, each once."""
        return self.settled()[0]

    def _count_streamed(self, requests: dict[bytes, Request]) -> None:
        """Requests of streams that stand in the run's own file: copies, which the run's first request counts."""
        left = {run: rows(streamed) for run, streamed in self._streamed.items() if run in self._filed}
        if not left:
            return
        first: dict[RunId, bytes] = {}
        for key, request in requests.items():
            if request.run in left and (request.run not in first or request.rank < requests[first[request.run]].rank):
                first[request.run] = key
        for run, key in first.items():
            requests[key] = structs.replace(requests[key], copies=requests[key].copies + left[run])

    def _covering(self, run: RunId) -> Iterable[Whole]:
        """The session that says what this run cost: its own, else that of the nearest run above it that says so."""
        passed: set[RunId] = set()
        at: RunId | None = run
        while at is not None and at not in passed:
            if at in self._wholes:
                return (self._wholes[at],)
            passed.add(at)
            at = self._parents.get(at)
        return ()

    def _begin(self, row: ImportedRun) -> None:
        if row.parent is not None:
            self._parents[row.run] = min(row.parent, self._parents.get(row.run, row.parent))
        if row.spent is None:
            return
        whole = self._wholes.get(row.run)
        if whole is None:
            self._wholes[row.run] = Whole(run=row.run, agent=row.agent, spent=row.spent, models=set(), times=set())
        else:
            whole.spent, whole.agent = max((whole.spent, whole.agent), (row.spent, row.agent))

    def _take(self, run: "MeteredRun", told: "tuple[bytes, bool, Request] | None") -> None:
        if told is None:
            return
        key, nameless, request = told
        if request.used is not None:
            request.counted = request.rank
        if request.model is not None:
            request.named = request.rank
        if not run.stream:
            self._filed.add(request.run)
        elif nameless:
            add(self._streamed.setdefault(request.run, {}), key, request)
            return
        add(self._requests, key, request)


def _standing(row: ImportedLine) -> TurnStanding:
    return TurnStanding(number=1, key=row.key, copied_from=row.copied_from, figures=row.figures)
