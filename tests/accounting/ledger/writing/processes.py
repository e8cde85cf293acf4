"""What runs in processes of its own: python -m tests.accounting.ledger.writing.processes WHAT DIRECTORY [...]

Nothing here imports more than it needs, so that a process is soon under way.
"""

import json
import os
import resource
import sys
from collections.abc import Iterator
from io import FileIO
from pathlib import Path
from random import Random

from accounting.ledger import Ledger, Problem, check
from accounting.ledger.canonical import line_hash
from accounting.ledger.writing import AppendError, Draft, LedgerWriter, storing
from accounting.ledger.writing.posix import Posix
from tests.accounting.ledger.writing.plain import noted
from wire import encode

SMALL = 40_000
"""The limit of segments here."""
END = "the end"
"""The text of the last line."""


def say(*words: object) -> None:
    # At once, and whole.
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


def groups(random: Random) -> Iterator[list[Draft]]:
    """Groups without an end: of a few lines or of many, short or long ones, now and then one past a segment's limit."""
    number = 0
    while True:
        size = random.choice((0, 10, 500, 500, 5_000, 50_000))
        lines = random.choice((1, 1, 2, 5, 30 if size < 5_000 else 1))
        yield [noted(f"{number}.{index} of {lines}", random.randint(size // 2, size)) for index in range(lines)]
        number += 1


class Slow(Posix):
    """Writes take a few bytes each, so that being killed within one is no rare thing."""

    def write(self, file: FileIO, data: memoryview) -> int:
        return super().write(file, data[:700])


def write(directory: Path, seed: str) -> None:
    """Append for ever, and acknowledge each group by its last line's number and hash."""
    say("opening")
    with LedgerWriter(directory, system=Slow()) as writer:
        for group in groups(Random(seed)):
            last = writer.append(*group)[-1]
            say(last.seq, line_hash(encode(last)))


def keep_checking(directory: Path) -> None:
    """Check the ledger for each line of standard input; then say how often, and each fault that stayed."""
    checks, faults = 0, list[str]()
    for _ in sys.stdin:
        report = check(directory)
        checks += 1
        if not report.conforms:
            # A reader that meets a line while it is cut away can see the halves of two; what is damaged stays so.
            faults += [repr(finding) for finding in check(directory).findings if finding in report.findings]
    say(json.dumps({"checks": checks, "faults": faults}))


def follow(directory: Path) -> None:
    """Follow the ledger to its last line; then say which lines there were, and what was odd."""
    problems: list[Problem] = []
    read: list[tuple[int, object]] = []
    with Ledger(directory).follow(report=problems.append) as follower:
        say("following")
        for record, _ in follower:
            read.append((record.seq, record.data.get("text")))
            if record.data.get("text") == END:
                break
    say(json.dumps({"read": read, "problems": [repr(problem) for problem in problems]}))


def outgrow(directory: Path) -> None:
    """Append under a limit of file sizes until it is met; go on when it is lifted."""
    with LedgerWriter(directory) as writer:
        resource.setrlimit(resource.RLIMIT_FSIZE, (6_000, resource.RLIM_INFINITY))
        number = 0
        try:
            while True:
                writer.append(noted(f"{number}a", 300), noted(f"{number}b", 300))
                number += 1
        except AppendError as error:
            say(number, sum(path.stat().st_size for path in directory.iterdir()), error)
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        writer.append(noted("after", 300))


if __name__ == "__main__":
    storing.__dict__["SEGMENT_LIMIT"] = SMALL
    task, where, *rest = sys.argv[1:]
    if task == "write":
        write(Path(where), *rest)
    else:
        {"keep_checking": keep_checking, "follow": follow, "outgrow": outgrow}[task](Path(where))
