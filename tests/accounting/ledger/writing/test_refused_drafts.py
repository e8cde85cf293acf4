"""What is no line is refused before anything is written, with the draft, the place, what was expected and found."""

import tempfile
from collections.abc import Generator
from decimal import Decimal
from enum import IntEnum
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw, json

from accounting.conformance.strategies import RUNS
from accounting.conformance.strategies.payloads import JUNK
from accounting.conformance.strategies.payloads import payloads as pooled
from accounting.ledger import check
from accounting.ledger.checking import RULES
from accounting.ledger.writing import Draft, DraftError, LedgerWriter, WriteError
from tests.accounting.ledger.writing.places import whole
from tests.accounting.ledger.writing.plain import noted
from tests.accounting.ledger.writing.systems import QUICK
from wire import PAYLOADS, Retry
from wire.error import ErrorCode
from wire.scalars import NIL_RUN

Json = Any
GOOD: dict[str, Json] = {"run": NIL_RUN, "who": "city", "kind": "session_named", "data": {}}


class Word(str):
    """A string that the encoder does not take for one."""

    __slots__ = ()


class Whole(int):
    """An integer of a kind of its own."""


class Count(IntEnum):
    one = 1


class Cyclic:
    """A value whose text is of no use."""

    def __repr__(self) -> str:
        return "x\udc80" * 100


def nested(containers: int, *, lists: bool = False) -> dict[str, Json]:
    """An object so many containers deep."""
    value: Json = 1
    for _ in range(containers - 1):
        value = [value] if lists else {"a": value}
    return {"a": value}


def endless() -> dict[str, Json]:
    value: dict[str, Json] = {}
    value["again"] = [value]
    return value


@pytest.fixture
def writer(tmp_path: Path) -> Generator[LedgerWriter]:
    with LedgerWriter(tmp_path / "ledger", system=QUICK) as writer:
        writer.append(noted("first"))
        yield writer


def refused(writer: LedgerWriter, **fields: Json) -> DraftError:
    before = whole(writer.directory)
    with pytest.raises(DraftError) as caught:
        writer.append(noted("a"), noted("b"), Draft(**(GOOD | fields)), noted("c"))
    assert whole(writer.directory) == before
    error = caught.value
    assert error.index == 2
    assert error.code is ErrorCode.E_INVALID_ARGS
    told = f"draft 2: {error.where}: expected {error.expected}, found {error.found}; nothing of the group was written"
    assert str(error) == told
    assert len(told.encode()) < 500
    (record,) = writer.append(noted("d"))
    assert record.seq == 1
    return error


ENVELOPES: Json = [
    ("v", {"v": 0}, "1 or 2", "0 (int)"),
    ("v", {"v": 3}, "1 or 2", "3 (int)"),
    ("v", {"v": True, "kind": "tool_called"}, "1 or 2", "True (bool)"),
    ("v", {"v": 2.0}, "1 or 2", "2.0 (float)"),
    ("v", {"v": 1}, "2, for only the four kinds that record their own moment can lack it", "1 (int)"),
    ("v", {"v": 1, "kind": "brand_new", "ig": True}, None, "1 (int)"),
    ("run", {"run": RUNS[0].upper()}, "a hyphenated lower-case uuid", f"'{RUNS[0].upper()}' (str)"),
    ("run", {"run": RUNS[0] + "\n"}, None, None),
    ("run", {"run": Word(RUNS[0])}, None, f"'{RUNS[0]}' (Word)"),
    ("run", {"run": None}, None, "None (NoneType)"),
    ("who", {"who": ""}, "`city`, `person` or an Address", "'' (str)"),
    ("who", {"who": "/etc"}, None, None),
    ("who", {"who": "a "}, None, "'a ' (str)"),
    ("who", {"who": "a\ud800"}, None, "'a\\ud800' (str)"),
    ("addr", {"addr": "\udc80"}, None, None),
    ("addr", {"addr": ""}, "an Address", "'' (str)"),
    ("addr", {"addr": "a/../b"}, None, None),
    ("addr", {"addr": 3}, None, "3 (int)"),
    ("kind", {"kind": ""}, "a snake_case word", "'' (str)"),
    ("kind", {"kind": "Session_named"}, "a snake_case word", None),
    ("kind", {"kind": "session_named\n", "ig": True}, "a snake_case word", None),
    ("kind", {"kind": "a__b", "ig": True}, "a snake_case word", None),
    ("kind", {"kind": ["session_named"]}, "a snake_case word", "['session_named'] (list)"),
    ("kind", {"kind": "brand_new"}, "a kind of ledger.md 3, or `ig` so that a reader may skip the line", None),
    ("ig", {"ig": True}, "false, for every reader knows session_named", "True (bool)"),
    ("ig", {"ig": 1, "kind": "brand_new"}, "true or false", "1 (int)"),
    ("t", {"t": -1}, "whole milliseconds, 0..2^64-1", "-1 (int)"),
    ("t", {"t": 2**64}, None, None),
    ("t", {"t": 1.5}, None, "1.5 (float)"),
    ("t", {"t": True}, None, "True (bool)"),
    ("data", {"data": []}, "an object", "[] (list)"),
    ("data", {"data": None}, "an object", "None (NoneType)"),
    ("data", {"data": Raw(b"{}")}, "an object", None),
]
VALUES: Json = [
    (1.0, "an integer or a string: a ledger holds no floats", "1.0 (float)"),
    (-0.0, "an integer or a string: a ledger holds no floats", "-0.0 (float)"),
    (float("nan"), "an integer or a string: a ledger holds no floats", "nan (float)"),
    (2**64, "an integer that fits i64 or u64", "18446744073709551616 (int)"),
    (-(2**63) - 1, "an integer that fits i64 or u64", "-9223372036854775809 (int)"),
    (10**70, "an integer that fits i64 or u64", f"1{'0' * 59}… (int)"),
    pytest.param(10**5000, "an integer that fits i64 or u64", None, id="thousands of digits"),
    ((1, 2), "a JSON value: dict, list, str, int, bool or None", "(1, 2) (tuple)"),
    (b"x", "a JSON value: dict, list, str, int, bool or None", "b'x' (bytes)"),
    ({1}, "a JSON value: dict, list, str, int, bool or None", "{1} (set)"),
    (Decimal(1), "a JSON value: dict, list, str, int, bool or None", "Decimal('1') (Decimal)"),
    (Raw(b"1"), "a JSON value: dict, list, str, int, bool or None", None),
    (Whole(3), "a JSON value: dict, list, str, int, bool or None", "3 (Whole)"),
    (Count.one, "a JSON value: dict, list, str, int, bool or None", None),
    (Cyclic(), "a JSON value: dict, list, str, int, bool or None", None),
    (Word("x"), "a plain string", "'x' (Word)"),
    ("\ud800", "both halves of a surrogate pair", "'\\ud800' (str)"),
    ("é\udfff\U0001f600", "both halves of a surrogate pair", None),
]


@pytest.mark.parametrize(("where", "fields", "expected", "found"), ENVELOPES)
def test_envelopes(
    writer: LedgerWriter, where: str, fields: dict[str, Json], expected: str | None, found: str | None
) -> None:
    error = refused(writer, **fields)
    assert error.where == where
    assert expected in (None, error.expected)
    assert found in (None, error.found)


@pytest.mark.parametrize(("value", "expected", "found"), VALUES)
def test_values(writer: LedgerWriter, value: Json, expected: str, found: str | None) -> None:
    error = refused(writer, data={"a": 1, "b": [0, {"c d": value}]})
    assert (error.where, error.expected) == ("data.b[1].c d", expected)
    assert found in (None, error.found)


@pytest.mark.parametrize(
    ("data", "where", "expected", "found"),
    [
        ({1: 2}, "data", "a string as key", "1 (int)"),
        ({"a": {None: 2}}, "data.a", "a string as key", "None (NoneType)"),
        ({"a": {b"x": 2}}, "data.a", "a string as key", "b'x' (bytes)"),
        ({"a": {Word("x"): 2}}, "data.a", "a plain string", "'x' (Word)"),
        ({"a": [{"\udc80": 2}]}, "data.a[0]", "both halves of a surrogate pair", "'\\udc80' (str)"),
        ({"k" * 100: 0.5}, f"data.{'k' * 60}…", None, "0.5 (float)"),
        (nested(127), "data" + ".a" * 98 + "…", "at most 126 containers inside each other", "one more"),
        (
            nested(127, lists=True),
            "data.a" + "[0]" * 64 + "[0…",
            "at most 126 containers inside each other",
            "one more",
        ),
    ],
)
def test_objects(writer: LedgerWriter, data: Json, where: str, expected: str | None, found: str) -> None:
    error = refused(writer, data=data)
    assert (error.where, error.found) == (where, found)
    assert expected in (None, error.expected)


def test_an_object_inside_itself(writer: LedgerWriter) -> None:
    assert refused(writer, data=endless()).expected == "at most 126 containers inside each other"


@pytest.mark.parametrize("lists", [True, False])
def test_what_is_just_allowed(writer: LedgerWriter, lists: bool) -> None:
    data: dict[str, Json] = {"deep": nested(125, lists=lists), "least": -(2**63), "most": 2**64 - 1}
    data |= {"": "\x00\U0001f600", "word": Retry.yes, Retry.no: True}
    (record,) = writer.append(Draft(run=NIL_RUN, who="city", kind="session_named", data=data))
    assert json.decode(record.data) == json.decode(json.encode(data))
    assert check(writer.directory).conforms


@pytest.mark.parametrize(
    ("kind", "data", "where", "expected", "found"),
    [
        ("model_called", {"model": 1, "segments": []}, "data.model", "`str`", "1 (int)"),
        ("model_called", {"model": "m"}, "data", None, "{'model': 'm'} (dict)"),
        ("model_called", {"model": "m", "segments": ["x"]}, "data.segments[0]", None, "'x' (str)"),
        ("log_truncated", {"dropped_bytes": True}, "data.dropped_bytes", "`int`", "True (bool)"),
        ("log_truncated", {"dropped_bytes": -1}, "data.dropped_bytes", "`int` >= 0", "-1 (int)"),
        ("log_truncated", {"dropped_bytes": None}, "data.dropped_bytes", "`int`", "None (NoneType)"),
        (
            "run_started",
            {"effort": "most"},
            "data.effort",
            "a payload of run_started (Invalid enum value 'most')",
            "'most' (str)",
        ),
        ("watchdog_fired", {"action": "bark"}, "data.action", None, "'bark' (str)"),
        ("tool_result", {"tool_use_id": "a", "name": "b"}, "data", None, None),
        (
            "model_returned",
            {"message": {"content": [{"kind": "text", "text": 1}]}, "calls": 0},
            "data.message.content[0].text",
            "`str`",
            "1 (int)",
        ),
        ("checkpoint_committed", {"oid": "x"}, "data", "a payload of checkpoint_committed", None),
        ("provider_degraded", {}, "data", "a payload of provider_degraded", None),
        (
            "tool_called",
            {"id": "", "name": "", "args": {}, "effect": {"write": {"domain": "/"}}},
            "data.effect.write.domain",
            None,
            "'/' (str)",
        ),
    ],
)
def test_payloads_that_do_not_read_as_their_kind(
    writer: LedgerWriter, kind: str, data: Json, where: str, expected: str | None, found: str | None
) -> None:
    error = refused(writer, kind=kind, data=data)
    assert error.where == where
    assert expected in (None, error.expected)
    assert found in (None, error.found)


def test_a_clock_that_gives_no_time(tmp_path: Path) -> None:
    with LedgerWriter(tmp_path / "ledger", now=lambda: -1, system=QUICK) as writer:
        with pytest.raises(DraftError, match="t: expected a clock that gives whole milliseconds"):
            writer.append(noted("a"))
        (record,) = writer.append(Draft(run=NIL_RUN, who="city", kind="session_named", data={}, t=3))
    assert record.t == 3


@st.composite
def trouble(draw: st.DrawFn) -> Draft:
    """Draw a draft that may be wrong anywhere."""
    kind = draw(st.sampled_from([*PAYLOADS, "session_named", "brand_new", "Bad"]))
    data = draw(pooled(kind, floats=draw(st.booleans())))
    fields: dict[str, Json] = {"v": draw(st.sampled_from([1, 2])), "ig": draw(st.booleans()), "t": 5}
    if draw(st.integers(0, 3)) == 0:
        fields[draw(st.sampled_from(["v", "run", "who", "addr", "t", "ig", "data"]))] = draw(
            st.sampled_from([one for one in JUNK if not callable(one)])
        )
    whole_draft: Json = {"run": RUNS[0], "who": "hall", "kind": kind, "data": data} | fields
    return Draft(**whole_draft)


@pytest.mark.invariant("W4")
@given(st.lists(trouble(), max_size=4))
def test_what_is_not_refused_is_in_order(group: list[Draft]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        with LedgerWriter(Path(folder) / "ledger", system=QUICK) as writer:
            for draft in group:
                before = whole(writer.directory)
                try:
                    writer.append(draft)
                except DraftError:
                    assert whole(writer.directory) == before
        report = check(Path(folder) / "ledger")
    assert report.conforms, report.findings
    assert "payload-shape" not in {finding.code for finding in report.findings}


def test_every_fault_that_a_draft_can_have_is_refused() -> None:
    # What is left to a writer's own care: the numbers, the chain, the spelling and the files.
    own = {"not-a-line", "chain-break", "seq-gap", "bad-utf8", "repeated-key", "unknown-key", "unsorted-keys"}
    own |= {"not-canonical", "unended-segment", "other-end"}
    drafts = {"version-ahead", "not-a-version", "unknown-kind", "lone-surrogate", "envelope-field", "float"}
    drafts |= {"integer-range", "too-deep"}
    assert {rule.code for rule in RULES if rule.severity == "fault"} == own | drafts


def test_errors_have_one_base_and_code_words() -> None:
    assert {error.__name__: error.code.value for error in WriteError.__subclasses__()} == {
        "LedgerHeldError": "E_LEDGER_HELD",
        "UnprovenLedgerError": "E_HISTORY_UNPROVEN",
        "DraftError": "E_INVALID_ARGS",
        "AppendError": "E_STORAGE_FATAL",
        "WriterUnusableError": "E_STORAGE_FATAL",
    }
