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
    """Threads and file descriptors are afterwards what they were before."""
    before = threading.active_count(), descriptors()
    yield
    gc.collect()
    eventually(lambda: (threading.active_count(), descriptors()) == before)


def descriptors() -> int:
    listed = Path("/proc/self/fd")
    return len(list(listed.iterdir())) if listed.exists() else 0
