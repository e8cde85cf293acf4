"""What damage to a Claude Code session file may change, as properties.

What the rules allow: a line that is damaged costs what it alone holds. A second copy of a line, what is glued, blank or
unknown between lines changes nothing but places. Cut anywhere, the file reads as its whole lines do. Out of order,
requests, token counts and pairings stand, while times, the order of turns and what reached which turn follow the file.
As a file grows, its last turn may still grow, a call may be answered, and a person's words that reached no request yet
move on to the one they reach.
"""

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from accounting.foreign import Session
from accounting.foreign.fidelity import DamageCode
from accounting.foreign.registry import recognise
from tests.accounting.foreign.claude_files import (
    SESSION,
    Writer,
    answer,
    call,
    encoded,
    read_all,
    read_lines,
    scripts,
    text,
)
from tests.accounting.foreign.wrecks import SOAK
from wire.answer.rounds import Outcome, Turn
from wire.record.kinds import Kind
from wire.scalars import Json

Lines = list[dict[str, Any]]

# Each example reads whole files: few of them here, many in the soak.
FEW = settings(max_examples=2_000 if SOAK else 50)
FEWER = settings(max_examples=500 if SOAK else 8)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("claude")


def read_bytes(folder: Path, data: bytes) -> Session | None:
    path = folder / f"{SESSION}.jsonl"
    path.write_bytes(data)
    return next(iter(read_all(path)), None)


def read(folder: Path, lines: list[bytes]) -> Session:
    session = read_bytes(folder, b"".join(line + b"\n" for line in lines))
    assert session is not None
    return session


@FEW
@given(scripts(), st.data())
def test_a_line_told_twice_counts_once(folder: Path, lines: Lines, data: st.DataObject) -> None:
    once = encoded(lines)
    whole = read(folder, once)
    index = data.draw(st.integers(0, len(once) - 1))
    at = data.draw(st.integers(index + 1, len(once)))
    again = read(folder, [*once[:at], once[index], *once[at:]])
    assert again.records == whole.records
    assert again.outline.turns == whole.outline.turns
    assert sum(damage.count for damage in again.report.damage) == 1


@FEW
@given(scripts(), st.data())
def test_glued_lines_are_told_apart(folder: Path, lines: Lines, data: st.DataObject) -> None:
    once = encoded(lines)
    whole = read(folder, once)
    index = data.draw(st.integers(1, len(once) - 1)) if len(once) > 1 else 0
    glued = once[index - 1] + once[index] if index else once[0]
    again = read(folder, [*once[: max(index - 1, 0)], glued, *once[index + 1 :]])
    assert again.records == whole.records


JUNK = st.sampled_from(
    [
        b"",
        b"  ",
        b"null",
        b"[1,2]",
        b'"text"',
        b"3",
        b"warning: something",
        b"\0\0",
        b'{"type":"brand-new","uuid":"x"}',
        b"{",
    ]
)


@FEW
@given(scripts(), st.lists(st.tuples(st.integers(0, 40), JUNK), max_size=5))
def test_what_stands_between_lines_changes_nothing(folder: Path, lines: Lines, junk: list[tuple[int, bytes]]) -> None:
    mixed = encoded(lines)
    whole = read(folder, mixed)
    for at, line in junk:
        mixed.insert(min(at, len(mixed)), line)
    assert read(folder, mixed).records == whole.records


@FEW
@given(scripts(most=3), st.data())
def test_cut_anywhere_it_reads_as_its_whole_lines(folder: Path, lines: Lines, data: st.DataObject) -> None:
    once = encoded(lines)
    everything = b"".join(line + b"\n" for line in once)
    cut = data.draw(st.integers(1, len(everything)))
    kept = everything[:cut]
    complete = [line for line in kept.split(b"\n") if line in once]
    torn = read_bytes(folder, kept)
    assert torn is not None
    if complete:
        assert torn.records == read(folder, complete).records
    else:
        assert torn.records == ()


@FEW
@given(scripts(most=3), st.data())
def test_a_row_behind_a_torn_one_is_recovered(folder: Path, lines: Lines, data: st.DataObject) -> None:
    once = encoded(lines)
    index = data.draw(st.integers(0, len(once) - 1))
    cut = data.draw(st.integers(0, len(once[index]) - 1))
    following = once[index + 1 : index + 2]
    torn = once[index][:cut] + b"".join(following)
    without = [*once[:index], *once[index + 1 :]]
    if not without:
        return
    again = read(folder, [*once[:index], torn, *once[index + 2 :]])
    assert again.records == read(folder, without).records


def figures(session: Session) -> tuple[object, ...]:
    folded = answer(session)
    used = sorted(str((turn.used, turn.model, turn.stopped)) for turn in folded.turns)
    calls = sorted(
        str((made.tool, made.subject, made.outcome, made.exit_code)) for turn in folded.turns for made in turn.calls
    )
    return used, calls, structs.replace(session.report.totals)


@FEW
@given(scripts(), st.randoms(use_true_random=False))
def test_out_of_order_figures_and_pairings_stand(folder: Path, lines: Lines, source: random.Random) -> None:
    whole = read(folder, encoded(lines))
    shuffled = encoded(lines)
    source.shuffle(shuffled)
    assert figures(read(folder, shuffled)) == figures(whole)


@FEW
@given(scripts(), st.data())
def test_sorted_by_times_that_went_back_figures_and_pairings_stand(
    folder: Path, lines: Lines, data: st.DataObject
) -> None:
    for line in lines:
        second = data.draw(st.integers(0, 59))
        line["timestamp"] = f"2026-03-01T08:00:{second:02d}.000Z"
    whole = read(folder, encoded(lines))
    by_time = sorted(lines, key=lambda line: str(line["timestamp"]))
    assert figures(read(folder, encoded(by_time))) == figures(whole)


@FEWER
@given(scripts())
def test_a_growing_file_only_grows(folder: Path, lines: Lines) -> None:
    once = encoded(lines)
    whole = answer(read(folder, once))
    for length in range(1, len(once)):
        before = answer(read(folder, once[:length]))
        assert len(before.turns) <= len(whole.turns)
        assert before.opening == whole.opening
        for index, turn in enumerate(before.turns):
            _grown(turn, whole.turns[index], last=index == len(before.turns) - 1)


def _grown(turn: Turn, later: Turn, *, last: bool) -> None:
    assert (turn.number, turn.t, turn.model) == (later.number, later.t, later.model)
    if not last:
        assert (turn.said, turn.thought, turn.used, turn.notes) == (later.said, later.thought, later.used, later.notes)
        assert len(turn.calls) == len(later.calls)
    for made, answered in zip(turn.calls, later.calls[: len(turn.calls)], strict=True):
        assert (made.tool, made.arguments, made.called) == (answered.tool, answered.arguments, answered.called)
        if made.outcome is not Outcome.waiting:
            assert (made.outcome, made.output, made.answered) == (answered.outcome, answered.output, answered.answered)


# Values of any type anywhere.


def paths(value: Json, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield at
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from paths(inner, (*at, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from paths(inner, (*at, index))


def replaced(value: Any, at: tuple[Any, ...], new: Any) -> Any:
    if not at:
        return new
    changed = copy.copy(value)
    changed[at[0]] = replaced(value[at[0]], at[1:], new)
    return changed


WRONG: list[Any] = [
    None,
    True,
    -1,
    2**70,
    1.5,
    "",
    "\ud800",
    "\0",
    [],
    [None],
    {},
    {"type": 7},
    [[{}]],
    {"a": {"b": []}},
]


@FEW
@given(scripts(most=3), st.data(), st.sampled_from(WRONG))
def test_a_wrong_value_costs_its_own_request_at_most(folder: Path, lines: Lines, data: st.DataObject, new: Any) -> None:
    whole = answer(read(folder, encoded(lines)))
    index = data.draw(st.integers(0, len(lines) - 1))
    line = lines[index]
    at = data.draw(st.sampled_from(list(paths(line))[1:]))
    broken = [json.dumps(one).encode() for one in (*lines[:index], replaced(line, at, new), *lines[index + 1 :])]
    folded = answer(read(folder, broken))
    name = line["message"].get("id")
    named = _answered_by(line)
    own = [turn for turn in whole.turns if name is not None and f"words {name[4:]}." in f"{turn.said}"]
    kept = [figure(turn, named) for turn in folded.turns]
    for turn in whole.turns:
        touched = turn in own or (name is not None and _made_by(turn, lines, name))
        if not touched:
            assert figure(turn, named) in kept


def _answered_by(line: dict[str, Any]) -> set[str]:
    content = line["message"]["content"]
    blocks = cast("list[dict[str, Any]]", content if isinstance(content, list) else [])
    return {str(block["tool_use_id"]) for block in blocks if "tool_use_id" in block}


def _made_by(turn: Turn, lines: Lines, name: str) -> bool:
    number = sorted({line["message"]["id"] for line in lines if "id" in line["message"]}, key=_order(lines)).index(name)
    return turn.number == number + 1


def _order(lines: Lines) -> Any:
    names = [line["message"].get("id") for line in lines]
    return names.index


def figure(turn: Turn, named: set[str]) -> object:
    calls = tuple((made.tool, made.subject, made.arguments) for made in turn.calls)
    outcomes = tuple(made.outcome for made in turn.calls) if not named else ()
    return (turn.model, turn.said, turn.thought, turn.used, turn.stopped, calls, outcomes)


@FEWER
@given(scripts(most=2), st.sampled_from(WRONG))
def test_every_value_wrong_in_turn_never_raises(folder: Path, lines: Lines, new: Any) -> None:
    for line in lines[:4]:
        for at in paths(line):
            one = json.dumps(replaced(line, at, new)).encode()
            read_bytes(folder, one + b"\n" + one + b"\n" + json.dumps(lines[0]).encode())
            recognise(folder / f"{SESSION}.jsonl")


@pytest.mark.parametrize("args", [{"a": 1.25}, {"a": [{"b": 2.5}]}])
def test_a_bad_field_beside_a_float_costs_only_itself(tmp_path: Path, args: dict[str, Any]) -> None:
    """The slow road hands floats on as they are: arguments may hold none all the same."""
    writer = Writer()
    writer.says("go")
    writer.replies("a", call("c", **args))["apiErrorStatus"] = "x"
    (session,) = read_lines(tmp_path, writer.lines)
    (turn,) = answer(session).turns
    assert turn.used is not None
    assert turn.calls[0].arguments is not None
    assert json.loads(turn.calls[0].arguments.head) == json.loads(json.dumps(args), parse_float=str)
    made = [record.data["args"] for record in session.records if record.kind == Kind.tool_called]
    assert made == [json.loads(json.dumps(args), parse_float=str)]


@pytest.mark.parametrize("field", ["input_tokens", "output_tokens", "cache_read_input_tokens"])
@pytest.mark.parametrize("count", [-5, 2**70])
def test_a_count_that_is_none_is_told(tmp_path: Path, field: str, count: int) -> None:
    writer = Writer()
    writer.says("go")
    writer.replies("a", text("hi"))["message"]["usage"][field] = count
    (session,) = read_lines(tmp_path, writer.lines)
    (turn,) = answer(session).turns
    assert turn.used is None
    assert [(one.code, one.detail) for one in session.report.damage] == [(DamageCode.bad_field, "message.usage")]
