"""Damage done to the rows of another agent's file, and what must hold of whatever is read from it all the same."""

import copy
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from msgspec import json as exact

from accounting.foreign import Session, read_source
from accounting.foreign.sample import take_sample
from accounting.foreign.session import Reader
from accounting.ledger.canonical import encode_sorted
from accounting.views.rounds import rounds
from wire import RoundsAnswer, decode, encode
from wire.scalars import Json

SOAK = settings().max_examples > 1_000
"""Whether the properties are looked at for long."""
JUNK: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    10**30,
    1.5,
    "",
    "\ud800",
    "\0",
    "2026-02-30T99:00:00Z",
    [],
    [None],
    [1, "a", {}, []],
    {},
    {"text": 1},
    {"type": "user", "id": "x", "content": "in the wrong place"},
)
"""What may stand where something else should."""
BETWEEN: tuple[bytes, ...] = (
    b"",
    b"null",
    b"7",
    b'"text"',
    b"[]",
    b"[1, 2]",
    b"{}",
    b'{"type":"unheard-of","id":"z"}',
    b"\0\0\0",
    b"\xff\xfe",
    b'{"torn":',
    b"not json at all",
)
"""Lines that hold nothing of the session."""


def lines_of(path: Path) -> list[bytes]:
    """The lines of a file."""
    return path.read_bytes().splitlines()


def spots(value: Json, at: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Where something stands in a JSON value, itself left out."""
    parts: Iterable[tuple[str | int, Json]] = ()
    if isinstance(value, dict):
        parts = value.items()
    elif isinstance(value, list):
        parts = enumerate(value)
    for key, part in parts:
        yield (*at, key)
        yield from spots(part, (*at, key))


def with_junk(value: Any, at: tuple[str | int, ...], junk: Any) -> Any:
    """A copy of the value with something else at a spot."""
    changed = copy.deepcopy(value)
    part = changed
    for key in at[:-1]:
        part = part[key]
    part[at[-1]] = junk
    return changed


@st.composite
def wrecked(draw: st.DrawFn, lines: list[bytes]) -> bytes:
    """The file with damage of several sorts."""
    damaged = list(lines)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(damaged) - 1))
        match draw(st.sampled_from(("junk", "drop", "twice", "glue", "swap", "between", "cut", "byte"))):
            case "junk":
                damaged[at] = _junked(draw, damaged[at])
            case "drop" if len(damaged) > 1:
                del damaged[at]
            case "twice":
                damaged.insert(draw(st.integers(0, len(damaged))), damaged[at])
            case "glue" if at:
                damaged[at - 1 : at + 1] = [damaged[at - 1] + damaged[at]]
            case "swap":
                other = draw(st.integers(0, len(damaged) - 1))
                damaged[at], damaged[other] = damaged[other], damaged[at]
            case "between":
                damaged.insert(at, draw(st.sampled_from(BETWEEN)))
            case "cut":
                damaged[at] = damaged[at][: draw(st.integers(0, len(damaged[at])))]
            case _:
                spot = draw(st.integers(0, max(len(damaged[at]) - 1, 0)))
                damaged[at] = damaged[at][:spot] + draw(st.binary(max_size=2)) + damaged[at][spot + 1 :]
    end = draw(st.sampled_from((b"\n", b"", b"\n\0\0\0", b"\r\n")))
    return b"\n".join(damaged) + end


def _junked(draw: st.DrawFn, line: bytes) -> bytes:
    try:
        value = json.loads(line)
    except ValueError:
        return line
    found = list(spots(value))
    if not found:
        return line
    return json.dumps(with_junk(value, draw(st.sampled_from(found)), draw(st.sampled_from(JUNK)))).encode()


def read_as(reader: Reader, path: Path) -> list[Session]:
    """The sessions of a file, whoever it may be recognised as."""
    sample = take_sample(path)
    reader.recognise(sample)
    return [session for source in reader.find(path, sample) for session in read_source(source)]


def sound(session: Session) -> RoundsAnswer:
    """Hold a session to what holds of every session; its answer."""
    assert [record.seq for record in session.records] == list(range(len(session.records)))
    assert len(session.places) == len(session.records)
    for record in session.records:
        assert record.run == session.run
        encode_sorted(record.data)
    view = rounds(session.records, session.run)
    assert decode(encode(view.answer), RoundsAnswer) == view.answer
    assert not view.problems
    assert len(session.outline.turns) == len(view.answer.turns)
    assert [turn.number for turn in session.outline.turns] == [turn.number for turn in view.answer.turns]
    exact.encode((session.report, session.outline))
    totals = session.report.totals
    assert totals.requests == len(view.answer.turns)
    assert totals.calls == sum(len(turn.calls) for turn in view.answer.turns)
    return view.answer
