"""Damage to a pi session costs itself alone; branches and copies, as properties."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accounting.foreign import Session, run_of
from accounting.foreign.fidelity import DamageCode
from accounting.foreign.pi import READER
from accounting.foreign.pi.rows import sureness
from tests.accounting.foreign.wrecks import BETWEEN, JUNK, SOAK, lines_of, read_as, sound, spots, with_junk, wrecked
from wire.answer.rounds import Turn
from wire.scalars import JsonObject

_FIXTURES = Path(__file__).parent / "fixtures" / "pi"
LINES = lines_of(next(_FIXTURES.glob("2026-*.jsonl")))
V1 = lines_of(_FIXTURES / "v1_branched.jsonl")

FEW = settings(max_examples=2_000 if SOAK else 100)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pi")


def read_bytes(folder: Path, data: bytes) -> Session:
    path = folder / "s.jsonl"
    path.write_bytes(data)
    [session] = read_as(READER, path)
    return session


def read(folder: Path, lines: list[bytes]) -> Session:
    return read_bytes(folder, b"".join(line + b"\n" for line in lines))


@FEW
@given(st.sampled_from((LINES, V1)).flatmap(wrecked))
def test_nothing_makes_it_raise(folder: Path, data: bytes) -> None:
    sound(read_bytes(folder, data))


@pytest.mark.parametrize("lines", [LINES, V1])
def test_cut_anywhere_it_reads_as_its_whole_lines(folder: Path, lines: list[bytes]) -> None:
    whole = b"".join(line + b"\n" for line in lines)
    for end in range(0, len(whole), 1 if SOAK else 17):
        data = whole[:end]
        kept = data[: data.rfind(b"\n") + 1]
        if len(kept) < end and (end + 1 > len(whole) or whole[end : end + 1] == b"\n"):
            kept = data  # the last line is whole but for its newline
        cut, there = read_bytes(folder, data), read_bytes(folder, kept)
        assert cut.records == there.records
        assert (DamageCode.torn_tail in {one.code for one in cut.report.damage}) == (len(kept) < end)


def test_junk_in_any_field_costs_that_field_or_line(folder: Path) -> None:
    whole = len(sound(read(folder, LINES)).turns)
    for at, line in enumerate(LINES):
        value = json.loads(line)
        for spot in spots(value):
            for junk in JUNK[:: 1 if SOAK else 7]:
                changed = [*LINES[:at], json.dumps(with_junk(value, spot, junk)).encode(), *LINES[at + 1 :]]
                turns = sound(read(folder, changed)).turns
                is_lost = spot in {("type",), ("message",), ("message", "role")}
                assert is_lost or len(turns) == whole, (at, spot, junk)


@FEW
@given(st.integers(0, len(LINES) - 1), st.integers(0, len(LINES)), st.sampled_from(BETWEEN))
def test_copies_and_strange_lines_change_nothing(folder: Path, index: int, at: int, strange: bytes) -> None:
    whole = read(folder, LINES)
    twice = read(folder, [*LINES[: max(at, index + 1)], LINES[index], *LINES[max(at, index + 1) :]])
    assert twice.records == whole.records
    assert twice.outline.turns == whole.outline.turns
    assert sum(one.count for one in twice.report.damage) == 1
    amid = read(folder, [*LINES[: at or 1], strange, *LINES[at or 1 :]])
    assert amid.records == whole.records
    glued = [*LINES[: max(index - 1, 0)], b"".join(LINES[max(index - 1, 0) : index + 1]), *LINES[index + 1 :]]
    assert read(folder, glued).records == whole.records


def test_as_the_file_grows_turns_only_gain(folder: Path) -> None:
    before: tuple[Turn, ...] = ()
    for end in range(1, len(LINES) + 1):
        turns = tuple(sound(read(folder, LINES[:end])).turns)
        for old, new in zip(before, turns, strict=False):
            assert (new.number, new.t, new.model, new.said, new.used) == (
                old.number,
                old.t,
                old.model,
                old.said,
                old.used,
            )
        before = turns


@given(st.lists(st.integers(0, 30), min_size=1, max_size=20))
@FEW
def test_the_live_branch_is_the_way_from_the_last_entry(folder: Path, choices: list[int]) -> None:
    """A tree drawn at random: entry n hangs on an earlier one, or on none."""
    parents = [None if not at else choice % (at + 1) - 1 for at, choice in enumerate(choices)]
    parents = [None if parent == -1 else parent for parent in parents]
    rows: list[JsonObject] = [{"type": "session", "version": 3, "id": "s", "timestamp": "2026-01-01T00:00:00Z"}]
    for at, parent in enumerate(parents):
        message: JsonObject = {"role": "assistant", "content": [], "timestamp": 1_770_000_000_000 + at}
        rows.append(
            {
                "type": "message",
                "id": f"{at:08x}",
                "parentId": None if parent is None else f"{parent:08x}",
                "timestamp": f"2026-02-02T00:00:{at:02d}Z",
                "message": message,
            }
        )
    session = read(folder, [json.dumps(row).encode() for row in rows])
    expected: set[int] = set()
    on: int | None = len(parents) - 1
    while on is not None:
        expected.add(on + 1)
        on = parents[on]
    assert {turn.number for turn in session.outline.turns if turn.live} == expected
    assert all(turn.live is not None for turn in session.outline.turns)
    assert {turn for rewind in session.outline.rewinds for turn in rewind.turns} >= {
        turn.number for turn in session.outline.turns if not turn.live
    }


def test_a_lost_line_leaves_the_branch_before_it_untold(folder: Path) -> None:
    session = read(folder, [line for line in LINES if b'"id":"00000009"' not in line])
    assert [turn.live for turn in session.outline.turns] == [None, None, True, True]


def test_a_session_without_its_first_line_is_named_after_its_file(tmp_path: Path) -> None:
    own = "7d3e1c00-0000-4000-8000-00000000000a"
    path = tmp_path / f"2026-04-01T10-00-00-000Z_{own}.jsonl"
    path.write_bytes(b"\n".join(LINES[3:]))
    [session] = read_as(READER, path)
    assert session.run == run_of("pi", own) == own
    sound(session)


def test_an_empty_file_holds_nothing(folder: Path) -> None:
    session = read_bytes(folder, b"")
    assert session.records == ()
    assert READER.name == "pi"


def test_others_are_not_taken_for_its_own() -> None:
    assert sureness({"type": "session", "version": 0, "id": "x", "createdAt": 1, "cwd": "/"}) == 0
    assert sureness({"type": "message", "role": "user", "content": []}) == 0
    assert sureness({"type": "user", "message": {"role": "user"}, "uuid": "u", "timestamp": "t"}) == 0
