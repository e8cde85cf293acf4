"""What damage to a Codex rollout may change, as properties.

What the rules allow: a damaged line costs what it alone holds. A second copy of a line, what is glued, blank or unknown
between lines changes nothing but places. As a file grows, the requests that were closed by a count stand; what the last
one holds may still grow, and a call may be answered.
"""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from accounting.foreign import Session
from accounting.foreign.codex import READER
from accounting.foreign.codex_exec import READER as EXEC
from accounting.foreign.sample import take_sample
from accounting.foreign.session import Source
from accounting.ledger.writing import Draft
from accounting.ledger.writing.check_draft import check_draft
from tests.accounting.foreign.codex_files import FIXTURES, NAME, TREE, Lines, answer, read, scripts
from tests.accounting.foreign.wrecks import SOAK
from wire import decode, encode
from wire.answer.rounds import Outcome, RoundsAnswer
from wire.record.kinds import Kind
from wire.scalars import Json

MANY = settings(max_examples=5_000 if SOAK else 120)
FEW = settings(max_examples=2_000 if SOAK else 40)
WHOLE = [*sorted(FIXTURES.glob("*.jsonl")), *sorted(TREE.iterdir())]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("codex")


def encoded(lines: Lines) -> list[bytes]:
    return [json.dumps(line, separators=(",", ":")).encode() for line in lines]


def read_bytes(folder: Path, data: bytes) -> Session:
    path = folder / NAME
    path.write_bytes(data)
    return read(path)


def read_lines(folder: Path, lines: list[bytes]) -> Session:
    return read_bytes(folder, b"".join(line + b"\n" for line in lines))


def sound(session: Session) -> None:
    """Whatever was read: records in order with a place each, payloads as they may be, an answer that travels."""
    assert [record.seq for record in session.records] == list(range(len(session.records)))
    assert len(session.places) == len(session.records)
    for record in session.records:
        data = {"model": "", **record.data} if record.kind == Kind.model_called else record.data
        check_draft(
            Draft(run=record.run, who="codex", kind=record.kind, data=data, t=record.t, v=1 if record.v == 1 else 2),
            0,
            0,
        )
    waiting: dict[object, int] = {}
    for record in session.records:
        json.dumps(record.data, ensure_ascii=False).encode()
        if record.kind == Kind.tool_called:
            waiting[record.data["id"]] = waiting.get(record.data["id"], 0) + 1
    told = answer(session)
    assert decode(encode(told), RoundsAnswer) == told
    assert [standing.number for standing in session.outline.turns] == [turn.number for turn in told.turns]
    assert sum(len(turn.calls) for turn in told.turns) == sum(waiting.values())
    counted = [turn.used.input for turn in told.turns if turn.used is not None]
    assert session.report.totals.input == (sum(counted) if counted else None)


@pytest.mark.parametrize("path", WHOLE, ids=lambda path: path.name[-20:])
def test_cut_anywhere_it_reads_as_its_whole_lines(folder: Path, path: Path) -> None:
    data = path.read_bytes()
    name = "codex_exec" if path.name == "exec.jsonl" else "codex"
    reader = EXEC if name == "codex_exec" else READER
    known: dict[int, tuple[object, ...]] = {}
    step = 1 if SOAK else 7
    for cut in (*range(0, len(data), step), len(data)):
        target = folder / path.name
        target.write_bytes(data[:cut])
        reader.recognise(take_sample(target))
        (session,) = reader.read(Source(agent=name, path=target))
        whole = data[:cut].count(b"\n") + (data[cut : cut + 1] == b"\n")
        seen = known.setdefault(whole, session.records)
        assert session.records == seen
        assert session.report.rows == whole
        torn = cut and data[cut - 1 : cut] != b"\n" and data[cut : cut + 1] != b"\n" and cut != len(data)
        assert [damage.code.value for damage in session.report.damage] == (["torn-tail"] if torn else [])
        sound(session)


@FEW
@given(scripts(), st.data())
def test_a_line_told_twice_counts_once(folder: Path, lines: Lines, data: st.DataObject) -> None:
    once = encoded(lines)
    whole = read_lines(folder, once)
    index = data.draw(st.integers(0, len(once) - 1))
    at = data.draw(st.integers(index + 1, len(once)))
    again = read_lines(folder, [*once[:at], once[index], *once[at:]])
    assert again.records == whole.records
    assert again.outline.turns == whole.outline.turns
    assert [damage.code.value for damage in again.report.damage] == ["repeated-row"]


@FEW
@given(scripts(), st.data())
def test_glued_lines_are_told_apart(folder: Path, lines: Lines, data: st.DataObject) -> None:
    once = encoded(lines)
    whole = read_lines(folder, once)
    index = data.draw(st.integers(1, len(once) - 1))
    again = read_lines(folder, [*once[: index - 1], once[index - 1] + once[index], *once[index + 1 :]])
    assert again.records == whole.records
    assert [damage.code.value for damage in again.report.damage] == ["glued"]


@FEW
@given(scripts(), st.data())
def test_a_row_behind_a_torn_one_is_recovered(folder: Path, lines: Lines, data: st.DataObject) -> None:
    once = encoded(lines)
    index = data.draw(st.integers(1, len(once) - 1))
    torn = once[index - 1][: data.draw(st.integers(1, len(once[index - 1]) - 1))]
    again = read_lines(folder, [*once[: index - 1], torn + once[index], *once[index + 1 :]])
    without = read_lines(folder, [*once[: index - 1], *once[index:]])
    assert again.records == without.records


JUNK = st.sampled_from(
    [
        b"",
        b"  ",
        b"null",
        b"[1,2]",
        b'"text"',
        b"{",
        b"\0\0\0",
        b"\xff\xfe",
        b'{"type":"novelty","payload":{"a":1}}',
        b'{"type":"event_msg","payload":{"type":"novelty"}}',
        b'{"type":"event_msg","payload":null}',
        b'{"type":"event_msg","payload":"text"}',
        b'{"type":"response_item","payload":{"type":"ghost_snapshot"}}',
        b'{"type":"world_state","payload":{"a":"\\ud800"}}',
    ]
)


@FEW
@given(scripts(), st.data())
def test_junk_between_lines_changes_nothing(folder: Path, lines: Lines, data: st.DataObject) -> None:
    once = encoded(lines)
    at = data.draw(st.integers(1, len(once)))
    again = read_lines(folder, [*once[:at], data.draw(JUNK), *once[at:]])
    assert again.records == read_lines(folder, once).records


VALUES: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, 0, -1, 1.5, 2**70, "", "text", "\ud800", [], [1], [None], [{}], {}, {"a": 1}, {"type": "x", "text": 1}]
)


def _spots(value: Json) -> Iterator[tuple[Any, Any]]:
    """Every place inside a row that holds a value."""
    inside: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        inside = list(value.items())
    elif isinstance(value, list):
        inside = list(enumerate(value))
    for key, inner in inside:
        yield value, key
        yield from _spots(inner)


@MANY
@given(st.sampled_from(WHOLE), st.data())
def test_a_field_of_any_type_costs_no_more_than_its_row(folder: Path, path: Path, data: st.DataObject) -> None:
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    for _ in range(data.draw(st.integers(1, 3))):
        spots = list(_spots(rows[data.draw(st.integers(0, len(rows) - 1))]))
        within, key = data.draw(st.sampled_from(spots))
        within[key] = copy.deepcopy(data.draw(VALUES))
    name = "codex_exec" if path.name == "exec.jsonl" else "codex"
    target = folder / path.name
    target.write_text("".join(json.dumps(row) + "\n" for row in rows))
    reader = EXEC if name == "codex_exec" else READER
    reader.recognise(take_sample(target))
    (session,) = reader.read(Source(agent=name, path=target))
    sound(session)
    before = answer(next(reader.read(Source(agent=name, path=path))))
    after = answer(session)
    assert abs(len(after.turns) - len(before.turns)) <= 6


@MANY
@given(st.sampled_from(WHOLE), st.binary(max_size=6), st.data())
def test_bytes_of_any_kind_anywhere(folder: Path, path: Path, junk: bytes, data: st.DataObject) -> None:
    whole = path.read_bytes()
    at = data.draw(st.integers(0, len(whole)))
    gone = data.draw(st.integers(0, 8))
    target = folder / path.name
    target.write_bytes(whole[:at] + junk + whole[at + gone :])
    for name, reader in (("codex", READER), ("codex_exec", EXEC)):
        reader.recognise(take_sample(target))
        (session,) = reader.read(Source(agent=name, path=target))
        sound(session)


@FEW
@given(st.sampled_from(WHOLE), st.randoms(use_true_random=False))
def test_lines_in_any_order_are_read(folder: Path, path: Path, order: Any) -> None:
    rows = path.read_bytes().splitlines(keepends=True)
    order.shuffle(rows)
    target = folder / path.name
    target.write_bytes(b"".join(rows))
    name, reader = ("codex_exec", EXEC) if path.name == "exec.jsonl" else ("codex", READER)
    (session,) = reader.read(Source(agent=name, path=target))
    sound(session)
    before = next(reader.read(Source(agent=name, path=path))).report.totals
    assert session.report.totals.calls == before.calls


@FEW
@given(scripts(), st.data())
def test_a_growing_file_keeps_what_was_counted(folder: Path, lines: Lines, data: st.DataObject) -> None:
    once = encoded(lines)
    cut = data.draw(st.integers(1, len(once)))
    early, late = (answer(read_lines(folder, part)).turns for part in (once[:cut], once))
    for then, now in zip(early, late, strict=False):
        if then.used is None:
            continue
        assert structs.replace(now, opened=then.opened, calls=(), notes=()) == structs.replace(then, calls=(), notes=())
        for call, later in zip(then.calls, now.calls, strict=True):
            if call.outcome is not Outcome.waiting:
                assert (later.subject, later.exit_code) == (call.subject, call.exit_code)


def test_an_empty_file_and_a_deep_one(folder: Path) -> None:
    assert read_bytes(folder, b"").records == ()
    assert EXEC.recognise(take_sample(folder / NAME)) == READER.recognise(take_sample(folder / NAME)) == 0.0
    deep = '{"a":' * 3000 + "1" + "}" * 3000
    arguments = json.dumps(deep)
    row = '{"timestamp":"2026-03-01T08:00:00Z","type":"response_item","payload":{"type":"function_call","name":"x",'
    for args in (deep, arguments):
        session = read_bytes(folder, f'{row}"call_id":"c","arguments":{args}}}}}\n'.encode())
        assert session.report.totals.calls == 1
        sound(session)


@pytest.mark.soak
def test_a_line_of_50_mb(folder: Path) -> None:
    text = "x" * 50_000_000
    row = {"type": "function_call_output", "call_id": "c", "output": text}
    call = {"type": "function_call", "call_id": "c", "name": "shell", "arguments": "{}"}
    lines = [{"timestamp": "2026-03-01T08:00:00Z", "type": "response_item", "payload": part} for part in (call, row)]
    session = read_lines(folder, encoded(lines))
    assert session.report.totals.answered == 1
    assert session.report.damage == ()
