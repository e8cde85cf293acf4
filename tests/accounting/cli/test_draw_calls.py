"""Calls and what they gave. Spec: rounds.md 5."""

import sys
from collections.abc import Iterable
from typing import Any

import pytest
from rich.text import Text

from accounting.cli.draw import draw
from accounting.cli.draw.columns import columns
from tests.accounting.cli.help import at, call, folded, turn
from tests.cases.build import (
    ERROR,
    LOC,
    OID,
    Line,
    called,
    enqueued,
    error,
    landed,
    line,
    model,
    replied,
    result,
    text,
    thinking,
    ver,
)


def test_a_failed_call_is_a_quiet_fact() -> None:
    rows = [*draw(folded(model(), called("a"), result("a", error=ERROR)), 60)]
    [mark] = [row for row in rows if row.plain.startswith("   ✗")]
    styles = {str(span.style) for span in mark.spans}
    assert styles <= {"dim", "bold"}
    assert call(called("a"), result("a", error=ERROR))[0].startswith("✗ probe")


def styles(rows: Iterable[Text], piece: str) -> set[str]:
    """The styles of a piece of the only row that has it."""
    [row] = [row for row in rows if piece in row.plain]
    start = row.plain.index(piece)
    found = {str(span.style) for span in row.spans if span.start <= start and span.end >= start + len(piece)}
    return found | ({str(row.style)} if str(row.style) else set())


def test_what_is_dim_and_what_is_not() -> None:
    sending = called("a", subject="x", effect="spawn", render="signal", args={"to": "hall"})
    lines = (
        model("m-7"),
        sending,
        enqueued("s", room="hall"),
        landed("s", "queued"),
        result("a", result={"exit_code": 3}),
    )
    rows = [*draw(folded(*lines, line("gate_denied", **ERROR), called("b", name="other")), 100)]
    assert styles(rows, "m-7") == {"bold"}
    assert styles(rows, "✓") == {"green"}
    assert styles(rows, "probe") == {"bold"}
    assert styles(rows, "→ queued") == styles(rows, "exit 3") == styles(rows, "refused: ") == set()
    assert styles(rows, "spawn") == styles(rows, "⊘") == {"dim"}
    assert styles(rows, "waiting since") == {"cyan"}


def test_the_error_shape_is_read_out() -> None:
    gate = {"rule": "domain", "violation": "not below b", "alternative": "b"}
    assert call(at(0, called("a")), at(5, result("a", error=error(gate=gate)))) == [
        "✗ probe                                              5 ms",
        "  │ E_GATE_DENIED write a.txt",
        "  │ domain: not below b",
        "  │ ask first",
        "  │ near: b.txt",
    ]


def test_an_error_that_is_text_or_null_stays_as_it_is() -> None:
    assert call(called("a"), result("a", error="no such file"))[1:] == ["  │ no such file"]
    assert call(called("a"), result("a", error=None))[1:] == ["  │ null"]
    assert call(called("a"), result("a", error={"code": "E_OTHER"}))[1:] == ["  │ E_OTHER"]


def test_a_waiting_call_says_since_when() -> None:
    assert call(at(83_000, called("a", subject="x"))) == [
        "… probe  x                         waiting since 10:01:23",
    ]
    assert call(at(86_400_000, called("a"))) == [
        "… probe             waiting since 2025-10-27 10:00:00 UTC",
    ]


@pytest.mark.parametrize(
    ("calling", "answer", "told"),
    [
        (at(0, called("a")), at(43, result("a", result="", took_us=9_999)), "9,999 µs"),
        (at(0, called("a")), at(43, result("a", result="", took_us=10_000)), "10 ms"),
        (at(0, called("a")), at(43, result("a", result="", took_us=0)), "0 µs"),
        (at(0, called("a")), at(43, result("a", result="")), "43 ms"),
        (at(0, called("a")), at(0, result("a", result="")), "0 ms"),
        (ver(1, at(0, called("a"))), at(43, result("a", result="")), None),
        (at(0, called("a")), ver(1, at(43, result("a", result=""))), None),
        (at(0, called("a")), at(43, result("a", error=error(code="E_TOOL_OUTCOME_UNKNOWN", nearby=[]))), None),
        (at(43, called("a")), at(0, result("a", result="")), None),
    ],
)
def test_a_duration_is_measured_or_not_there(calling: Line, answer: Line, told: str | None) -> None:
    assert call(calling, answer)[0].partition("probe")[2].strip() == (told or "")


@pytest.mark.parametrize(
    ("registered", "told"),
    [
        ("egress", "egress"),
        ({"write": {"domain": "a/b"}}, "write a/b"),
        ({"connector": {"label": "maps"}}, "connector maps"),
        ({"attach_user_browser": {"address": None}}, "browser"),
        ({"attach_user_browser": {"address": "localhost:1"}}, "browser localhost:1"),
    ],
)
def test_effects(registered: Any, told: str) -> None:
    assert f"   {told} · waiting" in call(at(0, called("a", effect=registered)))[0]


def test_an_exit_code_is_told_when_there_is_one() -> None:
    failed = call(at(0, called("a")), at(1, result("a", result={"exit_code": 2, "stdout": "no\n"})))
    assert failed == ["✓ probe                                     exit 2 · 1 ms", "  │ no"]
    assert "exit 0 · " in call(at(0, called("a")), at(1, result("a", result={"exit_code": 0})))[0]
    assert "exit" not in call(at(0, called("a")), at(1, result("a", result={"exit_code": None})))[0]


def test_a_letter_is_its_arguments_and_its_landing() -> None:
    sending = called("a", render="signal", args={"to": "hall", "text": "Come\nsoon"})
    rows = call(at(0, sending), enqueued("s", room="hall"), landed("s", "knocked"), at(1, result("a", result="sent")))
    assert rows == [
        "✓ probe                                  → knocked · 1 ms",
        "  › text:",
        "  ›   Come",
        "  ›   soon",
        "  › to: hall",
        "  │ sent",
    ]


def test_a_letter_whose_landing_is_not_known_draws_what_the_tool_answered() -> None:
    sending = called("a", render="signal", args={"to": "hall"}, subject="hall")
    assert call(at(0, sending), at(1, result("a", result="queued, it said"))) == [
        "✓ probe  hall                                        1 ms",
        "  › hall",
        "  │ queued, it said",
    ]


def test_arguments_stand_in_for_a_subject_that_is_not_there() -> None:
    assert call(called("a", args={"q": 1, "r": [2]}))[1:] == ["  › q: 1", "  › r: [2]"]
    assert call(called("a", args={"q": 1}, subject="x"))[1:] == []


def test_a_diff_names_its_files_and_is_coloured() -> None:
    render = {"diff": {"locations": ["a.py", "b.py"]}}
    lines = (called("a", render=render, subject="a.py"), result("a", result="--- a\n+++ b\n@@ 1\n-x\n+y\n z"))
    assert call(*lines)[1:] == [
        "  │ ± b.py", "  │ --- a", "  │ +++ b", "  │ @@ 1", "  │ -x", "  │ +y", "  │  z",
    ]  # fmt: skip
    styles = {
        row.plain[7:]: {str(span.style) for span in row.spans} - {"dim"} for row in draw(folded(model(), *lines), 60)
    }
    assert [styles[key] for key in ("+++ b", "@@ 1", "-x", "+y", " z")] == [
        {"bold"},
        {"cyan"},
        {"red"},
        {"green"},
        set(),
    ]


def test_render_null_is_generic() -> None:
    rows = [call(called("a", **more), result("a", result="+x")) for more in ({}, {"render": "generic"})]
    assert rows[0] == rows[1]


# Outputs.


def output(value: Any, width: int = 60) -> list[str]:
    """The rows below a call that gave this."""
    return [row.removeprefix("  │ ") for row in call(called("a"), result("a", result=value), width=width)[1:]]


def test_rows_are_bounded_and_counted() -> None:
    assert output("\n".join("abcdefgh")) == [*"abcdefgh"]
    assert output("\n".join("abcdefghi")) == [*"abcdefgh", "… 1 more line"]
    assert output("\n".join("abcdefghijklmnop")) == [*"abcdefgh", "… 8 more lines"]


def test_columns_are_bounded_and_counted() -> None:
    assert output("x" * 53) == ["x" * 53]
    assert output("x" * 54) == ["x" * 35 + " … 19 more columns"]
    assert output("x" * 1_000_000) == ["x" * 28 + " … 999,972 more columns"]


def test_wide_characters_take_two_columns() -> None:
    assert output("漢" * 26) == ["漢" * 26]
    assert output("漢" * 27) == ["漢" * 17 + " … 20 more columns"]


def test_an_object_is_read_key_by_key() -> None:
    assert output({"content": "one\ntwo\n"}) == ["one", "two"]
    assert output({"b": "one\ntwo", "a": "x", "c": [1, {"d": 2**64 - 1}]}) == [
        "a: x", "b:", "  one", "  two", 'c: [1,{"d":18446744073709551615}]',
    ]  # fmt: skip
    assert output({}) == []
    assert output('{"not": json') == ['{"not": json']
    assert output([1, 2]) == ["[1,2]"]


def nested(depth: int) -> Any:
    value: Any = "x"
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize("outcome", ["result", "error"])
def test_deep_nesting_is_drawn_all_the_same(outcome: str) -> None:
    deep = {"deep": nested(898)}
    given = folded(model(), called("a", args=deep), result("a", **{outcome: deep}))
    limit = sys.getrecursionlimit()
    # With a little more stack, and a little more, one reading after the other succeeds.
    for enough in (400, *range(900, 1100)):
        sys.setrecursionlimit(enough)
        try:
            rows = [row.plain for row in draw(given, 2000)]
        finally:
            sys.setrecursionlimit(limit)
        assert '     ›   "deep": [' in rows
        assert sum(f'{"[" * 898}"x"{"]" * 898}' in row for row in rows) == 1


def test_a_stored_output_says_where() -> None:
    rows = output({"content": "x", "sieve": [{"original": LOC, "len": 9}]}, width=120)
    assert rows == ["x", f"whole output: {LOC}"]
    narrow = output({"content": "x", "sieve": [{"original": LOC, "len": 9}]}, width=40)
    assert "".join(narrow[1:]) == f"whole output: {LOC}"
    wide = f"file:{'漢' * 40}@{OID}"
    rows = output({"content": "x", "sieve": [{"original": wide}]}, width=60)
    assert "".join(rows[1:]) == f"whole output: {wide}"
    assert max(map(columns, rows)) <= 53


def test_control_characters_are_made_visible() -> None:
    rows = turn(
        model("m\x1b]0;t\x07"),
        replied(thinking("a\x9b1m"), text("b\u202ec\r")),
        called("a", name="t\x1b[2J", subject="s\rx"),
        result("a", result="o\x1b[31m\u2066\ttab"),
        line("steer_received", source="@x\x1b", text="l1\nl2\x08"),
    )
    assert rows[0].startswith(r"── 1  m\x1b]0;t\x07 ─")
    assert [row.strip() for row in rows[3:6]] == [r"╎ a\x9b1m", r"b\u202ec", r"✓ t\x1b[2J  s\rx" + " " * 36 + "10 ms"]
    assert [row.strip() for row in rows[6:]] == [r"│ o\x1b[31m\u2066 tab", r"← 00:00:01 @x\x1b: l1 ↵ l2\x08"]


def test_no_text_is_markup() -> None:
    assert "[bold red]:smile:" in turn(model(), replied(text("[bold red]:smile:")))[-1]
