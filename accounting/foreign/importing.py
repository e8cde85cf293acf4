"""Sessions of other agents written into a ledger: deterministic, and adding only what is new. Spec: foreign.md 3.

No clock is asked: each line has the time that the agent recorded. A ledger is only added to, so what a session says
otherwise than it did when it was imported is told again where the fold then takes the newer, and reported where not.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct, structs

from accounting.foreign.held import HeldLine, HeldRun, Named, Names
from accounting.foreign.import_order import Head, UnreadableError, heads_of, in_order, sessions_of
from accounting.foreign.import_report import ImportReport, NotTold, SessionImport, WhyNot
from accounting.foreign.outline import TurnStanding
from accounting.foreign.provenance import Imported, ImportedLine, ImportedRun, ProvenanceLog, imported_run
from accounting.foreign.renaming import renamed
from accounting.foreign.session import Session, Source
from accounting.ledger import Ledger, NotALedgerError, Place
from accounting.ledger.segments import segments
from accounting.ledger.writing import Draft, DraftError, LedgerWriter
from accounting.ledger.writing.check_draft import check_draft
from wire.record.envelope import Record
from wire.record.kinds import Kind
from wire.scalars import RunId, Seq, who

_GROUP: Final = 256
"""How many lines are made durable at once."""
_LISTED: Final = 20


class NotALedgerDirectoryError(ValueError):
    """The directory has something else in it, and a ledger would be lost among it."""


def import_sessions(
    sources: Iterable[Source], into: str | os.PathLike[str], *, called: Mapping[str, str] | None = None
) -> ImportReport:
    """Write the sessions of the sources into the ledger at `into`, which is made when it is missing.

    The order of the sources does not matter. Where each line came from is written beside the ledger (`provenance`);
    `called` says what to call a file there that stands under a passing name.

    Raises `NotALedgerDirectoryError`, what `LedgerWriter` raises, and `OSError` when the ledger cannot be written.
    A source that cannot be read is in the report.
    """
    directory = Path(into).resolve()
    _only_a_ledger(directory)
    heads, unread = heads_of(sources)
    done: list[SessionImport] = []
    with LedgerWriter(directory) as writer:
        log = ProvenanceLog(directory)
        try:
            wanted = {run for head in heads for run in head.runs}
            held = _held(directory, wanted)
            telling = _Telling(writer, log)
            for head in in_order(heads):
                try:
                    done.extend(
                        telling.tell(session, held[session.run]) for session in _again(head, wanted, called or {})
                    )
                except UnreadableError as error:
                    unread.append(error.unread)
        finally:
            log.close()
    return ImportReport(ledger=str(directory), sessions=tuple(done), unread=tuple(unread))


def _only_a_ledger(directory: Path) -> None:
    if directory.is_dir() and any(directory.iterdir()):
        try:
            segments(directory)
        except NotALedgerError:
            raise NotALedgerDirectoryError(
                f"{directory}: not a ledger, and not empty; name a directory that is new, empty or a ledger"
            ) from None


def _again(head: Head, wanted: set[RunId], called: Mapping[str, str]) -> Iterator[Session]:
    """The sessions of a source, read a second time: they are many, and only one of them is held in memory."""
    # A run that has come up since the ledger was looked through is left to the next import.
    for session in sessions_of(head.source):
        if session.run in wanted:
            passing = str(head.source.path)
            yield renamed(session, passing, called[passing]) if passing in called else session


def _held(directory: Path, wanted: set[RunId]) -> dict[RunId, HeldRun]:
    held = {run: HeldRun() for run in wanted}
    for record, _ in Ledger(directory).records():
        run = held.get(record.run)
        if run is not None:
            run.take(record)
    return held


class _Line(Struct, frozen=True):
    """A record that is to be written."""

    record: Record
    place: Place
    named: Named
    standing: TurnStanding | None
    """Of a request, what the outline says of its turn."""
    filled: bool
    """Whether it lacks a name or id that a line has to have."""


class _Telling:
    """Writes what is new of one session after the other."""

    def __init__(self, writer: LedgerWriter, log: ProvenanceLog) -> None:
        self._writer = writer
        self._log = log
        self._untold: Seq = log.next_seq
        """Lines from here on have no provenance: an import was interrupted before it could say."""

    def tell(self, session: Session, held: HeldRun) -> SessionImport:
        """Add what the ledger lacks of a session."""
        missing: list[NotTold] = []
        group: list[_Line] = []
        added = again = 0
        if session.records:
            self._tell_of(imported_run(session))
        for line, told_again in _to_tell(session, held, missing, self._heal):
            again += told_again
            # So that whatever is decided next knows of it.
            held.add(line.named, None)
            group.append(line)
            if len(group) == _GROUP:
                added += self._write(session, group)
                group = []
        added += self._write(session, group)
        return SessionImport(
            run=session.run,
            agent=session.agent,
            id=session.id,
            parent=session.parent,
            started_by=session.started_by,
            records=len(session.records),
            added=added,
            again=again,
            not_told=tuple(missing[:_LISTED]),
            not_told_count=len(missing),
            fidelity=session.report,
        )

    def _tell_of(self, row: ImportedRun) -> None:
        known = self._log.runs.get(row.run)
        if known is None or (row.spent or 0) > (known.spent or 0):
            self._log.add((row,))

    def _write(self, session: Session, group: list[_Line]) -> int:
        written = self._writer.append(*(_draft(session, line.record) for line in group))
        self._log.add(_line_row(line, record.seq) for line, record in zip(group, written, strict=True))
        return len(group)

    def _heal(self, line: _Line, there: HeldLine) -> None:
        if there.seq is not None and there.seq >= self._untold:
            self._log.add((_line_row(line, there.seq),))
            there.seq = None


def _to_tell(
    session: Session, held: HeldRun, missing: list[NotTold], heal: Callable[[_Line, HeldLine], None]
) -> Iterator[tuple[_Line, bool]]:
    """The records that are to be written, and whether each is a reply told again; the others go to `missing`."""
    lines = list(_lines(session))
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


def _why_not(line: _Line, held: HeldRun, unwritten: set[str]) -> WhyNot | None:
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


def _lines(session: Session) -> Iterator[_Line]:
    """The records as they would be written, with their names."""
    names = Names()
    standings = iter(session.outline.turns)
    for record, place in zip(session.records, session.places, strict=True):
        standing = next(standings, None) if record.kind == Kind.model_called else None
        lacking = _REQUIRED.get(record.kind)
        whole = record
        if lacking is not None and lacking not in record.data:
            whole = structs.replace(record, data={**record.data, lacking: ""})
        yield _Line(whole, place, names.name(whole), standing, filled=whole is not record)


def _opens(named: Named) -> bool:
    return named.name == named.request


def _fits(session: Session, record: Record) -> bool:
    """Whether a ledger takes the record."""
    try:
        check_draft(_draft(session, record), 0, 0)
    except DraftError:
        return False
    return True


def _belongs(record: Record) -> bool:
    """Whether the fold puts such a record into the turn that is the last one when it comes."""
    return record.kind not in _FREE


_REQUIRED: Final[dict[str, str]] = {Kind.model_called: "model", Kind.tool_called: "id"}
_FREE: Final = frozenset((Kind.run_started, Kind.run_frozen, Kind.model_called, Kind.tool_result))


def _draft(session: Session, record: Record) -> Draft:
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


def _line_row(line: _Line, seq: Seq) -> Imported:
    place, standing = line.place, line.standing
    row = ImportedLine(seq=seq, at=line.record.seq, file=place.segment, line=place.line, offset=place.offset)
    if standing is None:
        return row
    return structs.replace(row, key=standing.key, copied_from=standing.copied_from, figures=standing.figures)
