"""The first fault, found by the checker and by the strict reader of naive.py, in ledgers changed at random."""

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accounting.conformance.strategies.history import histories
from accounting.ledger import verify
from accounting.ledger.canonical import line_hash
from accounting.ledger.checking import End, FaultError, proven_end
from tests.accounting.ledger.checking import naive
from tests.accounting.ledger.checking.build import rewrite, split
from tests.compare import Plain
from tests.lines import another_spelling, canonical, damage
from wire import Finding, Severity
from wire.scalars import B3Hash

JUNK: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 3, 2**32, 2**63, 2**64 - 1, 2**64, -(2**63) - 1, 0.5, 1.0, "", "1", "a", "a/b",
    "a.", " ", "\x7f", "\u2028", [], {}, [1], {"a": 1}, "went_back", "went_on", "0" * 64, "f" * 64, "A" * 64,
    "00000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-00000000000A",
)  # fmt: skip
PIECES = (
    b" ", b"\t", b"\r", b"\n", b"\0", b".0", b"e1", b"0", b"-", b"\\u0041", b"\\ud800", b"\\/", b"\\n", b'"', b",",
    b":", b"{", b"}", b'"a":1,', b'"ig":true,', b"[]", b"null", b"\xff", b"\xc3\xa9", b"\x7f", b"9" * 20,
    b"[" * 127 + b"]" * 127,
)  # fmt: skip


def lines_of(records: list[Plain], random: Random) -> list[bytes]:
    """A chained ledger of these records, nearly always without a fault."""
    lines: list[bytes] = []
    for record in records:
        prev = line_hash(lines[-1]) if lines else "0" * 64
        said = {**record, "v": min(record["v"], random.choice((2, 2, 2, 2, 3))), "seq": len(lines), "prev": prev}
        said |= random.choice(({}, {}, {"addr": "hall/desk"}, {"who": "ünï"}))
        said |= random.choice(({}, {"ig": True}))
        line = canonical(said)
        if naive.step(line, prev, len(lines)) is None or random.random() < 0.02:
            lines.append(line)
    return lines


def field(line: bytes, random: Random) -> bytes:
    """One field of the envelope, or something in the payload, has another value, is gone, or is new."""
    try:
        record: Any = json.loads(line)
    except ValueError:
        return line
    if not isinstance(record, dict):
        return line
    holder: dict[str, Any] = record  # pyright: ignore[reportUnknownVariableType]
    data = holder.get("data")
    if isinstance(data, dict) and random.random() < 0.4:
        holder = data  # pyright: ignore[reportUnknownVariableType]
    key = random.choice([*holder, "zz", "", "addr", "ig"])
    if random.random() < 0.15:
        holder.pop(key, None)
    else:
        holder[key] = random.choice(JUNK)
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode()


def spelling(line: bytes, random: Random) -> bytes:
    """The same record in another spelling."""
    try:
        return another_spelling(json.loads(line), random)
    except (ValueError, KeyError, TypeError, AttributeError):
        return line


def piece(line: bytes, random: Random) -> bytes:
    """Something slipped in, in place of a few bytes or none."""
    at = random.randint(0, len(line))
    return line[:at] + random.choice(PIECES) + line[at + random.choice((0, 0, 1, 2)) :]


def of_lines(change: Callable[[bytes, Random], bytes]) -> Callable[[list[bytes], Random], list[bytes]]:
    def changed(lines: list[bytes], random: Random) -> list[bytes]:
        at = random.randrange(len(lines))
        return [*lines[:at], change(lines[at], random), *lines[at + 1 :]]

    return changed


def moved(lines: list[bytes], random: Random) -> list[bytes]:
    """A line lost, doubled, moved, or exchanged with another."""
    one, other = random.randrange(len(lines)), random.randrange(len(lines))
    rest = lines[:one] + lines[one + 1 :]
    there = [*rest[:other], lines[one], *rest[other:]]
    return random.choice((rest, there, [*lines[:other], lines[one], *lines[other:]]))


CHANGES = (of_lines(field), of_lines(field), of_lines(spelling), of_lines(piece), of_lines(damage), moved)


def agreed(folder: Path, files: dict[str, bytes]) -> str | None:
    """Hold the checker to the strict reader; the rule that is broken first."""
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        if old.name not in files:
            old.unlink()
    for name, data in files.items():
        rewrite(folder / name, data)
    verification = verify(folder)
    first: Finding | None = next((one for one in verification if one.severity is Severity.fault), None)
    wanted = naive.read(tuple(files.values()))
    if isinstance(wanted, naive.End):
        assert first is None, first
        assert proven_end(folder) == End(
            next_seq=wanted.seq, prev=cast("B3Hash", wanted.prev), size=wanted.size, torn=wanted.torn
        )
        return None
    assert first is not None, wanted
    assert (first.segment, first.line, first.offset) == (
        str(folder / [*files][wanted.file]),
        wanted.line,
        wanted.offset,
    )
    assert naive.step_of(first.code) == wanted.step, (first, wanted)
    with pytest.raises(FaultError) as raised:
        proven_end(folder)
    assert raised.value.finding == first
    return first.code


def changed_ledgers_agree(folder: Path, records: list[Plain], seed: int, times: int) -> None:
    random = Random(seed)
    lines = lines_of(records, random)
    if not lines:
        return
    for _ in range(times):
        starts = sorted({random.randint(1, len(lines)) for _ in range(random.choice((0, 0, 1, 2)))})
        changed = random.choice(CHANGES)(lines, random)
        files = split(changed, *(start for start in starts if start <= len(changed)))
        if random.random() < 0.3:
            name = random.choice([*files])
            files[name] = damage(files[name], random) + random.choice((b"", b"\0" * 5))
        agreed(folder, files)


@pytest.mark.invariant("C2")
@given(histories(max_size=8), st.integers(0, 2**32))
@settings(max_examples=250)
def test_changed_ledgers_are_refused_where_a_strict_reader_stops(
    tmp_path_factory: pytest.TempPathFactory, records: list[Plain], seed: int
) -> None:
    changed_ledgers_agree(tmp_path_factory.getbasetemp() / "strict", records, seed, 10)


@pytest.mark.soak
@given(histories(max_size=12), st.integers(0, 2**32))
@settings(max_examples=10_000)
def test_a_hundred_thousand_changed_ledgers(
    tmp_path_factory: pytest.TempPathFactory, records: list[Plain], seed: int
) -> None:
    changed_ledgers_agree(tmp_path_factory.getbasetemp() / "strict-soak", records, seed, 10)


@pytest.mark.invariant("C2")
@given(histories(), st.integers(0, 2**32))
@settings(max_examples=150)
def test_ledgers_in_order_are_accepted(
    tmp_path_factory: pytest.TempPathFactory, records: list[Plain], seed: int
) -> None:
    random = Random(seed)
    lines = lines_of(records, random)
    starts = sorted({random.randint(1, len(lines)) for _ in range(3)}) if lines else []
    agreed(tmp_path_factory.getbasetemp() / "accepted", split(lines, *starts))
