"""Following the reference writer while every one of its operations fails once."""

import errno
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from accounting.ledger.writing import AppendError, LedgerWriter, storing
from tests.accounting.ledger.following.model import Looks, standing
from tests.accounting.ledger.writing.plain import clock, lines, noted
from tests.accounting.ledger.writing.systems import Step, Watched

GROUPS = ["ab", "c", "defgh", "i", "jkl"]
TORN = b'{"v":2,"run":"0'
OPERATIONS = 60
"""More than all the groups take."""


class Looking(Watched):
    """After every operation somebody looks; one of them fails, before or after it was done."""

    def __init__(self, fails: int, look: Callable[[], object], *, after: bool) -> None:
        super().__init__()
        self.fails = fails
        self.look = look
        self.after = after

    def step(self, name: str, do: Step) -> Any:
        fails = len(self.steps) == self.fails
        self.steps.append(name)
        done = do() if self.after or not fails else None
        self.look()
        if fails:
            if name in ("create", "open") and done is not None:
                done.close()
            raise OSError(errno.EIO, "made up")
        return done


@pytest.mark.invariant("F2")
@pytest.mark.parametrize("after", [False, True], ids=["not done", "done"])
@pytest.mark.parametrize("text", ["a", "another"])
def test_whichever_operation_fails_what_stands_was_handed_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, after: bool, text: str
) -> None:
    # The lines of a group that is tried again are as long as they were, or not.
    monkeypatch.setattr(storing, "SEGMENT_LIMIT", 2 * len(lines([noted("a")])[0]) + 100)
    withdrew = 0
    for fails in range(OPERATIONS):
        folder = tmp_path / str(fails)
        with LedgerWriter(folder, now=clock, system=Watched()) as writer:
            writer.append(noted("old"))
        with (folder / f"ledger-{0:020d}.jsonl").open("ab") as file:
            file.write(TORN)
        looks = Looks(folder)
        looks.look()

        def look(looks: Looks = looks, folder: Path = folder) -> None:
            nonlocal withdrew
            withdrew += sum(problem.seq is not None for problem in looks.look())
            assert looks.view.items == standing(folder)

        system = Looking(fails, look, after=after)
        with suppress(OSError, AppendError), LedgerWriter(folder, now=clock, system=system) as writer:
            for group in GROUPS:
                try:
                    writer.append(*map(noted, group))
                except AppendError:
                    writer.append(*(noted(text * (one != "b")) for one in group))
        look()
        assert looks.view.unreadable == []
    assert withdrew > 10
