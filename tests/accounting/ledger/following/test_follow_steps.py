"""Following, look by look and without a thread: whatever a writer does, what was handed out and not withdrawn is what
stands in the ledger, each line once and in its place.
"""

import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounting.conformance.strategies import RUNS
from accounting.ledger.following import file as file_module
from accounting.ledger.following import tail as tail_module
from accounting.ledger.following import trail as trail_module
from accounting.ledger.following import trails as trails_module
from accounting.ledger.following.tail import Found
from tests.accounting.ledger.following.model import Looks, Writer, contents, fallen, spot, standing
from tests.compare import asked

OPERATIONS = st.lists(st.binary(min_size=11, max_size=11), max_size=14)
BLOCKS = st.sampled_from((5, 64, 400, 1 << 16))


@contextmanager
def ledger(block: int, *, checked: int = 1 << 13, reach: int = 64 << 20) -> Generator[Path]:
    """An empty folder. Files are read in small blocks, and little is remembered, so that a few lines are many."""
    with (
        patch.object(tail_module, "BLOCK", block),
        patch.object(file_module, "BLOCK", max(block, 200)),  # the head of a line fits
        patch.object(trail_module, "CHECKED", checked),
        patch.object(trails_module, "REACH", reach),
        tempfile.TemporaryDirectory() as name,
    ):
        yield Path(name)


@pytest.mark.invariant("F1")
@given(OPERATIONS, BLOCKS, st.sampled_from((1, 1 << 13)), st.booleans(), st.sampled_from((None, RUNS[0])))
def test_what_was_handed_out_and_not_withdrawn_is_what_stands(
    operations: list[bytes], block: int, checked: int, single: bool, name: str | None
) -> None:
    with ledger(block, checked=checked) as folder:
        run = None if name is None else asked(name)
        writer = Writer(folder, single=single)
        path = writer.newest if single else folder
        looks = Looks(path, run)
        before: dict[str, bytes] = {}

        def look() -> None:
            nonlocal before
            now = contents(folder)
            expected = fallen(before, now)
            withdrawn = looks.look()
            assert looks.view.items == standing(path, run)
            # Withdrawn from the first byte that does not stand, and only then.
            assert [spot(one.place) for one in withdrawn if one.place] == ([] if expected is None else [expected])
            before = now

        writer.look = look
        for operation in operations:
            writer.perform(operation)
        look()
        assert looks.look() == []
        assert looks.view.unreadable == []


@pytest.mark.invariant("F1")
@given(OPERATIONS, BLOCKS, st.booleans(), st.lists(st.integers(0, 9), min_size=1, max_size=20))
def test_a_writer_may_do_all_this_in_the_middle_of_a_look(
    operations: list[bytes], block: int, single: bool, steps: list[int]
) -> None:
    with ledger(block) as folder:
        writer = Writer(folder, single=single)
        path = writer.newest if single else folder
        looks = Looks(path)
        looking: Iterator[Found] = iter(())
        turns = 0

        def go_on(most: int) -> int:
            count = 0
            for found in islice(looking, most):
                count += 1
                if found is not None:
                    looks.view.take(*found)
            return count

        def some() -> None:
            nonlocal looking, turns
            if go_on(steps[turns % len(steps)]) < steps[turns % len(steps)]:
                looking = looks.tail.look()
            turns += 1

        writer.look = some
        for operation in operations:
            writer.perform(operation)
            some()
        assert go_on(20_000) < 20_000
        looks.look()
        assert looks.view.items == standing(path)
        assert looks.view.unreadable == []


@pytest.mark.invariant("F3")
@given(OPERATIONS, OPERATIONS, BLOCKS, st.booleans(), st.sampled_from((300, 64 << 20)))
def test_from_now_gives_what_was_not_there(
    earlier: list[bytes], later: list[bytes], block: int, single: bool, reach: int
) -> None:
    with ledger(block, reach=reach) as folder:
        writer = Writer(folder, single=single)
        path = writer.newest if single else folder
        for operation in earlier:
            writer.perform(operation)
        looks = Looks(path, from_now=True)
        since = str(writer.newest), writer.contents[writer.newest.name].rfind(b"\n") + 1

        def look() -> None:
            nonlocal since
            for one in looks.look():
                assert one.place is not None
                since = min(since, spot(one.place))
            assert looks.view.items == [(place, item) for place, item in standing(path) if spot(place) >= since]

        look()
        assert looks.view.items == []
        writer.look = look
        for operation in later:
            writer.perform(operation)
        look()


@pytest.mark.invariant("F4")
@given(OPERATIONS, BLOCKS, st.sampled_from((1, 300, 1000)), st.booleans())
def test_what_is_not_remembered_is_withdrawn_rather_than_believed(
    operations: list[bytes], block: int, reach: int, single: bool
) -> None:
    with ledger(block, reach=reach) as folder:
        writer = Writer(folder, single=single)
        path = writer.newest if single else folder
        looks = Looks(path)

        def look() -> None:
            looks.look()
            assert looks.view.items == standing(path)

        writer.look = look
        for operation in operations:
            writer.perform(operation)
        look()
