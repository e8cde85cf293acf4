"""Small ledgers for the checker's tests: chained lines, files of them, and what a check finds there."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from accounting.conformance.strategies import RUNS
from accounting.ledger import verify
from accounting.ledger.segments import segment_name
from tests.compare import Plain
from tests.lines import chained
from wire import Finding, Severity
from wire.scalars import NIL_RUN as NIL

RUN, OTHER, _ = RUNS
BARE: Plain = {}
"""A record that says nothing of its own."""


def lines_of(*records: Plain) -> list[bytes]:
    """Chained lines; what a record does not say is said for it."""
    plain: Plain = {"v": 2, "run": RUN, "kind": "went_back", "data": {}}
    return chained(plain | {"t": 1000 + at} | record for at, record in enumerate(records))


def content(lines: Iterable[bytes]) -> bytes:
    """The bytes of a file of these lines."""
    return b"".join(line + b"\n" for line in lines)


def split(lines: list[bytes], *starts: int) -> dict[str, bytes]:
    """A ledger's files by name: the first begins with line 0, each other one with one of the given lines."""
    ends = (*starts, len(lines))
    return {segment_name(start): content(lines[start:end]) for start, end in zip((0, *starts), ends, strict=True)}


def rewrite(path: Path, data: bytes) -> Path:
    """Give a file other bytes in place: one that is cut to nothing first, some systems put on the disk at once."""
    with path.open("r+b" if path.exists() else "wb") as file:
        file.write(data)
        file.truncate()
    return path


def store(folder: Path, files: Mapping[str, bytes]) -> Path:
    """A directory of these files."""
    folder.mkdir(exist_ok=True)
    for name, data in files.items():
        rewrite(folder / name, data)
    return folder


def faults(path: Path, **options: Any) -> list[Finding]:
    """The faults that a check finds."""
    return [finding for finding in verify(path, **options) if finding.severity is Severity.fault]


def told(folder: Path, lines: list[bytes]) -> list[tuple[int, str]]:
    """The faults of a file of these lines: the line of each, from 0, and the rule."""
    verification = verify(rewrite(folder / "file.jsonl", content(lines)))
    found = [(finding.line - 1, finding.code) for finding in verification if finding.severity is Severity.fault]
    assert verification.summary.sound == (found[0][0] if found else len(lines))
    return found


SMALL = lines_of(
    {"run": NIL, "kind": "city_initialized", "who": "person"},
    {"kind": "run_started", "data": {"task": "räume\n\u2028auf\x7f"}},
    {"kind": "model_called", "data": {"model": "m", "segments": []}, "addr": "hall/desk"},
    {"run": OTHER, "kind": "went_further", "ig": True, "data": {"v": 2}},
    {"kind": "tool_called", "data": {"args": {"n": 2**64 - 1, "z": [{}, -1]}, "id": "c1", "name": "dig"}},
    {"kind": "tool_result", "data": {"name": "dig", "result": {"a": [True, None]}, "tool_use_id": "c1"}, "v": 1},
    {"run": OTHER, "kind": "session_named", "data": {"name": '"\\/'}},
    {"kind": "run_frozen", "data": {"completion": "limit"}},
)
"""Three runs, with a line of each sort that the checker treats in a way of its own; nothing is wrong with it."""
STARTS = (2, 5)
"""Where its later segments begin."""
STRANGERS = lines_of(*[{"kind": "document_written", "t": at} for at in range(len(SMALL) + 2)])
"""Another ledger's lines."""
