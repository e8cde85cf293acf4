"""Where the lines of an imported ledger came from: the file `<ledger>.provenance.jsonl` beside its directory.

A row for each run, and one for each line, in the order of their `seq`. The file is only added to, and always after
the lines it tells of: a crash in between leaves lines without a row, which the next import adds.
"""

import os
from collections.abc import Iterable, Iterator
from io import FileIO
from pathlib import Path
from typing import Final, TypeAlias

from msgspec import DecodeError, Struct, json

from accounting.foreign.fidelity import Standing
from accounting.foreign.session import Session
from accounting.ledger.problem import Place
from wire.scalars import RunId, Seq, UsdMicros

_encode: Final = json.Encoder().encode


class ImportedRun(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="of", tag="run"):
    """A run that was imported."""

    run: RunId
    """The run."""
    agent: str
    """Name of the reader."""
    id: str
    """The agent's own id of the session."""
    parent: RunId | None = None
    """The run that started it; null when none did, or it is not known."""
    started_by: str | None = None
    """Id of the call in the parent that started it; null where it is not known."""
    spent: UsdMicros | None = None
    """Millionths of a US dollar that all of the session cost, sub-agents included, where the agent states it so and not
    by request; null otherwise. Of several rows of a run the last one holds."""
    stream: bool = False
    """Whether its lines are of a stream that the agent printed, and not of the file that it keeps."""


def imported_run(session: Session) -> ImportedRun:
    """What is said of a session's run."""
    totals = session.report.totals
    return ImportedRun(
        run=session.run,
        agent=session.agent,
        id=session.id,
        parent=session.parent,
        started_by=session.started_by,
        spent=None if totals.priced else totals.spent,
        stream=session.stream,
    )


class ImportedLine(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="of", tag="line", gc=False):
    """A line that was imported."""

    seq: Seq
    """The line, in the ledger."""
    at: Seq
    """The record's own `seq` in its session when it was imported."""
    file: str
    """The agent's file."""
    line: int
    """The row's number in it, from 1."""
    offset: int
    """The row's first byte, from 0."""
    key: str | None = None
    """Of a `model_called`: what names this request wherever it is copied to; null when nothing does."""
    copied_from: RunId | None = None
    """Of a `model_called`: the run whose request this is a copy of; null when it is the run's own."""
    figures: Standing = Standing.exact
    """Of a `model_called`: how the token counts of its reply were obtained."""

    @property
    def place(self) -> Place:
        """Where the row stands."""
        return Place(segment=self.file, line=self.line, offset=self.offset)


Imported: TypeAlias = ImportedRun | ImportedLine
_decode: Final = json.Decoder(Imported).decode


def provenance_file(ledger: str | os.PathLike[str]) -> Path:
    """The file that belongs to a ledger's directory."""
    directory = Path(ledger).resolve()
    return directory.with_name(f"{directory.name}.provenance.jsonl")


def provenance(ledger: str | os.PathLike[str]) -> Iterator[Imported]:
    """The rows of the file that belongs to a ledger, none when there is none. A row that does not read is passed over.

    Raises `OSError` when the file cannot be read.
    """
    try:
        file = provenance_file(ledger).open("rb", buffering=1 << 20)
    except FileNotFoundError:
        return
    with file:
        for line in file:
            try:
                yield _decode(line)
            except (DecodeError, RecursionError):
                continue


class ProvenanceLog:
    """The file, open to be added to. Whoever has it holds the ledger's lock."""

    def __init__(self, ledger: Path) -> None:
        """Raises `OSError`."""
        self.runs: Final[dict[RunId, ImportedRun]] = {}
        """The newest row of each run that has one."""
        self.next_seq: Seq = 0
        """The first line that has no row."""
        self._file = FileIO(provenance_file(ledger), "ab+")
        try:
            self._cut()
            for row in provenance(ledger):
                if isinstance(row, ImportedRun):
                    self.runs[row.run] = row
                else:
                    self.next_seq = max(self.next_seq, row.seq + 1)
        except BaseException:
            self._file.close()
            raise

    def add(self, rows: Iterable[Imported]) -> None:
        """Add rows. Raises `OSError`."""
        told = bytearray()
        for row in rows:
            told += _encode(row)
            told += b"\n"
            if isinstance(row, ImportedRun):
                self.runs[row.run] = row
            else:
                self.next_seq = row.seq + 1
        left = memoryview(bytes(told))
        while left:
            left = left[self._file.write(left) :]

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def _cut(self) -> None:
        """Take off a row that was never finished."""
        end = self._file.seek(0, os.SEEK_END)
        at = end
        while at:
            begin = max(at - 65_536, 0)
            self._file.seek(begin)
            newline = self._file.read(at - begin).rfind(b"\n")
            if newline >= 0:
                at = begin + newline + 1
                break
            at = begin
        if at != end:
            self._file.truncate(at)
