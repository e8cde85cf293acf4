"""A thread's file: what is added, what is read, and that nothing that was there is lost. Spec: asks.md 1.1 to 1.4."""

import errno
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from stat import S_IMODE

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounting import private
from accounting.ask import AskFold, parse
from accounting.ask.thread import AskThread
from tests.accounting.ask.threads import aborted, chunk, end, error, events, files, meta, question, spelled
from wire.ask import AskEvent

in_one_directory = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def thread(tmp_path: Path) -> AskThread:
    return AskThread(tmp_path / "deep" / "ask" / "harbour.jsonl")


def _fresh(tmp_path: Path, content: bytes) -> AskThread:
    thread = AskThread(tmp_path / "one.jsonl")
    thread.path.write_bytes(content)
    return thread


def test_a_missing_file_is_the_empty_thread(thread: AskThread) -> None:
    assert (thread.read().events, thread.read().torn, thread.exists) == ((), False, False)
    assert thread.recent(3).shown == ()
    assert thread.parked() is None
    assert not thread.path.parent.exists()


@pytest.mark.parametrize("kind", ["directory", "pipe", "loop", "below a file"])
def test_any_other_failure_is_an_error(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "one.jsonl"
    if kind == "directory":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "loop":
        path.symlink_to(path)
    else:
        path.touch()
        path /= "one.jsonl"
    with pytest.raises(OSError):
        AskThread(path).read()
    with pytest.raises(OSError):
        AskThread(path).append(end(1))
    with pytest.raises(OSError):
        AskThread(path).recent(1)


def test_a_record_is_one_line_as_the_page_has_it(thread: AskThread) -> None:
    for event in (meta(), question(1, "where is port set?"), chunk(1, "In cfg.py\n"), end(1)):
        thread.append(event)
    assert thread.path.read_bytes() == (
        b'{"t":"meta","runId":"4120-5eed0001","startedAt":"2026-10-05T09:30:00.000Z","provider":"claude -p"}\n'
        b'{"t":"question","seq":1,"at":"2026-10-05T09:30:00.000Z","focus":null,"text":"where is port set?"}\n'
        b'{"t":"chunk","seq":1,"text":"In cfg.py\\n"}\n'
        b'{"t":"end","seq":1,"at":"2026-10-05T09:30:00.000Z"}\n'
    )


def test_only_its_owner_may_read_it(thread: AskThread) -> None:
    before = os.umask(0)
    try:
        thread.append(meta())
        thread.park("half a sea")
    finally:
        os.umask(before)
    for path in (thread.path, thread.parked_path):
        assert S_IMODE(path.stat().st_mode) == 0o600
    for path in (thread.path.parent, thread.path.parent.parent):
        assert S_IMODE(path.stat().st_mode) == 0o700


def test_one_write_for_a_record(thread: AskThread, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[bytes] = []
    write = os.write

    def told(descriptor: int, content: bytes) -> int:
        written.append(bytes(content))
        return write(descriptor, content)

    monkeypatch.setattr(os, "write", told)
    thread.append(question(1))
    with thread.path.open("ab") as file:
        file.write(b'{"t":"chu')
    thread.append(end(1))
    assert written == [spelled([question(1)]), b"\n" + spelled([end(1)])]


@pytest.mark.invariant("A6")
@settings(in_one_directory, max_examples=60)
@given(files(), events())
def test_what_was_there_stays_and_what_is_added_is_read(tmp_path: Path, before: bytes, added: list[AskEvent]) -> None:
    thread = _fresh(tmp_path, before)
    for event in added:
        thread.append(event)
    assert thread.path.read_bytes().startswith(before)
    assert thread.read().events == (*parse(before).events, *added)


def test_a_record_after_a_whole_one_without_newline_costs_neither(tmp_path: Path) -> None:
    thread = _fresh(tmp_path, spelled([question(1), chunk(1, "A")])[:-1])
    thread.append(end(1))
    assert thread.read().events == (question(1), chunk(1, "A"), end(1))


FULL = """
import resource, signal, sys
from accounting.ask.thread import AskThread
from tests.accounting.ask.threads import chunk
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
try:
    AskThread(sys.argv[1]).append(chunk(1, "x" * 300))
except OSError as error:
    print(error.errno, error.strerror, error.filename)
"""


@pytest.mark.invariant("A6")
@pytest.mark.parametrize("room", [0, 40])
def test_no_room_loses_nothing_that_was_there(tmp_path: Path, room: int) -> None:
    before = spelled([question(1), chunk(1, "A")])
    thread = _fresh(tmp_path, before)
    limit = str(len(before) + room)
    said = subprocess.run([sys.executable, "-c", FULL, thread.path, limit], check=True, capture_output=True, text=True)
    if room:
        assert said.stdout.startswith(f"{errno.ENOSPC} only 40 of ")
        assert f"bytes of a record were taken; make room {thread.path}" in said.stdout
    else:
        assert said.stdout.startswith(f"{errno.EFBIG} ")
    assert thread.path.read_bytes()[: len(before)] == before
    assert len(thread.path.read_bytes()) == len(before) + room
    thread.append(end(1))
    assert thread.read().events == (question(1), chunk(1, "A"), end(1))


def test_parking(thread: AskThread) -> None:
    thread.park("half a sea\n")
    assert thread.parked_path.read_bytes() == b"half a sea\n"
    assert thread.parked() == "half a sea\n"
    thread.park("short")
    assert thread.parked() == "short"
    thread.unpark()
    thread.unpark()
    assert thread.parked() is None


def test_removing_takes_all_three(thread: AskThread) -> None:
    thread.append(meta())
    thread.park("x")
    thread.lock_path.touch()
    thread.remove()
    assert [*thread.path.parent.iterdir()] == []
    thread.remove()


# The end of a thread, without the rest.


@st.composite
def threads_under_the_lock(draw: st.DrawFn) -> list[AskEvent]:
    """Threads as the lock lets them become: one question after another, each with all that answers it behind it."""
    made: list[AskEvent] = [meta()]
    seq = 0
    for _ in range(draw(st.integers(0, 14))):
        seq += draw(st.integers(1, 3))
        made.append(question(seq, draw(st.sampled_from(("a?", "b " * 40))), draw(st.sampled_from((None, "s1", "s2")))))
        made += [chunk(seq, draw(st.sampled_from(("A", " ", "long " * 30)))) for _ in range(draw(st.integers(0, 3)))]
        made += draw(st.sampled_from(([end(seq)], [], [aborted(seq)], [error(seq)], [end(seq), error(seq)])))
    return made


@pytest.mark.invariant("A13")
@settings(in_one_directory, max_examples=40)
@given(threads_under_the_lock(), st.integers(1, 6), st.sampled_from((64, 200, 1000)))
def test_the_end_says_what_the_whole_says(tmp_path: Path, made: list[AskEvent], last: int, window: int) -> None:
    thread = _fresh(tmp_path, spelled(made))
    _same_as_whole(thread, made, last, window)


@pytest.mark.parametrize(
    "last",
    [
        [question(9, "first"), question(3, "late"), end(3)],
        [question(9), chunk(9, "A"), question(9, "again")],
        [question(8), end(9), question(9), end(8)],
        [question(7), end(7), question(8), end(20)],
    ],
)
def test_where_the_end_shows_another_order_the_whole_is_read(tmp_path: Path, last: list[AskEvent]) -> None:
    made = [question(20, "hidden " * 30), end(20), *last]
    thread = _fresh(tmp_path, spelled(made))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("accounting.ask.thread._FIRST_WINDOW", len(spelled(last)) + 10)
        assert thread.recent(1).shown == AskFold.of(made).shown()[-1:]
        assert thread.recent(1).shown[0].seq == 20


def _same_as_whole(thread: AskThread, made: Sequence[AskEvent], last: int, window: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("accounting.ask.thread._FIRST_WINDOW", window)
        recent = thread.recent(last)
        whole = AskFold.of(made)
        assert recent.shown == whole.shown()[-last:]
        rest = thread.path.read_bytes()[recent.start :]
        assert parse(rest).events == tuple(made[len(made) - rest.count(b"\n") :])
        for shown in whole.shown()[-4:]:
            asked = thread.question(shown.seq)
            if shown.state in ("waiting", "answering"):
                assert asked is not None
                assert (asked.question.text, asked.before) == (shown.question, whole.completed_turns())
            else:
                assert asked is None


def test_the_end_costs_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    turns = [event for seq in range(1, 10_001) for event in (question(seq), chunk(seq, "x" * 900), end(seq))]
    thread = _fresh(tmp_path, spelled([meta(), *turns, question(10_001)]))
    read: list[int] = []
    whole = private.read_whole

    def told(path: Path, start: int = 0) -> bytes | None:
        content = whole(path, start)
        read.append(len(content or b""))
        return content

    monkeypatch.setattr(private, "read_whole", told)
    asked = thread.question(10_001)
    assert asked is not None
    assert [turn.answer for turn in asked.before] == ["x" * 900] * 8
    assert [one.seq for one in thread.recent(4).shown] == [9998, 9999, 10_000, 10_001]
    assert thread.path.stat().st_size > 10_000_000
    assert sum(read) <= 1 << 17
