"""One piece of damage at every byte of a small ledger: found where it is, once, and not found only where it cannot be.

What must be found is worked out by the strict reader of naive.py. Where it finds a fault the check must find that one,
there, and no other; it stands in the line that was damaged or in the line right after it. Where it finds none, no line
but the last can have changed, and the rest must be whole.
"""

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from accounting.ledger import verify
from tests.accounting.ledger.checking import naive
from tests.accounting.ledger.checking.build import SMALL, STARTS, rewrite, split, store
from wire import Finding, Severity

FILES = split(SMALL, *STARTS)
NAMES = list(FILES)
NUMBERS = b'0123456789abcdef"{}[]:,\\ntu-.+eE \t\r\n\0\x1f\x7f\x80\xbf\xc3\xed\xff'
"""What a byte turns into."""

Hurt = Callable[[bytes, int, int], bytes]


def bit(data: bytes, at: int, turn: int) -> bytes:
    return data[:at] + bytes((data[at] ^ 1 << turn % 8,)) + data[at + 1 :]


def other(data: bytes, at: int, turn: int) -> bytes:
    byte = NUMBERS[turn % len(NUMBERS)]
    return data[:at] + bytes((byte ^ (byte == data[at]),)) + data[at + 1 :]


def lost(data: bytes, at: int, turn: int) -> bytes:
    return data[:at] + data[at + 1 :]


def added(data: bytes, at: int, turn: int) -> bytes:
    return data[:at] + NUMBERS[turn % len(NUMBERS) :][:1] + data[at:]


def newline(data: bytes, at: int, turn: int) -> bytes:
    return data[:at] + b"\n" + data[at:]


def cut(data: bytes, at: int, turn: int) -> bytes:
    return data[:at] + data[at + 2 + turn * 7 % 600 :]


def joins_numbers(data: bytes, at: int, length: int) -> bool:
    """Whether a cut makes one `seq` of two: the line is in order but for its place, and so is the one after it."""
    number = rb'.*"seq":[0-9]*'
    before, after = data[:at].rpartition(b"\n")[2], data[: at + length].rpartition(b"\n")[2]
    return before != after and all(re.fullmatch(number, part, re.DOTALL) for part in (before, after))


def zeros(data: bytes, at: int, turn: int) -> bytes:
    end = min(at + 1 + turn * 11 % 600, len(data))
    return data[:at] + b"\0" * (end - at) + data[end:]


def ended(data: bytes, at: int, turn: int) -> bytes:
    return data[:at]


def overwritten(data: bytes, at: int, turn: int) -> bytes:
    """By bytes from elsewhere in the ledger, as a block is that was written to the wrong place."""
    length = min(8 + turn * 5 % 300, len(data) - at)
    start = turn * 131 % (len(data) - length)
    return data[:at] + data[start : start + length].replace(b"\n", b"#") + data[at + length :]


def held(folder: Path, files: dict[str, bytes], first: int, last: int) -> Finding | None:
    """Hold the check of damaged files to the strict reader.

    `first` is how many lines stand before the damage, `last` before the line after it, where it can be seen at the
    latest.
    """
    verification = verify(folder)
    found = [finding for finding in verification if finding.severity is Severity.fault]
    wanted = naive.read(tuple(files.values()))
    if isinstance(wanted, naive.End):
        assert found == []
        left = [line for data in files.values() for line in data.split(b"\n")[:-1]]
        assert len(left) <= len(SMALL)
        assert left[:-1] == SMALL[: len(left) - 1]
        assert first >= len(left) - 1
        assert verification.summary.sound == wanted.lines == len(left)
        return None
    assert len(found) == 1, found
    assert (found[0].segment, found[0].line, found[0].offset) == (
        str(folder / list(files)[wanted.file]), wanted.line, wanted.offset
    )  # fmt: skip
    assert naive.step_of(found[0].code) == wanted.step
    before = sum(data.count(b"\n") for data in list(files.values())[: wanted.file]) + wanted.line - 1
    assert first <= before <= last
    assert verification.summary.sound == before
    return found[0]


def at_every_byte(folder: Path, hurt: Hurt, turns: range) -> Counter[str | None]:
    """Hurt every byte in so many ways; how often that was found as what."""
    told: Counter[str | None] = Counter()
    store(folder, FILES)
    for name in NAMES:
        data = FILES[name]
        lines_before = sum(FILES[older].count(b"\n") for older in NAMES if older < name)
        for at in range(len(data)):
            for turn in turns:
                damaged = hurt(data, at, at + turn)
                if damaged == data or (hurt is cut and joins_numbers(data, at, len(data) - len(damaged))):
                    continue
                rewrite(folder / name, damaged)
                first = lines_before + data.count(b"\n", 0, at)
                # Of inserted newlines and the like the last piece is a line too; a tail is none.
                last = first + max(1, damaged.count(b"\n") - data.count(b"\n") + 1)
                found = held(folder, FILES | {name: damaged}, first, last)
                told[None if found is None else found.code] += 1
        rewrite(folder / name, data)
    return told


KINDS = (bit, other, lost, added, newline, cut, zeros, ended, overwritten)


@pytest.mark.invariant("C1")
@pytest.mark.parametrize("hurt", KINDS)
def test_damage_at_every_byte(tmp_path: Path, hurt: Hurt) -> None:
    told = at_every_byte(tmp_path / "ledger", hurt, range(1))
    assert sum(told.values()) > 0.95 * sum(map(len, FILES.values()))


@pytest.mark.invariant("C1")
@pytest.mark.soak
@pytest.mark.parametrize("hurt", [bit, other, added, cut, zeros, overwritten])
def test_damage_at_every_byte_in_many_ways(tmp_path: Path, hurt: Hurt) -> None:
    at_every_byte(tmp_path / "ledger", hurt, range(1, 41))
