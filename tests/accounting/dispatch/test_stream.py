"""An agent's output as events: by hand, for any way of cutting it, and for damage of every sort."""

import json
import tracemalloc
from pathlib import Path
from typing import Final, cast

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from accounting.dispatch import stream
from accounting.dispatch.events import DispatchEvent, Ended, Initialised, Progressed
from accounting.dispatch.machine import is_success, step
from accounting.dispatch.stream import StreamReading, read_event
from tests.accounting.dispatch.journals import BEGAN, RUNNING, path
from wire.dispatch import (
    DispatchJournal,
    DispatchUsage,
    StreamAnswer,
    StreamAssistant,
    StreamCall,
    StreamInit,
    StreamOther,
    StreamResult,
    StreamUser,
)
from wire.scalars import AbsolutePath, Json, JsonObject

_SAMPLE: Final = Path(__file__).resolve().parents[4] / "shared/data/samples/claude_stream_json_array.json"

INIT: Final[JsonObject] = {"type": "system", "subtype": "init", "session_id": "s1"}
OTHER_INIT: Final[JsonObject] = {"type": "system", "subtype": "init", "session_id": "s2"}
SUCCESS: Final[JsonObject] = {"type": "result", "subtype": "success", "is_error": False, "result": "Mended."}
ERROR: Final[JsonObject] = {"type": "result", "subtype": "error_max_turns", "is_error": True}


def _calls(*ids: str | None) -> JsonObject:
    return {"type": "assistant", "message": {"content": [{"type": "tool_use", "id": id_} for id_ in ids]}}


def _with(row: JsonObject, fields: JsonObject) -> JsonObject:
    return row | fields


def _line(value: Json) -> bytes:
    return json.dumps(value).encode() + b"\n"


def _lines(*values: Json) -> bytes:
    return b"".join(map(_line, values))


def _place(session: str) -> AbsolutePath | None:
    return path(f"/sessions/{session}")


def _end_of(data: bytes) -> Ended | None:
    """The end that all of an output tells."""
    reading = StreamReading()
    reading.feed(data)
    reading.finish()
    last = _events(reading)[-1]
    return last if isinstance(last, Ended) else None


def _events(reading: StreamReading) -> tuple[DispatchEvent, ...]:
    return reading.events(BEGAN, _place)


def _read(*parts: bytes, finished: bool = False) -> tuple[DispatchEvent, ...]:
    reading = StreamReading()
    for part in parts:
        reading.feed(part)
    if finished:
        reading.finish()
    return _events(reading)


def _session(session: str) -> Initialised:
    return Initialised(at=BEGAN, session_id=session, session_file=_place(session))


def _counts(calls: int = 0, others: int = 0, ignored: int = 0) -> Progressed:
    return Progressed(at=BEGAN, tool_calls=calls, other_sessions=others, ignored_lines=ignored)


def _result(events: tuple[DispatchEvent, ...]) -> StreamResult | None:
    return next((event.result for event in events if isinstance(event, Ended)), None)


# Single lines, by hand.


def test_an_init() -> None:
    told = _with(INIT, {"model": "claude-x", "cwd": "/home/ada", "tools": ["Bash", "Read"], "mcp_servers": []})
    assert read_event(_line(told)) == StreamInit(
        session_id="s1", model="claude-x", cwd="/home/ada", tools=("Bash", "Read")
    )
    assert read_event(_line(_with(INIT, {"session_id": "", "tools": None}))) == StreamInit(tools=())


def test_an_answer_of_the_model() -> None:
    told: JsonObject = {
        "type": "assistant",
        "session_id": "s1",
        "parent_tool_use_id": "t0",
        "message": {
            "content": [
                {"type": "thinking", "thinking": "Hm.", "signature": "x"},
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls", "n": 1.5}},
                {"type": "server_tool_use", "name": "web_search", "input": {}},
            ],
            "usage": {
                "input_tokens": 3,
                "output_tokens": 5,
                "cache_read_input_tokens": 40,
                "cache_creation_input_tokens": 200,
                "service_tier": "standard",
            },
        },
    }
    assert read_event(_line(told)) == StreamAssistant(
        texts=("I look.",),
        thoughts=("Hm.",),
        calls=(
            StreamCall(id="t1", name="Bash", input={"command": "ls", "n": 1.5}),
            StreamCall(name="web_search", input={}),
        ),
        usage=DispatchUsage(input_tokens=243, output_tokens=5, cache_read_tokens=40, cache_write_tokens=200),
        within="t0",
    )
    assert read_event(_line({"type": "assistant", "message": "Plain."})) == StreamAssistant(
        texts=("Plain.",), thoughts=(), calls=()
    )


def test_answers_of_tools() -> None:
    told: JsonObject = {
        "type": "user",
        "message": {
            "content": [
                {"type": "text", "text": "beside"},
                {"type": "tool_result", "tool_use_id": "t1", "content": "no such file", "is_error": True},
                {"type": "tool_result", "tool_use_id": "t2", "content": [{"type": "text", "text": "fine"}]},
            ]
        },
    }
    assert read_event(_line(told)) == StreamUser(
        answers=(StreamAnswer(call_id="t1", is_error=True), StreamAnswer(call_id="t2", is_error=False))
    )


def test_a_result() -> None:
    told = _with(
        SUCCESS,
        {
            "session_id": "s1",
            "stop_reason": "end_turn",
            "num_turns": 3,
            "duration_ms": 59.6,
            "duration_api_ms": 50,
            "total_cost_usd": 0.04125,
            "usage": {"input_tokens": 10, "output_tokens": 7, "cache_read_input_tokens": 0},
        },
    )
    assert read_event(_line(told)) == StreamResult(
        subtype="success",
        is_error=False,
        result="Mended.",
        stop_reason="end_turn",
        num_turns=3,
        duration_ms=60,
        cost_usd_micros=41250,
        usage=DispatchUsage(input_tokens=10, output_tokens=7, cache_read_tokens=0),
        session_id="s1",
    )


@pytest.mark.parametrize(
    ("told", "kind"),
    [
        ({"type": "system", "subtype": "status"}, "system/status"),
        ({"type": "system"}, "system"),
        ({"type": "stream_event", "event": {}}, "stream_event"),
        (_with(SUCCESS, {"parent_tool_use_id": "t1"}), "result/success"),  # a sub-agent's, so not the run's
        (_with(SUCCESS, {"parent_tool_use_id": 5}), "result/success"),
    ],
)
def test_events_that_tell_nothing_here(told: JsonObject, kind: str) -> None:
    assert read_event(_line(told)) == StreamOther(kind=kind)
    assert _read(_line(told)) == (_counts(ignored=1),)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\n",
        b"Warning: foo\n",
        b'Warning: {"type":"result","subtype":"success"}\n',  # quoted, not said
        b'[WARN] {"type":"result"}\n',
        b'"result"\n',
        b"5\n",
        b"{}\n",
        b'{"type":5}\n',
        b'{"type":"result"\n',
        b'{"type":"assistant","message":{"content":[{"type":"tool_use","input":{"type":"result"}\n',  # torn
        b'[{"type":"result"}]\n',  # events, but several
    ],
)
def test_no_event(line: bytes) -> None:
    assert read_event(line) is None


# Whole streams, by hand.


def test_a_stream_as_it_grows() -> None:
    reading = StreamReading()
    assert _events(reading) == (_counts(),)
    reading.feed(b"Warning: foo\n\n" + _line(INIT)[:20])
    assert _events(reading) == (_counts(ignored=1),)
    reading.feed(_line(INIT)[20:] + _line({"type": "system", "subtype": "status"}))
    assert _events(reading) == (_session("s1"), _counts(ignored=2))
    reading.feed(_lines(_calls("t1", "t2"), _calls("t2"), _calls("t3", None), _calls(None)))
    assert _events(reading) == (_session("s1"), _counts(calls=5, ignored=2))
    reading.feed(_lines(INIT, OTHER_INIT, INIT, OTHER_INIT))
    assert _events(reading) == (_session("s1"), _counts(calls=5, others=2, ignored=2))
    reading.feed(_line(SUCCESS))
    ended = Ended(at=BEGAN, result=StreamResult(subtype="success", is_error=False, result="Mended."))
    assert _events(reading) == (_session("s1"), _counts(calls=5, others=2, ignored=2), ended)
    reading.feed(b"late\n" + _lines(ERROR, _calls("t9")))
    assert _events(reading) == (_session("s1"), _counts(calls=5, others=2, ignored=2), ended)


def test_an_unfinished_line_counts_at_the_end_only() -> None:
    data = _lines(INIT, SUCCESS)[:-1]
    assert _result(_read(data)) is None
    assert _result(_read(data, finished=True)) is not None
    assert _result(_read(data[:-1], finished=True)) is None


def test_a_result_names_the_session_when_nothing_did_before() -> None:
    assert _read(_line(_with(SUCCESS, {"session_id": "s1"})))[0] == _session("s1")
    assert _read(_lines(INIT, _with(SUCCESS, {"session_id": "s2"})))[:2] == (_session("s1"), _counts(others=1))


def test_the_first_result_of_lines_and_the_last_of_a_list() -> None:
    first, second = _read(_lines(SUCCESS, ERROR)), _read(_lines(ERROR, SUCCESS))
    assert [_result(one) == read_event(_line(SUCCESS)) for one in (first, second)] == [True, False]
    glued = json.dumps(ERROR).encode() + _line(SUCCESS)
    assert _result(_read(glued)) == read_event(_line(ERROR))
    for listed in (_line([SUCCESS, _calls("t1"), ERROR, _calls("t2")]), _line([INIT, 5, SUCCESS, ERROR])):
        assert _result(_read(listed)) == read_event(_line(ERROR))
    assert _read(_line([INIT, 5, _calls("t1"), SUCCESS, _calls("t2")]))[:2] == (
        _session("s1"),
        _counts(calls=2, ignored=1),
    )


@pytest.mark.parametrize(
    "told", [_with(SUCCESS, {"session_id": "s1"}), [INIT, _calls("t1"), SUCCESS], [INIT, SUCCESS, ERROR]]
)
def test_a_document_over_several_lines(told: Json) -> None:
    spread = json.dumps(told, indent=2).encode()
    for before in (b"", b"[WARN] foo\n{oops\n"):
        reading = StreamReading()
        reading.feed(before + spread)
        assert _result(_events(reading)) is None
        reading.finish()
        flat = _read(_line(told))
        assert [_events(reading)[0], _result(_events(reading))] == [flat[0], _result(flat)]
    assert _read(spread, finished=True) == _read(_line(told))


def test_a_torn_list_tells_of_the_session_and_not_of_the_end() -> None:
    whole = _line([INIT, _calls("t1"), SUCCESS, ERROR])
    torn = whole[: whole.index(b"error_max")]
    assert _read(torn, finished=True) == (_session("s1"), _counts(calls=1))


@pytest.mark.parametrize("begin", [b"[\n", b"[", b" [ ", b"\xef\xbb\xbf[\n\n", b"Warning: foo\n["])
@pytest.mark.parametrize("between", [b",\n", b"\n, ", b",", b",\n\n"])
@pytest.mark.parametrize("end", [b"]\n", b"\n]", b"]"])
def test_a_list_is_one_document_whatever_its_line_breaks(begin: bytes, between: bytes, end: bytes) -> None:
    for last, well in ((ERROR, False), (SUCCESS, True)):
        rows = (INIT, SUCCESS, ERROR, last)
        told = _end_of(begin + between.join(json.dumps(row).encode() for row in rows) + end)
        assert told is not None
        assert is_success(told.result) is well


def test_a_list_that_does_not_end_tells_nothing_of_the_end() -> None:
    text = b"[\n" + b",\n".join(json.dumps(row).encode() for row in (INIT, SUCCESS))
    for torn in (text, text + b",\n", text + b",\n{", text + b"\n" + _line(SUCCESS)):
        reading = StreamReading()
        reading.feed(torn)
        assert [type(event) for event in _events(reading)] == [Progressed], "it is not at its end"
        reading.finish()
        assert [type(event) for event in _events(reading)] == [Initialised, Progressed]


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        (b"[{plugin}] starting\n", 1),
        (b"[[debug]] starting\n", 1),
        (b"[\n  'one thing',\n  'another'\n]\n", 4),
        (b"[\n", 1),
        (b"[\nnot yet\n", 2),
        (b"[\n]\n", 2),
    ],
)
def test_words_in_brackets_are_warnings(words: bytes, lines: int) -> None:
    told = _read(words, _lines(INIT), _lines(SUCCESS))
    if words == b"[\n":  # it may still be a list whose first element this is
        assert _result(told) is None
        return
    assert told[:2] == (_session("s1"), _counts(ignored=lines))
    assert _result(told) == read_event(_line(SUCCESS))


def test_a_list_that_is_whole_ends_the_run_whatever_follows() -> None:
    text = b"[\n" + b",\n".join(json.dumps(row, indent=2).encode() for row in (INIT, ERROR, SUCCESS)) + b"\n]\n"
    for data in (text, text + b"Warning: foo\n", text + _line(ERROR)):
        assert _result(_read(data)) == read_event(_line(SUCCESS)), "before its process is gone"


@pytest.mark.parametrize("blank", [b" ", b"\0", b" \0"])
def test_blanks_before_an_event_cost_what_they_are(blank: bytes) -> None:
    told = _read(blank * (1 << 19) + b"x\n", blank * (1 << 19) + _line(INIT), _line(SUCCESS))
    assert told[0] == _session("s1")
    assert _result(told) is not None


def test_a_list_that_is_too_long_tells_nothing_of_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "LONGEST", 200)
    for filler in ([_calls("a" * 90)] * 3, [_calls("a" * 300)]):
        assert (
            _end_of(b"[" + b",\n".join(json.dumps(row).encode() for row in (INIT, *filler, SUCCESS)) + b"]\n") is None
        )


def test_a_list_of_an_object_over_several_lines_is_part_of_it() -> None:
    told = _end_of(b'{\n"type": "result",\n"denials":\n[\n[{\n}]\n],\n"subtype": "success"\n}\n')
    assert told is not None
    assert is_success(told.result)


def test_odd_bytes_around_an_event() -> None:
    expected = read_event(_line(SUCCESS))
    text = json.dumps(SUCCESS).encode()
    for odd in (b"\xef\xbb\xbf" + text, b"\0\0" + text + b"\r\n", b" \t" + text, text + b"Warning: foo\n"):
        assert _result(_read(odd, finished=True)) == expected
    bad = text.replace(b"Mended.", b"Mend\xffed\\ud83d.") + b"\n"
    assert read_event(bad) == StreamResult(subtype="success", is_error=False, result="Mend\ufffded\ufffd.")


def test_the_published_sample() -> None:
    if not _SAMPLE.exists():
        pytest.skip(f"no sample at {_SAMPLE}")
    assert [type(event) for event in _read(_SAMPLE.read_bytes(), finished=True)] == [Initialised, Progressed, Ended]


# Damage in a field costs that field; what decides on success is never lost.

_JSON: Final = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)
_FIELDS: Final = ("result", "stop_reason", "num_turns", "duration_ms", "total_cost_usd", "usage", "session_id", "model")


@pytest.mark.invariant("D1")
@given(st.dictionaries(st.sampled_from((*_FIELDS, "subtype", "is_error", "message", "tools")), _JSON))
@example({"is_error": 0})
@example({"is_error": "false"})
@example({"is_error": float("inf")})
@example({"subtype": ["success"]})
@example({"subtype": False})
@example({"is_error": [], "num_turns": "3"})
def test_a_result_with_any_fields_is_one_and_a_success_only_if_it_says_so(fields: JsonObject) -> None:
    event = read_event(_line(_with(fields, {"type": "result"})))
    assert isinstance(event, StreamResult)
    flag, word = fields.get("is_error"), fields.get("subtype")
    assert is_success(event) == ((flag is None or flag is False) and (word is None or word == "success"))
    told = fields.get("result")
    assert event.result is None or isinstance(told, str)


@pytest.mark.parametrize("depth", [500, 5000])
@pytest.mark.parametrize("field", ["is_error", "subtype", "parent_tool_use_id", "permission_denials"])
def test_deep_nesting_in_a_field(field: str, depth: int) -> None:
    deep = b'{"type":"result","result":"Mended.","%s":%s}\n' % (field.encode(), b"[" * depth + b"]" * depth)
    event = read_event(deep)
    if field == "parent_tool_use_id":
        assert event == StreamOther(kind="result")
    else:
        assert event == StreamResult(is_error=field != "permission_denials", result="Mended.")


@pytest.mark.parametrize(
    "usage",
    [
        {"input_tokens": 3},
        {"output_tokens": 3},
        {"input_tokens": -1, "output_tokens": 3},
        {"input_tokens": 1, "output_tokens": 3, "cache_read_input_tokens": "4"},  # the prompt is not known then
        {"input_tokens": 1, "output_tokens": 3.5},
        {"input_tokens": 2**64 - 1, "output_tokens": 3, "cache_creation_input_tokens": 1},
        [],
        "12",
    ],
)
def test_token_counts_that_are_none(usage: Json) -> None:
    event = read_event(
        _line(_with(SUCCESS, {"usage": usage, "num_turns": -3, "duration_ms": -1, "total_cost_usd": -0.1}))
    )
    assert event == StreamResult(subtype="success", is_error=False, result="Mended.")


# What holds for any stream.

_WARNINGS: Final = st.sampled_from(
    [b"Warning: foo", b"", b"{", b"}", b"[", b"[WARN]", b'{"type":"resu', b"\xff\0", b" "]
)
_ROWS: Final = st.sampled_from(
    [
        INIT,
        OTHER_INIT,
        _calls("t1"),
        _calls("t2", None),
        SUCCESS,
        ERROR,
        {"type": "user"},
        {"type": "odd"},
        [INIT, ERROR],
    ]
)
_TEXTS: Final = st.lists(_ROWS.map(lambda row: json.dumps(row).encode()) | _WARNINGS, max_size=8).map(b"\n".join)
_STREAMS: Final = (
    _TEXTS | st.binary(max_size=40) | st.lists(_ROWS, max_size=4).map(lambda rows: json.dumps(rows, indent=1).encode())
)


@pytest.mark.invariant("D3")
@given(_STREAMS, st.data())
def test_however_it_is_cut_it_comes_to_the_same(data: bytes, draw: st.DataObject) -> None:
    cuts = sorted(draw.draw(st.lists(st.integers(0, len(data)), max_size=8)))
    parts = [data[a:b] for a, b in zip([0, *cuts], [*cuts, len(data)], strict=True)]
    assert _read(*parts) == _read(data)
    assert _read(*parts, finished=True) == _read(data, finished=True)
    singly = [data[at : at + 1] for at in range(len(data))]
    assert _read(*singly, finished=True) == _read(data, finished=True)


@pytest.mark.invariant("D3")
@given(_STREAMS, st.data())
def test_reading_on_only_adds(data: bytes, draw: st.DataObject) -> None:
    """A journal that was told of a beginning comes, told of the rest, to where it comes when told of all at once."""
    cut = draw.draw(st.integers(0, len(data)))
    reading = StreamReading()
    reading.feed(data[:cut])
    early = _told(RUNNING, _events(reading))
    reading.feed(data[cut:])
    reading.finish()
    whole = _told(RUNNING, _events(reading))
    assert _told(early, _events(reading)) == whole
    assert _told(whole, _events(reading)) is whole


def _told(journal: DispatchJournal, events: tuple[DispatchEvent, ...]) -> DispatchJournal:
    for event in events:
        journal = step(journal, event)
    return journal


@given(st.lists(_ROWS | st.just(None), max_size=8))
def test_it_counts_as_a_plain_reader_does(rows: list[Json]) -> None:
    """Rows and warnings, line by line, read once more in the simplest way."""
    data = b"".join(b"Warning: foo\n" if row is None else _line(row) for row in rows)
    sessions: list[str] = []
    calls: list[str | None] = []
    ignored = 0
    end: JsonObject | None = None
    for row in rows:
        for one in row if isinstance(row, list) else [row]:
            if not isinstance(one, dict) or one["type"] == "odd":
                ignored += 1
            elif one["type"] == "system":
                sessions.append(str(one["session_id"]))
            elif one["type"] == "assistant":
                message = cast("dict[str, list[dict[str, str | None]]]", one["message"])
                calls += [block["id"] for block in message["content"]]
            elif one["type"] == "result":
                end = one
        if end is not None:
            break
    events = _read(data)
    named = {id_ for id_ in calls if id_ is not None}
    others = sum(session != sessions[0] for session in sessions)
    assert _counts(len(named) + calls.count(None), others, ignored) in events
    assert (_session(sessions[0]) in events) if sessions else not isinstance(events[0], Initialised)
    assert _result(events) == (None if end is None else read_event(_line(end)))


@given(st.binary(max_size=60))
@example(b"[" * 5000)
@example(b'{"a":' * 5000)
def test_nothing_makes_it_raise(data: bytes) -> None:
    read_event(data)
    assert _result(_read(data, finished=True)) is None


# Sizes.


def test_a_line_that_is_too_long_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "LONGEST", 100)
    long = _line(_with(SUCCESS, {"result": "x" * 100}))
    for end in (_line(ERROR), b""):
        for parts in ([long, end], [long[:90], long[90:], end], [*(bytes([byte]) for byte in long), end]):
            read = _read(*parts, finished=True)
            assert _counts(ignored=1) in read
            assert (_result(read) is not None) == bool(end)
    assert _result(_read(long[:-1], finished=True)) is None
    spread = json.dumps([INIT, SUCCESS], indent=9).encode()
    assert len(spread) > 100
    assert _result(_read(spread, finished=True)) is None


def test_memory_is_bounded() -> None:
    lines = _line(INIT) + _line({"type": "user", "message": {"content": "x" * 900}}) * 1000
    reading = StreamReading()
    tracemalloc.start()
    try:
        for _ in range(8):
            reading.feed(lines)
        assert tracemalloc.get_traced_memory()[1] < 300_000
    finally:
        tracemalloc.stop()


def test_fifty_megabytes() -> None:
    said: JsonObject = {"type": "assistant", "message": {"content": [{"type": "text", "text": "x" * 900}]}}
    reading = StreamReading()
    block = _line(said) * 1000
    for _ in range(50):
        reading.feed(block)
    reading.feed(_line(_with(SUCCESS, {"result": "y" * 50_000_000})))
    ended = _result(_events(reading))
    assert ended is not None
    assert len(ended.result or "") == 50_000_000
