"""A session, its turns and what they come to. Spec: rounds.md 5."""

from typing import Any

import pytest

from accounting.cli.draw import draw
from accounting.cli.draw.columns import columns
from accounting.cli.visible import visible
from tests.accounting.cli.help import TEN, at, drawn, folded, turn
from tests.cases import CASES, Case
from tests.cases.build import (
    RUN,
    Line,
    Obj,
    called,
    checkpoint,
    line,
    model,
    replied,
    result,
    text,
    thinking,
    ver,
)
from tests.compare import fold


def used(*, out: int = 300, **more: Any) -> Obj:
    """A reply's usage."""
    return {"v": 1, "input_tokens": 1200, "output_tokens": out} | more


WHOLE: Obj = {"usage": used(cache_read_tokens=1000, cache_write_tokens=50), "billed_usd_micros": 12_300, "stop": "end"}


def test_a_session() -> None:
    started = line(
        "run_started",
        task="Mend the clock",
        goal="It tells the time",
        dispatched_by="city",
        effort="low",
        policy={"mode": "work", "write": "full", "admit": "tested", "landing": "ordinary"},
        parent="22222222-2222-4222-8222-222222222222",
    )
    lines = (
        at(0, started),
        at(1, line("worktree_opened", name="clock", disk_bytes=1)),
        at(2, checkpoint()),
        at(10, model("m-1")),
        at(4010, replied(thinking("Hm."), text("Wound it."), first_at=TEN + 1010, **WHOLE)),
        at(4020, called("a", subject="spring", effect="read")),
        at(4063, result("a", result="tick\ntock\n")),
        at(5000, line("run_frozen", completion="done")),
    )
    assert drawn(*lines, width=72) == [
        "━━ 11111111-1111-4111-8111-111111111111 ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━",
        "   task      Mend the clock",
        "   goal      It tells the time",
        "   sent by   city",
        "   terms     mode work · write full · admit tested · landing ordinary ·",
        "             effort low",
        "   parent    22222222-2222-4222-8222-222222222222",
        "   worktree  clock",
        "   opened at 0123456789ab",
        "   began     2025-10-26 10:00:00 UTC",
        "",
        "── 1  m-1 ───────────────────────────────────────────────────── 10:00:00",
        "   1,200 in (cached 1,000, written 50) · 300 out · $0.0123",
        "   first content after 1,000 ms · reply after 4,000 ms · 100 tokens/s",
        "   stopped: end",
        "",
        "   ╎ Hm.",
        "",
        "   Wound it.",
        "",
        "   ✓ probe  spring                                          read · 43 ms",
        "     │ tick",
        "     │ tock",
        "",
        "━━ done ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ 2025-10-26 10:00:05 UTC",
        "   1 turn · 1 call · 1,200 in · 300 out · 1,000 cached · $0.0123",
    ]


# Tokens, cost and times of a reply.


@pytest.mark.parametrize(
    ("reply", "figures"),
    [
        (WHOLE, "1,200 in (cached 1,000, written 50) · 300 out · $0.0123"),
        ({"usage": used(cache_read_tokens=0, cache_write_tokens=0), "billed_usd_micros": 0},
         "1,200 in (cached 0, written 0) · 300 out · $0.0000"),
        ({"usage": used()}, "1,200 in (cached unknown, written unknown) · 300 out · cost unknown"),
        ({}, "tokens unknown · cost unknown"),
    ],
)  # fmt: skip
def test_unknown_is_never_zero(reply: Obj, figures: str) -> None:
    assert turn(model(), replied(text("x"), **reply), width=80)[1] == f"   {figures}"


@pytest.mark.parametrize(
    ("request_line", "reply", "pace"),
    [
        # The reply line's own durations come before any difference of times.
        (at(0, model()), at(4000, replied(first_at=TEN + 500, first_us=9_999, took_us=3_999_999, usage=used())),
         "first content after 9,999 µs · reply after 3,999 ms · 86 tokens/s"),
        (at(0, model()), at(4000, replied(first_at=TEN + 500, usage=used())),
         "first content after 500 ms · reply after 4,000 ms · 86 tokens/s"),
        # No first content: neither its time nor a rate.
        (at(0, model()), at(4000, replied(usage=used())), "reply after 4,000 ms"),
        # No tokens: no rate.
        (at(0, model()), at(4000, replied(first_at=TEN + 500)), "first content after 500 ms · reply after 4,000 ms"),
        # A request whose time is no moment: nothing is measured from it.
        (ver(1, at(0, model())), at(4000, replied(first_at=TEN + 500, usage=used())), "86 tokens/s"),
        # A reply whose time is no moment: nothing is measured to it.
        (at(0, model()), ver(1, at(4000, replied(first_at=TEN + 500, usage=used()))), "first content after 500 ms"),
        # A clock set back is not a length; no time is no divisor.
        (at(5000, model()), at(4000, replied(first_at=TEN + 4000, usage=used())), None),
    ],
)  # fmt: skip
def test_no_length_without_both_its_ends(request_line: Line, reply: Line, pace: str | None) -> None:
    assert turn(request_line, reply, width=80)[2:] == ([] if pace is None else [f"   {pace}"])


def test_attempts_without_a_reply() -> None:
    lines = (at(0, model()), at(60_000, model()), at(61_000, replied(text("Here."))), at(62_000, model()))
    assert turn(*lines) == [
        "── 1  m-1 ───────────────────────────────────────── 10:00:00",
        "   no reply; asked again in turn 2",
        "── 2  m-1 ───────────────────────────────────────── 10:01:00",
        "   tokens unknown · cost unknown",
        "   reply after 1,000 ms",
        "   Here.",
        "── 3  m-1 ───────────────────────────────────────── 10:01:02",
        "   no reply yet, waiting since 10:01:02",
    ]
    assert turn(*lines, line("run_frozen", completion="limit"))[-1] == "   no reply; the session ended"


def test_an_unmeasured_turn_still_has_its_place_in_time() -> None:
    assert turn(ver(1, at(0, model())))[0].endswith(" 10:00:00")


def test_thought_is_short_and_says_what_it_hides() -> None:
    thought = "\n".join(f"line {number}" for number in range(1, 9))
    assert turn(model(), replied(thinking(thought)))[3:] == [
        "   ╎ line 1",
        "   ╎ line 2",
        "   ╎ line 3",
        "   ╎ … 34 more characters",
    ]


# How a session began and ended.


def test_a_beginning_that_is_not_at_hand() -> None:
    assert drawn(model())[1] == "   its beginning is not at hand"


@pytest.mark.parametrize(
    ("names", "told"),
    [(None, "city"), ({"mayor": "Ada"}, "city, under Ada"), ({"mayor": None}, "city, under the mayor")],
)
def test_names(names: Any, told: str) -> None:
    naming = "ab" * 32
    started = line("run_started", dispatched_by="city", naming=naming)
    given = folded(started, names={naming: names["mayor"]} if names else None)
    assert f"   sent by   {told}" in [row.plain for row in draw(given, 60)]


def test_endings() -> None:
    ends = {
        "done": line("run_frozen", completion="done"),
        "ended; how cannot be read": line("run_frozen", completion=7),
        "no ending": model(),
    }
    for told, last in ends.items():
        assert any(row.startswith(f"━━ {told} ━") for row in drawn(model(), last))
    assert any(row.startswith("━━ no ending in the newest 2 records ━") for row in drawn(model(), model(), window=2))


def totals(*lines: Line) -> list[str]:
    """What stands below the end."""
    rows = drawn(*lines, width=100)
    return [row.strip() for row in rows[max(index for index, row in enumerate(rows) if row.startswith("━")) + 1 :]]


def test_totals_come_from_what_is_known() -> None:
    full = replied(text("x"), **WHOLE)
    assert totals(model(), full, model(), full) == [
        "2 turns · 0 calls · 2,400 in · 600 out · 2,000 cached · $0.0246",
    ]
    # Neither an attempt without a reply nor what a reply does not say counts as nothing.
    assert totals(model(), model(), full) == ["2 turns · 0 calls · 1,200 in · 300 out · 1,000 cached · $0.0123"]
    assert totals(model(), replied(text("x")), model(), full) == [
        "2 turns · 0 calls · 1,200+ in · 300+ out · 1,000+ cached · $0.0123+",
        "+ at least: not every reply reports it",
    ]
    assert totals(model(), replied(text("x"))) == ["1 turn · 0 calls · tokens unknown · cached unknown · cost unknown"]
    assert totals(model()) == ["1 turn · 0 calls"]


def test_totals_tell_calls_that_failed_and_that_wait() -> None:
    lines = (model(), called("a"), called("b"), called("c"), result("a", error="x"))
    assert totals(*lines)[0].startswith("1 turn · 3 calls (1 failed, 2 waiting)")


# Any session at all.


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_no_line_of_any_session_is_wider_than_the_terminal(case: Case) -> None:
    given = fold(case.records, case.run, case.window)
    for width in (24, 40, 61, 100):
        for row in draw(given, width, case.window):
            assert columns(row.plain) <= width
            assert visible(row.plain) == row.plain


def test_the_run_is_told_in_full() -> None:
    assert drawn(model(), width=40)[0] == f"━━ {RUN}"
