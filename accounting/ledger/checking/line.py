"""One line held to the format, in the order of ledger.md 8. Spec: ledger.md 1, 3, 4, 8.

A line that is in order is read natively and proven canonical by writing it again; `judge` looks for what is wrong with
any other.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Final

from msgspec import UNSET, DecodeError, Struct, ValidationError, json

from accounting.ledger.canonical import encode_sorted, line_hash
from accounting.ledger.checking.chain import Broken, Chain
from accounting.ledger.line import DeepLine, Line
from accounting.ledger.parse import DEEPEST_WRITTEN, NotJsonError, Oddities, parse, shortened
from accounting.ledger.plain import plain
from accounting.ledger.problem import ProblemCode
from accounting.ledger.record import is_version, spelled
from wire.record.envelope import NEWEST_VERSION
from wire.record.kinds import Kind
from wire.scalars import U64_MAX, Json, JsonObject, RunId, address, b3_hash, run_id, u64

# Plain strings are looked up faster than members of an enumeration.
KINDS: Final = frozenset(kind.value for kind in Kind)
_REQUIRED: Final = ("v", "run", "seq", "prev", "t", "who", "kind", "data")
_address: Final = lru_cache(maxsize=4096)(address)
_ENVELOPE: Final = (*_REQUIRED[:6], "addr", *_REQUIRED[6:], "ig")


class Verdict(Struct, kw_only=True):
    """What a line turned out to be."""

    code: str | None = None
    """The first rule that it breaks; `None` when it is in order, or may be skipped."""
    expected: str = ""
    found: str = ""
    seq: int | None = None
    run: RunId | None = None
    prev: str | None = None
    record: Line | None = None
    """The line as what it records; `None` when that does not read, or may not be known."""
    skipped: str | None = None
    """The unknown kind of a line that may be skipped."""
    mangled: bool = True
    """Of a line at fault: whether it is so in its bytes, rather than in its place alone."""


class LineCheck:
    """Holds the lines of one ledger to the format, one after the other."""

    def __init__(self, chain: Chain) -> None:
        self.chain = chain
        self._decode = json.Decoder(Line).decode
        self._decode_deep = json.Decoder(DeepLine, float_hook=_refuse_float).decode
        self._encode = json.Encoder(order="deterministic").encode
        self._runs: set[str] = set()

    def check(self, line: bytes) -> Line | Verdict:
        """The line when it is in order, else what is to be said of it. The chain goes on either way."""
        chain = self.chain
        try:
            try:
                read = self._decode(line)
            except ValidationError:
                read = self._decode_deep(line)
                if not plain(read.data):
                    return self._odd(line)
        except (DecodeError, RecursionError):
            return self._odd(line)
        if (
            self._encode(read) != line
            or read.prev != chain.prev
            or read.seq != chain.expected
            or read.kind not in KINDS
            or (read.run not in self._runs and not self._known(read.run))
            or (read.addr is not UNSET and _address(read.addr) is None)
            or read.t > U64_MAX
            or read.seq > U64_MAX
        ):
            return self._odd(line)
        chain.accept(read.prev, read.seq, line_hash(line))
        return read

    def _odd(self, line: bytes) -> Verdict:
        verdict = judge(line, self.chain)
        hashed = line_hash(line)
        if verdict.code is None:
            assert verdict.prev is not None  # it was held to the chain
            assert verdict.seq is not None
            self.chain.accept(verdict.prev, verdict.seq, hashed)
        else:
            self.chain.fail(verdict.seq, hashed, mangled=verdict.mangled)
        return verdict

    def _known(self, run: str) -> bool:
        if run_id(run) is None:
            return False
        self._runs.add(run)
        return True


def _refuse_float(spelled: str) -> float:
    raise DecodeError(f"a float: {spelled}")


def judge(line: bytes, chain: Chain) -> Verdict:
    """The first thing that is wrong with a line, looked for in the order of ledger.md 8."""
    verdict = Verdict()
    try:
        _judge(line, chain, verdict)
    except Broken as broken:
        verdict.code, verdict.expected, verdict.found = broken.code, broken.expected, broken.found
    return verdict


def _judge(line: bytes, chain: Chain, verdict: Verdict) -> None:
    # A byte that is no UTF-8 becomes one character, so that places in the text can be told in bytes.
    text = line.decode(errors="surrogateescape")
    try:
        value, oddities = parse(text)
    except NotJsonError as error:
        at = len(text[: error.position].encode(errors="surrogateescape"))
        raise Broken("not-a-line", f"{error.expected} ({at} bytes into the line)", _shown(line, at)) from None
    if not isinstance(value, dict) or "v" not in value:
        what = f"an object without `v`, {_shown(line, 0)}" if isinstance(value, dict) else spelled(value)
        raise Broken("not-a-line", "a JSON object with an envelope", what)
    verdict.seq, verdict.run = u64(value.get("seq")), run_id(value.get("run"))
    prev = value.get("prev")
    verdict.prev = prev if isinstance(prev, str) else None
    _version(value["v"])
    _has_envelope(value)
    assert isinstance(prev, str)  # it has an envelope
    assert verdict.seq is not None
    verdict.record = _record(value)
    try:
        chain.follow(prev, verdict.seq)
    except Broken:
        verdict.mangled = any(_spelling(line, value, oddities))
        raise
    kind = value["kind"]
    if kind not in KINDS:
        if value.get("ig") is not True:
            raise Broken("unknown-kind", 'a kind of ledger.md 3, or `"ig":true`', spelled(kind))
        verdict.record, verdict.skipped = None, shortened(str(kind))
        return
    for code, expected, found in _spelling(line, value, oddities):
        raise Broken(code, expected, found)


def _shown(line: bytes, at: int) -> str:
    if not line.strip(b"\0"):
        return "zero bytes" if line else "an empty line"
    return shortened(line[at : at + 400].decode(errors="replace")) or "the line's end"


def _version(value: Json) -> None:
    if not is_version(value):
        raise Broken("not-a-version", f"`v`, an integer from 1 to {NEWEST_VERSION}", spelled(value))
    if value > NEWEST_VERSION:
        raise Broken("version-ahead", f"`v` up to {NEWEST_VERSION}", spelled(value))


def _has_envelope(value: JsonObject) -> None:
    if missing := [key for key in _REQUIRED if key not in value]:
        raise Broken("not-a-line", "an envelope with " + " ".join(f"`{key}`" for key in missing), "none of that")
    if u64(value["seq"]) is None:
        raise Broken("not-a-line", "`seq`, an integer of 0..2^64-1", spelled(value["seq"]))
    for key in ("prev", "kind"):
        if not isinstance(value[key], str):
            raise Broken("not-a-line", f"`{key}`, a string", spelled(value[key]))


def _record(value: JsonObject) -> Line | None:
    run, t, data = run_id(value["run"]), u64(value["t"]), value["data"]
    if run is None or t is None or not isinstance(data, dict):
        return None
    known = {"v": value["v"], "seq": value["seq"], "prev": value["prev"], "kind": value["kind"]}
    return Line(**known, run=run, t=t, who="", data=data)  # type: ignore[arg-type] # they were looked at


def _spelling(line: bytes, value: JsonObject, oddities: Oddities) -> Iterator[tuple[str, str, str]]:
    """What is wrong with how a line is written, the gravest first."""
    try:
        line.decode()
    except UnicodeDecodeError as error:
        yield "bad-utf8", "UTF-8", f"byte 0x{line[error.start]:02x}, {error.start} bytes into the line"
    for code, expected in _FIRST_ODDITIES:
        if code in oddities:
            yield code.value, expected, f"{oddities[code].found} at {oddities[code].where}"
    for key in value:
        if key not in _ENVELOPE:
            yield "unknown-key", "only " + " ".join(_ENVELOPE), shortened(key)
    yield from _fields(value)
    for code, expected in _LATER_ODDITIES:
        if code in oddities:
            yield code.value, expected, f"{oddities[code].found} at {oddities[code].where}"
    data = value["data"]
    assert isinstance(data, dict)  # _fields saw to it
    yield from _unsorted(data)
    again = _canonical(value)
    if again != line:
        at = next((i for i, (a, b) in enumerate(zip(again, line, strict=False)) if a != b), min(len(again), len(line)))
        yield "not-canonical", f"{_excerpt(again, at)} {at} bytes into the line", _excerpt(line, at)


_FIRST_ODDITIES: Final = (
    (ProblemCode.lone_surrogate, "both halves of a surrogate pair"),
    (ProblemCode.repeated_key, "each key once"),
)
_LATER_ODDITIES: Final = (
    (ProblemCode.float_in_payload, "an integer"),
    (ProblemCode.integer_range, "an integer that fits i64 or u64"),
    (ProblemCode.too_deep, f"at most {DEEPEST_WRITTEN} containers inside each other"),
)


def _fields(value: JsonObject) -> Iterator[tuple[str, str, str]]:
    fits: tuple[tuple[str, str, bool], ...] = (
        ("run", "a hyphenated lower-case uuid", run_id(value["run"]) is not None),
        ("prev", "64 lower-case hex digits", b3_hash(value["prev"]) is not None),
        ("t", "an integer of 0..2^64-1", u64(value["t"]) is not None),
        ("who", "a string", isinstance(value["who"], str)),
        ("addr", "an Address, or no key", "addr" not in value or address(value["addr"]) is not None),
        ("data", "a JSON object", isinstance(value["data"], dict)),
        ("ig", "true, or no key", value.get("ig", True) is True),
    )
    for key, expected, holds in fits:
        if not holds:
            yield "envelope-field", f"`{key}`: {expected}", spelled(value.get(key))


def _unsorted(data: JsonObject) -> Iterator[tuple[str, str, str]]:
    level: list[tuple[str, Json]] = [("data", data)]
    while level:
        where, value = level.pop()
        if isinstance(value, dict):
            for before, after in pairwise(value):
                # Code points sort as their UTF-8 bytes do.
                if before > after:
                    yield "unsorted-keys", f"`{shortened(after)}` before `{shortened(before)}`", f"after it, in {where}"
            level += [(f"{where}.{shortened(key)}"[:200], item) for key, item in value.items()]
        elif isinstance(value, list):
            level += [(f"{where}[{index}]"[:200], item) for index, item in enumerate(value)]


def _canonical(value: JsonObject) -> bytes:
    fields = [encode_sorted(key) + b":" + encode_sorted(value[key]) for key in _ENVELOPE if key in value]
    return b"{" + b",".join(fields) + b"}"


def _excerpt(line: bytes, at: int) -> str:
    return line[max(at - 10, 0) : at + 30].decode(errors="replace")
