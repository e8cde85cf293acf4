"""The invariants I1 to I13 of rounds.md 4, over adversarial ledgers; and the same answers as a fold written naively."""

import itertools
from collections import Counter
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounting.conformance.strategies import RUNS
from accounting.conformance.strategies.history import histories
from accounting.conformance.strategies.pools import NAMES
from accounting.conformance.strategies.values import json_values, texts
from accounting.views.rounds import Changed, Rounds, RoundsFold, every_run, rounds
from tests.compare import Plain, asked, fold, plain, record, same
from tests.naive_fold import naive
from wire import Call, FrozenNames, Note, Outcome, RoundsAnswer, Timing, Turn, decode, encode
from wire.reading import arguments, bounded, output, used
from wire.scalars import NIL_RUN as NIL
from wire.scalars import JsonObject, b3_hash

windows = st.none() | st.integers(0, 12)
runs = st.sampled_from(RUNS)
invariant = pytest.mark.invariant


def calls(answer: RoundsAnswer) -> list[Call]:
    return [call for turn in answer.turns for call in turn.calls]


def own(records: list[Plain], run: str, kind: str | None = None) -> list[Plain]:
    return [line for line in records if line["run"] == run and kind in (None, line["kind"])]


def positions(turn: Turn) -> list[int]:
    """The lines of a turn's notes, in the order they are listed."""
    return [note.variant.at for note in turn.notes]  # type: ignore[union-attr]


def counts(given_: Rounds) -> tuple[Any, ...]:
    return given_.used, dict(given_.outside), dict(given_.passed)


@given(histories(), runs, windows)
def test_same_as_the_naive_fold(records: list[Plain], run: str, window: int | None) -> None:
    expected = naive(records, run, window, NAMES)
    found = fold(records, run, window, NAMES)
    assert same(plain(found.answer), plain(expected["answer"]))
    assert counts(found) == (expected["used"], expected["outside"], expected["passed"])
    unreadable = any(problem.code == "closing-unreadable" for problem in found.problems)
    assert unreadable == expected["closing_unreadable"]


@invariant("I1")
@given(histories(), runs, windows)
def test_answered_exactly_when_not_waiting(records: list[Plain], run: str, window: int | None) -> None:
    for call in calls(fold(records, run, window).answer):
        assert (call.answered is None) == (call.outcome is Outcome.waiting)


@invariant("I2")
@given(histories(), runs, windows)
def test_numbers_and_lines_rise(records: list[Plain], run: str, window: int | None) -> None:
    turns = fold(records, run, window).answer.turns
    assert [turn.number for turn in turns] == list(range(1, len(turns) + 1))
    following = [*(turn.opened for turn in turns), 2**64][1:]
    for turn, end in zip(turns, following, strict=True):
        for lines in ([turn.opened, *(call.at for call in turn.calls), end], [turn.opened, *positions(turn), end]):
            assert all(low < high for low, high in itertools.pairwise(lines))


@invariant("I3")
@given(histories(), runs)
def test_a_call_for_each_tool_called_after_the_first_turn(records: list[Plain], run: str) -> None:
    lines = own(records, run)
    first = next((index for index, line in enumerate(lines) if line["kind"] == "model_called"), len(lines))
    expected = [line["seq"] for line in lines[first:] if line["kind"] == "tool_called"]
    assert [call.at for call in calls(fold(records, run).answer)] == expected


@invariant("I4")
@given(histories(), runs)
def test_measured_means_both_moments(records: list[Plain], run: str) -> None:
    lines = {line["seq"]: line for line in records}
    for call in calls(fold(records, run).answer):
        if call.timing is Timing.measured:
            assert lines[call.at]["v"] >= 2
            if call.answered is not None:
                answers = [
                    line
                    for line in own(records, run, "tool_result")
                    if line["t"] == call.answered and line["v"] >= 2 and not _supplied(line["data"])
                ]
                assert answers


def _supplied(data: Plain) -> bool:
    error = data.get("error")
    return isinstance(error, dict) and error.get("code") == "E_TOOL_OUTCOME_UNKNOWN"  # pyright: ignore


@invariant("I5")
@given(histories(), runs)
def test_returned_and_first_us_rest_on_what_was_measured(records: list[Plain], run: str) -> None:
    moments = {line["t"] for line in own(records, run, "model_returned") if line["v"] >= 2}
    for turn in fold(records, run).answer.turns:
        assert turn.returned is None or turn.returned in moments
        assert turn.used is None or turn.used.first_us is None or turn.first_at is not None


@invariant("I6")
@given(texts() | st.text() | st.text(alphabet="a\n\r\v\f\x1c\x85\u2028 ", max_size=60))
def test_lines_kept_and_cut_are_the_lines_of_the_whole(whole: str) -> None:
    lines = whole.split("\n")
    ended = [line.removesuffix("\r") for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
    shown = bounded(whole)
    if shown is None:
        assert not whole.strip(
            "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
        )
    else:
        assert shown.head == "\n".join(ended[:12])
        assert shown.cut == len(ended) - min(12, len(ended))


@invariant("I7")
@given(histories(), runs)
def test_pinned_only_on_an_answered_output(records: list[Plain], run: str) -> None:
    for call in calls(fold(records, run).answer):
        assert call.arguments is None or call.arguments.pinned is None
        if call.output is not None and call.output.pinned is not None:
            assert call.outcome is Outcome.answered


@invariant("I8")
@given(histories(floats=True), runs, windows, st.integers(0, 99))
def test_pure_and_total(records: list[Plain], run: str, window: int | None, seed: int) -> None:
    assert fold(records, run, window, NAMES) == fold(records, run, window, NAMES)
    shuffled = list(records)
    Random(seed).shuffle(shuffled)
    assert fold(shuffled, run, window) == fold(shuffled, run, window)


@invariant("I8")
@given(histories(), runs)
def test_lines_of_other_runs_bear_on_waits_and_arrivals_alone(records: list[Plain], run: str) -> None:
    together, alone = fold(records, run), fold(own(records, run), run)
    assert counts(together) == counts(alone)
    assert without_pairings(plain(together.answer)) == without_pairings(plain(alone.answer))


def without_pairings(answer: Plain) -> Plain:
    """The answer less what a line of another run may have told it."""
    for turn in answer["turns"]:
        for note in turn["notes"]:
            if "waiting" in note:
                note["waiting"]["answered"] = None
            if "arrived" in note and note["arrived"]["by"] == "resident":
                note["arrived"] |= {"from": None, "said": None, "kind": None, "session": None}
    return answer


@invariant("I9")
@given(histories(), runs)
def test_prefix_law_at_every_record(records: list[Plain], run: str) -> None:
    typed = [record(line) for line in records]
    live = RoundsFold(asked(run), names=_names)
    before = live.answer()
    for index, line in enumerate(typed):
        changed = live.feed(line)
        after = live.answer()
        at_once = rounds(typed[: index + 1], asked(run), names=_names)
        assert after == at_once.answer
        assert (live.used, live.outside, live.passed) == (at_once.used, at_once.outside, at_once.passed)
        assert live.problems.listed == at_once.problems
        _says_what_changed(before, after, changed)
        before = after


def _says_what_changed(before: RoundsAnswer, after: RoundsAnswer, changed: Changed) -> None:
    assert list(changed.turns) == sorted(set(changed.turns))
    heads = [(one.opening, one.closing, one.worktree, one.opened_at) for one in (before, after)]
    assert changed.head or heads[0] == heads[1]
    for turn in after.turns:
        old = before.turns[turn.number - 1] if turn.number <= len(before.turns) else None
        if turn.number not in changed.turns:
            assert turn is old
    assert after is before or after != before or changed


def _names(naming: Any) -> FrozenNames | None:
    return {b3_hash(key): FrozenNames(mayor=mayor) for key, mayor in NAMES.items()}.get(naming)


@invariant("I10")
@given(histories(max_size=30), runs, st.integers(0, 20))
def test_window_law(records: list[Plain], run: str, window: int) -> None:
    lines = with_unique_call_ids(records, run)
    whole, newest = plain(fold(lines, run).answer), plain(fold(lines, run, window).answer)
    turns = {turn["opened"]: turn for turn in whole["turns"]}
    for turn in newest["turns"]:
        full = turns[turn["opened"]]
        assert [call["outcome"] for call in turn["calls"]] == [call["outcome"] for call in full["calls"]]
        assert _comparable(turn, run, full) == _comparable(full, run, full)


def with_unique_call_ids(records: list[Plain], run: str) -> list[Plain]:
    """The same ledger, each call of the run under an id of its own, each result naming the latest call it could."""
    latest: dict[str, str] = {}
    lines: list[Plain] = []
    for index, line in enumerate(records):
        data = line["data"]
        if line["run"] == run and line["kind"] == "tool_called" and isinstance(data.get("id"), str):
            unique = f"{data['id']}#{index}"
            latest[data["id"]] = unique
            data = data | {"id": unique}
        elif line["run"] == run and line["kind"] == "tool_result" and isinstance(data.get("tool_use_id"), str):
            data = data | {"tool_use_id": latest.get(data["tool_use_id"], data["tool_use_id"])}
        lines.append(line | {"data": data})
    return lines


def _comparable(turn: Plain, run: str, full: Plain) -> Plain:
    turn = msgspec.json.decode(msgspec.json.encode(turn))
    turn["number"] = 0
    for call in turn["calls"]:
        call["landing"] = None
    for note, whole in zip(turn["notes"], full["notes"], strict=True):
        # A letter that the run sent itself may stand outside the window.
        if "arrived" in note and whole["arrived"]["session"] == run:
            note["arrived"] |= {"from": None, "said": None, "kind": None, "session": None}
    return turn


@invariant("I11")
@given(histories(), runs, st.integers(0, 99))
def test_round_trip_unknown_keys_any_order(records: list[Plain], run: str, seed: int) -> None:
    random = Random(seed)
    answer = fold(records, run, None, NAMES).answer
    text = encode(answer)
    assert encode(answer) == text
    assert decode(text, RoundsAnswer) == answer
    assert encode(decode(text, RoundsAnswer)) == text
    assert decode(msgspec.json.encode(_rearranged(msgspec.json.decode(text), random)), RoundsAnswer) == answer


TAGGED = {"write", "connector", "attach_user_browser", "diff", *Note.__struct_fields__}


def _rearranged(value: Any, random: Random) -> Any:
    """The same JSON with keys shuffled, nulls left out here and there, and keys nobody knows added."""
    if isinstance(value, list):
        return [_rearranged(item, random) for item in value]  # pyright: ignore
    if not isinstance(value, dict):
        return value
    items: list[tuple[str, Any]] = [(key, _rearranged(item, random)) for key, item in value.items()]  # pyright: ignore
    if not (len(items) == 1 and items[0][0] in TAGGED):
        items = [(key, item) for key, item in items if item is not None or random.random() < 0.5]
        items.append(("newer", {"than": ["this", 1, None]}))
        random.shuffle(items)
    return dict(items)


@invariant("I12")
@given(st.integers(0, 2**63), st.integers(0, 2**62), st.integers(0, 2**62), st.integers(0, 2**64 - 1))
def test_cache_parts_of_a_right_usage_are_within_input(uncached: int, read: int, write: int, reply: int) -> None:
    prompt = uncached + read + write
    cache: JsonObject = {"cache_read_tokens": read, "cache_write_tokens": write}
    answer = used({"v": 1, "input_tokens": prompt, "output_tokens": reply} | cache)
    assert (answer is None) == (prompt > 2**64 - 1)
    if answer is not None:
        assert answer.cached is not None
        assert answer.cache_write is not None
        assert answer.cached + answer.cache_write <= answer.input == prompt


@invariant("I13")
@given(histories(), runs, windows)
def test_every_record_is_used_outside_or_passed(records: list[Plain], run: str, window: int | None) -> None:
    found = fold(records, run, window)
    lines = own(records, run)
    lines = lines if window is None else lines[len(lines) - min(window, len(lines)) :]
    assert found.used + sum(found.outside.values()) + sum(found.passed.values()) == len(lines)
    kinds = Counter(line["kind"] for line in lines)
    for kind, count in (Counter(found.outside) + Counter(found.passed)).items():
        assert count <= kinds[kind]


@given(histories(max_size=40))
def test_every_run_at_once_gives_what_each_alone_gives(records: list[Plain]) -> None:
    typed = [record(line) for line in records]
    folds = every_run((line, None) for line in typed)
    assert list(folds) == list(dict.fromkeys(line.run for line in typed))
    for run, live in folds.items():
        alone = rounds(typed, run)
        assert live.answer() == alone.answer
        assert (live.used, live.outside, live.passed) == counts(alone)


@given(histories(), runs)
def test_without_texts_only_the_texts_are_missing(records: list[Plain], run: str) -> None:
    whole = plain(fold(records, run).answer)
    for turn in whole["turns"]:
        turn |= {"said": None, "thought": None}
        for call in turn["calls"]:
            call |= {"arguments": None, "output": None}
    folds = every_run(((record(line), None) for line in records), texts=False)
    if run in folds:
        assert plain(folds[asked(run)].answer()) == whole


@given(json_values(floats=True))
def test_outputs_and_arguments_of_any_json(value: Any) -> None:
    shown, called = output(value), arguments(value)
    if shown is not None and not isinstance(value, str):
        assert msgspec.json.decode(shown.head) == value
    if called is not None and called.cut == 0:
        assert msgspec.json.decode(called.head) == value
    assert (called is None) == (value is None)


def test_the_nil_run_is_a_run_like_any_other() -> None:
    opened = {"v": 2, "run": NIL, "seq": 0, "t": 1, "kind": "model_called", "data": {"model": "m"}}
    assert len(fold([opened], NIL).answer.turns) == 1
