"""No test of the command line touches the cache of whoever runs it."""

import pytest

from accounting.cli.source import CACHE


@pytest.fixture(autouse=True)
def no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """Indexes are kept only where a test says where."""
    monkeypatch.setenv(CACHE, "")
