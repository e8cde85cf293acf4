"""The power goes out at every operation: what was acknowledged is there, and the ledger opens again."""

import json
from contextlib import suppress
from itertools import product
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

from accounting.ledger import check
from accounting.ledger.writing import AppendError, LedgerWriter, storing
from tests.accounting.ledger.writing.disk import Disk, Machine, PowerOut
from tests.accounting.ledger.writing.places import place, whole
from tests.accounting.ledger.writing.plain import clock, lines, noted
from tests.accounting.ledger.writing.systems import QUICK

LIMIT = 2 * len(lines([noted("a")])[0]) + 100
"""Two plain lines and no third."""
GROUPS = [[noted("a")], [noted("b"), noted("c", 50)], [noted(text) for text in "defgh"], [noted("i")]]
"""Within a segment; over one roll; over three; and one more."""
STEPS = 45
"""As many operations as opening and all the groups take, and a few more."""
STATES = 4
"""How many of the states that the power may leave are looked at each time."""


@pytest.fixture(autouse=True)
def small_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storing, "SEGMENT_LIMIT", LIMIT)


class Told(NamedTuple):
    """What a process was told by its writer."""

    acknowledged: int
    """How many lines are there."""
    refused: frozenset[str]
    """The texts of lines of which nothing is left."""


def run(directory: Path, system: Machine, name: str) -> Told:
    """A process that appends every group until it ends."""
    writer: LedgerWriter | None = None
    acknowledged, refused = 0, set[str]()
    with suppress(PowerOut, OSError):  # a fault while it opens ends it too
        writer = LedgerWriter(directory, now=clock, system=system)
        for group in GROUPS:
            drafts = [noted(f"{name}{draft.data['text']}", len(str(draft.data["pad"]))) for draft in group]
            try:
                acknowledged = writer.append(*drafts)[-1].seq + 1
            except AppendError:
                refused |= {str(draft.data["text"]) for draft in drafts}
    if writer is not None:  # the system closes the files of a process that ends, and no more
        writer._store.tip.file.close()  # pyright: ignore[reportPrivateUsage]
        for segment in writer._store._state.begun or ():  # pyright: ignore[reportPrivateUsage]
            if segment.file is not None:
                segment.file.close()
        writer._lock._file.close()  # pyright: ignore[reportPrivateUsage]
    return Told(acknowledged, frozenset(refused))


def assert_recovers(disk: Disk, directory: Path, told: Told, seed: str, crashes: int = 1) -> None:
    """Whatever the power leaves: what was acknowledged is there, what was refused is not, the next writer goes on."""
    before = whole(directory).splitlines(keepends=True)[: told.acknowledged] if directory.exists() else []
    for state in range(STATES):
        after = directory.with_name(f"after{state}")
        disk.after_power_out(directory, after, Random(f"{seed} {state}"))
        with LedgerWriter(after, now=clock, system=QUICK) as writer:
            writer.append(noted("end"))
        assert check(after).conforms
        found = whole(after).splitlines(keepends=True)
        assert found[: told.acknowledged] == before
        read = [json.loads(line) for line in found]
        assert [line["kind"] for line in read].count("log_truncated") <= crashes
        assert not told.refused & {line["data"].get("text") for line in read}


@pytest.mark.invariant("W1")
def test_the_power_goes_out_at_every_operation() -> None:
    steps = STEPS
    for ends_at in range(STEPS):
        with place() as directory:
            disk = Disk()
            system = Machine(disk, ends_at=ends_at)
            assert_recovers(disk, directory, run(directory, system, ""), f"{ends_at}")
            steps = len(system.steps)
    assert steps < STEPS


@pytest.mark.invariant("W2")
def test_an_operation_fails_and_the_power_goes_out_afterwards() -> None:
    for fails_at, later in product(range(STEPS), (1, 2, 3, 6)):
        with place() as directory:
            disk = Disk()
            told = run(directory, Machine(disk, fails_at=fails_at, ends_at=fails_at + later), "")
            assert_recovers(disk, directory, told, f"{fails_at} {later}")


@pytest.mark.invariant("W1")
def test_a_process_is_killed_and_the_power_goes_out_in_the_next() -> None:
    # What a process that was killed has left unsynced is there for the next one, which must not build on it as it is.
    for killed_at, ends_at in product(range(0, STEPS, 3), (*range(3, 9), 12, 17)):
        with place() as directory:
            disk = Disk()
            first = run(directory, Machine(disk, ends_at=killed_at), "x")
            second = run(directory, Machine(disk, ends_at=ends_at), "y")
            assert_recovers(disk, directory, max(first, second), f"{killed_at} {ends_at}", crashes=2)
