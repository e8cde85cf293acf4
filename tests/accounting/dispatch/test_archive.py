"""Archiving a session: what is copied, what is put down of it, and what stays as it was. W19 is here."""

import errno
import os
import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from io import FileIO
from pathlib import Path
from stat import S_IMODE
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accounting.dispatch.archive import ArchiveError, SourceChangedError, archive
from accounting.dispatch.archive.stage import Placing
from accounting.ledger.writing.system import SYSTEM
from tests.accounting.dispatch.archived import (
    NOON,
    SID,
    TOOLKIT,
    archived,
    check_whole,
    copies,
    home,
    index,
    manifests,
    source,
    vendors,
)
from wire.dispatch import ArchiveCopy, ArchiveManifest, ArchiveMode, ArchiveSource
from wire.scalars import DispatchId, Sha256, absolute_path, dispatch_id


def digest_of(content: bytes) -> Sha256:
    return cast("Sha256", sha256(content).hexdigest())


SESSION = b'{"type":"message","role":"user"}\n{"type":"message","role":"assistant"}\n'


@pytest.fixture(autouse=True)
def _utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def own(tmp_path: Path) -> Path:
    return home(tmp_path / "agent", SESSION, **{"agent-b": b"bb\n", "agent-a": b"a\n"})


def test_a_session_and_its_sub_agents_are_copied(own: Path) -> None:
    os.utime(source(own), ns=(5_000_000_000, 1_700_000_000_123_456_789))
    run = dispatch_id("wb-21247a57b8ae3af2")
    file = source(own)
    manifest = archive(file, session_id=SID, project="site", configuration=own, run_id=run, now=NOON, toolkit=TOOLKIT)
    digest, spelled = digest_of(SESSION), absolute_path(str(file))
    assert spelled is not None
    folder = own / "session-archive" / "2026-12-01" / "site"
    where = absolute_path(str(folder))
    assert where is not None
    assert manifest == ArchiveManifest(
        version=1,
        session_id=SID,
        project="site",
        archived_at=NOON,
        mode=ArchiveMode.copy,
        dir=where,
        source=ArchiveSource(path=spelled, size=len(SESSION), mtime_ms=1_700_000_000_123, sha256=digest),
        source_grew=False,
        copy=ArchiveCopy(path=f"{SID}.jsonl", size=len(SESSION), sha256=digest),
        run_id=run,
        subagents=(
            ArchiveCopy(path=f"{SID}/subagents/agent-a.jsonl", size=2, sha256=digest_of(b"a\n")),
            ArchiveCopy(path=f"{SID}/subagents/agent-b.jsonl", size=3, sha256=digest_of(b"bb\n")),
        ),
        toolkit=TOOLKIT,
    )
    assert check_whole(own) == [manifest]
    assert sorted(str(path.relative_to(folder)) for path in folder.rglob("*")) == [
        SID,
        f"{SID}.jsonl",
        f"{SID}.manifest.json",
        f"{SID}/subagents",
        f"{SID}/subagents/agent-a.jsonl",
        f"{SID}/subagents/agent-b.jsonl",
    ]
    (line,) = index(own)
    assert (line.archived_at, line.session_id, line.project) == (NOON, SID, "site")
    assert (line.dir, line.manifest, line.sha256, line.size) == (
        str(folder),
        f"{SID}.manifest.json",
        digest,
        len(SESSION),
    )
    for path in (folder.parent, *folder.parent.rglob("*"), own / "session-archive" / "rounds-index.jsonl"):
        assert S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path
    assert {path.name for path in (own / "session-archive").iterdir()} == {
        "2026-12-01",
        "index.json",
        "rounds-index.jsonl",
    }


def test_w19_an_unchanged_session_is_archived_once(own: Path) -> None:
    before = vendors(own)
    first = archived(own)
    kept = {path: path.stat().st_mtime_ns for path in (own / "session-archive").rglob("*") if path.is_file()}
    again = archived(own, now=NOON + 60_000)
    assert again == first
    assert first.archived_at == NOON
    assert len(copies(own)) == len(manifests(own)) == len(index(own)) == 1
    assert kept == {path: path.stat().st_mtime_ns for path in (own / "session-archive").rglob("*") if path.is_file()}
    assert vendors(own) == before
    assert "session-archive/index.json" in before
    assert f"projects/-srv-site/{SID}.jsonl" in before


def test_another_content_or_project_or_day_is_another_archive(own: Path) -> None:
    first = archived(own)
    with source(own).open("ab") as file:
        file.write(b"more\n")
    second = archived(own, now=NOON + 1)
    assert second.copy.path == f"{SID}.2.jsonl"
    assert [one.path for one in second.subagents] == [f"{SID}.2/subagents/agent-{one}.jsonl" for one in "ab"]
    (own / "projects" / "-srv-site" / SID / "subagents" / "agent-c.jsonl").write_bytes(b"new")
    third = archived(own, now=NOON + 2)
    assert (third.copy.path, third.copy.sha256) == (f"{SID}.3.jsonl", second.copy.sha256)
    assert len(third.subagents) == 3
    assert archived(own, project="other").copy.path == f"{SID}.jsonl"
    assert archived(own, now=NOON + 3 * 86_400_000).copy.path == f"{SID}.jsonl"
    (own / "projects" / "-srv-site" / SID / "subagents" / "agent-c.jsonl").unlink()
    source(own).write_bytes(SESSION)
    assert archived(own, now=NOON + 5) == first
    assert len(check_whole(own)) == len(index(own)) == 5
    assert [line.manifest for line in index(own)][:3] == [f"{SID}{number}.manifest.json" for number in ("", ".2", ".3")]


@settings(max_examples=20)  # each waits for the disk
@given(st.lists(st.tuples(st.sampled_from([b"", b"a", b"ab", b"b\xff"]), st.booleans()), max_size=6))
def test_each_content_is_there_once(
    tmp_path_factory: pytest.TempPathFactory, contents: list[tuple[bytes, bool]]
) -> None:
    own = home(tmp_path_factory.mktemp("agent") / "agent")
    seen: dict[tuple[bytes, bool], ArchiveManifest] = {}
    for now, (content, helped) in enumerate(contents, NOON):
        source(own).write_bytes(content)
        helper = source(own).with_suffix("") / "subagents" / "agent-x.jsonl"
        helper.parent.mkdir(parents=True, exist_ok=True)
        helper.unlink(missing_ok=True)
        if helped:
            helper.write_bytes(content)
        manifest = archived(own, now=now)
        assert seen.setdefault((content, helped), manifest) == manifest
    assert sorted(one.copy.path for one in check_whole(own)) == sorted(one.copy.path for one in seen.values())
    assert len(index(own)) == len(seen) == len(copies(own))


Change = Callable[[Path], object]


def while_copying(monkeypatch: pytest.MonkeyPatch, change: Change, path: Path) -> None:
    """Change a file as soon as its first bytes were written to the copy."""
    waiting = [change]
    write = SYSTEM.write

    def then_changed(file: FileIO, data: memoryview) -> int:
        taken = write(file, data)
        if waiting:
            waiting.pop()(path)
        return taken

    monkeypatch.setattr(SYSTEM, "write", then_changed)


def _append(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"later\n")


def _cut(path: Path) -> None:
    os.truncate(path, 3)


def _replace(path: Path) -> None:
    path.with_name("new").write_bytes(path.read_bytes())
    path.with_name("new").replace(path)


def _rewrite(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(b"X" + content[1:] + b"longer")
    os.utime(path, ns=(0, 77))  # the clock of a file system may be coarse


def test_a_session_that_grows_is_copied_as_it_was_opened(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    while_copying(monkeypatch, _append, source(own))
    manifest = archived(own)
    assert manifest.source_grew
    assert (manifest.copy.size, manifest.copy.sha256) == (len(SESSION), digest_of(SESSION))
    assert copies(own)[0].read_bytes() == SESSION
    assert check_whole(own) == [manifest]
    later = archived(own)
    assert (later.copy.path, later.source_grew, later.copy.size) == (f"{SID}.2.jsonl", False, len(SESSION) + 6)


@pytest.mark.parametrize(
    ("how", "change"),
    [
        ("cut", _cut),
        ("replaced", _replace),
        ("removed", Path.unlink),
        ("rewritten", _rewrite),
    ],
)
@pytest.mark.parametrize("size", [len(SESSION), 3 << 20])
def test_a_session_that_is_changed_meanwhile_is_not_archived(
    own: Path, how: str, change: Change, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    source(own).write_bytes((SESSION * (size // len(SESSION) + 1))[:size])
    while_copying(monkeypatch, change, source(own))
    with pytest.raises(SourceChangedError, match=f"was {how} while it was copied, and was not archived"):
        archived(own)
    left = {path.name for path in (own / "session-archive").rglob("*")}
    assert left == {"index.json", "rounds-index.jsonl"}
    assert index(own) == []


def test_a_copy_that_does_not_hold_what_was_written_is_no_copy(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = SYSTEM.write

    def badly(file: FileIO, data: memoryview) -> int:
        return write(file, memoryview(bytes(data).swapcase()))

    monkeypatch.setattr(SYSTEM, "write", badly)
    with pytest.raises(OSError, match="does not hold what was written"):
        archived(own)
    assert manifests(own) == copies(own) == []


def test_what_is_in_the_way_is_left_and_gone_round(own: Path) -> None:
    folder = own / "session-archive" / "2026-12-01" / "site"
    folder.mkdir(parents=True)
    (folder / f"{SID}.jsonl").write_bytes(b"another's")
    (folder / f"{SID}.2.manifest.json").write_bytes(b'{"version":1')
    (folder / f"{SID}.3").write_bytes(b"a file, where sub-agents would go")
    (folder / f"{SID}.4.jsonl").symlink_to(source(own))
    (folder / f"{SID}.5").mkdir()
    (folder / f"{SID}.5" / "subagents").symlink_to(own / "projects")
    before = {path: path.lstat().st_mtime_ns for path in folder.rglob("*")}
    manifest = archived(own)
    assert manifest.copy.path == f"{SID}.6.jsonl"
    assert before.items() <= {path: path.lstat().st_mtime_ns for path in folder.rglob("*")}.items()
    assert archived(own) == manifest


def test_copies_of_one_who_was_killed_are_taken_up_when_they_are_equal(own: Path) -> None:
    folder = own / "session-archive" / "2026-12-01" / "site"
    (folder / SID / "subagents").mkdir(parents=True)
    (folder / f"{SID}.jsonl").write_bytes(SESSION)
    (folder / SID / "subagents" / "agent-a.jsonl").write_bytes(b"a\n")
    assert archived(own).copy.path == f"{SID}.jsonl"
    assert len(copies(own)) == 1
    check_whole(own)


@pytest.mark.parametrize("harm", ["change", "remove", "subagent"])
def test_an_archive_that_was_damaged_is_not_taken_for_whole(own: Path, harm: str) -> None:
    first = archived(own)
    copy = copies(own)[0]
    if harm == "change":
        copy.write_bytes(SESSION.swapcase())
    elif harm == "remove":
        copy.unlink()
    else:
        (copy.parent / first.subagents[0].path).write_bytes(b"b\n")
    second = archived(own)
    assert second.copy.path == f"{SID}.2.jsonl"
    assert (copy.parent / second.copy.path).read_bytes() == SESSION
    assert archived(own) == second


def test_the_index_is_only_added_to(own: Path) -> None:
    path = own / "session-archive" / "rounds-index.jsonl"
    path.write_bytes(b'{"note":"by hand"}\n{"archivedAt":17')
    first = archived(own)
    lines = path.read_bytes().split(b"\n")
    assert lines[:2] == [b'{"note":"by hand"}', b'{"archivedAt":17'], "what a crash left is on a line of its own"
    assert len(lines) == 4
    assert [line.sha256 for line in index(own)] == [first.copy.sha256]
    path.write_bytes(b"")
    assert archived(own) == first
    assert [line.archived_at for line in index(own)] == [NOON], "a line that is missing is added again"


def test_no_symbolic_link_is_followed_out_of_the_archive(own: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    day = own / "session-archive" / "2026-12-01"
    archived(own)
    (day / "site").rename(outside)  # what is there would do
    before = vendors(outside)
    (day / "site").symlink_to(outside)
    with pytest.raises(OSError, match="symbolic link") as caught:
        archived(own)
    assert caught.value.errno == errno.ELOOP
    assert caught.value.filename == str(day / "site")
    (day / "site").unlink()
    day.rmdir()
    day.symlink_to(outside)
    with pytest.raises(OSError, match="symbolic link"):
        archived(own)
    day.unlink()
    (own / "session-archive" / ".rounds-part").symlink_to(outside)
    with pytest.raises(OSError, match="symbolic link"):
        archived(own)
    assert vendors(outside) == before


def test_an_index_that_is_a_link_is_not_added_to(own: Path) -> None:
    place = own / "session-archive" / "rounds-index.jsonl"
    for target in (own / "settings.json", own / "nowhere"):
        place.symlink_to(target)
        before = vendors(own)
        with pytest.raises(OSError, match="which an archive does not follow") as caught:
            archived(own)
        assert (caught.value.errno, caught.value.filename) == (errno.ELOOP, str(place))
        assert vendors(own) == before
        assert copies(own) == []
        place.unlink()
    assert [archived(own)] == check_whole(own)


def test_whatever_a_killed_one_left_of_its_copies_goes(own: Path, tmp_path: Path) -> None:
    staging = own / "session-archive" / ".rounds-part"
    (staging / "sub" / "deeper").mkdir(parents=True)
    (staging / "sub" / "file").write_bytes(b"x")
    (staging / "session").write_bytes(b"x")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "kept").write_bytes(b"x")
    (staging / "link").symlink_to(tmp_path / "outside")
    assert [archived(own)] == check_whole(own)
    assert not staging.exists()
    assert (tmp_path / "outside" / "kept").exists()


def test_a_run_has_a_manifest_of_its_own(own: Path) -> None:
    """The same bytes were archived before, of the session by itself or of another run: that does not name this run."""
    alone = archived(own)
    runs = [dispatch_id(f"wb-{letter * 16}") for letter in "ab"]

    def of_run(run: DispatchId | None) -> ArchiveManifest:
        file = source(own)
        return archive(file, session_id=SID, project="site", configuration=own, run_id=run, now=NOON, toolkit=TOOLKIT)

    told = [of_run(run) for run in runs]
    assert [one.run_id for one in (alone, *told)] == [None, *runs]
    assert [one.copy.path for one in (alone, *told)] == [f"{SID}.jsonl", f"{SID}.2.jsonl", f"{SID}.3.jsonl"]
    assert [of_run(run) for run in runs] == told, "that of the run is the answer again"
    assert archived(own) == alone
    assert {one.manifest for one in index(own)} == {f"{SID}{stem}.manifest.json" for stem in ("", ".2", ".3")}
    assert len(check_whole(own)) == len(index(own)) == 3


def test_the_manifest_of_a_run_does_for_its_session(own: Path) -> None:
    run = dispatch_id("wb-21247a57b8ae3af2")
    file = source(own)
    first = archive(file, session_id=SID, project="site", configuration=own, run_id=run, now=NOON, toolkit=TOOLKIT)
    assert archived(own) == first
    assert len(copies(own)) == 1


def test_an_archive_may_be_elsewhere_as_a_whole(tmp_path: Path) -> None:
    own = home(tmp_path / "agent")
    (own / "session-archive").rename(tmp_path / "big disk")
    (own / "session-archive").symlink_to(tmp_path / "big disk")
    archived(own)
    assert len(copies(own)) == 1


def test_what_cannot_be_archived(own: Path, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nothing is there to archive"):
        archive(own / f"{SID}.jsonl", session_id=SID, project="p", configuration=own, now=NOON, toolkit=TOOLKIT)
    absent = tmp_path / "absent"
    with pytest.raises(FileNotFoundError, match="nothing is there to archive"):
        archive(source(own), session_id=SID, project="p", configuration=absent, now=NOON, toolkit=TOOLKIT)
    assert not absent.exists()
    source(own).unlink()
    source(own).mkdir()
    with pytest.raises(OSError, match="no regular file"):
        archived(own)
    source(own).rmdir()
    os.mkfifo(source(own))
    with pytest.raises(OSError, match="no regular file"):
        archived(own)
    assert manifests(own) == copies(own) == []


def test_a_name_that_is_no_text_cannot_be_put_down(own: Path) -> None:
    odd = os.fsencode(source(own).with_suffix("") / "subagents") + b"/agent-\xff.jsonl"
    with open(odd, "wb"):  # noqa: PTH123 - a path in bytes
        pass
    with pytest.raises(ArchiveError, match="no text in UTF-8"):
        archived(own)
    assert manifests(own) == copies(own) == []


def test_only_sub_agents_sessions_are_taken_along(own: Path) -> None:
    folder = source(own).with_suffix("") / "subagents"
    (folder / "agent-d.jsonl").mkdir()
    (folder / "agent-e.meta.json").write_bytes(b"{}")
    (folder / "agent-f.jsonl").symlink_to(folder / "nowhere")
    os.mkfifo(folder / "agent-g.jsonl")
    assert [one.path.rpartition("/")[2] for one in archived(own).subagents] == ["agent-a.jsonl", "agent-b.jsonl"]


def test_an_empty_session_without_sub_agents(tmp_path: Path) -> None:
    own = home(tmp_path / "agent", b"")
    (own / "session-archive" / "index.json").unlink()
    (own / "session-archive").rmdir()
    manifest = archived(own)
    empty = digest_of(b"")
    assert (manifest.copy.size, manifest.copy.sha256, manifest.subagents) == (0, empty, ())
    assert S_IMODE((own / "session-archive").stat().st_mode) == 0o700
    assert check_whole(own) == [manifest]


def test_a_file_system_without_links(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refused)
    manifest = archived(own)
    assert check_whole(own) == [manifest]
    assert archived(own) == manifest
    with pytest.raises(FileExistsError):
        Placing().file(source(own), copies(own)[0])
    assert copies(own)[0].read_bytes() == SESSION


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="only /proc tells which file a descriptor is of")
def test_a_manifest_is_put_where_all_that_it_names_is_on_the_disk(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[tuple[str, Path]] = []
    link, barrier, sync = os.link, SYSTEM.barrier, SYSTEM.sync_directory

    def linked(source: Path, target: Path) -> None:
        done.append(("link", target))
        link(source, target)

    def flushed(file: FileIO) -> None:
        done.append(("flush", Path(f"/proc/self/fd/{file.fileno()}").readlink()))
        barrier(file)

    def synced(path: Path) -> None:
        done.append(("sync", path))
        sync(path)

    monkeypatch.setattr(os, "link", linked)
    monkeypatch.setattr(SYSTEM, "barrier", flushed)
    monkeypatch.setattr(SYSTEM, "sync_directory", synced)
    archived(own)
    root = own / "session-archive"
    folder, staging = root / "2026-12-01" / "site", root / ".rounds-part"
    steps = [
        {("flush", staging / name) for name in ("session", "subagent-0", "subagent-1", "manifest")},
        {("link", folder / SID / "subagents" / f"agent-{name}.jsonl") for name in "ab"}
        | {("link", folder / f"{SID}.jsonl")},
        {("sync", path) for path in (folder / SID / "subagents", folder / SID, folder, folder.parent, root)},
        {("link", folder / f"{SID}.manifest.json")},
        {("sync", folder)},
        {("flush", root / "rounds-index.jsonl")},
    ]
    for step in steps:
        assert set(done[: len(step)]) == step
        del done[: len(step)]
    assert done == []


def test_the_day_is_the_local_one(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for zone, day in (("UTC-14", "2026-12-02"), ("UTC+12", "2026-11-30"), ("UTC", "2026-12-01")):
        monkeypatch.setenv("TZ", zone)
        time.tzset()
        archived(own, now=NOON - 60_000 if zone == "UTC+12" else NOON)
        assert (own / "session-archive" / day / "site" / f"{SID}.manifest.json").exists(), zone


def test_where_the_copy_is_holds_also_after_the_directory_was_moved(own: Path) -> None:
    first = archived(own)
    moved = own.rename(own.with_name("moved"))
    second = archived(moved)
    assert first.dir == str(own / "session-archive/2026-12-01/site")
    assert second.dir == str(moved / "session-archive/2026-12-01/site")
    assert Path(second.dir, second.copy.path).read_bytes() == SESSION
