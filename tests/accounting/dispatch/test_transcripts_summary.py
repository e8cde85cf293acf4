"""A transcript read at both ends: what is read, what that promises, and files that change meanwhile."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounting.dispatch.transcripts.summary import HEAD, TAIL, summarise
from tests.accounting.dispatch.talks import BEGAN, CWD, DIALECTS, SESSION, Claude, Newer, Older, lines, written
from wire import decode, encode
from wire.dispatch import TranscriptState, TranscriptSummary

COUNTS = ("rows", "unreadable", "user_messages", "assistant_messages", "tool_calls", "tool_errors", "waiting_calls")
BEGINNING = ("session_id", "cwd", "first_prompt", "began_at")
END = ("last_text", "ended_at")


def counts(summary: TranscriptSummary) -> tuple[int, ...]:
    return tuple(getattr(summary, name) for name in COUNTS)


class Reads:
    """Counts the bytes that are really read, and does something once before the first."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, before: Callable[[], object] = lambda: None) -> None:
        self.bytes = 0
        self._before: Callable[[], object] | None = before
        monkeypatch.setattr("accounting.dispatch.transcripts.summary.os.read", self._read)

    def _read(self, file: int, count: int, read: Callable[[int, int], bytes] = os.read) -> bytes:
        if self._before is not None:
            self._before()
            self._before = None
        got = read(file, count)
        self.bytes += len(got)
        return got


def long_talk(size: int) -> Newer:
    talk = Newer()
    talk.asks("Mend it.")
    row = len(lines(talk.rows)[0])
    for number in range(size // (row + 1300)):
        talk.calls(f"t{number}")
        talk.answers(f"t{number}", "x" * 1000, error=number % 10 == 0)
    talk.title("Mending")
    talk.says("Mended.")
    return talk


def test_w17_of_five_megabytes_the_two_ends_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path / f"{SESSION}.jsonl", (talk := long_talk(5_000_000)).rows)
    assert path.stat().st_size > 5_000_000
    reads = Reads(monkeypatch)
    summary = summarise(path)
    assert reads.bytes == summary.bytes_read == HEAD + TAIL == 256 * 1024 + 1024 * 1024
    assert (summary.truncated, summary.size, summary.path) == (True, path.stat().st_size, str(path))
    assert summary.modified_at == path.stat().st_mtime_ns // 1_000_000
    assert (summary.session_id, summary.cwd, summary.first_prompt) == (SESSION, CWD, "Mend it.")
    assert (summary.title, summary.last_text, summary.began_at) == ("Mending", "Mended.", BEGAN)
    assert summary.ended_at == summary.state_at == talk.rows[-1]["timestamp"]
    assert summary.state_offset == path.stat().st_size - len(lines(talk.rows)[-1])
    assert (summary.state, summary.reason, summary.waiting_calls) == (TranscriptState.completed, None, 0)
    assert 0 < summary.tool_errors < summary.tool_calls < sum(row["type"] == "function_call" for row in talk.rows)
    assert decode(encode(summary), TranscriptSummary) == summary


def test_a_file_as_long_as_both_ends_is_read_whole_and_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    talk = long_talk(20_000)
    path = written(tmp_path / "s.jsonl", talk.rows)
    size = path.stat().st_size
    reads = Reads(monkeypatch)
    whole = summarise(path, head=1000, tail=size - 1000)
    assert (reads.bytes, whole.bytes_read, whole.truncated, whole.rows) == (size, size, False, len(talk.rows))
    longer = summarise(path, head=1000, tail=size - 1001)
    assert (longer.bytes_read, longer.truncated) == (size - 1, True)
    assert longer.rows in (len(talk.rows) - 1, len(talk.rows) - 2)


def test_only_whole_rows_of_either_end_count(tmp_path: Path) -> None:
    """Each row is eight bytes long with its newline, but for the third."""
    data = b'{"a":1}\n{"b":2}\n{"long":"row"}\n{"c":3}\n{"d":4}\n'
    path = tmp_path / "s.jsonl"
    path.write_bytes(data)
    rows = {(head, tail): summarise(path, head=head, tail=tail).rows for head in (7, 8, 15, 16, 20) for tail in (8, 9)}
    # The tail's first line is left out even where it is whole: nothing before it says so.
    assert rows == {(7, 8): 0, (8, 8): 1, (15, 8): 1, (16, 8): 2, (20, 8): 2, (7, 9): 1, (8, 9): 2, (15, 9): 2, (16, 9): 3, (20, 9): 3}  # fmt: skip  # noqa: E501


def test_a_row_longer_than_the_end(tmp_path: Path) -> None:
    talk = Newer()
    talk.asks("Mend it.")
    talk.title("Mending")
    talk.says("Mended. " + "x" * 5000)
    for more in (b"", b'{"type":"torn'):
        summary = summarise(written(tmp_path / "s.jsonl", talk.rows, more), head=1000, tail=2000)
        assert (summary.truncated, summary.state) == (True, TranscriptState.unknown)
        assert (summary.last_text, summary.ended_at, summary.state_at) == (None, None, None)
        assert (summary.first_prompt, summary.rows) == ("Mend it.", 2)
        assert summary.title == "Mending"  # the last that was read


def test_a_first_row_longer_than_the_beginning(tmp_path: Path) -> None:
    talk = Newer()
    talk.asks("Mend it. " + "x" * 5000)
    talk.asks("And that.")
    talk.says("Mended.")
    summary = summarise(written(tmp_path / f"{SESSION}.jsonl", talk.rows), head=1000, tail=2000)
    assert (summary.first_prompt, summary.cwd, summary.began_at) == (None, None, None)
    assert (summary.session_id, summary.last_text, summary.state) == (SESSION, "Mended.", TranscriptState.completed)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_where_the_line_begins_that_decides(tmp_path: Path, dialect: Callable[[], Older | Newer | Claude]) -> None:
    talk = dialect()
    talk.asks("Mend it.")
    talk.calls("t1")
    talk.answers("t1", "ä" * 3000)
    talk.says("Mended.")
    talk.meta()
    blank = b"\n \n"
    place = len(blank + b"".join(lines(talk.rows[:3])))
    for state, offset in ((TranscriptState.completed, place), (TranscriptState.open, None)):
        path = written(tmp_path / "s.jsonl", [], blank, *lines(talk.rows))
        for summary in (summarise(path), summarise(path, head=300, tail=3500)):
            assert (summary.state, summary.state_offset) == (state, offset)
        talk.calls("t2")
    del talk.rows[5:]
    glued = b"".join(line.rstrip() for line in lines(talk.rows[3:]))
    path = written(tmp_path / "s.jsonl", talk.rows[:3], glued, b"\n")
    assert summarise(path).state_offset == place - len(blank)
    assert summarise(written(path, talk.rows[:3])).state_offset is None
    talk.breaks_in()
    at = len(b"".join(lines(talk.rows[:-1])))
    assert summarise(written(path, talk.rows)).state_offset == at


def test_a_call_that_the_middle_answers_does_not_wait(tmp_path: Path) -> None:
    talk = Newer()
    talk.calls("t0")
    talk.answers("t0", "x" * 5000)
    talk.answers("t-1")
    talk.says("Mended.")
    summary = summarise(written(tmp_path / "s.jsonl", talk.rows), head=1000, tail=2000)
    assert (summary.state, summary.waiting_calls, summary.tool_calls) == (TranscriptState.completed, 0, 1)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_counts_of_a_whole_file(tmp_path: Path, dialect: Callable[[], Older | Newer | Claude]) -> None:
    talk = dialect()
    talk.title("First")
    talk.asks("Mend it.")
    talk.says("Let me see.")
    talk.calls("t1")
    talk.calls("t2")
    talk.answers("t2", error=True)
    talk.asks("Quick.")
    talk.meta()
    talk.title("Then")
    summary = summarise(written(tmp_path / "s.jsonl", talk.rows, b"Killed\n", b'{"torn'))
    messages = 1 if dialect is Newer else 3
    assert counts(summary) == (len(talk.rows), 1, 2, messages, 2, 1, 1)
    assert (summary.title, summary.last_text, summary.truncated) == ("Then", "Let me see.", False)


def test_a_message_on_several_lines_and_a_line_told_again_count_once(tmp_path: Path) -> None:
    talk = Claude()
    talk.asks("Mend it.")
    talk.block({"type": "text", "text": "Let me see."})
    talk.block({"type": "tool_use", "id": "t1", "name": "Bash", "input": {}}, "tool_use")
    for row in talk.rows[1:]:
        row["message"]["id"] = "one"
    talk.answers("t1", error=True)
    summary = summarise(written(tmp_path / "s.jsonl", [*talk.rows, *talk.rows]))
    assert counts(summary) == (8, 0, 1, 1, 1, 1, 0)


def test_a_damaged_line_at_the_end_of_the_beginning_counts(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", [], b"Killed\n", *lines(long_talk(20_000).rows))
    assert summarise(path, head=7, tail=1000).unreadable == 1
    assert summarise(path, head=6, tail=1000).unreadable == 0


def test_a_session_that_was_taken_up_again_is_called_as_its_file(tmp_path: Path) -> None:
    talk = Claude()
    talk.asks("Mend it.")
    talk.rows[-1]["sessionId"] = "before"
    assert summarise(written(tmp_path / f"{SESSION}.jsonl", talk.rows)).session_id == "before"
    talk.says("Mended.")
    assert summarise(written(tmp_path / f"{SESSION}.jsonl", talk.rows)).session_id == SESSION
    assert summarise(written(tmp_path / "s.jsonl", talk.rows)).session_id == "before"


def test_a_summary_that_names_a_line_is_no_title(tmp_path: Path) -> None:
    rows = [{"type": "summary", "summary": "Of another.", "leafUuid": "x"}]
    assert summarise(written(tmp_path / "s.jsonl", rows)).title is None
    assert summarise(written(tmp_path / "s.jsonl", [{"type": "summary", "summary": "Own."}])).title == "Own."


def test_an_empty_file(tmp_path: Path) -> None:
    summary = summarise(written(tmp_path / "s.jsonl", []))
    assert (summary.size, summary.bytes_read, summary.truncated) == (0, 0, False)
    assert (summary.state, counts(summary)) == (TranscriptState.unknown, (0,) * 7)


def test_what_is_no_file_raises(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe", tmp_path / "not-there"):
        with pytest.raises(OSError, match=str(path)):
            summarise(path)


def test_a_path_that_is_no_text(tmp_path: Path) -> None:
    path = written(Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff/s.jsonl")), [])
    assert summarise(path).path == f"{tmp_path}/?/s.jsonl"
    encode(summarise(path))


# While somebody writes.


@pytest.mark.parametrize("size", [2_000, 20_000])
def test_what_is_appended_meanwhile_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    talk = long_talk(size)
    path = written(tmp_path / "s.jsonl", talk.rows)
    before = summarise(path, head=4000, tail=4000)
    talk.asks("And that.")

    def append() -> None:
        with path.open("ab") as file:
            file.write(lines(talk.rows)[-1])

    Reads(monkeypatch, append)
    assert summarise(path, head=4000, tail=4000) == before


@pytest.mark.parametrize("left", [0, 3, 3000, 9000])
def test_a_file_that_is_cut_short_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, left: int) -> None:
    path = written(tmp_path / "s.jsonl", long_talk(20_000).rows)
    reads = Reads(monkeypatch, lambda: os.truncate(path, left))
    summary = summarise(path, head=4000, tail=4000)
    assert summary.bytes_read == reads.bytes == min(left, 4000)
    assert summary.state is TranscriptState.unknown


def test_a_read_that_gives_less_than_asked_is_gone_on_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path / "s.jsonl", long_talk(20_000).rows)
    whole = summarise(path, head=4000, tail=4000)
    real = os.read

    def read(file: int, count: int) -> bytes:
        return real(file, min(count, 700))

    monkeypatch.setattr("accounting.dispatch.transcripts.summary.os.read", read)
    assert summarise(path, head=4000, tail=4000) == whole


# For any conversation, any windows.

STEPS = st.lists(
    st.tuples(
        st.sampled_from(range(len(DIALECTS))),
        st.sampled_from(("asks", "says", "part", "thinks", "calls", "answers", "fails", "breaks_in", "meta", "title")),
        st.sampled_from("abc"),
        st.integers(0, 200),
    ),
    max_size=25,
)


def mixed(steps: Sequence[tuple[int, str, str, int]]) -> list[dict[str, Any]]:
    """The rows of one conversation told in all dialects, each row in one of them."""
    talks = [dialect() for dialect in DIALECTS]
    rows: list[dict[str, Any]] = []
    for which, what, name, length in steps:
        talk, text = talks[which], name * length
        match what:
            case "part":
                talk.says(text, whole=False)
            case "fails":
                talk.answers(name, text, error=True)
            case "answers":
                talk.answers(name, text)
            case "calls":
                talk.calls(name, text)
            case "meta" | "breaks_in":
                getattr(talk, what)()
            case _:
                getattr(talk, what)(text)
        rows.append(talk.rows[-1])
    return rows


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("summaries")


@given(STEPS, st.integers(0, 1500), st.integers(0, 3000), st.sampled_from((b"", b"\n", b"Killed\n", b'{"type":')))
def test_two_ends_promise_what_the_whole_holds(
    scratch: Path, steps: list[tuple[int, str, str, int]], head: int, tail: int, last: bytes
) -> None:
    path = written(scratch / f"{SESSION}.jsonl", mixed(steps), last)
    whole = summarise(path)
    part = summarise(path, head=head, tail=tail)
    assert not whole.truncated
    assert part.truncated == (part.size > head + tail)
    if not part.truncated:
        assert part == whole
        return
    assert part.bytes_read == head + tail
    assert (part.path, part.size, part.modified_at) == (whole.path, whole.size, whole.modified_at)
    assert all(few <= many for few, many in zip(counts(part), counts(whole), strict=True))
    for name in (*BEGINNING, *END):
        assert getattr(part, name) in (None, getattr(whole, name))
    if part.state is not TranscriptState.unknown and part.waiting_calls == whole.waiting_calls:
        assert (part.state, part.reason, part.state_at) == (whole.state, whole.reason, whole.state_at)
        assert part.state_offset == whole.state_offset


@given(STEPS, st.integers(0, 1500), st.integers(0, 3000))
def test_each_end_tells_what_its_whole_rows_tell(
    scratch: Path, steps: list[tuple[int, str, str, int]], head: int, tail: int
) -> None:
    rows = lines(mixed(steps))
    part = summarise(written(scratch / f"{SESSION}.jsonl", mixed(steps)), head=head, tail=tail)
    if not part.truncated:
        return
    begin = [row for at, row in enumerate(rows) if sum(map(len, rows[: at + 1])) <= head]
    end = [row for at, row in enumerate(rows) if sum(map(len, rows[at:])) < tail]
    beginning = summarise(written(scratch / "s.jsonl", [], *begin))
    ending = summarise(written(scratch / "s.jsonl", [], *end))
    assert part.rows == beginning.rows + ending.rows
    for name in ("cwd", "first_prompt", "began_at"):
        assert getattr(part, name) == getattr(beginning, name)
    for name in ("last_text", "ended_at", "state", "state_at", "reason", "waiting_calls"):
        assert getattr(part, name) == getattr(ending, name)
    assert part.title == (beginning.title if ending.title is None else ending.title)


@given(st.binary(max_size=400), st.integers(0, 200), st.integers(0, 200))
def test_any_bytes_have_a_summary(scratch: Path, data: bytes, head: int, tail: int) -> None:
    path = scratch / "any.jsonl"
    path.write_bytes(data)
    summary = summarise(path, head=head, tail=tail)
    assert decode(encode(summary), TranscriptSummary) == summary
    assert summary.state in (TranscriptState.unknown, TranscriptState.open)
