"""Rows of every dialect as what they do: by hand, mixed, and damaged."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accounting.dispatch.transcripts.rows import read_lines, rows_of
from tests.accounting.dispatch.talks import BEGAN, DIALECTS, Claude, Newer, Older, lines
from wire import encode
from wire.dispatch import (
    TranscriptCall,
    TranscriptMeta,
    TranscriptResult,
    TranscriptRow,
    TranscriptSaid,
    TranscriptThought,
)


def read_rows(data: bytes) -> Iterator[TranscriptRow]:
    for line in read_lines(data):
        for held in line.rows:
            yield from rows_of(held.row)


def read(*rows: dict[str, Any]) -> list[TranscriptRow]:
    return list(read_rows(b"".join(lines(rows))))


def conversation(talk: Older | Newer | Claude) -> None:
    talk.asks("Mend it.")
    talk.thinks("Look first.")
    talk.calls("t1")
    talk.answers("t1", "no rule", error=True)
    talk.says("Mended.")
    talk.meta()


def test_the_older_dialect() -> None:
    talk = Older()
    conversation(talk)
    assert read(*talk.rows) == [
        TranscriptSaid(role="user", text="Mend it."),
        TranscriptThought(text="Look first."),
        TranscriptCall(call_id="t1", name="Bash", input={"command": "make"}),
        TranscriptResult(call_id="t1", text="no rule", is_error=True),
        TranscriptSaid(role="assistant", text="Mended.", status="completed"),
        TranscriptMeta(kind="file-history-snapshot"),
    ]


def test_the_newer_dialect() -> None:
    talk = Newer()
    conversation(talk)
    assert read(*talk.rows) == [
        TranscriptSaid(id="b0", parent_id=None, t=BEGAN, role="user", text="Mend it."),
        TranscriptThought(id="b1000", parent_id="b0", t=BEGAN + 1000, text="Look first."),
        TranscriptCall(
            id="b2000", parent_id="b1000", t=BEGAN + 2000, call_id="t1", name="Bash", input='{"command": "make"}'
        ),
        TranscriptResult(
            id="b3000", parent_id="b2000", t=BEGAN + 3000, call_id="t1", text="no rule", is_error=True, exit_code=2
        ),
        TranscriptSaid(
            id="b4000", parent_id="b3000", t=BEGAN + 4000, role="assistant", text="Mended.", status="completed"
        ),
        TranscriptMeta(id="b5000", parent_id="b4000", t=BEGAN + 5000, kind="turn-metrics"),
    ]


def test_claude_code() -> None:
    talk = Claude()
    conversation(talk)
    assert read(*talk.rows) == [
        TranscriptSaid(id="c0", parent_id=None, t=BEGAN, role="user", text="Mend it."),
        TranscriptThought(id="c1000", parent_id="c0", t=BEGAN + 1000, text="Look first."),
        TranscriptCall(
            id="c2000", parent_id="c1000", t=BEGAN + 2000, call_id="t1", name="Bash", input={"command": "make"}
        ),
        TranscriptResult(
            id="c3000",
            parent_id="c2000",
            t=BEGAN + 3000,
            call_id="t1",
            text="Exit code 2\nno rule",
            is_error=True,
            exit_code=2,
        ),
        TranscriptSaid(
            id="c4000", parent_id="c3000", t=BEGAN + 4000, role="assistant", text="Mended.", status="completed"
        ),
        TranscriptMeta(id="c5000", parent_id="c4000", t=BEGAN + 5000, kind="system/turn_duration"),
    ]


@pytest.mark.parametrize(("code", "expected"), [(2**63, None), (2**70, None), (1.5, None), (2**63 - 1, 2**63 - 1)])
def test_an_exit_code_that_is_none(code: float, expected: int | None) -> None:
    talk = Newer()
    talk.answers("t1")
    talk.rows[-1]["providerData"]["toolResult"]["rawResponse"]["exitCode"] = code
    (done,) = read(*talk.rows)
    assert isinstance(done, TranscriptResult)
    assert done.exit_code == expected


@pytest.mark.parametrize("stamp", [1772352000000.5, 1772352000, -1, "soon", None, True, {}])
def test_a_time_that_is_none(stamp: object) -> None:
    talk = Newer()
    talk.asks("Mend it.")
    talk.rows[-1]["timestamp"] = stamp
    (done,) = read(*talk.rows)
    assert done.t is None


def test_a_row_that_does_several_things() -> None:
    row: dict[str, Any] = {
        "type": "message",
        "role": "assistant",
        "content": [
            {"type": "output_text", "text": "Two at once."},
            {"type": "tool_use", "id": "t1", "name": "Read", "input": {}},
            {"type": "tool_use", "id": "t2", "name": "Read", "input": {}},
            {"type": "image_blob_ref", "blob_id": "b"},
        ],
    }
    assert [type(done) for done in read(row)] == [TranscriptSaid, TranscriptCall, TranscriptCall, TranscriptMeta]


def test_what_claude_code_writes_beside_the_conversation() -> None:
    talk = Claude()
    talk.add("user", message={"role": "user", "content": "Look there."}, isSidechain=True)
    talk.block({"type": "text", "text": "There."}, "end_turn", isSidechain=True)
    talk.add("progress", data={"type": "agent_progress"})
    talk.add("attachment", attachment={"type": "queued_command", "prompt": "And that.", "commandMode": "prompt"})
    talk.add("attachment", attachment={"type": "skill_listing"})
    talk.add("system")
    talk.rows.append({"type": "summary", "summary": "Of another.", "leafUuid": "x"})
    talk.rows.append({"no": "type"})
    talk.block({"type": "redacted_thinking", "data": "x"})
    talk.add("user", message="As a bare text.")
    told = [done.kind if isinstance(done, TranscriptMeta) else getattr(done, "text", None) for done in read(*talk.rows)]
    assert told == [
        "user/sidechain",
        "assistant/sidechain",
        "progress",
        "And that.",
        "attachment/skill_listing",
        "system",
        "summary",
        "(no type)",
        "assistant/redacted_thinking",
        "As a bare text.",
    ]


def test_dialects_mixed_in_one_file() -> None:
    talks = [dialect() for dialect in DIALECTS]
    for talk in talks:
        conversation(talk)
    mixed = [row for rows in zip(*(talk.rows for talk in talks), strict=True) for row in rows]
    apart = [read(*talk.rows) for talk in talks]
    assert read(*mixed) == [done for dones in zip(*apart, strict=True) for done in dones]


DAMAGE = {
    "a warning": (b"Warning: no space left\n", 0, True),
    "an array": (b"[1, 2]\n", 0, True),
    "a number": (b"7\n", 0, True),
    "nothing": (b"\n", 0, False),
    "white space": (b" \t\r\n", 0, False),
    "NUL": (b"\0\0\0\n", 0, True),
    "a torn row": (b'{"type":"message","role":"user","content":[{"ty\n', 0, True),
    "too deep": (b'{"type":' + b"[" * 20_000 + b"\n", 0, True),
    "bad UTF-8": (b'{"type":"topic","topic":"\xff"}\n', 1, False),
    "half a surrogate pair": (b'{"type":"topic","topic":"\\ud800"}\n', 1, False),
    "NUL before it": (b'\0\0{"type":"topic","topic":"x"}\n', 1, False),
    "CRLF": (b'{"type":"topic","topic":"x"}\r\n', 1, False),
    "a BOM": (b'\xef\xbb\xbf{"type":"topic","topic":"x"}\n', 1, False),
    "a field of another type": (b'{"type":"topic","topic":{"x":1},"timestamp":[],"id":4}\n', 1, False),
    "two rows": (b'{"type":"topic","topic":"x"}{"type":"topic","topic":"y"}\n', 2, False),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_costs_only_itself(damage: str) -> None:
    line, rows, lost = DAMAGE[damage]
    talk = Newer()
    conversation(talk)
    before, *after = lines(talk.rows)
    read = list(read_lines(before + line + b"".join(after)))
    alone = list(read_lines(line))
    assert (sum(len(one.rows) for one in alone), any(one.lost for one in alone)) == (rows, lost)
    assert sum(len(line.rows) for line in read) == len(talk.rows) + rows
    good = list(read_rows(before + b"".join(after)))
    assert [done for done in read_rows(before + line + b"".join(after)) if done in good] == good


def test_a_field_that_does_not_read_is_told_of_its_own_row() -> None:
    good, bad = b'{"type":"topic","topic":"x"}', b'{"type":"topic","topic":7}'
    when = b'{"type":"topic","timestamp":{}}'
    found = list(read_lines(b"\n".join((good, bad, good + bad + good, when)), 100))
    assert [[held.misread for held in line.rows] for line in found] == [[False], [True], [False, True, False], [False]]
    assert [line.offset for line in found] == [100, 129, 156, 239]


def test_a_last_line_without_its_newline() -> None:
    (whole,) = read_lines(b'{"type":"topic","topic":"x"}')
    assert (len(whole.rows), whole.lost, whole.ended) == (1, False, False)
    (torn,) = read_lines(b'{"type":"topic","top')
    assert (torn.rows, torn.lost, torn.ended) == ((), True, False)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
WORDS = ("message", "function_call", "function_call_result", "reasoning", "user", "assistant", "attachment", "system",
         "topic", "ai-title", "custom-title", "summary")  # fmt: skip
FIELDS = ("role", "content", "message", "status", "callId", "name", "arguments", "output", "providerData", "timestamp",
          "id", "uuid", "parentId", "sessionId", "cwd", "rawContent", "attachment", "topic", "aiTitle", "subtype",
          "isSidechain", "isMeta", "origin", "error")  # fmt: skip
ODD_ROWS = st.dictionaries(st.sampled_from(FIELDS), JSON)


@settings(max_examples=100)  # drawing them takes long
@given(st.lists(st.tuples(st.sampled_from(WORDS), ODD_ROWS), max_size=3))
def test_a_row_of_any_fields_is_read_and_can_be_told(rows: list[tuple[str, dict[str, Any]]]) -> None:
    data = b"".join(json.dumps({**row, "type": word}).encode() + b"\n" for word, row in rows)
    for done in read_rows(data):
        json.loads(encode(done))


@given(st.binary(max_size=200), st.binary(max_size=60), st.integers(0, 2000), st.integers(0, 50))
def test_any_bytes_are_read(data: bytes, spliced: bytes, at: int, gone: int) -> None:
    talk = Newer()
    conversation(talk)
    whole = b"".join(lines(talk.rows))
    for tried in (data, whole[:at] + spliced + whole[at + gone :]):
        for done in read_rows(tried):
            encode(done)
