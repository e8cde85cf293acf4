"""Which records of a session an import writes, and why it does not write the others. Spec: foreign.md 3."""

from collections.abc import Callable, Iterator
from typing import Final

from msgspec import Struct, structs

from accounting.foreign.held import FROZEN, HeldLine, HeldRun, Named, Names
from accounting.foreign.import_report import NotTold, WhyNot
from accounting.foreign.outline import TurnStanding
from accounting.foreign.session import Session
from accounting.ledger import Place
from accounting.ledger.writing import Draft, DraftError
from accounting.ledger.writing.check_draft import check_draft
from wire.record.envelope import Record
from wire.record.kinds import Kind
from wire.scalars import who


class ToWrite(Struct, frozen=True):
    """A record that is to be written."""

    record: Record
    place: Place
    named: Named
    standing: TurnStanding | None
    """Of a request, what the outline says of its turn."""
    filled: bool
    """Whether it lacks a name or id that a line has to have."""


def asks(session: Session) -> bool:
    """Whether anything was asked in a session, or it ended: until then its task may still come."""
    return any(
        record.kind in (Kind.model_called, Kind.run_frozen)
        or (record.kind == Kind.run_started and bool(record.data.get("task")))
        for record in session.records
    )


def ending(
    session: Session, held: HeldRun, missing: list[NotTold], heal: Callable[[ToWrite, HeldLine], None]
) -> Iterator[tuple[ToWrite, bool]]:
    """Of a stream whose session is in the ledger how it ended, when the ledger does not know; and nothing else.

    Of a session whose stream is there, nothing: what it adds would stand in the ledger a second time.
    """
    if session.records:
        why = WhyNot.same_session if session.stream else WhyNot.streamed
        missing.append(NotTold(why=why, kind=session.records[0].kind, place=session.places[0]))
    for line in _lines(_timed(session, held)) if session.stream else ():
        if line.record.kind != Kind.run_frozen:
            continue
        there = held.lines.get(line.named.name)
        if there is None and _fits(session, line.record):
            yield line, False
        elif there is not None and there.content == line.named.content:
            heal(line, there)


def _timed(session: Session, held: HeldRun) -> Session:
    """The session, with the time of the latest line there where it has none."""
    records = tuple(record if record.t else structs.replace(record, t=held.t) for record in session.records)
    return structs.replace(session, records=records)


def to_tell(
    session: Session, held: HeldRun, missing: list[NotTold], heal: Callable[[ToWrite, HeldLine], None]
) -> Iterator[tuple[ToWrite, bool]]:
    """The records that are to be written, and whether each is a reply told again; the others go to `missing`."""
    lines = list(_lines(session))
    if session.stream and lines and FROZEN in held.lines and all(line.named.name != FROZEN for line in lines):
        # It went on after what had been its ending. Who has no ending of its own may have it from a stream.
        missing.append(NotTold(why=WhyNot.changed, kind=Kind.run_frozen, place=lines[-1].place))
    known = [index for index, line in enumerate(lines) if _opens(line.named) and line.named.name in held.lines]
    last_known = known[-1] if known else -1
    unwritten: set[str] = set()
    for index, line in enumerate(lines):
        record, named = line.record, line.named
        there = held.lines.get(named.name)
        why = _why_not(line, held, unwritten)
        again = there is not None and why is None and there.content != named.content
        if there is not None and there.content == named.content:
            heal(line, there)
        elif not _fits(session, record):
            why = WhyNot.refused
        elif why is None:
            yield line, again
            if line.filled:
                why = WhyNot.filled
            elif _opens(named) and index < last_known:
                why = WhyNot.elsewhere
        if why in (WhyNot.refused, WhyNot.closed_turn) and record.kind == Kind.tool_called:
            unwritten.add(str(record.data.get("id")))
        if why is not None:
            missing.append(NotTold(why=why, kind=record.kind, place=line.place))


def _why_not(line: ToWrite, held: HeldRun, unwritten: set[str]) -> WhyNot | None:
    """What keeps a record from being in the ledger as the session has it; `None` when it is, or can be added."""
    record, named = line.record, line.named
    there = held.lines.get(named.name)
    if named.content == b"":
        return WhyNot.refused
    if there is not None and there.content == named.content:
        return WhyNot.elsewhere if _belongs(record) and there.request != named.request else None
    if there is not None:
        grown = record.kind == Kind.model_returned and held.latest == named.request and named.has_outgrown(there)
        return None if grown else WhyNot.changed
    if _belongs(record) and held.latest != named.request:
        return WhyNot.closed_turn
    answers_nothing = record.kind == Kind.tool_result and str(record.data.get("tool_use_id")) in unwritten
    return WhyNot.closed_turn if answers_nothing else None


def _lines(session: Session) -> Iterator[ToWrite]:
    """The records as they would be written, with their names."""
    names = Names()
    standings = iter(session.outline.turns)
    for record, place in zip(session.records, session.places, strict=True):
        standing = next(standings, None) if record.kind == Kind.model_called else None
        lacking = [key for key in _REQUIRED.get(record.kind, ()) if record.data.get(key) is None]
        whole = record
        if lacking:
            whole = structs.replace(record, data={**record.data, **dict.fromkeys(lacking, "")})
        yield ToWrite(whole, place, names.name(whole), standing, filled=whole is not record)


def _opens(named: Named) -> bool:
    return named.name == named.request


def _fits(session: Session, record: Record) -> bool:
    """Whether a ledger takes the record."""
    try:
        check_draft(draft(session, record), 0, 0)
    except DraftError:
        return False
    return True


def _belongs(record: Record) -> bool:
    """Whether the fold puts such a record into the turn that is the last one when it comes."""
    return record.kind not in _FREE


_REQUIRED: Final[dict[str, tuple[str, ...]]] = {
    Kind.model_called: ("model",),
    Kind.tool_called: ("id", "name"),
    Kind.tool_result: ("name",),
}
_FREE: Final = frozenset((Kind.run_started, Kind.run_frozen, Kind.model_called, Kind.tool_result))


def draft(session: Session, record: Record) -> Draft:
    """The line that a record becomes."""
    person = record.kind == Kind.steer_received and record.data.get("source") == "user"
    author = who("person" if person else session.agent)
    return Draft(
        run=record.run,
        who=author or "city",
        kind=record.kind,
        data=record.data,
        t=record.t,
        v=1 if record.v == 1 else 2,
    )
