"""Archiving by real processes: killed at every step, many at once, on a full disk, and where nothing may be written."""

import errno
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from accounting.dispatch.archive import ArchiveBusyError
from accounting.dispatch.archive import index as archive_index
from accounting.ledger.writing.system import SYSTEM
from tests.accounting.dispatch.archived import (
    NOON,
    SID,
    archived,
    check_whole,
    copies,
    home,
    index,
    manifests,
    source,
    vendors,
)
from wire import decode
from wire.dispatch import ArchiveManifest

ROOT = Path(__file__).parents[3]

KILLED = """
import os, sys
from pathlib import Path
from accounting.ledger.writing.system import SYSTEM
from tests.accounting.dispatch.archived import archived

steps, kill_at = 0, 0

def step(half=None):
    global steps
    steps += 1
    if steps == kill_at:
        if half is not None:
            half()
        os._exit(9)

def counted(owner, name, half=None):
    done = getattr(owner, name)
    def doing(*given, **named):
        step(None if half is None else lambda: half(*given))
        return done(*given, **named)
    setattr(owner, name, doing)

for name in ("open", "mkdir", "link", "unlink", "rmdir", "replace"):
    counted(os, name)
counted(SYSTEM, "write", lambda file, data: os.write(file.fileno(), bytes(data[: len(data) // 2])))
# What is written outlives a process without that, and the test need not wait for a disk.
SYSTEM.barrier = SYSTEM.sync_directory = lambda _: None
for name in ("barrier", "sync_directory", "lock", "unlock", "truncate"):
    counted(SYSTEM, name)
for kill_at, own in enumerate(sys.argv[1:], 1):
    child = os.fork()
    if child == 0:
        archived(Path(own))
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(status)
"""


def run(code: str, *argv: str | Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        (sys.executable, "-c", code, *map(str, argv)),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def output(process: subprocess.Popen[str]) -> str:
    told, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    return told


def no_waiting(_: object) -> None:
    """What is written outlives a process without waiting for the disk."""


@pytest.mark.parametrize("before", ["nothing", "an archive"])
def test_one_who_is_killed_leaves_nothing_that_is_taken_for_whole(
    tmp_path: Path, before: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for wait in ("barrier", "sync_directory"):
        monkeypatch.setattr(SYSTEM, wait, no_waiting)
    homes = [home(tmp_path / str(number), b"s\n", **{"agent-a": b"a\n"}) for number in range(60)]
    if before == "an archive":
        for own in homes:
            archived(own)
            with source(own).open("ab") as file:
                file.write(b"more\n")
    kept = [vendors(own) for own in homes]
    ends = [int(end) for end in output(run(KILLED, *homes)).split()]
    killed = ends.count(9)
    assert ends == [9] * killed + [0] * (len(homes) - killed)
    assert 20 < killed < 60, "every step was one to be killed at"
    new = 2 if before == "an archive" else 1
    unfinished = 0
    for own, was in zip(homes[: killed + 1], kept, strict=False):
        unfinished += len(check_whole(own)) < new
        manifest = archived(own)
        assert manifest in check_whole(own)
        assert len(check_whole(own)) == len(index(own)) == len(copies(own)) == new
        assert archived(own) == manifest
        assert vendors(own) == was
        assert not (own / "session-archive" / ".rounds-part").exists()
        assert [path for path in manifests(own) if path.name.endswith(".3.manifest.json")] == []
    assert 0 < unfinished < killed


def test_whatever_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every step that can fail, failing: nothing is left but what an archive without a line in the index is."""
    own = home(tmp_path / "agent", b"s\n", **{"agent-a": b"a\n"})
    steps: Iterator[int] = iter(())

    def failing(owner: object, name: str) -> None:
        done: Callable[..., object] = getattr(owner, name)

        def step(*given: object, **named: object) -> object:
            if next(steps, 1) == 0:
                raise OSError(errno.ENOSPC, "No space left on device")
            return done(*given, **named)

        monkeypatch.setattr(owner, name, step)

    for name in ("open", "mkdir", "link"):
        failing(os, name)
    for name in ("write", "barrier", "sync_directory", "lock"):
        failing(SYSTEM, name)
    failed = 0
    while True:
        steps = iter(range(failed, -1, -1))
        try:
            manifest = archived(own)
        except OSError as error:
            assert error.errno == errno.ENOSPC
        else:
            break
        steps = iter(())
        left = {path.name for path in (own / "session-archive").rglob("*")} - {"index.json", "rounds-index.jsonl"}
        assert left == set() or (len(check_whole(own)) == 1 and len(index(own)) < 2), failed
        if left:
            (own / "session-archive" / "rounds-index.jsonl").unlink()
            shutil.rmtree(own / "session-archive" / "2026-12-01", ignore_errors=True)
        failed += 1
    assert failed > 15
    assert check_whole(own) == [manifest]


def test_a_disk_that_is_full_takes_nothing(tmp_path: Path) -> None:
    code = """
import resource, signal, sys
from pathlib import Path
from tests.accounting.dispatch.archived import archived
most = int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
try:
    archived(Path(sys.argv[1]))
except OSError as error:
    print(error.errno, error.filename)
"""
    own = home(tmp_path / "agent", b"x" * 5000)
    for most in (0, 100, 4999):
        told = output(run(code, own, str(most))).split()
        assert told == [str(errno.EFBIG), str(own / "session-archive" / ".rounds-part" / "session")]
        left = {path.name for path in (own / "session-archive").rglob("*")}
        assert left == {"index.json", "rounds-index.jsonl"}
    small = home(tmp_path / "small", b"x")
    told = output(run(code, small, "10")).split()
    assert told == [str(errno.EFBIG), str(small / "session-archive" / ".rounds-part" / "manifest")]
    assert {path.name for path in (small / "session-archive").rglob("*")} == {"index.json", "rounds-index.jsonl"}


def test_an_index_that_is_full_is_left_as_it_was_and_the_line_added_later(tmp_path: Path) -> None:
    own = home(tmp_path / "agent")
    path = own / "session-archive" / "rounds-index.jsonl"
    path.write_bytes(b"x" * 9990 + b"\n")
    code = """
import resource, sys
from pathlib import Path
from tests.accounting.dispatch.archived import archived
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
try:
    archived(Path(sys.argv[1]))
except OSError as error:
    print(error.errno, error.filename)
"""
    assert output(run(code, own)).split() == [str(errno.EFBIG), str(path)]
    assert path.stat().st_size == 9991
    (manifest,) = check_whole(own)
    assert archived(own) == manifest
    assert [line.sha256 for line in index(own)] == [manifest.copy.sha256]


def test_many_who_archive_one_session_make_one_archive(tmp_path: Path) -> None:
    own = home(tmp_path / "agent", b"y" * 3_000_000, **{"agent-a": b"a\n"})
    code = """
import sys
from pathlib import Path
from tests.accounting.dispatch.archived import archived
from wire import encode
sys.stdout.buffer.write(encode(archived(Path(sys.argv[1]), now=int(sys.argv[2]))))
"""
    started = [run(code, own, str(NOON + number)) for number in range(6)]
    told = {decode(output(one), ArchiveManifest) for one in started}
    assert len(told) == 1
    assert check_whole(own) == [*told]
    assert len(index(own)) == len(copies(own)) == 1


def test_many_who_archive_many_sessions_tear_no_line(tmp_path: Path) -> None:
    own = home(tmp_path / "agent")
    code = """
import sys
from pathlib import Path
from tests.accounting.dispatch.archived import archived
for number in range(10):
    archived(Path(sys.argv[1]), project=f"{sys.argv[2]}-{number}")
"""
    for one in [run(code, own, name) for name in "abcd"]:
        output(one)
    lines = (own / "session-archive" / "rounds-index.jsonl").read_bytes().split(b"\n")
    assert lines.pop() == b""
    assert sorted(json.loads(line)["project"] for line in lines) == sorted(
        f"{name}-{number}" for name in "abcd" for number in range(10)
    )


def test_one_who_archives_for_long_is_not_waited_for_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = home(tmp_path / "agent")
    monkeypatch.setattr(archive_index, "_PATIENCE_S", 0.05)
    ours = rf"rounds-index.jsonl is held by .*\({os.getpid()}\)"
    with archive_index.held_index(own / "session-archive"), pytest.raises(ArchiveBusyError, match=ours):
        archived(own)
    assert archived(own).session_id == SID


NOT_ROOT = """
import os, sys
from pathlib import Path
from tests.accounting.dispatch.archived import archived
os.setuid(int(sys.argv[2]))
try:
    archived(Path(sys.argv[1]))
except OSError as error:
    print(error.errno, error.filename)
"""


@pytest.mark.parametrize("which", ["session-archive", "session-archive/2026-12-01/site", "projects"])
def test_where_nothing_may_be_written_or_read(which: str) -> None:
    """As somebody to whom permissions apply, which they do not for the superuser."""
    user = 65534 if os.getuid() == 0 else os.getuid()
    with tempfile.TemporaryDirectory() as folder:
        own = home(Path(folder) / "agent")
        (own / "session-archive" / "2026-12-01" / "site").mkdir(parents=True)
        closed = own / which
        paths = [Path(folder), *Path(folder).rglob("*")]
        for path in paths:
            os.chown(path, user, -1)
        closed.chmod(0 if which == "projects" else 0o500)
        try:
            told = output(run(NOT_ROOT, own, str(user)))
        finally:
            closed.chmod(0o700)
        number, name = told.split()
        assert int(number) == errno.EACCES
        assert name.startswith(str(closed))
        assert manifests(own) == copies(own) == []
