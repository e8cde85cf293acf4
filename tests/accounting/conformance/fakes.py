"""The fake subjects, and whether anything is left of them."""

import gc
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from wire.scalars import RunId, run_id

FOLDER = Path(__file__).parent / "subjects"
PYTHON = (sys.executable, "-I", "-S")


def an_id(text: str) -> RunId:
    found = run_id(text)
    assert found is not None
    return found


RUN = an_id("0aaaaaaa-0000-4000-8000-00000000000a")
OTHER = an_id("0bbbbbbb-0000-4000-8000-00000000000b")


def once(how: str) -> tuple[str, ...]:
    """A program of contract (a) with this fault."""
    return (*PYTHON, str(FOLDER / "once.py"), how)


def lines(how: str) -> tuple[str, ...]:
    """A program of contract (b) with this fault."""
    return (*PYTHON, str(FOLDER / "lines.py"), how)


@contextmanager
def nothing_left() -> Generator[None]:
    """No thread, no open file and no process is there afterwards that was not before."""
    gc.collect()
    before = (threading.active_count(), _open_files(), _children())
    yield
    gc.collect()
    assert (threading.active_count(), _open_files(), _children()) == before


def alive(pid: int) -> bool:
    """Whether the process runs; one that has ended and is not yet taken away does not."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def _open_files() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def _children() -> set[str]:
    return {child for task in Path("/proc/self/task").iterdir() for child in (task / "children").read_text().split()}
