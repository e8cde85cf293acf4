"""How long appending takes beside writing the same bytes and making them durable, and nothing more.

python -m bench.append [DIR]

Every figure is a ratio of two times taken in turn within this run (median of several pairs): how many times as long
`LedgerWriter.append` takes as one `write` and one `fdatasync`. What a disk needs for the latter differs by a factor of
a thousand between file systems, so the type of the one at hand is printed beside it.
"""

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path

from accounting.ledger import Ledger
from accounting.ledger.writing import Draft, LedgerWriter
from bench.generate import write_ledger

GROUPS = ((1, 300), (100, 60), (1000, 15))
"""Lines in a group, and how many groups of that size are appended."""


def drafts(folder: Path) -> Iterator[Draft]:
    """The lines of one session, about 2 kB each, over and over."""
    path = folder / "session.jsonl"
    write_ledger(path, 3_000_000, runs=1)
    for record, _ in cycle(list(Ledger(path).records())):
        yield Draft(run=record.run, who="worker@bench.1", kind=record.kind, data=record.data)


class Pair:
    """Seconds for the same groups: appended, and only written and synced."""

    def __init__(self, lines: int) -> None:
        self.lines = lines
        self.appended: list[float] = []
        self.raw: list[float] = []
        self.size = 0

    @property
    def ratios(self) -> list[float]:
        return [ours / raw for ours, raw in zip(self.appended, self.raw, strict=True)]


def measure(folder: Path, lines: int, groups: int) -> Pair:
    """Append groups of so many lines, in turn with writing the bytes of each to a file of their own."""
    pair = Pair(lines)
    source = drafts(folder)
    directory = folder / f"of-{lines}"
    with LedgerWriter(directory) as writer, (folder / f"raw-{lines}").open("ab", buffering=0) as beside:
        for _ in range(groups):
            group = list(islice(source, lines))
            before = sum(file.stat().st_size for file in directory.iterdir())
            start = time.perf_counter()
            writer.append(*group)
            pair.appended.append(time.perf_counter() - start)
            content = b"x" * (sum(file.stat().st_size for file in directory.iterdir()) - before)
            start = time.perf_counter()
            beside.write(content)
            os.fdatasync(beside.fileno())
            pair.raw.append(time.perf_counter() - start)
            pair.size += len(content)
    return pair


def file_system(folder: Path) -> str:
    """The type of the file system that holds a folder, as Linux calls it."""
    try:
        mounts = [line.split() for line in Path("/proc/mounts").read_text().splitlines()]
    except OSError:
        return "unknown"
    above = [row for row in mounts if folder.resolve().is_relative_to(row[1])]
    return max(above, key=lambda row: len(row[1]))[2] if above else "unknown"


def report(folder: Path) -> Iterator[str]:
    """The figures, line by line."""
    yield f"appending groups, beside one write and one fdatasync of as many bytes (file system: {file_system(folder)})"
    for lines, groups in GROUPS:
        pair = measure(folder, lines, groups)
        ratios = sorted(pair.ratios)
        low, high = ratios[len(ratios) // 10], ratios[-1 - len(ratios) // 10]
        extra = statistics.median(ours - raw for ours, raw in zip(pair.appended, pair.raw, strict=True))
        times, size = statistics.median(ratios), pair.size / groups / 1000
        yield (
            f"    {lines:5} lines ({size:,.0f} kB): {times:.2f} times as long  ({low:.2f} to {high:.2f}; "
            f"{extra / lines * 1e6:,.0f} us more for each line)"
        )


def main(parent: str | None = None) -> None:
    with tempfile.TemporaryDirectory(prefix="rounds-append-", dir=parent) as folder:
        for line in report(Path(folder)):
            print(line, flush=True)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
