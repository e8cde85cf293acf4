"""What is sound of a damaged ledger copied out, and all that can still be read of the rest. Spec: ledger.md 7, 8.

The original is only read. Every byte of it goes to one of three places: the longest prefix that verifies, records that
still read, and what is left over; a run of zeros counts as nothing.
"""

import os
from collections.abc import Iterator, Mapping
from json import JSONDecoder
from pathlib import Path
from typing import BinaryIO, Final

from msgspec import Struct, json, structs

from accounting.ledger.checking import Verification, proven_end
from accounting.ledger.ledger import Ledger
from accounting.ledger.problem import Place, Problem
from accounting.ledger.record import LineReader
from accounting.ledger.segments import blocks, first_seq, segment_name
from wire.check import Finding, Severity
from wire.scalars import U64, B3Hash, Seq

_START: Final = '{"v":'
"""How a record begins that was glued behind another."""
_CHUNK: Final = 1 << 20
_scan = JSONDecoder().raw_decode


class RepairError(Exception):
    """The folder for the parts cannot be used."""


class Piece(Struct, frozen=True, kw_only=True):
    """Neighbouring bytes of the original that went to the same place."""

    segment: str
    """The file they stand in."""
    line: U64
    """The number of the first line they touch, from 1."""
    offset: U64
    """Where they begin in the file, in bytes."""
    length: U64
    """How many bytes, newlines included."""
    first_seq: Seq | None = None
    """`seq` of the first record; null when they are no records."""
    last_seq: Seq | None = None
    """`seq` of the last record; null when they are no records."""


class RepairReport(Struct, frozen=True, kw_only=True):
    """What became of a ledger's bytes."""

    source: str
    """The ledger, which was left as it is."""
    into: str
    """The folder that the parts were written to."""
    fault: Finding | None
    """The first fault: the prefix ends before it. Null when there is none."""
    lines: U64
    """Lines in the prefix."""
    bytes: U64
    """Bytes in the prefix."""
    last_seq: Seq | None
    """`seq` of the prefix's last line; null when it has none."""
    last_hash: B3Hash | None
    """BLAKE3 of the prefix's last line; null when it has none."""
    records: U64
    """Records salvaged from behind the prefix."""
    salvaged: tuple[Piece, ...]
    """Where they stood, in order."""
    left: U64
    """Bytes left over."""
    left_over: tuple[Piece, ...]
    """Where those stood, in order."""


LEDGER: Final = "ledger"
"""The folder of the prefix: a ledger that verifies."""
SALVAGED: Final = "salvaged.jsonl"
"""The file of the records behind it, one a line, as they were found."""
LEFT_OVER: Final = "left-over.bin"
"""The file of the bytes that are neither."""
REPORT: Final = "report.json"
"""The file of the report, written last."""


def repair(ledger: Ledger | str | os.PathLike[str], into: str | os.PathLike[str]) -> RepairReport:
    """Copy a ledger's sound prefix, and what else can be read, into a new folder; the original is only read.

    Raises `RepairError` when the folder cannot be written, is not empty, or would lie within the ledger or the ledger
    within it; `OSError` when the ledger cannot be read; and what `verify` raises.
    """
    opened = ledger if isinstance(ledger, Ledger) else Ledger(ledger)
    folder = Path(into)
    _refuse(opened, folder)
    ends = {segment.name: segment.path.stat().st_size for segment in opened.segments}
    verification = Verification(opened)
    fault = next((finding for finding in verification if finding.severity is Severity.fault), None)

    try:
        return _written(opened, folder, fault, verification.newest[0], ends)
    except OSError as error:
        if error.filename in ends:
            raise
        why = error.strerror or error
        raise RepairError(f"{folder}: cannot be written: {why}; what stands there is incomplete, remove it") from error


def _written(ledger: Ledger, folder: Path, fault: Finding | None, whole: int, ends: Mapping[str, int]) -> RepairReport:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / LEDGER).mkdir()
    segment, offset = _behind_prefix(ledger, fault, whole)
    copied = _copy(ledger, folder / LEDGER, segment, offset)
    end = proven_end(folder / LEDGER)
    with (folder / SALVAGED).open("wb") as salvaged, (folder / LEFT_OVER).open("wb") as left_over:
        parts = _Parts(salvaged, left_over)
        for line, place, newline in _rest(ledger, segment, offset, ends):
            parts.take(line, place, newline)
        _settle(salvaged)
        _settle(left_over)
    report = RepairReport(
        source=os.fspath(ledger.path) if ledger.path.is_dir() else ledger.segments[0].name,
        into=os.fspath(folder),
        fault=fault,
        lines=end.next_seq,
        bytes=copied,
        last_seq=end.next_seq - 1 if copied else None,
        last_hash=end.prev if copied else None,
        records=parts.records,
        salvaged=tuple(parts.salvaged.pieces),
        left=sum(piece.length for piece in parts.left_over.pieces),
        left_over=tuple(parts.left_over.pieces),
    )
    with (folder / REPORT).open("wb") as file:
        file.write(json.format(json.encode(report), indent=2) + b"\n")
        _settle(file)
    return report


def _refuse(ledger: Ledger, folder: Path) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise RepairError(f"{folder} exists and is no empty folder; name one that does not exist yet")
    original, copy = ledger.path.resolve(), folder.resolve()
    if original == copy or original in copy.parents or copy in original.parents:
        raise RepairError(f"{folder} and {ledger.path} lie one within the other; name a folder apart from the ledger")


def _behind_prefix(ledger: Ledger, fault: Finding | None, whole: int) -> tuple[int, int]:
    """Where the prefix ends: index of the segment, and bytes of it."""
    if fault is None:
        return len(ledger.segments) - 1, whole
    index = next(index for index, segment in enumerate(ledger.segments) if segment.name == fault.segment)
    return index, fault.offset


def _copy(ledger: Ledger, folder: Path, last: int, size: int) -> int:
    """The prefix, byte for byte, in the segments it had; how many bytes."""
    copied = 0
    for index, segment in enumerate(ledger.segments[: last + 1]):
        name = segment.path.name if first_seq(segment.path.name) is not None else segment_name(0)
        with segment.path.open("rb") as source:
            left = size if index == last else _without_zeros(source)
            if not left:
                continue
            with (folder / name).open("xb") as file:
                copied += left
                while left:
                    chunk = source.read(min(left, _CHUNK))
                    if not chunk:
                        raise OSError(f"{segment.path}: is being cut short while it is copied")
                    file.write(chunk)
                    left -= len(chunk)
                _settle(file)
    return copied


def _without_zeros(file: BinaryIO) -> int:
    """Bytes of a sound file up to its last newline: what follows are zeros."""
    end = 0
    for block in blocks(file):
        end = block.offset + block.size
    file.seek(0)
    return end


def _rest(ledger: Ledger, first: int, offset: int, ends: Mapping[str, int]) -> Iterator[tuple[bytes, Place, bytes]]:
    """The lines behind the prefix, and the newline that each has or lacks; none that came after the check began."""
    for segment, block, first_number in ledger.blocks(first):
        start, number, begun = 0, first_number, segment.name != ledger.segments[first].name
        while start < len(block.content):
            end = block.content.find(b"\n", start) if block.whole else len(block.content)
            at = block.offset + start
            if (begun or at >= offset) and at < ends[segment.name]:
                place = Place(segment=segment.name, line=number, offset=at)
                yield block.content[start:end], place, b"\n" if block.whole else b""
            start = end + 1
            number += 1


class _Part:
    """One of the files, and where its bytes came from."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.pieces: list[Piece] = []

    def put(self, content: bytes, place: Place, seq: Seq | None = None) -> None:
        self.file.write(content)
        last = self.pieces[-1] if self.pieces else None
        if last is not None and last.segment == place.segment and last.offset + last.length == place.offset:
            self.pieces[-1] = structs.replace(last, length=last.length + len(content), last_seq=seq)
            return
        self.pieces.append(
            Piece(
                segment=place.segment,
                line=place.line,
                offset=place.offset,
                length=len(content),
                first_seq=seq,
                last_seq=seq,
            )
        )


class _Parts:
    """Sorts what is behind the prefix into records and the rest."""

    def __init__(self, salvaged: BinaryIO, left_over: BinaryIO) -> None:
        self.salvaged = _Part(salvaged)
        self.left_over = _Part(left_over)
        self.records = 0
        self._read = LineReader(_ignore).read

    def take(self, line: bytes, place: Place, newline: bytes) -> None:
        record = self._read(line, place)
        if record is not None:
            self._salvage(line, newline, place, record.seq)
            return
        rest = 0
        for start, end in _glued(line):
            record = self._read(line[start:end], place)
            if record is None:
                continue
            if start > rest:
                self.left_over.put(line[rest:start], _at(place, rest))
            at_end = end == len(line)
            self._salvage(line[start:end], newline if at_end else b"", _at(place, start), record.seq)
            rest = end + (len(newline) if at_end else 0)
        whole = line + newline
        if rest < len(whole):
            self.left_over.put(whole[rest:], _at(place, rest))

    def _salvage(self, record: bytes, newline: bytes, place: Place, seq: Seq) -> None:
        self.salvaged.put(record + newline, place, seq)
        if not newline:
            self.salvaged.file.write(b"\n")
        self.records += 1


def _glued(line: bytes) -> Iterator[tuple[int, int]]:
    """Where in a line that is none a record may stand: it begins like one, and is a JSON value."""
    # One character a byte: places in the text are places in the line.
    text = line.decode("latin-1")
    start = text.find(_START)
    while start >= 0:
        try:
            _, end = _scan(text, start)
        except (ValueError, RecursionError):
            end = start + 1
        else:
            yield start, end
        start = text.find(_START, end)


def _at(place: Place, offset: int) -> Place:
    return structs.replace(place, offset=place.offset + offset)


def _settle(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())


def _ignore(_: Problem) -> None:
    """The first check told what is wrong."""
