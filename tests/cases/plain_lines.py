"""Rounds.md 0 the long way round: the records in the text of a ledger, by the standard library alone."""

import json
import re
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager

from tests.naive_fold import RUN_ID, U64, Json, Record, is_int, matches

DEEPEST = 900


@contextmanager
def room_for_nesting() -> Generator[None]:
    """Inside, what recurses once or twice a container can go as deep as a payload is read."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(limit + 5 * DEEPEST)
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


def records(ledger: bytes) -> list[Record]:
    """What each whole line holds, in file order, lines that are no record left out."""
    with room_for_nesting():
        return [found for line in ledger.split(b"\n")[:-1] if (found := record(line)) is not None]


def record(line: bytes) -> Record | None:
    """The record of one line."""
    try:
        value: Json = json.loads("".join(mended(line.decode("utf-8", "replace"))), parse_constant=_no_number)
    except ValueError:
        return None
    if not isinstance(value, dict):
        return None
    found: Record = value  # pyright: ignore
    v, run, seq, t = (found.get(key) for key in ("v", "run", "seq", "t"))
    if not (isinstance(v, int) and not isinstance(v, bool) and v >= 1 and matches(RUN_ID, run)):
        return None
    if not (is_int(seq, 0, U64) and is_int(t, 0, U64)):
        return None
    if not (isinstance(found.get("kind"), str) and isinstance(found.get("data"), dict)):
        return None
    return {key: found[key] for key in ("v", "run", "seq", "t", "kind", "data")}


def mended(text: str) -> Iterator[str]:
    """The text of a line without what stands more than 900 deep, the payload being the first container, and with each
    half of a surrogate pair that stands alone as U+FFFD.
    """
    depth = -1  # The line itself is no container of the payload.
    for piece in re.findall(r'"(?:[^"\\]|\\.)*"|[\[\]{}]|[^"\[\]{}]+|.', text, re.DOTALL):
        opens, closes = piece in ("[", "{"), piece in ("]", "}")
        if depth <= DEEPEST or (closes and depth == DEEPEST + 1):
            yield _whole(piece) if len(piece) > 1 and piece.startswith('"') else piece
        depth += opens - closes


def _whole(string: str) -> str:
    return json.dumps(re.sub("[\ud800-\udfff]", "\ufffd", json.loads(string)))


def _no_number(word: str) -> None:
    raise ValueError(f"{word} is no JSON")
