"""Notes, each on one line. Spec: rounds.md 1, 5."""

import pytest
from msgspec import Raw, structs

from accounting.cli.draw import draw
from tests.accounting.cli.help import TEN, at, call, folded
from tests.cases.build import (
    ERROR,
    OID,
    Line,
    awaits,
    called,
    checkpoint,
    consumed,
    enqueued,
    line,
    model,
    requested,
    resolved,
    result,
    wait_ended,
)

# Notes, each on one line and in its place among the calls.
from wire import newer_note


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ([line("gate_denied", **ERROR)], "⊘ refused: E_GATE_DENIED write a.txt; ask first; near: b.txt"),
        ([checkpoint()], f"◆ checkpoint {OID}"),
        ([at(0, requested("q"))], "… waiting for approval since 10:00:00"),
        ([at(0, requested("q")), at(9000, resolved("q"))], "· approval asked 10:00:00, answered 10:00:09"),
        ([at(0, line("steer_received", source="user", text="go on"))], "← 10:00:00 user: go on"),
        ([at(0, line("steer_received", source="city", text="stop"))], "← 10:00:00 the city: stop"),
        ([at(0, line("steer_received", source="@bo", text="hm"))], "← 10:00:00 @bo: hm"),
        ([at(0, consumed("s"))], "← 10:00:00 a letter"),
        ([enqueued("s"), at(0, consumed("s"))], "← 10:00:00 anna (mention): hello"),
        ([at(0, awaits("s", deadline_ms=TEN + 60_000))],
         "… waiting for a reply from hall since 10:00:00, until 10:01:00"),
        ([at(0, awaits("s")), at(7000, wait_ended("s", "reply", reply="r"))],
         "· waited for a reply from hall from 10:00:00 on: it came 10:00:07"),
        ([at(0, awaits("s")), at(7000, wait_ended("s", "timeout"))],
         "· waited for a reply from hall from 10:00:00 on: none came by 10:00:07"),
        ([at(0, awaits("s")), at(7000, wait_ended("s", "left"))],
         "· waited for a reply from hall from 10:00:00 on: the other one left 10:00:07"),
        ([line("file_discarded", paths=["a"])], "− 1 file discarded"),
        ([line("file_discarded", paths=["a", "b"])], "− 2 files discarded"),
        ([line("gate_denied")], "! unreadable: GateDenied: no code"),
    ],
)  # fmt: skip
def test_notes(lines: list[Line], told: str) -> None:
    assert call(*lines, width=100) == [told]


def test_a_note_that_this_version_does_not_know() -> None:
    given = folded(model())
    [opened] = given.answer.turns
    note = newer_note("new\u202eer", Raw(b"{}"))
    answer = structs.replace(given.answer, turns=(structs.replace(opened, notes=(note,)),))
    rows = [row.plain for row in draw(structs.replace(given, answer=answer), 60)]
    assert r"   ? a note this version does not know: new\u202eer" in rows


def test_notes_stand_where_they_happened() -> None:
    rows = call(called("a"), checkpoint(), called("b"), line("file_discarded", paths=[]), result("a", result="x"))
    assert [row[0] for row in rows if row[0] != " "] == ["✓", "◆", "…", "−"]
