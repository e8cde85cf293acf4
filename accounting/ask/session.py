"""A thread as a session: its questions as the turns that `rounds show` draws. Spec: rounds.md 3, foreign.md 3.

Pure: a thread's bytes in, our records out. A question is a `model_called`; whatever settles it is the
`model_returned`, with all that is there of the answer. The first question is the task, and each later one a
`steer_received` of the user, as with the sessions of other agents. A question in flight has no reply yet: it waits,
whatever part of an answer is there. spec-notes say which record becomes what, and why.
"""

from itertools import groupby
from typing import Final

from msgspec import Struct

from accounting.ask.fold import AskFold
from accounting.ask.moment import moment
from accounting.ask.placed import Placed, placed_events
from accounting.foreign.drafting import totals
from accounting.foreign.fidelity import Fidelity, Standing
from accounting.foreign.outline import Fact, Outline, Stop, TurnStanding
from accounting.foreign.session import Session, run_of
from accounting.ledger.problem import Place
from wire.ask import AskAborted, AskChunk, AskEnd, AskError, AskMeta, AskQuestion, AskSeq, AskShown
from wire.record.envelope import Record
from wire.record.kinds import Kind
from wire.scalars import Json, JsonObject, RunId, TimeMs, u64

AGENT: Final = "ask"
"""What the agent of a thread is called, beside the readers of other agents' files."""

_NO_FIELD: Final = "there is no field for it"


class _Line(Struct, frozen=True, gc=False):
    """A record without run and `seq`; `t` is `None` where nobody recorded a time."""

    kind: Kind
    t: TimeMs | None
    data: JsonObject
    place: Place
    measured: bool = False


def thread_session(data: bytes, name: str, file: str) -> Session:
    """The session that a thread's bytes are; `name` is the thread's, `file` what its places are to call it.

    Its run is made from the name. Takes any bytes and never raises: what could not be used is in its report.
    """
    fidelity = Fidelity(AGENT, file)
    placed = placed_events(data, file, fidelity)
    answered = _Answers(placed, fidelity)
    lines = [*answered.lines()]
    run = run_of(AGENT, name)
    records = _numbered(lines, run, fidelity)
    if answered.turns:
        fidelity.lower(Standing.unknown)  # nobody counts the tokens
    return Session(
        run=run,
        agent=AGENT,
        id=name,
        records=records,
        places=tuple(line.place for line in lines),
        report=fidelity.report(totals(records, fidelity)),
        outline=Outline(
            turns=tuple(
                TurnStanding(number=number, figures=Standing.unknown) for number in range(1, answered.turns + 1)
            ),
            stops=tuple(answered.stops),
            facts=() if answered.meta is None else (Fact(name="provider", value=answered.meta.provider),),
        ),
    )


class _Meta(Struct, frozen=True):
    """How the thread began."""

    provider: str
    t: TimeMs | None
    place: Place


class _Answers:
    """The thread's questions, each with what answers it."""

    def __init__(self, placed: list[Placed], fidelity: Fidelity) -> None:
        self.meta: _Meta | None = None
        self.turns = 0
        self.stops: list[Stop] = []
        self._shown: Final = AskFold.of(one.event for one in placed).shown()
        self._asked: Final[dict[AskSeq, list[Place]]] = {}
        self._begun: Final[dict[AskSeq, Place]] = {}
        """Where each answer begins."""
        self._settled: Final[dict[AskSeq, Placed]] = {}
        for one in placed:
            self._take(one, fidelity)
        for one in placed:
            _tally(one, self._asked, self._settled, fidelity)

    def _take(self, one: Placed, fidelity: Fidelity) -> None:
        match one.event:
            case AskMeta(provider=provider, started_at=started_at):
                if self.meta is None:
                    self.meta = _Meta(provider, _time(started_at), one.place)
                    fidelity.beside(one.place, "meta", "provider")
            case AskQuestion(seq=seq):
                self._asked.setdefault(seq, []).append(one.place)
            case AskChunk(seq=seq):
                self._begun.setdefault(seq, one.place)
            case settle:
                self._settled[settle.seq] = one

    def lines(self) -> "list[_Line]":
        """Its records, by rising number of the question."""
        lines: list[_Line] = []
        last = self._shown[-1].seq if self._shown else 0
        for seq, group in groupby(self._shown, key=lambda shown: shown.seq):
            for shown, place in zip(group, self._asked[seq], strict=True):
                if not self.turns:
                    lines.append(self._start(shown, place))
                self.turns += 1
                t = _time(shown.at)
                lines.append(_Line(Kind.model_called, t, {"segments": []}, place, measured=t is not None))
                if self.turns > 1:
                    lines.append(_Line(Kind.steer_received, t, {"source": "user", "text": shown.question}, place))
                if place is self._asked[seq][-1]:
                    lines += self._reply(shown, settled=self._settled.get(seq), over=seq < last)
        if not self.turns and self.meta is not None:
            lines.append(_Line(Kind.run_started, self.meta.t, {}, self.meta.place))
        return lines

    def _start(self, first: AskShown, place: Place) -> _Line:
        if self.meta is None:
            return _Line(Kind.run_started, _time(first.at), {"task": first.question}, place)
        return _Line(Kind.run_started, self.meta.t, {"task": first.question}, self.meta.place)

    def _reply(self, shown: AskShown, *, settled: Placed | None, over: bool) -> "list[_Line]":
        """What became of a question; `over` says that a later one was asked."""
        content: list[Json] = [{"kind": "text", "text": shown.text}] if shown.text else []
        data: JsonObject = {"message": {"role": "assistant", "content": content}, "calls": 0}
        if settled is None:
            begun = self._begun.get(shown.seq)
            # Nobody goes on with it: what is there of the answer is all.
            return [_Line(Kind.model_returned, None, data, begun)] if over and content and begun is not None else []
        place = self._begun.get(shown.seq, settled.place)
        match settled.event:
            case AskEnd(at=at):
                t = _time(at)
                return [_Line(Kind.model_returned, t, data | {"stop": "end"}, place, measured=t is not None)]
            case AskAborted(at=at):
                t = _time(at)
                self.stops.append(Stop(turn=self.turns, place=settled.place, t=t))
                return [
                    _Line(Kind.model_returned, t, data | {"stop": "aborted"}, place),
                    _Line(Kind.cancel_received, t, {"source": "user"}, settled.place),
                ]
            case AskError(at=at):
                t = _time(at)
                return [
                    _Line(Kind.model_returned, t, data | {"stop": "error"}, place),
                    _Line(Kind.provider_degraded, t, _failure(shown.message), settled.place),
                ]
            case _:
                return []


def _failure(message: str | None) -> JsonObject:
    return {
        "code": "E_PROVIDER",
        "action": "call the provider",
        "subject": "",
        "nearby": [],
        "recovery": message or "the answer failed",
        "retry": "unknown",
    }


def _tally(one: Placed, asked: dict[AskSeq, list[Place]], settled: dict[AskSeq, Placed], fidelity: Fidelity) -> None:
    """Say what became of an event."""
    event, place = one.event, one.place
    if isinstance(event, AskMeta):
        fidelity.mapped(place, "meta")
        fidelity.dropped(place, "meta", "runId", "the file's name is what the thread is called")
        return
    kind = type(event).__name__.removeprefix("Ask").lower()
    if event.seq not in asked:
        fidelity.dropped(place, kind, None, "nobody asked a question of that number")
    elif isinstance(event, AskEnd | AskAborted | AskError) and settled[event.seq] is not one:
        fidelity.dropped(place, kind, None, "a later record says how the question was settled")
    else:
        fidelity.mapped(place, kind)
        if isinstance(event, AskQuestion) and event.focus is not None:
            fidelity.dropped(place, kind, "focus", _NO_FIELD)


def _numbered(lines: "list[_Line]", run: RunId, fidelity: Fidelity) -> tuple[Record, ...]:
    latest = next((line.t for line in lines if line.t is not None), 0)
    records: list[Record] = []
    for line in lines:
        if line.t is None:
            fidelity.derived(line.place, line.kind, "t", "no time of its own: the latest before it")
        else:
            latest = line.t
        v = 1 if line.kind in (Kind.model_called, Kind.model_returned) and not line.measured else 2
        records.append(Record(v=v, run=run, seq=len(records), t=latest, kind=line.kind, data=line.data))
    return tuple(records)


def _time(text: str) -> TimeMs | None:
    return u64(moment(text))
