"""The order of an import: by time, each session after the one that started it, whatever order the sources come in."""

import random
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from accounting.foreign import Source, run_of
from accounting.foreign.import_order import Head, in_order

RUNS = [run_of("x", str(number)) for number in range(6)]


def head(number: int, began: int, parents: list[int]) -> Head:
    return Head(
        source=Source(agent="x", path=Path(str(number))),
        runs=(RUNS[number],),
        parents=tuple(RUNS[parent] for parent in parents),
        rank=(began, 0, "x", str(number)),
    )


def names(heads: list[Head]) -> list[str]:
    return [head.source.path.name for head in in_order(heads)]


HEADS = st.lists(st.tuples(st.integers(0, 3), st.lists(st.integers(0, 5), max_size=2)), min_size=1, max_size=6).map(
    lambda every: [head(number, *one) for number, one in enumerate(every)]
)


@given(HEADS, st.randoms(use_true_random=False))
def test_all_of_them_once_and_in_one_order(heads: list[Head], chance: random.Random) -> None:
    listed = names(heads)
    assert sorted(listed) == [head.source.path.name for head in heads]
    shuffled = heads[:]
    chance.shuffle(shuffled)
    assert names(shuffled) == listed


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), min_size=1, max_size=6))
def test_what_was_started_comes_after_what_started_it(every: list[tuple[int, int]]) -> None:
    # Each has a parent of a lower number, so that there is no circle; of what is not at hand nobody waits.
    heads = [head(number, began, [parent] if parent < number else []) for number, (began, parent) in enumerate(every)]
    listed = names(heads)
    for number, (_, parent) in enumerate(every):
        if parent < number:
            assert listed.index(str(parent)) < listed.index(str(number))


def test_without_parents_time_decides() -> None:
    assert names([head(0, 3, []), head(1, 1, []), head(2, 2, [5])]) == ["1", "2", "0"]


def test_a_circle_is_entered_at_the_oldest() -> None:
    assert names([head(0, 3, [1]), head(1, 1, [0])]) == ["1", "0"]
