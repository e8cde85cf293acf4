"""Calls, answers, attempts and endings: what is said of them, beside the plain reading of naive_story.py."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounting.ledger import verify
from accounting.ledger.checking.rules import RULES
from tests.accounting.ledger.checking.build import BARE, OTHER, RUN, content, lines_of, rewrite
from tests.accounting.ledger.checking.naive_story import Event, said
from tests.compare import Plain
from wire import Severity
from wire.scalars import NIL_RUN as NIL

STORY = {
    "result-for-no-call", "second-result", "call-reused", "returned-without-attempt", "first-after-returned",
    "cache-above-input", "turn-after-freeze", "second-freeze", "time-backwards", "tool-name",
}  # fmt: skip

BIG = 2**64 - 1
IDS = st.sampled_from(("a", "b", "", None))
COUNTS = st.sampled_from((0, 3, 5, 10, BIG, None, "5"))
USAGE = st.fixed_dictionaries(
    {},
    optional={
        "v": st.sampled_from((1, 1, 1, None, 2, True)),
        "input_tokens": COUNTS,
        "output_tokens": COUNTS,
        "cache_read_tokens": COUNTS,
        "cache_write_tokens": COUNTS,
    },
)
EMPTY: Plain = {}
NOTHING = st.just(EMPTY)
DATA: dict[str, st.SearchStrategy[Any]] = {
    "run_started": NOTHING,
    "model_called": st.just({"model": "m", "segments": ["a" * 64]}),
    "model_returned": st.fixed_dictionaries(
        {"message": NOTHING, "calls": st.just(0)},
        optional={"first_at": st.sampled_from((0, 5, 6, 7, BIG, None, "9")), "usage": st.one_of(st.just(1), USAGE)},
    ),
    "tool_called": st.fixed_dictionaries(
        {"args": NOTHING, "id": IDS, "name": st.sampled_from(("dig", "Dig", "dig\n", "", "dÿg", "mcp__x", None))}
    ),
    "tool_result": st.fixed_dictionaries({"tool_use_id": IDS, "name": st.just("dig"), "result": NOTHING}),
    "run_frozen": st.just({"completion": "done"}),
    "went_back": NOTHING,
}
KINDS = (
    "run_started",
    *("model_called", "model_returned", "tool_called", "tool_result") * 3,
    "run_frozen",
    "went_back",
)


@st.composite
def events(draw: st.DrawFn) -> list[Event]:
    """Draw what a few runs do; some of it is lost, by a line that is none or by one at fault that still reads."""
    drawn: list[Event] = []
    for _ in range(draw(st.integers(0, 20))):
        kind = draw(st.sampled_from(KINDS))
        run = draw(st.sampled_from((RUN, RUN, OTHER, NIL)))
        t, v = draw(st.sampled_from((5, 6, 6, 7))), draw(st.sampled_from((2, 2, 2, 1)))
        fate = draw(st.integers(0, 29))
        drawn.append(Event(run, kind, t, v, draw(DATA[kind]), lost=fate in (0, 1), readable=fate not in (0, 2)))
    return drawn


def written(drawn: list[Event]) -> list[bytes]:
    """The lines of these events: lost and unreadable is no line at all; unreadable alone may be skipped."""
    records: list[Plain] = []
    for event in drawn:
        record: Plain = {"run": event.run, "kind": event.kind, "t": event.t, "v": event.v, "data": event.data}
        if not event.readable:
            record |= {"kind": "dug", "ig": True}
        elif event.lost:
            record["data"] = event.data | {"x": 1.5}
        records.append(record)
    lines = lines_of(*records)
    return [b"oops" if one.lost and not one.readable else line for one, line in zip(drawn, lines, strict=True)]


@given(events())
def test_what_lines_say_one_after_the_other(tmp_path_factory: pytest.TempPathFactory, drawn: list[Event]) -> None:
    path = rewrite(tmp_path_factory.getbasetemp() / "story", content(written(drawn)))
    found = [(one.line - 1, one.code) for one in verify(path)]
    assert [one for one in found if one[1] in STORY] == [
        (at, code) for at in range(len(drawn)) for code in said(drawn, at)
    ]
    assert {code for _, code in found} <= STORY | {"float", "not-a-line", "kind-skipped", "payload-shape"}


def test_the_table_has_these_rules_and_payloads_that_do_not_read_are_no_part_of_them() -> None:
    assert {rule.code for rule in RULES} >= STORY
    assert {rule.code for rule in RULES if rule.spec.startswith("rounds.md")} == {
        "result-for-no-call", "second-result", "call-reused", "returned-without-attempt", "turn-after-freeze",
        "second-freeze",
    }  # fmt: skip


def test_a_payload_that_does_not_read_still_makes_its_call(tmp_path: Path) -> None:
    """Each field is looked at by itself: one that is amiss costs a finding of its own, and no other."""
    call = {"kind": "tool_called", "data": {"id": "c"}}
    answer = {"kind": "tool_result", "data": {"tool_use_id": "c"}}
    path = rewrite(tmp_path / "a", content(lines_of(call, answer, answer)))
    assert [(one.line, one.code) for one in verify(path)] == [
        (1, "payload-shape"), (2, "payload-shape"), (3, "payload-shape"), (3, "second-result")
    ]  # fmt: skip


def test_a_line_at_fault_that_reads_has_happened(tmp_path: Path) -> None:
    """It makes its call, and freezes its run; what it breaks besides its fault is not told."""
    call: Plain = {"kind": "tool_called", "data": {"id": "c", "name": "dig", "args": {}, "x": 1.5}}
    freeze = {"kind": "run_frozen", "data": {"completion": "done", "x": 1.5}}
    asked: Plain = {"kind": "model_called", "data": {"model": "m", "segments": []}}
    answer: Plain = {"kind": "tool_result", "data": {"tool_use_id": "c", "name": "dig", "result": {}}}
    started = {"kind": "run_started", "run": OTHER}
    lines = lines_of(call, freeze, freeze, asked, answer, started, answer | {"run": OTHER}, {"t": 3})
    path = rewrite(tmp_path / "a", content(lines))
    assert [(one.line, one.code) for one in verify(path)] == [
        (1, "float"), (2, "float"), (3, "float"), (4, "turn-after-freeze"), (7, "result-for-no-call"),
        (8, "time-backwards"),
    ]  # fmt: skip


def test_time_begins_with_the_first_line_and_again_after_a_fault(tmp_path: Path) -> None:
    """A clock that stands at zero goes nowhere back from where nothing was read."""
    lines = lines_of({"t": 0}, {"t": 0}, {"t": 5})
    path = rewrite(tmp_path / "a", content([*lines, b"oops", *lines_of({"t": 0}, {"t": 5}, {"t": 0})]))
    assert [(one.line, one.code) for one in verify(path)] == [(4, "not-a-line"), (7, "time-backwards")]


@pytest.mark.parametrize("kind", DATA)
def test_a_payload_that_is_no_object_happened_to_nobody(tmp_path: Path, kind: str) -> None:
    lines = lines_of(*({"kind": kind, "data": data} for data in ([BARE], "x", None, 1)))
    found = [(one.line, one.code) for one in verify(rewrite(tmp_path / "a", content(lines)))]
    assert found == [(line, "envelope-field") for line in (1, 2, 3, 4)]


def test_a_line_at_fault_that_does_not_read_tells_no_time(tmp_path: Path) -> None:
    odd: tuple[Plain, ...] = ({"run": "nobody"}, {"t": -1}, {"data": [BARE]}, {"kind": "dug"}, {"v": 3})
    for broken in odd:
        late: Plain = {"t": 9000}
        lines = lines_of({"t": 5}, late | broken, {"t": 6})
        found = [(one.line, one.severity) for one in verify(rewrite(tmp_path / "a", content(lines)))]
        told = [(2, Severity.fault), *([(3, Severity.note)] if "kind" in broken else [])]
        assert found == told, broken
