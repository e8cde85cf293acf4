"""What the tests of the command line share: sessions drawn, ledgers written, the command run."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from accounting.cli import main
from accounting.cli.draw import draw
from accounting.ledger.canonical import GENESIS, line_hash
from accounting.views.rounds import Rounds
from tests.cases.build import RUN, Line, case, model, when
from tests.compare import Plain, fold
from tests.lines import canonical, write

STEERING = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "PYTHONUNBUFFERED")
TEN = 1_761_472_800_000  # 2025-10-26 10:00:00 UTC
ROUNDS = (sys.executable, "-m", "accounting.cli")


def folded(*lines: Line, run: str = RUN, window: int | None = None, names: Any = None) -> Rounds:
    """What these lines fold to."""
    return fold(case("cli", "", "", lines, {}).records, run, window, names)


def drawn(*lines: Line, width: int = 60, window: int | None = None) -> list[str]:
    """The drawing of these lines."""
    return [line.plain for line in draw(folded(*lines, window=window), width, window)]


def turn(*lines: Line, width: int = 60) -> list[str]:
    """The drawing without the session's head and end, and without empty lines."""
    every = drawn(*lines, width=width)
    first = next(index for index, line in enumerate(every) if line.startswith("── "))
    last = max(index for index, line in enumerate(every) if line.startswith("━━ "))
    return [line for line in every[first:last] if line]


def at(milliseconds: int, one: Line) -> Line:
    """The line at ten o'clock and so much."""
    return when(TEN + milliseconds, one)


def call(*lines: Line, width: int = 60) -> list[str]:
    """The drawing of what follows a reply, less the margin."""
    return [row.removeprefix("   ") for row in turn(at(0, model()), *lines, width=width)[2:]]


def ledger(path: Path, *lines: Line) -> Path:
    """A file of these lines, canonical, numbered from 0."""
    return write(path, [canonical(dict(record)) for record in case("cli", "", "", lines, {}).records])


def chained(*records: Plain) -> list[bytes]:
    """Canonical lines, numbered from 0 and chained; what a record does not say is said for it."""
    lines: list[bytes] = []
    for seq, record in enumerate(records):
        prev = line_hash(lines[-1]) if lines else GENESIS
        said: Plain = {"v": 2, "run": RUN, "seq": seq, "prev": prev, "t": 1000 + seq, "kind": "went_back", "data": {}}
        lines.append(canonical(said | record))
    return lines


def rounds(*arguments: str | Path, **options: Any) -> Result:
    """The command, run within this process."""
    return CliRunner().invoke(main, [str(argument) for argument in arguments], **options)


def environment(**changes: str) -> dict[str, str]:
    """This process's environment without what steers output, and with these changes."""
    kept = {key: value for key, value in os.environ.items() if key not in STEERING}
    return kept | changes


def process(
    *arguments: str | Path,
    command: Sequence[str] = ROUNDS,
    env: dict[str, str] | None = None,
    input: bytes | None = None,
) -> "subprocess.CompletedProcess[bytes]":
    """The command, run as a process of its own."""
    return subprocess.run(
        [*command, *map(str, arguments)],
        capture_output=True,
        timeout=30,
        check=False,
        env=environment() if env is None else env,
        input=input,
    )


def shell(line: str, cwd: Path) -> "subprocess.CompletedProcess[bytes]":
    """A line of bash, in which `rounds` is the command."""
    script = f'rounds() {{ {" ".join(ROUNDS)} "$@"; }}; {line}'
    return subprocess.run(
        ["bash", "-c", script], cwd=cwd, capture_output=True, timeout=30, check=False, env=environment(PYTHONPATH=".")
    )
