"""The sessions that agents keep: listed newest first at the cost of those shown, and found by their whole id."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounting.dispatch.errors import DispatchTroubleError
from accounting.dispatch.transcripts.sessions import NoSuchSessionError, SessionPlace, find_session, list_sessions
from accounting.dispatch.transcripts.summary import summarise
from accounting.processes import PROCESSES, Processes
from tests.accounting.dispatch.talks import Claude, Newer, written
from wire import decode, encode
from wire.dispatch import SessionList, TranscriptState, TranscriptSummary

SUMMARISE = "accounting.dispatch.transcripts.sessions.summarise"


class Alive:
    """Stands for processes, of which these are alive."""

    def __init__(self, *alive: int, began: int | None = None) -> None:
        self._alive = alive
        self._began = began

    def began_at(self, _: int) -> int | None:
        return self._began

    def alive(self, pid: int) -> bool:
        return pid in self._alive

    def __getattr__(self, name: str) -> object:
        raise AssertionError(name)


def alive(*pids: int, began: int | None = None) -> Processes:
    processes: object = Alive(*pids, began=began)
    return processes  # type: ignore[return-value] # pyright: ignore[reportReturnType] - the others are not asked


def session(configuration: Path, name: str, seconds: int, project: str = "-home-me", *, words: str = "Mended.") -> Path:
    talk = Newer()
    talk.asks("Mend it.")
    talk.says(words)
    path = written(configuration / "projects" / project / f"{name}.jsonl", talk.rows)
    os.utime(path, (seconds, seconds))
    return path


def ids(listed: SessionList) -> list[str]:
    return [one.session_id for one in listed.sessions]


def test_the_last_written_first(tmp_path: Path) -> None:
    claude, workbuddy = tmp_path / "claude", tmp_path / "workbuddy"
    session(claude, "s1", 1_000)
    session(claude, "s3", 3_000, "-elsewhere")
    session(workbuddy, "s2", 2_000)
    session(workbuddy, "s4", 4_000)
    session(claude, "agent-7", 9_000)
    both = {"claude_code": claude, "workbuddy": workbuddy}
    listed = list_sessions(both, limit=10)
    assert [(one.profile, one.session_id, one.project) for one in listed.sessions] == [
        ("workbuddy", "s4", "-home-me"),
        ("claude_code", "s3", "-elsewhere"),
        ("workbuddy", "s2", "-home-me"),
        ("claude_code", "s1", "-home-me"),
    ]
    assert (listed.found, listed.notes) == (4, ())
    assert [one.summary.modified_at for one in listed.sessions] == [4_000_000, 3_000_000, 2_000_000, 1_000_000]
    assert {one.summary.state for one in listed.sessions} == {TranscriptState.completed}
    assert decode(encode(listed), SessionList) == listed
    few = list_sessions(both, limit=3)
    assert (ids(few), few.found) == (["s4", "s3", "s2"], 4)
    none = list_sessions(both, limit=0)
    assert (none.sessions, none.found) == ((), 4)


def test_only_those_shown_are_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(30):
        session(tmp_path, f"s{number:02}", 1_000 + number)
    opened: list[str] = []

    def seen(path: Path) -> TranscriptSummary:
        opened.append(path.stem)
        return summarise(path)

    monkeypatch.setattr(SUMMARISE, seen)
    assert ids(list_sessions({"claude_code": tmp_path}, limit=2)) == ["s29", "s28"] == opened


def test_sessions_written_at_once_keep_an_order(tmp_path: Path) -> None:
    for name in ("s2", "s1", "s3"):
        session(tmp_path, name, 1_000)
    assert ids(list_sessions({"claude_code": tmp_path}, limit=2)) == ["s1", "s2"]


def test_no_directory_is_no_session(tmp_path: Path) -> None:
    assert list_sessions({}, limit=5) == SessionList(sessions=(), found=0, notes=())
    assert list_sessions({"claude_code": tmp_path / "none"}, limit=5) == SessionList(sessions=(), found=0, notes=())


def test_what_cannot_be_read_is_told_and_leaves_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session(tmp_path, "s1", 1_000)
    lost = session(tmp_path, "s2", 2_000)
    os.mkfifo(tmp_path / "projects" / "-home-me" / "s3.jsonl")
    (tmp_path / "projects" / "-home-me" / "s4.jsonl").mkdir()

    def refuse(path: Path) -> TranscriptSummary:
        if path == lost:
            raise PermissionError(13, "Permission denied", str(path))
        return summarise(path)

    monkeypatch.setattr(SUMMARISE, refuse)
    (tmp_path / "file").write_text("")
    listed = list_sessions({"claude_code": tmp_path, "odd": tmp_path / "file"}, limit=1)
    assert ids(listed) == ["s1"]
    unlisted, unread = listed.notes
    assert unread == f"{lost}: cannot be read: Permission denied"
    assert unlisted.startswith(f"{tmp_path}/file/projects: cannot be read: ")


def test_a_damaged_session_is_listed_as_what_it_is(tmp_path: Path) -> None:
    path = session(tmp_path, "s1", 1_000)
    path.write_bytes(b"\xff\0" * 500)
    session(tmp_path, "s2", 2_000).write_bytes(b"")
    listed = list_sessions({"claude_code": tmp_path}, limit=5)
    assert {(one.session_id, one.summary.state, one.summary.rows) for one in listed.sessions} == {
        ("s1", TranscriptState.unknown, 0),
        ("s2", TranscriptState.unknown, 0),
    }


# Whether somebody is at it.


def test_live_is_what_the_agents_processes_say(tmp_path: Path) -> None:
    for number in range(1, 7):
        session(tmp_path, f"s{number}", number)
    assert {one.live for one in list_sessions({"claude_code": tmp_path}, limit=9).sessions} == {None}
    folder = tmp_path / "sessions"
    folder.mkdir()
    for name, content in {
        "41.json": b'{"pid": 41, "sessionId": "s1"}',
        "42.json": b'{"pid": 42, "sessionId": "s2"}',  # it is gone
        "43.json": b'{"pid": 43, "sess',
        "44.json": b'{"sessionId": 4}',
        "45.txt": b'{"sessionId": "s5"}',
        "0.json": b'{"sessionId": "s6"}',
        "-1.json": b'{"sessionId": "s6"}',
        "\u0664\u0661.json": b'{"sessionId": "s6"}',
        "99999999999999999999.json": b'{"sessionId": "s6"}',
    }.items():
        (folder / name).write_bytes(content)
    (folder / "46.json").mkdir()
    os.mkfifo(folder / "47.json")
    listed = list_sessions({"claude_code": tmp_path}, limit=9, processes=alive(*range(41), 41, *range(43, 50)))
    assert {one.session_id: one.live for one in listed.sessions} == {f"s{n}": n == 1 for n in range(1, 7)}


def test_this_very_process_is_alive(tmp_path: Path) -> None:
    session(tmp_path, "s1", 1)
    (tmp_path / "sessions").mkdir()
    (tmp_path / "sessions" / f"{os.getpid()}.json").write_bytes(b'{"sessionId": "s1"}')
    assert [one.live for one in list_sessions({"claude_code": tmp_path}, limit=1).sessions] == [True]


@pytest.mark.parametrize(("began", "live"), [(None, True), (1_000_000, True), (1_060_000, True), (1_060_001, False)])
def test_a_number_that_was_given_to_another_since(tmp_path: Path, began: int | None, live: bool) -> None:
    session(tmp_path, "s1", 1)
    (tmp_path / "sessions").mkdir()
    (file := tmp_path / "sessions" / "41.json").write_bytes(b'{"sessionId": "s1"}')
    os.utime(file, (1_000, 1_000))
    listed = list_sessions({"claude_code": tmp_path}, limit=1, processes=alive(41, began=began))
    assert [one.live for one in listed.sessions] == [live]


def test_this_process_did_not_write_a_file_of_long_ago(tmp_path: Path) -> None:
    if PROCESSES.began_at(os.getpid()) is None:
        pytest.skip("the system does not tell when a process began")
    session(tmp_path, "s1", 1)
    (tmp_path / "sessions").mkdir()
    (file := tmp_path / "sessions" / f"{os.getpid()}.json").write_bytes(b'{"sessionId": "s1"}')
    os.utime(file, (1_000, 1_000))
    assert [one.live for one in list_sessions({"claude_code": tmp_path}, limit=1).sessions] == [False]


# Finding one.


def test_a_session_is_found_by_its_whole_id(tmp_path: Path) -> None:
    claude, workbuddy = tmp_path / "claude", tmp_path / "workbuddy"
    both = {"claude_code": claude, "workbuddy": workbuddy}
    path = session(workbuddy, "s-12", 1_000)
    session(claude, "s-123", 1_000)
    assert find_session(both, "s-12") == SessionPlace(profile="workbuddy", path=path, configuration=workbuddy)
    copy = session(claude, "s-12", 2_000, "-elsewhere")
    assert find_session(both, "s-12") == SessionPlace(profile="claude_code", path=copy, configuration=claude)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("s-", r"'s-' is only the beginning of an id, of 2 sessions; give the whole id"),
        ("s-12", r"'s-12' is only the beginning of an id, of s-123; give the whole id"),
        ("other", r"no session 'other' in .*/projects"),
        ("../s-123", r"is no session's id"),
        ("-home-me/s-123", r"is no session's id"),
        ("", r"is no session's id"),
        ("s-123\0", r"is no session's id"),
        ("s-123\n", r"is no session's id"),
    ],
)
def test_no_other_id_finds_one(tmp_path: Path, asked: str, message: str) -> None:
    session(tmp_path, "s-123", 1_000)
    session(tmp_path, "s-423", 1_000, "-elsewhere")
    with pytest.raises(NoSuchSessionError, match=message):
        find_session({"claude_code": tmp_path}, asked)


def test_no_agent_has_a_directory() -> None:
    with pytest.raises(DispatchTroubleError, match="no agent has a directory"):
        find_session({}, "s-1")


def test_a_directory_that_cannot_be_listed_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(NoSuchSessionError, match="file/projects: cannot be read"):
        find_session({"odd": tmp_path / "file"}, "s-1")


@given(st.text(max_size=12))
def test_any_text_is_refused_or_not_found(asked: str) -> None:
    with pytest.raises(NoSuchSessionError):
        find_session({"claude_code": Path("/nowhere")}, asked)


def test_nothing_is_written(tmp_path: Path) -> None:
    path = written(tmp_path / "projects" / "-home-me" / "s1.jsonl", Claude().rows)
    (tmp_path / "sessions").mkdir()

    def all_below() -> Mapping[str, tuple[int, int]]:
        return {str(one): (one.stat().st_mtime_ns, one.stat().st_size) for one in tmp_path.rglob("*")}

    before = all_below()
    list_sessions({"claude_code": tmp_path}, limit=5)
    find_session({"claude_code": tmp_path}, path.stem)
    assert all_below() == before
