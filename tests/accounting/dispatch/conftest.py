"""A world for dispatched runs, which is left as it was found."""

import os
import signal
from collections.abc import Generator
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest

from tests.accounting.ask.workers import processes_with
from tests.accounting.dispatch.runs import World, until

_marks = count()


@pytest.fixture
def world(tmp_path: Path) -> Generator[World]:
    """A world of the fake agent; at the end no process that it started may be left."""
    mark = f"dispatch-test-{os.getpid()}-{next(_marks)}"
    yield World(tmp_path, mark)
    try:
        until(lambda: processes_with(mark) == [], "no process is left", seconds=3.0)
    finally:
        for pid in processes_with(mark):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
