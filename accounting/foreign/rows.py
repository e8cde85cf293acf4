"""The rows of a file, each as a Struct with its place, damage contained: the one home of reading another agent's file.

A row is decoded once, straight into the Struct, which names only what its reader uses. Only a line on which that
fails takes the slow road: rows glued together are told apart, a row behind a torn one is recovered, lone surrogates
and bad UTF-8 are repaired, and a field of a wrong type reads as absent. Whatever was met is in the fidelity report.
"""

import re
from collections.abc import Callable, Iterator
from json import JSONDecodeError
from json import dumps as _dumps
from json import loads as _loads
from pathlib import Path
from typing import BinaryIO, Final, Generic, TypeVar

from msgspec import DecodeError, Raw, Struct, json

from accounting.foreign.fidelity import DamageCode, Fidelity
from accounting.foreign.objects import IsRow, any_object, objects_in, without_surrogates
from accounting.foreign.salvage import salvage
from accounting.foreign.sample import WINDOW, is_document
from accounting.ledger.problem import Place
from wire.scalars import Json, JsonObject

T = TypeVar("T", bound=Struct)
_BUFFER: Final = 1 << 17
"""Bytes read at once: few enough to stay in the processor's cache until they are decoded."""
_MARGIN: Final = b" \t\r\n\0"
_BOM: Final = b"\xef\xbb\xbf"
_FAILED: Final = (DecodeError, RecursionError, UnicodeDecodeError)
_MEANING = re.compile(r"[^\s,\[\]\x00]").search


def rows(
    path: Path,
    shape: type[T],
    fidelity: Fidelity,
    *,
    is_row: IsRow = any_object,
    floats: Callable[[str], Json] | None = None,
) -> Iterator[tuple[T, Place]]:
    """The rows of a file of JSON lines, or the elements of a file that is one JSON array, in file order.

    Every field of `shape` needs a default: what a row lacks, or has in another type, is that default. `is_row` says
    whether an object found behind a torn row can be a row of its own. `floats` is given the spelling of each float in
    a field that holds any JSON, and what it gives back stands there. Raises `OSError`, and nothing else.
    """
    reading = Rows(str(path), shape, fidelity, is_row, floats)
    with path.open("rb", buffering=_BUFFER) as file:
        head = file.read(WINDOW)
        file.seek(0)
        if head.lstrip(_BOM + _MARGIN).startswith(b"[") and is_document(head):
            yield from reading.array(file.read())
        else:
            yield from reading.lines(file)


def document(path: Path, shape: type[T], fidelity: Fidelity) -> tuple[T, Place] | None:
    """A file that is one JSON object; `None` when not even its beginning reads. Raises `OSError`, and nothing else."""
    reading = Rows(str(path), shape, fidelity, any_object)
    return next(reading.line(path.read_bytes(), 1, 0, last=True), None)


def row_of(value: JsonObject, shape: type[T], fidelity: Fidelity, place: Place) -> T:
    """An object that is at hand, as a row; for formats whose rows are not lines of a file (a database column, say)."""
    return Rows(place.segment, shape, fidelity, any_object).typed(value, place)


def row_at(path: Path, shape: type[T], place: Place, *, floats: Callable[[str], Json] | None = None) -> T | None:
    """The row at a place that was given before, read again; `None` when it no longer reads. Raises `OSError`."""
    reading = Rows(str(path), shape, Fidelity(""), any_object, floats)
    with path.open("rb") as file:
        file.seek(place.offset)
        found = next(reading.line(file.readline(), place.line, place.offset, last=False), None)
    return None if found is None else found[0]


class Rows(Generic[T]):
    """Reads rows of one shape out of one file."""

    def __init__(
        self,
        path: str,
        shape: type[T],
        fidelity: Fidelity,
        is_row: IsRow,
        floats: Callable[[str], Json] | None = None,
    ) -> None:
        self._path = path
        self._shape = shape
        self._fidelity = fidelity
        self._is_row = is_row
        self._decode: Callable[[bytes | Raw], T] = json.Decoder(shape, float_hook=floats).decode

    def lines(self, file: BinaryIO) -> Iterator[tuple[T, Place]]:
        """The rows of a file of lines, from where it stands."""
        decode, path, fidelity = self._decode, self._path, self._fidelity
        offset = 0
        for number, line in enumerate(file, 1):
            try:
                row = decode(line)
            except _FAILED:
                yield from self.line(line, number, offset, last=not line.endswith(b"\n"))
            else:
                fidelity.rows += 1
                yield row, Place(segment=path, line=number, offset=offset)
            offset += len(line)

    def array(self, data: bytes) -> Iterator[tuple[T, Place]]:
        """The elements of one JSON array."""
        try:
            elements = json.decode(data.strip(_MARGIN).removeprefix(_BOM), type=list[Raw])
        except _FAILED:
            yield from self.line(data, 1, 0, last=True)
            return
        line, at = 1, 0
        for element in elements:
            text = bytes(element)
            start = data.find(text, at)
            line += data.count(b"\n", at, start)
            try:
                row = self._decode(text)
            except _FAILED:
                yield from self.line(text, line, start, last=False)
            else:
                self._fidelity.rows += 1
                yield row, Place(segment=self._path, line=line, offset=start)
            line += text.count(b"\n")
            at = start + len(text)

    def line(self, line: bytes, number: int, offset: int, *, last: bool) -> Iterator[tuple[T, Place]]:
        """What can be had of a line that does not decode. `last` says that it lacks its newline."""
        place = Place(segment=self._path, line=number, offset=offset)
        kept = line.strip(_MARGIN).removeprefix(_BOM).lstrip(_MARGIN)
        if b"\0" in line:
            self._damaged(place, DamageCode.nul_bytes)
        if not kept:
            return
        try:
            text = kept.decode()
        except UnicodeDecodeError:
            text = kept.decode(errors="replace")
            self._damaged(place, DamageCode.bad_utf8)
        if _is_other_json(text):
            self._damaged(place, DamageCode.not_a_row)
            return
        at = Place(segment=self._path, line=number, offset=offset + line.find(kept[:1]))
        start = end = count = 0
        torn = False
        for found in objects_in(text, self._is_row):
            torn = torn or _MEANING(text, end, found.start) is not None
            passed = text[start : found.start]  # since the row before: a line may hold many
            at = Place(
                segment=self._path,
                line=at.line + passed.count("\n"),
                offset=at.offset + len(passed.encode(errors="replace")),
            )
            count += 1
            start, end = found.start, found.end
            self._fidelity.rows += 1
            yield self.typed(found.value, at), at
        if count > 1 or (count and torn):
            self._damaged(place, DamageCode.glued)
        rest = _MEANING(text, end) is not None
        if rest and last:
            self._damaged(place, DamageCode.torn_tail)
        elif rest or torn:
            self._damaged(place, DamageCode.not_json)

    def typed(self, value: JsonObject, place: Place) -> T:
        """An object as a row: surrogates repaired, fields that do not read at their default."""
        try:
            spelled = _dumps(value, ensure_ascii=False)
        except (RecursionError, ValueError, TypeError):
            self._damaged(place, DamageCode.too_deep)
            return self._salvaged(value, place)
        text, halves = without_surrogates(spelled)
        if halves:
            self._damaged(place, DamageCode.lone_surrogate)
        try:
            return self._decode(text.encode())
        except _FAILED:
            return self._salvaged(_loads(text) if halves else value, place)

    def _salvaged(self, value: JsonObject, place: Place) -> T:
        row, lost = salvage(value, self._shape)
        for field in lost:
            self._damaged(place, DamageCode.bad_field, field)
        return row

    def _damaged(self, place: Place, code: DamageCode, detail: str = "") -> None:
        self._fidelity.damaged(place, code, detail)


def _is_other_json(text: str) -> bool:
    """Whether the text is JSON, and neither an object nor a list that begins with one."""
    if text.startswith("{") or (text.startswith("[") and text[1:].lstrip().startswith("{")):
        return False
    try:
        _loads(text)
    except (JSONDecodeError, RecursionError, ValueError):
        return False
    return True


def carried(part: bytes | Raw, decode: Callable[[bytes | Raw], Json] = json.decode) -> Json:
    """The value of a part that was carried as `Raw`; bad UTF-8 inside reads as U+FFFD. `None` when it does not read."""
    try:
        return decode(part)
    except _FAILED:
        text = bytes(part).decode(errors="replace")
    try:
        value: Json = _loads(text, strict=False, parse_float=str)
    except (JSONDecodeError, RecursionError, ValueError):
        return None
    return value
