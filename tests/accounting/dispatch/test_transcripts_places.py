"""Where an agent keeps a session, by hand; and that no id leads out of there."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from accounting.dispatch.transcripts.of_run import session_path_of, transcript_of
from accounting.dispatch.transcripts.places import is_session_id, session_file, session_files, slugs
from tests.accounting.dispatch.journals import INITIALISED, SPAWNED, after
from tests.accounting.dispatch.talks import CWD, SESSION, Newer, written
from wire.dispatch import DispatchJournal, TranscriptState
from wire.scalars import absolute_path

PLAIN = "-home-me-harbour"


def journal_of(configuration: Path, session: str | None = SESSION, *, recorded: Path | None = None) -> DispatchJournal:
    workspace = absolute_path(CWD)
    assert workspace is not None
    return structs.replace(
        after(SPAWNED, INITIALISED),
        workspace=workspace,
        configuration=absolute_path(str(configuration)),
        session_id=session,
        session_file=None if recorded is None else absolute_path(str(recorded)),
    )


@pytest.mark.parametrize(
    ("workspace", "expected"),
    [
        ("/home/me/harbour", ("-home-me-harbour", "home-me-harbour")),
        ("/home/me/my.project_2", ("-home-me-my.project_2", "home-me-my.project_2", "-home-me-my-project-2")),
        ("C:\\Users\\me", ("C--Users-me",)),
        ("\\\\host\\share", ("--host-share", "host-share")),
        ("/a:b\\c", ("-a:b\\c", "a:b\\c", "-a-b-c")),  # on POSIX those are letters as any other
        ("/", ("-",)),
    ],
)
def test_slugs(workspace: str, expected: tuple[str, ...]) -> None:
    assert slugs(workspace) == expected


def test_what_claude_code_makes_of_a_long_path_is_not_guessed() -> None:
    assert slugs("/" + "a." * 99 + "a") == ("-" + "a." * 99 + "a", "a." * 99 + "a", "-" + "a-" * 99 + "a")
    assert len(slugs("/" + "a." * 100)) == 2


def test_a_session_that_is_not_there_yet(tmp_path: Path) -> None:
    assert session_file(tmp_path, CWD, SESSION) == f"{tmp_path}/projects/{PLAIN}/{SESSION}.jsonl"
    (tmp_path / "projects" / "home-me-harbour").mkdir(parents=True)
    assert session_file(tmp_path, CWD, SESSION) == f"{tmp_path}/projects/home-me-harbour/{SESSION}.jsonl"


def test_where_claude_code_will_put_a_session(tmp_path: Path) -> None:
    claude, other = tmp_path / ".claude", tmp_path / "own"
    assert session_file(claude, "/home/me/my.site", SESSION) == f"{claude}/projects/-home-me-my-site/{SESSION}.jsonl"
    assert session_file(other, "/home/me/my.site", SESSION) == f"{other}/projects/-home-me-my.site/{SESSION}.jsonl"
    (other / "projects" / "-home-me-my-site").mkdir(parents=True)
    assert session_file(other, "/home/me/my.site", SESSION) == f"{other}/projects/-home-me-my-site/{SESSION}.jsonl"
    (claude / "projects" / "-home-me-my.site").mkdir(parents=True)  # what is there decides here too
    assert session_file(claude, "/home/me/my.site", SESSION) == f"{claude}/projects/-home-me-my.site/{SESSION}.jsonl"
    (claude / "projects" / "-home-me-my-site").mkdir()
    assert session_file(claude, "/home/me/my.site", SESSION) == f"{claude}/projects/-home-me-my-site/{SESSION}.jsonl"
    long = "/" + "a." * 100
    assert session_file(claude, long, SESSION) == f"{claude}/projects/-{'a.' * 100}/{SESSION}.jsonl"


def test_the_session_that_is_there_wins(tmp_path: Path) -> None:
    (tmp_path / "projects" / PLAIN).mkdir(parents=True)
    elsewhere = written(tmp_path / "projects" / "-home-me-ha-a1b2" / f"{SESSION}.jsonl", [])
    assert session_file(tmp_path, CWD, SESSION) == str(elsewhere)
    later = written(tmp_path / "projects" / "-other" / f"{SESSION}.jsonl", [])
    os.utime(elsewhere, (1_000, 1_000))
    assert session_file(tmp_path, CWD, SESSION) == str(later)
    own = written(tmp_path / "projects" / PLAIN / f"{SESSION}.jsonl", [])
    os.utime(own, (500, 500))
    assert session_file(tmp_path, CWD, SESSION) == str(own)


HOSTILE = (
    "",
    ".",
    "..",
    "../x",
    "a/b",
    "a\\b",
    "/etc/passwd",
    "C:x",
    "a\0b",
    "a\n",
    "\ud800",
    "-rf",
    ".hidden",
    "ä",
    "*",
    "a" * 201,
)


@pytest.mark.parametrize("session", HOSTILE)
def test_an_id_that_leads_elsewhere_names_no_file(tmp_path: Path, session: str) -> None:
    written(tmp_path / "projects" / "x.jsonl", [])
    assert not is_session_id(session)
    assert session_file(tmp_path, CWD, session) is None
    assert session_path_of(journal_of(tmp_path, session)) is None


@given(st.text(max_size=8) | st.text("./\\ab\0", max_size=6), st.text(max_size=300))
def test_whatever_the_id_the_file_is_two_below_projects(session: str, workspace: str) -> None:
    found = session_file(Path("/nowhere"), workspace, session)
    if found is not None:
        assert Path(os.path.normpath(found)).name == f"{session}.jsonl"
        assert Path(os.path.normpath(found)).parent.parent == Path("/nowhere/projects")


def test_a_configuration_that_is_not_absolute() -> None:
    assert session_file(Path("here"), CWD, SESSION) is None


def test_session_files_are_those_of_main_sessions(tmp_path: Path) -> None:
    assert list(session_files(tmp_path)) == []
    project = tmp_path / "projects" / PLAIN
    own = written(project / f"{SESSION}.jsonl", [])
    written(project / SESSION / "subagents" / "agent-1.jsonl", [])
    written(project / "agent-1.jsonl", [])
    written(project / f"{SESSION}.meta.json", [])
    written(project / ".jsonl", [])
    written(tmp_path / "projects" / "loose.jsonl", [])
    assert list(session_files(tmp_path)) == [own]


def test_the_transcript_of_a_run(tmp_path: Path) -> None:
    talk = Newer()
    talk.asks("Mend it.")
    talk.says("Mended.")
    recorded = tmp_path / "projects" / PLAIN / f"{SESSION}.jsonl"
    journal = journal_of(tmp_path, recorded=recorded)
    assert transcript_of(journal) is None
    there = written(tmp_path / "projects" / "-elsewhere" / f"{SESSION}.jsonl", talk.rows)
    found = transcript_of(journal)  # the place that was expected is not where it came to be
    assert found is not None
    assert (found.path, found.state, found.last_text) == (str(there), TranscriptState.completed, "Mended.")
    written(recorded, [])
    found = transcript_of(journal)
    assert found is not None
    assert (found.path, found.state) == (str(recorded), TranscriptState.unknown)
    assert transcript_of(structs.replace(journal, session_file=None, configuration=None)) is None
    assert transcript_of(structs.replace(journal, session_file=None, session_id=None)) is None


def test_a_transcript_that_cannot_be_read_is_none(tmp_path: Path) -> None:
    (tmp_path / "projects" / PLAIN / f"{SESSION}.jsonl").mkdir(parents=True)
    os.mkfifo(pipe := tmp_path / "pipe.jsonl")
    assert transcript_of(journal_of(tmp_path)) is None
    assert transcript_of(journal_of(tmp_path, recorded=pipe)) is None
