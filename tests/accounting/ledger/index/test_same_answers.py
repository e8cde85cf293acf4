"""Whatever happens to the ledger or to the index: records, places, problems and counts are those of a scan."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accounting.conformance.strategies.history import histories
from accounting.ledger.index import build, index
from tests.accounting.ledger.index.world import ASKED, EVENTS, World, same
from tests.compare import Plain

Later = Callable[[], AbstractContextManager[None]]


@pytest.mark.invariant("X1")
@settings(max_examples=settings().max_examples // 5 * 3)
@given(
    histories(max_size=40),
    st.lists(st.sampled_from(EVENTS), max_size=10),
    st.integers(0, 10**9),
    st.booleans(),
    st.sampled_from((1 << 15, 3, 1)),
)
def test_indexed_is_scanned(
    tmp_path_factory: Any, later: Later, records: list[Plain], events: list[Any], seed: int, trusting: bool, parts: int
) -> None:
    random = Random(seed)
    world = World(tmp_path_factory.mktemp("world"), records, random, trusting=trusting)
    with pytest.MonkeyPatch.context() as patch, later() if trusting else nullcontext():
        # Segments that take one part at 64 MiB take several here, and are made anew after a few.
        patch.setattr(build, "PART_LINES", parts)
        patch.setattr(index, "MANY", 2)
        same(world.ledger, world.index)
        for event in events:
            event(world)
            same(world.ledger, world.index, (random.choice(ASKED), random.choice(ASKED)))
        same(world.ledger, world.index)
