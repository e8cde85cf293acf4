"""One line to one record. Spec: rounds.md 0.

A line in canonical spelling is read natively, and proven canonical by writing it again: equal bytes leave no room for
a repeated or unknown key, a lone surrogate or bad UTF-8. A line in another spelling is looked through for just those.
Whatever is odd about a line, `parse` reads it and names what it finds.
"""

import json as standard
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Final, TypeGuard

from msgspec import DecodeError, Struct, ValidationError, json

from accounting.ledger.line import DeepLine, Line
from accounting.ledger.parse import DEEPEST_WRITTEN, NotJsonError, Oddities, parse, shortened
from accounting.ledger.plain import plain
from accounting.ledger.problem import Place, Problem, ProblemCode
from wire.record.envelope import NEWEST_VERSION, Record
from wire.scalars import U64_MAX, Json, JsonObject, RunId, run_id, u64

_KEYS: Final = frozenset(("v", "run", "seq", "prev", "t", "who", "addr", "kind", "data", "ig"))


Report = Callable[[Problem], None]


class LineReader:
    """Reads lines of one ledger; problems go to `report`."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._floats: list[str] = []
        self._decode = json.Decoder(Line).decode
        self._decode_deep = json.Decoder(DeepLine, float_hook=self._float).decode
        self._encode = json.Encoder().encode
        self._runs: dict[str, RunId] = {}

    def read(self, line: bytes, place: Place) -> Record | None:
        """The record that a line (without its newline) holds, or `None` when it is no record."""
        try:
            read = self._decode(line)
        except ValidationError:
            deep = self._read_deep(line)
            if deep is None:
                return self._read_odd(line, place)
            read = deep
        except (DecodeError, RecursionError):
            return self._read_odd(line, place)
        again = self._encode(read)
        run = self._runs.get(read.run) or self._known(read.run)
        odd = run is None or read.seq > U64_MAX or read.t > U64_MAX
        if odd or (again != line and not _each_key_once(line)):
            return self._read_odd(line, place)
        assert run is not None
        return Record(v=read.v, run=run, seq=read.seq, t=read.t, kind=read.kind, data=read.data)

    def _read_deep(self, line: bytes) -> Line | None:
        """The line all the same, where its payload nests deeper than is common, or has integers past i64."""
        try:
            read = self._decode_deep(line)
        except (DecodeError, RecursionError):
            read = None
        if self._floats:
            self._floats.clear()
            return None
        return read if read is not None and plain(read.data) else None

    def _float(self, spelled: str) -> float:
        self._floats.append(spelled)
        return 0.0

    def _known(self, run: str) -> RunId | None:
        known = run_id(run)
        if known is not None:
            self._runs[run] = known
        return known

    def _read_odd(self, line: bytes, place: Place) -> Record | None:
        self._floats.clear()
        try:
            text = line.decode()
            bad_utf8 = None
        except UnicodeDecodeError as error:
            text = line.decode(errors="replace")
            bad_utf8 = f"byte 0x{line[error.start]:02x}, {error.start} bytes into the line"
        try:
            value, oddities = parse(text)
        except NotJsonError as error:
            # Past bad UTF-8 characters stand for bytes no longer one by one.
            into = (
                f"{len(text[: error.position].encode())} bytes" if bad_utf8 is None else f"{error.position} characters"
            )
            found = shortened(text[error.position : error.position + 100]) or "the line's end"
            expected = f"{error.expected}, {into} into the line"
            self._report(Problem(code=ProblemCode.not_json, place=place, expected=expected, found=found))
            return None
        record = _assemble(value)
        if isinstance(record, _Unusable):
            code = ProblemCode.not_a_record
            self._report(Problem(code=code, place=place, expected=record.expected, found=spelled(record.found)))
            return None
        for code, found in _told(value, oddities, bad_utf8, record):
            self._report(Problem(code=code, place=place, seq=record.seq, expected=_EXPECTED[code], found=found))
        return record


def _told(line: Json, oddities: Oddities, bad_utf8: str | None, record: Record) -> Iterator[tuple[ProblemCode, str]]:
    """What to report of a line that is a record: one problem of each sort."""
    assert isinstance(line, dict)  # it gave a record
    if bad_utf8 is not None:
        yield ProblemCode.bad_utf8, bad_utf8
    for code, oddity in oddities.items():
        more = f", and {oddity.count - 1} more" if oddity.count > 1 else ""
        yield code, f"{oddity.found} at {oddity.where}{more}"
    if record.v != line["v"]:
        yield ProblemCode.version_ahead, spelled(line["v"])
    if unknown := [key for key in line if key not in _KEYS]:
        more = f", and {len(unknown) - 1} more" if len(unknown) > 1 else ""
        yield ProblemCode.unknown_key, shortened(unknown[0]) + more


_EXPECTED: Final[dict[ProblemCode, str]] = {
    ProblemCode.bad_utf8: "UTF-8",
    ProblemCode.lone_surrogate: "both halves of a surrogate pair",
    ProblemCode.float_in_payload: "integers only",
    ProblemCode.integer_range: "integers that fit i64 or u64",
    ProblemCode.too_deep: f"at most {DEEPEST_WRITTEN} containers inside each other",
    ProblemCode.repeated_key: "each key once",
    ProblemCode.version_ahead: f"a version up to {NEWEST_VERSION}",
    ProblemCode.unknown_key: "only the envelope's keys " + " ".join(sorted(_KEYS)),
}


class _Unusable(Struct, frozen=True):
    """Why a line is no record."""

    expected: str
    found: Json


def _assemble(value: Json) -> Record | _Unusable:
    if not isinstance(value, dict):
        return _Unusable("a JSON object", value)
    version, kind, data = value.get("v"), value.get("kind"), value.get("data")
    run, seq, t = run_id(value.get("run")), u64(value.get("seq")), u64(value.get("t"))
    if not is_version(version):
        return _Unusable("`v`, an integer from 1", version)
    if run is None:
        return _Unusable("`run`, a hyphenated lower-case uuid", value.get("run"))
    if seq is None:
        return _Unusable("`seq`, an integer of 0..2^64-1", value.get("seq"))
    if t is None:
        return _Unusable("`t`, an integer of 0..2^64-1", value.get("t"))
    if not isinstance(kind, str):
        return _Unusable("`kind`, a word", kind)
    if not isinstance(data, dict):
        return _Unusable("`data`, a JSON object", data)
    known = version if version in range(NEWEST_VERSION) else NEWEST_VERSION
    return Record(v=int(known), run=run, seq=seq, t=t, kind=kind, data=data)


def is_version(value: object) -> TypeGuard[int]:
    """Whether a `v` is an integer from 1, however large."""
    # An integer of thousands of digits arrives as a Decimal.
    return (type(value) is int or (isinstance(value, Decimal) and value.as_tuple().exponent == 0)) and value >= 1


def spelled(value: object) -> str:
    """A value as a problem tells it: short however large it is."""
    if value is None:
        return "nothing"
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{shortened(value)}"' if isinstance(value, str) else shortened(str(value))


def _each_key_once(line: bytes) -> bool:
    """Whether a line that decodes has no key twice in one object, and none that an envelope does not have."""
    try:
        envelope: JsonObject = standard.loads(line.decode(), object_pairs_hook=_unless_repeated)
    except (ValueError, RecursionError):
        return False
    return envelope.keys() <= _KEYS


def _unless_repeated(pairs: list[tuple[str, Json]]) -> JsonObject:
    items = dict(pairs)
    if len(items) != len(pairs):
        raise ValueError("a key twice")
    return items
