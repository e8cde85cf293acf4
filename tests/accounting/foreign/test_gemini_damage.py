"""Damage to a Gemini CLI session costs itself alone; replacing and rewinding, as properties."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accounting.foreign import Session
from accounting.foreign.gemini import READER
from tests.accounting.foreign.wrecks import BETWEEN, JUNK, SOAK, lines_of, read_as, sound, spots, with_junk, wrecked

_FIXTURES = Path(__file__).parent / "fixtures" / "gemini"
LINES = lines_of(next((_FIXTURES / "chats").glob("*.jsonl")))
STREAM = lines_of(_FIXTURES / "stream.jsonl")
DOCUMENT = (_FIXTURES / "document.json").read_bytes()

FEW = settings(max_examples=2_000 if SOAK else 100)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("gemini")


def read_bytes(folder: Path, data: bytes) -> Session:
    path = folder / "session.jsonl"
    path.write_bytes(data)
    [session] = read_as(READER, path)
    return session


def read(folder: Path, lines: list[bytes]) -> Session:
    return read_bytes(folder, b"".join(line + b"\n" for line in lines))


@FEW
@given(st.sampled_from((LINES, STREAM, DOCUMENT.splitlines())).flatmap(wrecked))
def test_nothing_makes_it_raise(folder: Path, data: bytes) -> None:
    sound(read_bytes(folder, data))


@pytest.mark.parametrize("lines", [LINES, STREAM])
def test_cut_anywhere_it_reads_as_its_whole_lines(folder: Path, lines: list[bytes]) -> None:
    whole = b"".join(line + b"\n" for line in lines)
    for end in range(0, len(whole), 1 if SOAK else 17):
        data = whole[:end]
        kept = data[: data.rfind(b"\n") + 1]
        if len(kept) < end and whole[end : end + 1] == b"\n":
            kept = data  # the last line is whole but for its newline
        assert read_bytes(folder, data).records == read_bytes(folder, kept).records


def test_a_document_cut_anywhere_keeps_the_messages_before(folder: Path) -> None:
    whole = read_bytes(folder, DOCUMENT)
    first_reply = DOCUMENT.index(b"    null,")
    for end in range(0, len(DOCUMENT), 1 if SOAK else 7):
        session = read_bytes(folder, DOCUMENT[:end])
        sound(session)
        if end > DOCUMENT.index(b"[\n"):
            assert session.run == whole.run
        if end >= first_reply:
            assert session.records[:3] == whole.records[:3]


def test_one_bad_byte_in_a_document_costs_one_message(folder: Path) -> None:
    for bad in (b"\xff", b"\0", b"\\ud800"):
        session = read_bytes(folder, DOCUMENT.replace(b'"Hi"', b'"H' + bad + b'i"'))
        first, second = sound(session).turns
        assert (first.said or "").startswith("H")
        assert second.said == "Again"
        assert session.report.damage
    session = read_bytes(folder, DOCUMENT.replace(b'"Hi",', b'"Hi"'))
    assert [turn.said for turn in sound(session).turns] == ["Again"]
    assert session.run == read_bytes(folder, DOCUMENT).run


@pytest.mark.parametrize("lines", [LINES, STREAM])
def test_junk_in_any_field_costs_that_field_or_line(folder: Path, lines: list[bytes]) -> None:
    for at, line in enumerate(lines):
        if not line.startswith(b"{"):
            continue
        value = json.loads(line)
        for spot in spots(value):
            for junk in JUNK[:: 1 if SOAK else 7]:
                changed = [*lines[:at], json.dumps(with_junk(value, spot, junk)).encode(), *lines[at + 1 :]]
                sound(read(folder, changed))


def test_junk_in_any_field_of_a_document(folder: Path) -> None:
    value = json.loads(DOCUMENT)
    for spot in spots(value):
        for junk in JUNK[:: 1 if SOAK else 3]:
            session = read_bytes(folder, json.dumps(with_junk(value, spot, junk), indent=1).encode())
            turns = sound(session).turns
            if spot[-1] not in ("messages", "type", "role") and len(spot) != 2:
                assert len(turns) == 2, (spot, junk)


@FEW
@given(st.integers(0, len(LINES)), st.sampled_from(BETWEEN), st.integers(1, 6))
def test_strange_and_glued_lines_change_nothing(folder: Path, at: int, strange: bytes, index: int) -> None:
    whole = read(folder, LINES)
    assert read(folder, [*LINES[: at or 1], strange, *LINES[at or 1 :]]).records == whole.records
    glued = [*LINES[: index - 1], LINES[index - 1] + LINES[index], *LINES[index + 1 :]]
    assert read(folder, glued).records == whole.records


Step = tuple[str, int, int]
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.integers(0, 5), st.integers(1, 99)),
        st.tuples(st.just("rewind"), st.integers(0, 6), st.just(0)),
        st.tuples(st.just("set"), st.integers(0, 6), st.just(0)),
    ),
    max_size=14,
)


def message(own: int, tokens: int) -> dict[str, Any]:
    return {
        "id": f"m{own}",
        "timestamp": "2026-01-01T00:00:00Z",
        "type": "gemini",
        "content": f"{own} {tokens}",
        "tokens": {"input": tokens, "output": 1},
    }


@FEW
@given(STEPS)
def test_replaying_is_as_the_rules_have_it(folder: Path, steps: list[Step]) -> None:
    """Against a plain list: what is live in the end, and every message that ever was with its last counts."""
    live: dict[str, dict[str, Any]] = {}
    ever: dict[str, dict[str, Any]] = {}
    rows: list[dict[str, Any]] = [{"sessionId": "s", "projectHash": "p", "startTime": "2026-01-01T00:00:00Z"}]
    for what, own, tokens in steps:
        if what == "put":
            one = message(own, tokens)
            live[one["id"]] = ever[one["id"]] = one
            rows.append(one)
        elif what == "rewind":
            names = list(live)
            kept = names[: names.index(f"m{own}")] if f"m{own}" in live else []
            live = {name: live[name] for name in kept}
            rows.append({"$rewindTo": f"m{own}"})
        else:
            listed = list(live.values())[own % 3 :]
            live = {one["id"]: one for one in listed}
            rows.append({"$set": {"messages": listed}})
    session = read(folder, [json.dumps(row).encode() for row in rows])
    turns = sound(session).turns
    assert [turn.said for turn in turns] == [one["content"] for one in ever.values()]
    standing = {turn.said: alive.live for turn, alive in zip(turns, session.outline.turns, strict=True)}
    assert {said for said, alive in standing.items() if alive} == {one["content"] for one in live.values()}
    assert (session.report.totals.input or 0) == sum(one["tokens"]["input"] for one in ever.values())


def test_a_list_set_anew_is_no_second_history(folder: Path) -> None:
    rows = [json.loads(line) for line in LINES]
    known = [row for row in rows if row.get("id") in ("u1", "g1")]
    del known[1]  # an earlier state of the message after it
    again = json.dumps({"$set": {"messages": known}}).encode()
    whole, session = read(folder, LINES), read(folder, [*LINES, again])
    assert session.report.totals.input == whole.report.totals.input
    assert [turn.live for turn in session.outline.turns] == [True, False, False]
    assert session.outline.rewinds[-1].turns == (3,)


def test_an_empty_file_and_one_without_its_first_line(folder: Path) -> None:
    assert read_bytes(folder, b"").records == ()
    session = read(folder, LINES[1:])
    assert session.id == "session"
    assert len(sound(session).turns) == 3
    assert session.records[0].kind == "run_started"


def test_a_long_document_on_one_line_is_recognised(folder: Path) -> None:
    value = json.loads(DOCUMENT)
    value["messages"] = [{**one, "content": "x" * 9_000} for one in value["messages"] if one] * 5
    path = folder / "long.json"
    path.write_text(json.dumps(value))
    [session] = read_as(READER, path)
    assert session.id == value["sessionId"]
    assert len(sound(session).turns) == 2
