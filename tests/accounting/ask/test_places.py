"""Where threads are and what they are called, by asks.md 1.0 and 1.1."""

import os
from pathlib import Path

import pytest

from accounting.ask.places import (
    ThreadNameError,
    is_thread_id,
    kept_directory,
    last_used,
    new_temporary,
    new_thread_id,
    temporary_directory,
    thread_name,
    thread_path,
    threads_in,
)
from tests.accounting.ask.threads import question, spelled

HOME = {"HOME": "/home/mara"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("7001-0badf00d", True),
        ("0-00000000", True),
        ("7001-0badf00", False),
        ("7001-0badf00d0", False),
        ("7001-0BADF00D", False),
        ("-0badf00d", False),
        ("7001-0badf00d\n", False),
        ("٣-0badf00d", False),
        ("a7001-0badf00d", False),
    ],
)
def test_a_thread_id(text: str, expected: bool) -> None:
    assert is_thread_id(text) is expected


def test_a_new_name_carries_the_process() -> None:
    assert is_thread_id(new_thread_id())
    assert new_thread_id().startswith(f"{os.getpid()}-")
    assert new_thread_id(12).startswith("12-")
    assert len({new_thread_id() for _ in range(50)}) == 50


@pytest.mark.parametrize(
    ("environ", "cache", "data"),
    [
        (HOME, "/home/mara/.cache/rounds/ask", "/home/mara/.local/share/rounds/ask"),
        ({**HOME, "XDG_CACHE_HOME": "/c", "XDG_DATA_HOME": "/d"}, "/c/rounds/ask", "/d/rounds/ask"),
        (
            {**HOME, "XDG_CACHE_HOME": "  ", "XDG_DATA_HOME": "here"},
            "/home/mara/.cache/rounds/ask",
            "/home/mara/.local/share/rounds/ask",
        ),
    ],
)
def test_directories(environ: dict[str, str], cache: str, data: str) -> None:
    assert temporary_directory(environ) == Path(cache)
    assert kept_directory(environ) == Path(data)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("harbour", "/d/rounds/ask/harbour.jsonl"),
        ("v1.2_x-y", "/d/rounds/ask/v1.2_x-y.jsonl"),
        ("7001-0badf00d", "/c/rounds/ask/7001-0badf00d.jsonl"),
        ("notes.jsonl", "notes.jsonl"),
        ("./notes", "notes"),
        ("/elsewhere/ask/7001-0badf00d.jsonl", "/elsewhere/ask/7001-0badf00d.jsonl"),
    ],
)
def test_a_name_or_a_path(text: str, path: str) -> None:
    assert thread_path(text, {"XDG_CACHE_HOME": "/c", "XDG_DATA_HOME": "/d"}) == Path(path)


@pytest.mark.parametrize("text", ["", " ", ".hidden", "-x", "a b", "é", "a\n", "x" * 65, "a.lock", "a.browseq"])
def test_what_is_no_name(text: str) -> None:
    with pytest.raises(ThreadNameError, match="is no name of a thread: give up to 64 letters"):
        thread_path(text, HOME)


def test_naming_makes_nothing(tmp_path: Path) -> None:
    environ = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "XDG_DATA_HOME": str(tmp_path / "data")}
    path = new_temporary(environ)
    assert (path.parent, is_thread_id(thread_name(path))) == (temporary_directory(environ), True)
    assert last_used(kept_directory(environ)) is None
    assert [*tmp_path.iterdir()] == []


def test_the_last_asked_in_is_the_last_used(tmp_path: Path) -> None:
    """An answer that is being written is no use of a thread."""
    for name, at, answer in (("a", "09:01", b"x" * 200_000), ("b", "09:02", b"short")):
        asked = b'{"t":"question","seq":%d,"at":"2020-01-01T%b:00.000Z","focus":null,"text":"a?"}\n'
        answered = b'{"t":"chunk","seq":2,"text":"a \\"question\\" %b"}\n{"t":"chunk","seq":2,"te' % answer
        (tmp_path / f"{name}.jsonl").write_bytes(asked % (1, b"10:00") + asked % (2, at.encode()) + answered)
    os.utime(tmp_path / "b.jsonl", (1_700_000_000, 1_700_000_000))
    assert last_used(tmp_path) == tmp_path / "b.jsonl"
    assert [path.name for path in threads_in(tmp_path)] == ["b.jsonl", "a.jsonl"]


def test_a_question_of_the_future_is_as_late_as_its_file(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(spelled([question(1)]).replace(b"2026-", b"2999-"))
    (tmp_path / "b.jsonl").write_bytes(b"")
    os.utime(tmp_path / "a.jsonl", (100, 100))
    assert last_used(tmp_path) == tmp_path / "b.jsonl"


def test_without_questions_the_last_written_is_the_last_used(tmp_path: Path) -> None:
    for name, written in (("b", 3), ("a", 3), ("c", 7), ("d", 5)):
        (tmp_path / f"{name}.jsonl").touch()
        os.utime(tmp_path / f"{name}.jsonl", ns=(written, written))
    for other in ("c.jsonl.lock", "e.txt", ".jsonl", "c.jsonl.browseq"):
        (tmp_path / other).touch()
    (tmp_path / "f.jsonl").mkdir()
    assert [path.name for path in threads_in(tmp_path)] == ["c.jsonl", "d.jsonl", "a.jsonl", "b.jsonl"]
    assert last_used(tmp_path) == tmp_path / "c.jsonl"
    with pytest.raises(NotADirectoryError):
        threads_in(tmp_path / "e.txt")
