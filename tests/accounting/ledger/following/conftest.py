"""A ledger to follow, and the proof that following leaves nothing behind."""

import gc
import threading
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.accounting.ledger.following.model import Writer
from tests.accounting.ledger.following.waiting import (
    eventually,
)


@pytest.fixture
def writer(tmp_path: Path) -> Writer:
    """A ledger of three lines."""
    folder = tmp_path / "ledger"
    folder.mkdir()
    writer = Writer(folder)
    writer.group(b"\0\0\0")
    return writer


@pytest.fixture(autouse=True)
def nothing_left_behind() -> Generator[None]:
    """No more threads and file descriptors afterwards than before."""
    gc.collect()  # what other tests left behind is not for this one to account for
    threads, files = threading.active_count(), descriptors()
    yield
    gc.collect()
    eventually(lambda: threading.active_count() <= threads and descriptors() <= files)


def descriptors() -> int:
    listed = Path("/proc/self/fd")
    return len(list(listed.iterdir())) if listed.exists() else 0
