"""OpenCode's files cut, glued, repeated, reordered and filled with nonsense: damage costs only itself."""

import copy
import json
import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accounting.foreign import Session
from tests.accounting.foreign.opencode_files import (
    CHILD,
    ROOT,
    Object,
    answer_of,
    as_events,
    read_all,
    story,
    write_database,
    write_tree,
)
from wire import encode
from wire.scalars import Json

NONSENSE: tuple[Any, ...] = (None, True, 7, -1, 0.5, "", "x", [], [None], {}, {"a": [1]}, 10**30)


def lines_of(events: list[Object]) -> list[bytes]:
    return [json.dumps(event).encode() + b"\n" for event in events]


def put(path: Path, data: bytes) -> list[Session]:
    path.write_bytes(data)
    return read_all(path)


def whole(read: list[Session]) -> list[bytes]:
    return [encode(answer_of(one)) for one in read]


def spots(value: Json, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a JSON value, as the keys that lead there."""
    yield at
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from spots(inner, (*at, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from spots(inner, (*at, number))


def changed(value: Any, at: tuple[Any, ...], to: Any) -> Any:
    if not at:
        return to
    made = copy.copy(value)
    made[at[0]] = changed(value[at[0]], at[1:], to)
    return made


def test_a_stream_cut_anywhere_is_its_whole_lines(tmp_path: Path) -> None:
    lines = lines_of(as_events(story()))
    data = b"".join(lines)
    ends = [sum(map(len, lines[:number])) for number in range(len(lines) + 1)]
    path = tmp_path / "events.jsonl"
    at_end = {end: whole(put(path, data[:end])) for end in ends[1:]}
    turns = 0
    for end in ends[1:]:
        read = put(path, data[:end])
        now = sum(one.report.totals.requests for one in read)
        assert now >= turns
        turns = now
    for cut in range(ends[1], len(data), 17):
        last = max(end for end in ends if end <= cut)
        if data[cut : cut + 1] != b"\n":
            assert whole(put(path, data[:cut])) == at_end[last], cut


@pytest.mark.soak
def test_any_value_anywhere_in_a_stream(tmp_path: Path) -> None:
    events = as_events(story())
    for number, event in enumerate(events):
        for spot in spots(event):
            for to in NONSENSE:
                made = [*events[:number], changed(event, spot, to), *events[number + 1 :]]
                assert put(tmp_path / "events.jsonl", b"".join(lines_of(made))), (number, spot, to)


def told(one: Session) -> list[Object]:
    """The turns without numbers of records, and without the times of those that have none of their own."""
    turns: list[Object] = json.loads(encode(answer_of(one)))["turns"]
    for turn in turns:
        turn |= {"opened": 0, "t": 0, "notes": len(turn["notes"])}
        for call in turn["calls"]:
            call |= {"at": 0, "called": 0, "answered": call["answered"] is None}
    return turns


@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_a_value_inside_a_part_costs_at_most_one_turn(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("oc") / "events.jsonl"
    events = as_events(story())
    expected = {one.id: told(one) for one in put(path, b"".join(lines_of(events)))}
    number = data.draw(st.sampled_from([at for at, event in enumerate(events) if "part" in event["properties"]]))
    part = events[number]["properties"]["part"]
    spot = data.draw(
        st.sampled_from([spot for spot in spots(part) if spot and spot[0] not in ("messageID", "sessionID")])
    )
    made = changed(part, spot, data.draw(st.sampled_from(NONSENSE)))
    lines = [*events[:number], changed(events[number], ("properties", "part"), made), *events[number + 1 :]]
    read = put(path, b"".join(lines_of(lines)))
    assert {one.id for one in read} == {ROOT, CHILD}
    for one in read:
        differ = [turn for turn, was in zip(told(one), expected[one.id], strict=True) if turn != was]
        assert len(differ) <= (one.id == part["sessionID"])


@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_lines_repeated_glued_or_in_any_order(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    path = tmp_path_factory.mktemp("oc") / "events.jsonl"
    lines = lines_of(as_events(story()))
    expected = whole(put(path, b"".join(lines)))
    twice = [line for line in lines for _ in range(data.draw(st.integers(1, 2)))]
    assert whole(put(path, b"".join(twice))) == expected
    glued = [line.rstrip() if data.draw(st.booleans()) else line for line in lines]
    assert whole(put(path, b"".join(glued))) == expected
    noise = [
        b"\n",
        b"\0\0\n",
        b"[1]\n",
        b'"x"\n',
        b"{\n",
        b'{"type":"\xff"}\n',
        b'{"type":"later.kind","properties":{}}\n',
    ]
    noisy = [piece for line in lines for piece in (line, *data.draw(st.lists(st.sampled_from(noise), max_size=1)))]
    assert whole(put(path, b"".join(noisy))) == expected
    # Ids sort by time: the order of the lines does not matter, as long as nothing is told twice.
    shuffled = data.draw(st.permutations(lines))
    assert sorted(whole(put(path, b"".join(shuffled)))) == sorted(expected)


def test_odd_text_is_repaired(tmp_path: Path) -> None:
    lines = lines_of(as_events(story()))
    data = b"".join(lines)
    for old, new in (
        (b"Fix the build", b"\\ud800"),
        (b"I look.", b"\\udfff"),
        (b"boom", b"\xff"),
        (b"seen", b"a\\u0000b"),
    ):
        (read, *_) = put(tmp_path / "events.jsonl", data.replace(old, new))
        assert read.report.totals.input == 240
        encode(answer_of(read)).decode()


@pytest.mark.parametrize("stamp", [None, "x", 1_760_000_000, -5, "2025-10-09T08:53:20+02:00", 2**70, 1.5, []])
def test_times_that_do_not_read(tmp_path: Path, stamp: Any) -> None:
    text = json.dumps(stamp)
    data = b"".join(lines_of(as_events(story()))).replace(b"1760000000200", text.encode())
    (read, *_) = put(tmp_path / "events.jsonl", data)
    assert read.report.totals.input == 240
    first = answer_of(read).turns[0]
    assert (
        first.t == (1_759_992_800_000 if isinstance(stamp, str) and stamp != "x" else 1_760_000_000_000) or stamp == "x"
    )


def test_an_empty_file(tmp_path: Path) -> None:
    for data in (b"", b"\n\n", b"\0" * 100, b"null", b"[]", b"{}"):
        for one in put(tmp_path / "events.jsonl", data):
            assert not one.report.totals.requests


def test_a_broken_file_in_a_tree_costs_itself(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "storage", story())
    files = sorted(root.rglob("*.json"))
    for path in files:
        good = path.read_bytes()
        for bad in (b"", b"{", good[: len(good) // 2], b"[1,2]", b"\0" * 20, b"\xff\xfe", good + good, good[:-1]):
            path.write_bytes(bad)
            read = read_all(root)
            assert {one.id for one in read} == {ROOT, CHILD}, (path, bad)
            metered = [turn.used for one in read for turn in answer_of(one).turns if turn.used is not None]
            is_lost = b"step-finish" in good and bad != good + good
            assert len(metered) == 3 - is_lost, (path, bad)
            assert any(one.report.damage for one in read) or path.parent.name == "p1", (path, bad)
        path.unlink()
        assert read_all(root)
        path.write_bytes(good)


def test_an_unreadable_part_of_a_tree_costs_itself(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "storage", story())
    path = min((root / "part").rglob("*.json"))
    path.unlink()
    path.mkdir()
    assert read_all(root)[0].report.totals.input == 240
    assert any("not readable" in file for file in read_all(root)[0].report.files)


def test_a_database_cut_or_overwritten(tmp_path: Path) -> None:
    path = write_database(tmp_path / "opencode.db", story())
    good = path.read_bytes()
    dice = random.Random(5)
    for size in (0, 1, 16, 99, 100, 512, *range(4000, len(good), 4096)):
        path.write_bytes(good[:size])
        read_all(path)
    for _ in range(60):
        bad = bytearray(good)
        at = dice.randrange(100, len(bad) - 300)
        bad[at : at + dice.randrange(1, 300)] = dice.randbytes(dice.randrange(1, 300))
        path.write_bytes(bad)
        read_all(path)


def test_a_bad_column_costs_its_row(tmp_path: Path) -> None:
    path = write_database(tmp_path / "opencode.db", story())
    for bad in (None, "", "{", b"\xff\x00", 5, "[]", "null", '{"type": 3, "role": []}'):
        write_database(path.with_name("copy.db"), story())
        with closing(sqlite3.connect(path.with_name("copy.db"))) as database:
            database.execute("UPDATE part SET data = ? WHERE data LIKE '%step-finish%' AND data LIKE '%120%'", (bad,))
            database.execute("UPDATE message SET time_created = ?", (bad,))
            database.execute("UPDATE session SET time_created = ?, revert = ?, title = ?", (bad, bad, bad))
            database.commit()
        (root, _) = read_all(path.with_name("copy.db"))
        assert (root.report.totals.input, root.report.totals.requests) == (117, 3), bad
        assert any(damage.places[0].segment.endswith("#part") for damage in root.report.damage) or bad is not None
        path.with_name("copy.db").unlink()
