"""Which names of a project, and of a session, an archive takes: one segment of a path, on every platform."""

from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from accounting.dispatch.archive import ArchiveError, ArchiveNameError, archive
from accounting.dispatch.archive.names import LONGEST, check_name
from tests.accounting.dispatch.archived import NOON, SID, TOOLKIT, archived, home, source

GOOD = [
    "site",
    "Größe 3",
    "a.b",
    "v1..2",
    "проект",
    "-rf",
    "console",
    "com10",
    "nullable",
    "a" * LONGEST,
    "x'y",
    "~",
    "$HOME",
    "CON-a",
]
BAD = {
    "": "empty",
    ".": "way through",
    "..": "way through",
    "a/b": "path",
    "/": "path",
    "../../etc": "path",
    "a\\b": "path",
    "..\\x": "path",
    "C:": "drive",
    "c:x": "drive",
    "a:stream": "drive",
    "a*b": "Windows has no names with",
    "a?": "Windows has no names with",
    'x"y': "Windows has no names with",
    "<a": "Windows has no names with",
    "a>b": "Windows has no names with",
    "a|b": "Windows has no names with",
    "a\0b": "is not seen",
    "a\nb": "is not seen",
    "a\x7f": "is not seen",
    "a\u2028b": "is not seen",
    "\u202egnp": "is not seen",
    "a\u200bb": "is not seen",
    "\ufeff": "is not seen",
    "a\u00adb": "is not seen",
    " a": "space or a dot",
    "a ": "space or a dot",
    "a.": "space or a dot",
    ".a": "space or a dot",
    "...": "space or a dot",
    "\u00a0a": "space or a dot",
    "con": "device",
    "NUL.txt": "device",
    "nul .txt": "device",
    "Com1": "device",
    "LPT9.tar.gz": "device",
    "com¹": "device",
    "conin$": "device",
    "CLOCK$": "device",
    "clock$.txt": "device",
    "a" * (LONGEST + 1): "bytes",
    "ж" * (LONGEST // 2 + 1): "bytes",
    "a\udc80": "UTF-8",
}


@pytest.mark.parametrize("name", GOOD)
def test_a_name_that_is_one(name: str) -> None:
    check_name("project", name)


@pytest.mark.parametrize("name", BAD)
def test_a_name_that_is_none(name: str, tmp_path: Path) -> None:
    own = home(tmp_path / "agent")
    with pytest.raises(ArchiveNameError, match=BAD[name]) as caught:
        archived(own, project=name)
    assert "give one name of at most 200 bytes without any of `/ " in str(caught.value)
    assert (caught.value.what, caught.value.name) == ("project", name)
    assert [path.name for path in (own / "session-archive").iterdir()] == ["index.json"], "nothing was made"
    with pytest.raises(ArchiveError, match="session id"):
        archive(source(own), session_id=name, project="p", configuration=own, now=NOON, toolkit=TOOLKIT)


@given(st.text() | st.from_regex(r"[a-z./\\: ]{1,8}") | st.sampled_from(GOOD) | st.sampled_from([*BAD]))
@example("aux.x")
@example("a:")
def test_whatever_is_taken_stays_below_its_directory(name: str) -> None:
    try:
        check_name("project", name)
    except ArchiveNameError:
        return
    for kind in (PurePosixPath, PureWindowsPath):
        path = kind("root") / name / "file"
        assert path.parts == ("root", name, "file")
        assert path.parent.name == name
    assert not PureWindowsPath(name).drive
    assert not PureWindowsPath(name).is_reserved()
    assert len(name.encode()) <= LONGEST


def test_a_session_is_named_by_its_whole_id(tmp_path: Path) -> None:
    own = home(tmp_path / "agent")
    for part in (SID[:8], SID[:-1], SID.upper(), f"{SID}.jsonl"):
        with pytest.raises(ArchiveError, match="give the id whole"):
            archive(source(own), session_id=part, project="p", configuration=own, now=NOON, toolkit=TOOLKIT)
    assert archived(own).session_id == SID
