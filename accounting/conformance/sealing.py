"""Records into a sealed ledger: canonical lines, numbered and chained. Spec: ledger.md 1.

The published cases and the fuzzer are made of plain records, JSON objects with at least `v`, `run`, `t`, `kind` and
`data`. What a payload holds is not judged: cases are also about payloads that no writer would write.
"""

import json
import sys
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final, cast

from accounting.ledger.canonical import GENESIS, line_hash
from wire.scalars import Json, JsonObject

_spelled: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode
_envelope: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode

_NESTING: Final = 2_000


def sealed(records: Iterable[Mapping[str, Json]]) -> bytes:
    """The text of a ledger of these records, each line ended.

    A record without a `seq` follows the one before it, the first is 0; one without `who` is the city's. `prev` is
    always that of the line before. `addr` and `ig` stand where the record has them.

    Raises `KeyError` for a record without one of the five keys, `UnicodeEncodeError` for text that UTF-8 cannot hold,
    `ModuleNotFoundError` without the extra `ledger`.
    """
    return b"".join(line + b"\n" for line in sealed_lines(records))


def sealed_lines(records: Iterable[Mapping[str, Json]]) -> Iterator[bytes]:
    """The lines of `sealed` without their newlines, one for each record. Raises what `sealed` raises."""
    prev, seq = GENESIS, 0
    for record in records:
        given = record.get("seq", seq)
        line: JsonObject = {"v": record["v"], "run": record["run"], "seq": given, "prev": prev, "t": record["t"]}
        line["who"] = record.get("who", "city")
        if "addr" in record:
            line["addr"] = record["addr"]
        line["kind"] = record["kind"]
        ending = ',"ig":true}' if record.get("ig") is True else "}"
        # Only the payload is sorted: the keys of the envelope have an order of their own.
        text = f'{_envelope(line)[:-1]},"data":{_spelled(record["data"])}{ending}'
        spelled = text.encode()
        yield spelled
        prev, seq = line_hash(spelled), cast("int", given) + 1


def resealed(ledger: bytes) -> bytes:
    """A ledger whose lines were edited by hand, sealed again and numbered from 0.

    A line may leave out `seq`, `prev` and `who`, and be spelled in any way that JSON allows. Empty lines go.

    Raises `ValueError`, naming the line, for one that is no JSON object or lacks a key.
    """
    with _room_for_nesting():
        lines = enumerate(ledger.split(b"\n"), 1)
        return sealed([_record(line, number) for number, line in lines if line.strip()])


@contextmanager
def _room_for_nesting() -> Generator[None]:
    """Cases nest as deep as the interpreter reads when little else has been called; wherever this is called from."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(before + _NESTING)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def _record(line: bytes, number: int) -> JsonObject:
    try:
        record = json.loads(line)
    except ValueError as error:
        raise ValueError(f"line {number}: not JSON: {error}") from None
    if not isinstance(record, dict):
        raise ValueError(f"line {number}: a line is a JSON object")
    known = cast("JsonObject", record)
    missing = [key for key in ("v", "run", "t", "kind", "data") if key not in known]
    if missing:
        raise ValueError(f"line {number}: without {' '.join(missing)}")
    return {key: value for key, value in known.items() if key not in ("seq", "prev")}
