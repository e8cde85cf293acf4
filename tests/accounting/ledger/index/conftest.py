"""Time for tests of indexes: the clock that a stat is measured against can be put forward."""

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from time import time_ns

import pytest

from accounting.ledger.index import index
from accounting.ledger.index.trust import SETTLING


@pytest.fixture(scope="session")
def later() -> Callable[[], AbstractContextManager[None]]:
    """A while in which every file has been left alone for long, so that its stat is believed."""

    @contextmanager
    def forward() -> Generator[None]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(index, "time_ns", lambda: time_ns() + 2 * SETTLING)
            yield

    return forward
