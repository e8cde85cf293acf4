"""Ledger lines for tests: plain records spelled canonically, or in any other way that JSON allows."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random
from typing import Any

from accounting.ledger import Ledger, Place, Problem
from accounting.ledger.canonical import GENESIS, line_hash
from tests.compare import Plain
from wire import Record
from wire.scalars import RunId

PREV = "0" * 64


def canonical(record: Plain) -> bytes:
    """The line of a record in canonical spelling, without its newline."""
    line = {key: record[key] for key in ("v", "run", "seq")} | {"prev": record.get("prev", PREV)}
    line |= {"t": record["t"], "who": record.get("who", "city")}
    line |= {key: record[key] for key in ("addr",) if key in record}
    line |= {"kind": record["kind"], "data": _sorted(record["data"])}
    line |= {key: record[key] for key in ("ig",) if key in record}
    return _dumps(line, (",", ":")).encode()


def chained(records: Iterable[Plain]) -> list[bytes]:
    """The lines of these records, numbered from 0 and chained."""
    lines: list[bytes] = []
    for seq, record in enumerate(records):
        prev = line_hash(lines[-1]) if lines else GENESIS
        lines.append(canonical({**record, "seq": seq, "prev": prev}))
    return lines


def _dumps(value: Any, separators: tuple[str, str]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=separators)


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}  # pyright: ignore
    return [_sorted(item) for item in value] if isinstance(value, list) else value  # pyright: ignore


def another_spelling(record: Plain, random: Random) -> bytes:
    """The same record with keys in any order, white space, escapes, and keys given twice (the last one counts)."""
    items = list(json.loads(canonical(record)).items())
    if random.random() < 0.7:
        random.shuffle(items)
    parts: list[str] = []
    for key, value in items:
        if random.random() < 0.2:
            parts.append(f'"{key}":{random.choice(("null", "0", "{}", _escaped("signal_enqueued", random)))}')
        spelled = _dumps(value, random.choice(((",", ":"), (", ", ": "), (" ,", " :\t"))))
        if isinstance(value, str) and value.isascii() and random.random() < 0.5:
            spelled = _escaped(value, random)
        parts.append(f"{_escaped(key, random)}{random.choice(('', ' '))}:{spelled}")
    if random.random() < 0.2:
        parts.insert(random.randint(0, len(parts)), '"newer":{"than":[]}')
    gap = random.choice(("", " "))
    return (gap + "{" + ",".join(gap + part for part in parts) + gap + "}").encode()


def _escaped(text: str, random: Random) -> str:
    """A JSON string with some of its characters as escapes."""
    if random.random() < 0.5:
        return _dumps(text, (",", ":"))
    return (
        '"'
        + "".join(f"\\u{ord(one):04x}" if random.random() < 0.3 else _dumps(one, (",", ":"))[1:-1] for one in text)
        + '"'
    )


def read(path: Path, run: RunId | None = None) -> tuple[list[tuple[Record, Place]], list[Problem]]:
    """Everything that reading a ledger gives."""
    problems: list[Problem] = []
    return list(Ledger(path).records(run, problems.append)), problems


def write(path: Path, lines: Iterable[bytes], end: bytes = b"\n") -> Path:
    """A ledger file of these lines."""
    path.write_bytes(b"".join(line + end for line in lines))
    return path


Edit = Callable[[bytes, Random], bytes]


def damage(data: bytes, random: Random) -> bytes:
    """The bytes with one piece of damage somewhere."""
    at = random.randint(0, len(data))
    return random.choice(
        (
            data[:at] + bytes((random.randrange(256),)) + data[at + 1 :],
            data[:at] + data[at + random.randint(1, 40) :],
            data[:at]
            + random.choice((b"\n", b"\0" * 7, b'"', b"\xff", b"\\ud800", b"}{", b'"run":"x",', b"1.5"))
            + data[at:],
            data[:at],
            data + data[:at],
        )
    )
