"""A strict reader written from the specification with the standard library: where is the first fault?

It knows nothing of the checker, stops where a writer would, and is as plain as it can be. Spec: ledger.md 1, 4, 7, 8.
"""

import json
import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeGuard

from blake3 import blake3

from wire.record.kinds import Kind

STEPS = {
    "not-a-line", "version-ahead", "not-a-version", "chain-break", "seq-gap", "unknown-kind", "unended-segment",
}  # fmt: skip
"""What a first fault can be; anything else that the checker says is `not-canonical`."""
ENVELOPE = ("v", "run", "seq", "prev", "t", "who", "addr", "kind", "data", "ig")
NEEDED = set(ENVELOPE) - {"addr", "ig"}
MINUS, TOP = -(2**63), 2**64 - 1


class Fault(NamedTuple):
    """The first fault: the file by its index, the line by its number, its first byte, and the step that it fails."""

    file: int
    line: int
    offset: int
    step: str


class End(NamedTuple):
    """Where a ledger without a fault ends, as a writer would go on."""

    seq: int
    prev: str
    size: int
    torn: int
    lines: int


class Float:
    """A number with a fraction or an exponent."""


def read(files: Sequence[bytes]) -> Fault | End:
    """The first fault of a ledger, or its end."""
    prev, seq, lines, size, torn = "0" * 64, 0, 0, 0, 0
    for index, data in enumerate(files):
        *whole, tail = data.split(b"\n")
        tail = tail.rstrip(b"\0")
        offset = 0
        for number, line in enumerate(whole, 1):
            if (fails := step(line, prev, seq)) is not None:
                return Fault(index, number, offset, fails)
            prev, seq, lines = blake3(line).hexdigest(), seq + 1, lines + 1
            offset += len(line) + 1
        if tail and index < len(files) - 1:
            return Fault(index, len(whole) + 1, offset, "unended-segment")
        size, torn = offset, len(tail)
    return End(seq, prev, size, torn, lines)


@lru_cache(maxsize=1000)
def step(line: bytes, prev: str, seq: int) -> str | None:
    """The step that a line fails in its place; `None` when it holds."""
    try:
        value = json.loads(line.decode(errors="replace"), parse_float=_float, parse_int=_int, parse_constant=_constant)
    except ValueError:
        return "not-a-line"
    if not isinstance(value, dict) or "v" not in value:
        return "not-a-line"
    record: dict[str, Any] = value  # pyright: ignore[reportUnknownVariableType]
    if not _is_int(record["v"]) or record["v"] < 1:
        return "not-a-version"
    if record["v"] > 2:
        return "version-ahead"
    if not record.keys() >= NEEDED or not (_is_int(record["seq"]) and 0 <= record["seq"] <= TOP):
        return "not-a-line"
    if not isinstance(record["prev"], str) or not isinstance(record["kind"], str):
        return "not-a-line"
    if record["prev"] != prev:
        return "chain-break"
    if record["seq"] != seq:
        return "seq-gap"
    if record["kind"] not in Kind.__members__:
        return None if record.get("ig") is True else "unknown-kind"
    return None if _canonical(line, record) else "not-canonical"


def _float(spelled: str) -> Float:
    return Float()


def _int(spelled: str) -> int:
    # Thirty digits are enough to know that it does not fit; Python reads only so many.
    return int(spelled[:30])


def _constant(word: str) -> None:
    raise ValueError(word)


def _is_int(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _canonical(line: bytes, record: dict[str, Any]) -> bool:
    fits: bool = (
        set(record) <= set(ENVELOPE)
        and isinstance(record["run"], str)
        and re.fullmatch("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", record["run"]) is not None
        and _is_int(record["t"])
        and 0 <= record["t"] <= TOP
        and isinstance(record["who"], str)
        and ("addr" not in record or is_address(record["addr"]))
        and isinstance(record["data"], dict)
        and ("ig" not in record or record["ig"] is True)
        and plain(record["data"])
    )
    try:
        return fits and _spell(record) == line
    except UnicodeEncodeError:  # half of a surrogate pair
        return False


def _spell(record: dict[str, Any]) -> bytes:
    parts = [
        f'"{key}":{json.dumps(record[key], ensure_ascii=False, separators=(",", ":"), sort_keys=True)}'
        for key in ENVELOPE
        if key in record
    ]
    return ("{" + ",".join(parts) + "}").encode()


def plain(value: Any, depth: int = 1) -> bool:
    """Whether a payload nests no deeper than it may and holds no number but integers of 64 bits."""
    if isinstance(value, dict | list):
        items: list[Any] = list(value.values() if isinstance(value, dict) else value)  # pyright: ignore
        return depth <= 126 and all(plain(item, depth + 1) for item in items)
    if _is_int(value):
        return MINUS <= value <= TOP
    return not isinstance(value, Float | float)


def is_address(value: object) -> bool:
    """Whether a value is an Address (ledger.md 4)."""
    if not isinstance(value, str) or any(one in "\\:" or unicodedata.category(one) == "Cc" for one in value):
        return False
    # Python takes four control characters for white space; those are refused already.
    return all(part and not part.endswith(".") and not part[-1].isspace() for part in value.split("/"))


def step_of(code: str) -> str:
    """The step that a line fails which breaks the checker's rule of that code."""
    return code if code in STEPS else "not-canonical"
