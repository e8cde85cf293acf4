"""Sessions of other agents written into a ledger: deterministic, and adding only what is new. Spec: foreign.md 3.

No clock is asked: each line has the time that the agent recorded. A ledger is only added to, so what a session says
otherwise than it did when it was imported is told again where the fold then takes the newer, and reported where not.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from msgspec import structs

from accounting.foreign.held import HeldLine, HeldRun
from accounting.foreign.import_order import Head, UnreadableError, heads_of, in_order, sessions_of
from accounting.foreign.import_report import ImportReport, NotTold, SessionImport
from accounting.foreign.provenance import Imported, ImportedLine, ImportedRun, ProvenanceLog, imported_run
from accounting.foreign.renaming import renamed
from accounting.foreign.session import Session, Source
from accounting.foreign.telling import ToWrite, asks, draft, ending, to_tell
from accounting.ledger import Ledger, NotALedgerError
from accounting.ledger.segments import segments
from accounting.ledger.writing import LedgerWriter
from wire.scalars import RunId, Seq

_GROUP: Final = 256
"""How many lines are made durable at once."""
_LISTED: Final = 20


class NotALedgerDirectoryError(ValueError):
    """The directory has something else in it, and a ledger would be lost among it."""


def import_sessions(
    sources: Iterable[Source],
    into: str | os.PathLike[str],
    *,
    called: Mapping[str, str] | None = None,
    audit: bool = False,
) -> ImportReport:
    """Write the sessions of the sources into the ledger at `into`, which is made when it is missing.

    The order of the sources does not matter. Where each line came from is written beside the ledger (`provenance`);
    `called` says what to call a file there that stands under a passing name. With `audit` the fidelity of a source's
    first session also tells of the fields that its reader does not read, at the cost of a pass of its own.

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
                        telling.tell(session, held[session.run])
                        for session in _again(head, wanted, called or {}, audit=audit)
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


def _again(head: Head, wanted: set[RunId], called: Mapping[str, str], *, audit: bool) -> Iterator[Session]:
    """The sessions of a source, read a second time: they are many, and only one of them is held in memory."""
    # A run that has come up since the ledger was looked through is left to the next import.
    for session in sessions_of(head.source, audit=audit):
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
        group: list[ToWrite] = []
        added = again = 0
        held_back = not held.lines and not asks(session)
        known = self._log.runs.get(session.run) if held.lines else None
        if session.records and not held_back:
            self._tell_of(imported_run(session), known)
        lines: Iterable[tuple[ToWrite, bool]] = ()
        if known is not None and known.stream is not session.stream:
            lines = ending(session, held, missing, self._heal)
        elif not held_back:
            lines = to_tell(session, held, missing, self._heal)
        for line, told_again in lines:
            again += told_again
            # So that whatever is decided next knows of it.
            held.add(line.named, None, line.record.t)
            group.append(line)
            if len(group) == _GROUP:
                added += self._write(session, group)
                group = []
        added += self._write(session, group)
        missing.sort(key=lambda one: not one.why.loses)
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
            lost=sum(one.why.loses for one in missing),
            held_back=held_back and bool(session.records),
            fidelity=session.report,
        )

    def _tell_of(self, row: ImportedRun, there: ImportedRun | None) -> None:
        """Say what the run is; `there` is what was said of the lines that are in the ledger."""
        known = self._log.runs.get(row.run)
        other = there is None and known is not None and known.stream is not row.stream
        if known is None or other or (row.spent or 0) > (known.spent or 0):
            # Where the lines came from stays as it is: of a stream only what the session cost is news.
            self._log.add((row if there is None else structs.replace(there, spent=row.spent),))

    def _write(self, session: Session, group: list[ToWrite]) -> int:
        written = self._writer.append(*(draft(session, line.record) for line in group))
        self._log.add(_line_row(line, record.seq) for line, record in zip(group, written, strict=True))
        return len(group)

    def _heal(self, line: ToWrite, there: HeldLine) -> None:
        if there.seq is not None and there.seq >= self._untold:
            self._log.add((_line_row(line, there.seq),))
            there.seq = None


def _line_row(line: ToWrite, seq: Seq) -> Imported:
    place, standing = line.place, line.standing
    row = ImportedLine(seq=seq, at=line.record.seq, file=place.segment, line=place.line, offset=place.offset)
    if standing is None:
        return row
    return structs.replace(row, key=standing.key, copied_from=standing.copied_from, figures=standing.figures)
