"""The requests of sessions and ledgers, each counted once wherever it stands. Spec: foreign.md 3, 4.

A request that stands in several files (a resumed or forked session, a copy of a file, a ledger that it was imported
into) is one request: it belongs to the run that made it, with the largest of each of its counts. What is kept is a few
hundred bytes for each request, and nothing of what was said; in which order files come makes no difference.
"""

from collections.abc import Callable, Iterable
from hashlib import blake2b
from typing import Final, TypeAlias

from msgspec import Struct

from accounting.foreign import read_source
from accounting.foreign.fidelity import FidelityReport, Standing
from accounting.foreign.outline import TurnStanding
from accounting.foreign.provenance import ImportedLine, ImportedRun, imported_run, provenance
from accounting.foreign.session import Session, Source
from accounting.ledger import Ledger, Problem
from wire.answer.rounds import Used
from wire.reading import text, used
from wire.record.envelope import Record
from wire.record.kinds import Kind
from wire.scalars import RunId, TimeMs, UsdMicros, u64

IDLE_MS: Final = 5 * 60_000
"""Milliseconds between two records of a run from which on nobody was at work: active time leaves such a gap out."""
LEDGER: Final = "ledger"
"""What stands for the agent where a run was written by no reader."""
WORST: Final = list(Standing)
"""Standings from the best to the worst."""

_Rank: TypeAlias = tuple[bool, TimeMs, str, int, bool]


class Request(Struct):
    """One request, wherever it stands."""

    rank: _Rank
    """Which of several copies is the original: the smallest."""
    run: RunId
    """The run that made it."""
    agent: str
    """The reader's name, or `LEDGER`."""
    model: str | None
    """The model; `None` when not recorded."""
    t: TimeMs
    """When it went out, as recorded; 0 where the format records no times."""
    used: Used | None = None
    """Its token counts; `None` when not stated."""
    spent: UsdMicros | None = None
    """What it cost as stated; `None` when not."""
    standing: Standing = Standing.exact
    """How the counts were obtained."""
    wall_ms: int = 0
    """Milliseconds from it to the next one, and before the first from the run's beginning."""
    active_ms: int = 0
    """The same without gaps of `IDLE_MS` or more."""
    copies: int = 0
    """How often it stands elsewhere."""
    covered: bool = False
    """Whether it is paid for in a sum that is stated for its session."""


class Whole(Struct):
    """A session of which the agent states what all of it cost, sub-agents included, and not what each request did."""

    run: RunId
    """Its run."""
    agent: str
    """The reader's name."""
    spent: UsdMicros
    """Millionths of a US dollar."""
    models: set[str | None]
    """The models of its requests."""
    times: set[TimeMs]
    """The smallest and the largest time of them."""


class Meter:
    """Takes in sessions and ledgers, and adds up."""

    def __init__(self) -> None:
        self.damaged: Final[list[FidelityReport]] = []
        """Of the sessions whose files are damaged what was found in them."""
        self._requests: dict[bytes, Request] = {}
        self._wholes: dict[RunId, Whole] = {}
        self._covered: dict[RunId, Whole] = {}

    def source(self, source: Source) -> None:
        """Take in the sessions of a source. Raises `OSError` when it cannot be read."""
        for session in read_source(source):
            self.session(session)

    def session(self, session: Session) -> None:
        """Take in one session."""
        if session.report.damage:
            self.damaged.append(session.report)
        self._begin(imported_run(session))
        run = _Run(session.run, session.agent)
        turns = session.outline.turns
        for record in session.records:
            number = run.turns
            standing = turns[number] if record.kind == Kind.model_called and number < len(turns) else None
            self._take(run.feed(record, standing))
        self._take(run.end())

    def ledger(self, ledger: Ledger, report: Callable[[Problem], None] | None = None) -> None:
        """Take in a ledger; of an imported one also what its provenance says of the requests.

        What cannot be used goes to `report`. Raises `OSError`.
        """
        agents: dict[RunId, str] = {}
        standings: dict[int, TurnStanding] = {}
        for row in provenance(ledger.path) if ledger.path.is_dir() else ():
            if isinstance(row, ImportedRun):
                agents[row.run] = row.agent
                self._begin(row)
            elif row.key is not None or row.copied_from is not None or row.figures is not Standing.exact:
                standings[row.seq] = _standing(row)
        runs: dict[RunId, _Run] = {}
        for record, _ in ledger.records() if report is None else ledger.records(report=report):
            run = runs.get(record.run)
            if run is None:
                run = runs[record.run] = _Run(record.run, agents.get(record.run, LEDGER))
            self._take(run.feed(record, standings.pop(record.seq, None)))
        for run in runs.values():
            self._take(run.end())

    def wholes(self) -> Iterable[Whole]:
        """The sessions that state only what all of them cost."""
        return self._wholes.values()

    def requests(self) -> Iterable[Request]:
        """The requests so far, each once."""
        return self._requests.values()

    def _begin(self, row: ImportedRun) -> None:
        whole = self._wholes.get(row.run)
        if row.spent is not None and whole is None:
            whole = Whole(run=row.run, agent=row.agent, spent=row.spent, models=set(), times=set())
            self._wholes[row.run] = whole
        elif row.spent is not None and whole is not None:
            whole.spent = max(whole.spent, row.spent)
        elif whole is None and row.parent is not None:
            whole = self._covered.get(row.parent)
        if whole is not None:
            self._covered[row.run] = whole

    def _take(self, told: "tuple[bytes, Request] | None") -> None:
        if told is None:
            return
        key, request = told
        whole = self._covered.get(request.run)
        if whole is not None:
            request.covered = True
            whole.models.add(request.model)
            times = {*whole.times, request.t}
            whole.times = {min(times), max(times)}
        there = self._requests.get(key)
        if there is None:
            self._requests[key] = request
            return
        first, second = (there, request) if there.rank <= request.rank else (request, there)
        if first.rank == second.rank:  # the same request of the same run, in a file that has since grown
            first.wall_ms = max(first.wall_ms, second.wall_ms)
            first.active_ms = max(first.active_ms, second.active_ms)
        first.model = first.model if first.model is not None else second.model
        first.used = _larger(first.used, second.used)
        first.spent = _most(first.spent, second.spent)
        first.standing = max(first.standing, second.standing, Standing.deduplicated, key=WORST.index)
        first.covered = first.covered or second.covered
        first.copies = there.copies + request.copies + 1
        self._requests[key] = first


class _Run:
    """The requests of one run, as its records come."""

    def __init__(self, run: RunId, agent: str) -> None:
        self.turns = 0
        self._run = run
        self._agent = agent
        self._open: tuple[bytes, Request] | None = None
        self._latest: TimeMs | None = None
        self._before: tuple[int, int] = (0, 0)
        self._same: dict[TimeMs, int] = {}

    def feed(self, record: Record, standing: TurnStanding | None) -> tuple[bytes, Request] | None:
        """Take in a record; the request before comes back when it opens the next one."""
        done = None
        self._pass(record.t)
        if record.kind == Kind.model_called:
            done = self._open
            self._open = self._called(record, standing)
            self.turns += 1
        elif record.kind == Kind.model_returned and self._open is not None:
            request = self._open[1]
            request.used = used(record.data.get("usage"))
            request.spent = u64(record.data.get("billed_usd_micros"))
        return done

    def end(self) -> tuple[bytes, Request] | None:
        """The last request."""
        return self._open

    def _called(self, record: Record, standing: TurnStanding | None) -> tuple[bytes, Request]:
        wall, active = self._before
        self._before = 0, 0
        nth = self._same[record.t] = self._same.get(record.t, 0) + 1
        copied = standing is not None and standing.copied_from is not None
        request = Request(
            rank=(copied, record.t, self._run, self.turns, self._agent == LEDGER),
            run=self._run,
            agent=self._agent,
            model=text(record.data.get("model")),
            t=record.t,
            standing=Standing.exact if standing is None else standing.figures,
            wall_ms=wall,
            active_ms=active,
        )
        if standing is None or standing.key is None:
            return _digest(self._run, str(record.t), str(nth)), request
        return _digest(self._agent, standing.key), request

    def _pass(self, t: TimeMs) -> None:
        """Time goes on to `t`: that belongs to the request under way, and before the first one to that."""
        if self._latest is None or not self._latest:
            self._latest = t
            return
        gap = t - self._latest
        if gap <= 0:  # a clock that was set back, or a line that was written late
            return
        self._latest = t
        active = gap if gap < IDLE_MS else 0
        if self._open is None:
            self._before = self._before[0] + gap, self._before[1] + active
        else:
            self._open[1].wall_ms += gap
            self._open[1].active_ms += active


def _standing(row: ImportedLine) -> TurnStanding:
    return TurnStanding(number=1, key=row.key, copied_from=row.copied_from, figures=row.figures)


def _larger(first: Used | None, second: Used | None) -> Used | None:
    if first is None or second is None:
        return first or second
    return Used(
        input=max(first.input, second.input),
        output=max(first.output, second.output),
        cached=_most(first.cached, second.cached),
        cache_write=_most(first.cache_write, second.cache_write),
    )


def _most(first: int | None, second: int | None) -> int | None:
    return second if first is None else first if second is None else max(first, second)


def _digest(*parts: str) -> bytes:
    return blake2b("\0".join(parts).encode(errors="replace"), digest_size=16).digest()
