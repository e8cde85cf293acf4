"""What a run is called."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounting.dispatch.ids import key_hash, new_run_id, run_id_of
from wire.scalars import dispatch_id, sha256


@pytest.mark.parametrize(
    ("key", "run"),
    [
        ("nightly-2026-09-01", "wb-21247a57b8ae3af2"),
        ("", "wb-e3b0c44298fc1c14"),
        ("ключ", "wb-1de36a32af798da0"),
        ("a" * 200, "wb-c2a908d98f5df987"),
    ],
)
def test_the_published_ids(key: str, run: str) -> None:
    """dispatch.md 2.9."""
    assert run_id_of(key) == run


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_key_gives_one_id_which_is_the_beginning_of_its_hash(key: str) -> None:
    run, whole = run_id_of(key), key_hash(key)
    assert dispatch_id(run) == run == run_id_of(key)
    assert sha256(whole) == whole
    assert whole.startswith(run.removeprefix("wb-"))


def test_half_a_pair_is_refused() -> None:
    with pytest.raises(UnicodeEncodeError):
        run_id_of("\ud83d")


def test_runs_without_a_key_are_told_apart() -> None:
    made = {new_run_id() for _ in range(100)}
    assert len(made) == 100
    assert all(dispatch_id(run) == run for run in made)
