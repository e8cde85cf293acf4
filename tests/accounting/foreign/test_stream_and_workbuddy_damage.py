"""What damage to a `claude -p` stream or a WorkBuddy transcript may change, as properties that hold for both.

A line that is damaged costs what it alone holds. A second copy of a line, what is glued, blank or unknown between
lines changes nothing but places. Cut anywhere, a file reads as its whole lines do. Whatever stands in a file, reading
it ends, and gives an answer that travels.
"""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct, structs

from accounting.foreign import Session, sessions
from accounting.foreign.registry import readers
from accounting.foreign.sample import take_sample
from accounting.views.rounds import rounds
from tests.accounting.foreign import test_claude_stream as stream
from tests.accounting.foreign import test_workbuddy as buddy
from tests.accounting.foreign.wrecks import SOAK
from wire import RoundsAnswer, decode, encode
from wire.answer.rounds import Outcome
from wire.scalars import Json

Lines = list[dict[str, Any]]

FEW = settings(max_examples=1_000 if SOAK else 40)


class Format(Struct, frozen=True):
    """One of the two formats: its reader, and how sessions of it are made up."""

    agent: str
    script: Callable[[st.DrawFn], Lines]

    def lines(self) -> st.SearchStrategy[Lines]:
        return _drawn(self.script)


@st.composite
def _drawn(draw: st.DrawFn, script: Callable[[st.DrawFn], Lines]) -> Lines:
    return script(draw)


SHAPES = st.lists(st.lists(st.sampled_from(("t", "k", "c", "c", "C")), min_size=1, max_size=4), min_size=1, max_size=4)
"""Requests by what their rows are: t for text, k for thinking, c for a call; one without an answer is C."""


def _stream(draw: st.DrawFn) -> Lines:
    events: Lines = [{**stream.init(), "uuid": "i"}]
    for number, shapes in enumerate(draw(SHAPES)):
        side = draw(st.sampled_from([None, None, "side"]))
        name = f"m{number}"
        waiting: list[str] = []
        for index, shape in enumerate(shapes):
            block = {
                "t": stream.text(f"words {number}.{index}"),
                "k": {"type": "thinking", "thinking": f"hm {number}.{index}", "signature": "s"},
            }.get(shape) or stream.call(f"c{number}.{index}", command=f"run {index}", ratio=0.5)
            uuid = f"u{number}.{index}"
            events.append(stream.replies(name, block, output=3 + index, of=side, uuid=uuid))
            waiting += [f"c{number}.{index}"] if shape == "c" else []
            early = draw(st.booleans())
            if waiting and early:
                call = waiting.pop(0)
                events.append({**stream.answers(call, f"out {call}", of=side), "uuid": f"a{call}"})
        for call in waiting:
            events.append({**stream.answers(call, "Exit code 3", of=side, is_error=True), "uuid": f"a{call}"})
    if draw(st.booleans()):
        events.append(stream.result(total_cost_usd=0.5, uuid="end"))
    return events


def _buddy(draw: st.DrawFn) -> Lines:
    rows = buddy.Rows()
    rows.says("<user_query>begin</user_query>")
    for number, shapes in enumerate(draw(SHAPES)):
        name = f"m{number}"
        waiting: list[str] = []
        raw = buddy.tokens(10 + number, 3, cached_tokens=number, credit=0.25)
        for index, shape in enumerate(shapes):
            usage = raw if index + 1 == len(shapes) else None
            match shape:
                case "t":
                    rows.replies(name, f"words {number}.{index}", usage)
                case "k":
                    rows.thinks(name, f"hm {number}.{index}")
                case _:
                    rows.calls(name, f"c{number}.{index}", usage, given=f'{{"command": "run {index}", "ratio": 0.5}}')
                    waiting += [f"c{number}.{index}"] if shape == "c" else []
        for call in waiting:
            rows.answers(call, f"out {call}", {"rawResponse": {"exitCode": draw(st.sampled_from([0, 2]))}})
        if draw(st.booleans()):
            rows.says(f"and then {number}")
    return rows.rows


FORMATS = [Format("claude_stream", _stream), Format("workbuddy", _buddy)]
both = pytest.mark.parametrize("form", FORMATS, ids=[form.agent for form in FORMATS])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("damage")


def encoded(lines: Lines) -> list[bytes]:
    return [json.dumps(line, separators=(",", ":")).encode() for line in lines]


def read_bytes(form: Format, folder: Path, data: bytes) -> list[Session]:
    path = folder / f"{buddy.SESSION}.jsonl"
    path.write_bytes(data)
    return list(sessions(path, form.agent))


def read(form: Format, folder: Path, lines: list[bytes]) -> list[Session]:
    return read_bytes(form, folder, b"".join(line + b"\n" for line in lines))


def records(found: list[Session]) -> list[object]:
    return [session.records for session in found]


def answer(session: Session) -> RoundsAnswer:
    """The answer, once it is sure that it holds together."""
    folded = rounds(session.records, session.run)
    assert folded.problems == ()
    assert decode(encode(folded.answer), RoundsAnswer) == folded.answer
    assert len(session.places) == len(session.records)
    assert len(session.outline.turns) == len(folded.answer.turns) == session.report.totals.requests
    assert [record.seq for record in session.records] == list(range(len(session.records)))
    return folded.answer


@both
@FEW
@given(data=st.data())
def test_a_line_told_twice_counts_once(form: Format, folder: Path, data: st.DataObject) -> None:
    once = encoded(data.draw(form.lines()))
    index = data.draw(st.integers(0, len(once) - 1))
    at = data.draw(st.integers(index + 1, len(once)))
    again = read(form, folder, [*once[:at], once[index], *once[at:]])
    whole = read(form, folder, once)
    if b'"subtype":"init"' in once[index] or b'"type":"result"' in once[index]:
        assert [one.report.totals for one in again] == [one.report.totals for one in whole]
    else:
        assert records(again) == records(whole)


@both
@FEW
@given(data=st.data())
def test_glued_lines_are_told_apart(form: Format, folder: Path, data: st.DataObject) -> None:
    once = encoded(data.draw(form.lines()))
    index = data.draw(st.integers(1, len(once) - 1))
    glued = [*once[: index - 1], once[index - 1] + once[index], *once[index + 1 :]]
    assert records(read(form, folder, glued)) == records(read(form, folder, once))


JUNK = st.sampled_from(
    [b"", b" ", b"null", b"[1,2]", b'"x"', b"3", b"warn: x", b"\0\0", b'{"type":"new","id":"x"}', b"{"]
)


@both
@FEW
@given(data=st.data(), junk=st.lists(st.tuples(st.integers(0, 40), JUNK), max_size=5))
def test_what_stands_between_lines_changes_nothing(
    form: Format, folder: Path, data: st.DataObject, junk: list[tuple[int, bytes]]
) -> None:
    once = encoded(data.draw(form.lines()))
    mixed = list(once)
    for at, line in junk:
        mixed.insert(min(at, len(mixed)), line)
    assert records(read(form, folder, mixed)) == records(read(form, folder, once))


@both
@FEW
@given(data=st.data())
def test_cut_anywhere_it_reads_as_its_whole_lines(form: Format, folder: Path, data: st.DataObject) -> None:
    once = encoded(data.draw(form.lines()))
    everything = b"".join(line + b"\n" for line in once)
    kept = everything[: data.draw(st.integers(1, len(everything)))]
    complete = [line for line in kept.split(b"\n") if line in once]
    assert records(read_bytes(form, folder, kept)) == records(read(form, folder, complete))


@both
@FEW
@given(data=st.data())
def test_a_row_behind_a_torn_one_is_recovered(form: Format, folder: Path, data: st.DataObject) -> None:
    once = encoded(data.draw(form.lines()))
    index = data.draw(st.integers(0, len(once) - 1))
    cut = data.draw(st.integers(0, len(once[index]) - 1))
    torn = once[index][:cut] + b"".join(once[index + 1 : index + 2])
    again = read(form, folder, [*once[:index], torn, *once[index + 2 :]])
    assert records(again) == records(read(form, folder, [*once[:index], *once[index + 1 :]]))


@both
@FEW
@given(data=st.data())
def test_in_any_order_the_figures_stand(form: Format, folder: Path, data: st.DataObject) -> None:
    once = encoded(data.draw(form.lines()))
    mixed = data.draw(st.permutations(once))

    def figures(found: list[Session]) -> list[object]:
        for session in found:
            answer(session)
        # How figures were obtained is of the order too: reasoning may not be with its request.
        return list[object](sorted(str(structs.replace(one.report.totals, spent=None)) for one in found))

    assert figures(read(form, folder, mixed)) == figures(read(form, folder, once))


@both
@FEW
@given(data=st.data())
def test_a_growing_file_only_adds(form: Format, folder: Path, data: st.DataObject) -> None:
    once = encoded(data.draw(form.lines()))
    cut = data.draw(st.integers(1, len(once)))
    part = {session.run: answer(session) for session in read(form, folder, once[:cut])}
    whole = {session.run: answer(session) for session in read(form, folder, once)}
    for run, before in part.items():
        after = whole[run]
        assert len(before.turns) <= len(after.turns)
        for early, late in zip(before.turns, after.turns, strict=False):
            assert (early.said or "") in (late.said or "")
            assert len(early.calls) <= len(late.calls)
            for asked, made in zip(early.calls, late.calls, strict=False):
                assert (asked.tool, asked.arguments) == (made.tool, made.arguments)
                assert asked.outcome in (Outcome.waiting, made.outcome)


ODDITIES: list[Json] = [None, True, 0, -1, 2**63, 2**64, 10**30, 1e300, "", "x", "\ud800", "1" * 50, "<user_query>"]
EMPTY: list[Json] = []
ODD: st.SearchStrategy[Json] = st.sampled_from([*ODDITIES, EMPTY, [EMPTY], [None], {}, {"a": EMPTY}])


def _paths(value: Json, at: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    found = [at] if at else []
    if isinstance(value, dict):
        for key, inner in value.items():
            found += _paths(inner, (*at, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            found += _paths(inner, (*at, index))
    return found


def _put(value: Any, path: tuple[Any, ...], odd: Json) -> None:
    for key in path[:-1]:
        value = value[key]
    value[path[-1]] = copy.deepcopy(odd)


@both
@settings(max_examples=3_000 if SOAK else 120)
@given(data=st.data())
def test_a_wrong_value_anywhere_costs_only_itself(form: Format, folder: Path, data: st.DataObject) -> None:
    lines: list[Json] = [*data.draw(form.lines())]
    for _ in range(data.draw(st.integers(1, 3))):
        paths = _paths(lines)
        _put(lines, data.draw(st.sampled_from(paths)), data.draw(ODD))
    for session in read(form, folder, [json.dumps(line).encode() for line in lines]):
        answer(session)
    sample = take_sample(folder / f"{buddy.SESSION}.jsonl")
    for reader in readers():
        if reader.name == form.agent:
            reader.recognise(sample)
            list(reader.find(sample.path, sample))


@both
def test_null_in_every_place(form: Format, folder: Path) -> None:
    fixture = stream.FIXTURE if form.agent == "claude_stream" else buddy.FIXTURE
    lines = [json.loads(line) for line in fixture.read_bytes().split(b"\n") if line.startswith(b"{")]
    for path in _paths(lines):
        if len(path) < 2:
            continue
        changed = copy.deepcopy(lines)
        _put(changed, path, None)
        for session in read(form, folder, encoded(changed)):
            answer(session)


@both
@FEW
@given(data=st.data(), noise=st.lists(st.tuples(st.integers(0, 100_000), st.integers(0, 255)), min_size=1, max_size=8))
def test_bytes_of_any_kind(form: Format, folder: Path, data: st.DataObject, noise: list[tuple[int, int]]) -> None:
    spoilt = bytearray(b"\n".join(encoded(data.draw(form.lines()))))
    for at, byte in noise:
        spoilt[at % len(spoilt)] = byte
    for session in read_bytes(form, folder, bytes(spoilt)):
        answer(session)


@both
def test_nothing_and_noise(form: Format, folder: Path) -> None:
    for data in (
        b"",
        b"\n",
        b"\0" * 100,
        b"{",
        b"[",
        b"[]",
        b"{}",
        b"[{}]",
        b"\xff\xfe",
        b"[" * 5_000,
        b'{"a":' * 5_000,
    ):
        for session in read_bytes(form, folder, data):
            answer(session)
