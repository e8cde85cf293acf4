"""The growing end of a thread: at each look, what `parse` says of a beginning of the file. Spec: asks.md 1.2, 1.4."""

import threading
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounting.ask import parse
from accounting.ask.following import Look, ThreadTail
from accounting.ask.thread import AskThread
from tests.accounting.ask.threads import chunk, end, files, meta, question, spelled
from wire.ask import AskEvent


def _take(tail: ThreadTail, seen: list[AskEvent]) -> Look:
    look = tail.look()
    if look.again:
        seen.clear()
    seen += look.events
    return look


@pytest.mark.invariant("A8")
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(files(), st.lists(st.integers(0, 400), max_size=8))
def test_every_look_shows_a_beginning_of_the_file(tmp_path: Path, content: bytes, cuts: list[int]) -> None:
    path = tmp_path / "one.jsonl"
    path.unlink(missing_ok=True)
    tail, seen = ThreadTail(path), list[AskEvent]()
    assert _take(tail, seen) == Look()
    for cut in (*sorted(min(cut, len(content)) for cut in cuts), len(content)):
        path.touch()
        with path.open("r+b") as file:
            file.write(content[:cut])
        _take(tail, seen)
        assert tuple(seen) == parse(content[:cut]).events
    assert tail.look() == Look()


def test_every_byte_on_its_own(tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    content = spelled([meta(), question(1, "é?"), chunk(1, "A\n"), end(1)])
    tail, seen = ThreadTail(path), list[AskEvent]()
    for at, byte in enumerate(content, 1):
        with path.open("ab") as file:
            file.write(bytes([byte]))
        assert not _take(tail, seen).again
        assert tuple(seen) == parse(content[:at]).events


def test_a_record_glued_to_one_that_counted(tmp_path: Path) -> None:
    thread = AskThread(tmp_path / "one.jsonl")
    thread.path.write_bytes(spelled([question(1), chunk(1, "A")])[:-1])
    tail = ThreadTail(thread.path)
    assert tail.look() == Look(events=(question(1), chunk(1, "A")))
    with thread.path.open("ab") as file:
        file.write(spelled([end(1)]))
    assert tail.look() == Look(events=(question(1),), again=True)
    thread.append(end(1))
    assert tail.look() == Look(events=(end(1),))


@pytest.mark.parametrize("how", ["replaced", "cut", "removed"])
def test_a_thread_that_begins_anew(tmp_path: Path, how: str) -> None:
    path = tmp_path / "one.jsonl"
    path.write_bytes(spelled([question(1), chunk(1, "A"), end(1)]))
    tail = ThreadTail(path)
    assert len(tail.look().events) == 3
    if how == "removed":
        path.unlink()
        assert tail.look() == Look(again=True)
        assert tail.look() == Look()
        path.write_bytes(spelled([question(2)]))
        assert tail.look() == Look(events=(question(2),))
        return
    if how == "replaced":
        (tmp_path / "new").write_bytes(spelled([question(2)] * 9))
        (tmp_path / "new").replace(path)
        assert tail.look() == Look(events=(question(2),) * 9, again=True)
    else:
        path.write_bytes(spelled([question(2)]))
        assert tail.look() == Look(events=(question(2),), again=True)


def test_following_begins_where_the_end_does(tmp_path: Path) -> None:
    thread = AskThread(tmp_path / "one.jsonl")
    thread.path.write_bytes(spelled([question(1), end(1), question(2)]))
    with thread.follow(len(spelled([question(1), end(1)]))) as follower:
        assert follower.wait(0) == Look(events=(question(2),))


def test_a_change_costs_the_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    thread = AskThread(tmp_path / "one.jsonl")
    thread.path.write_bytes(spelled([question(1), *[chunk(1, "x" * 1000)] * 500]))
    tail = ThreadTail(thread.path)
    assert len(tail.look().events) == 501
    parsed: list[int] = []

    def told(data: bytes) -> object:
        parsed.append(len(data))
        return parse(data)

    monkeypatch.setattr("accounting.ask.following.parse", told)
    thread.append(end(1))
    assert tail.look() == Look(events=(end(1),))
    assert sum(parsed) < 200


def test_waiting_ends_when_something_comes(tmp_path: Path) -> None:
    thread = AskThread(tmp_path / "one.jsonl")
    with thread.follow() as follower:
        assert follower.wait(5) == Look()
        began = time.monotonic()
        later = threading.Timer(0.05, thread.append, (question(1),))
        later.start()
        look = Look()
        while not look.events and time.monotonic() - began < 10:
            look = follower.wait(5)
        later.join()
        assert look.events == (question(1),)


def test_a_ring_ends_a_wait(tmp_path: Path) -> None:
    with AskThread(tmp_path / "one.jsonl").follow() as follower:
        for _ in range(2):
            follower.wait(0)
        began = time.monotonic()
        follower.ring()
        assert follower.wait(60) == Look()
        assert time.monotonic() - began < 30
