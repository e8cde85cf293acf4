"""What each platform is asked to do: the branches for macOS and Windows with stand-ins for their modules."""

import errno
import os
import sys
from collections.abc import Callable
from io import FileIO
from pathlib import Path
from stat import S_ISDIR

import pytest

from accounting.ledger.writing import SYSTEM, LedgerHeldError, LedgerWriter
from accounting.ledger.writing.posix import MacOs, Posix
from accounting.ledger.writing.system import System, system_of
from accounting.ledger.writing.windows import Windows
from tests.accounting.ledger.writing.places import whole
from tests.accounting.ledger.writing.plain import noted

Calls = list[tuple[object, ...]]


class FakeFcntl:
    """`fcntl` as on macOS; locks are real enough to refuse."""

    LOCK_EX: int = 2
    LOCK_NB: int = 4
    LOCK_UN: int = 8
    F_FULLFSYNC: int = 51

    def __init__(self, calls: Calls, refusal: int = 0) -> None:
        self.calls = calls
        self.refusal = refusal

    def flock(self, fd: int, operation: int, /) -> None:
        self.calls.append(("flock", operation))

    def fcntl(self, fd: int, cmd: int, /) -> int:
        self.calls.append(("fcntl", cmd))
        if self.refusal:
            raise OSError(self.refusal, os.strerror(self.refusal))
        return 0


class FakeMsvcrt:
    """`msvcrt`: bytes of a file are locked from where the file stands, against every other handle."""

    LK_NBLCK: int = 2
    LK_UNLCK: int = 0

    def __init__(self, refusal: int = errno.EACCES) -> None:
        self.locked: dict[tuple[int, int], int] = {}
        self.refusal = refusal

    def locking(self, fd: int, mode: int, nbytes: int, /) -> None:
        assert nbytes == 1
        place = (os.fstat(fd).st_ino, os.lseek(fd, 0, os.SEEK_CUR))
        if mode == self.LK_UNLCK:
            assert self.locked.pop(place) == fd
        elif place in self.locked:
            raise OSError(self.refusal, os.strerror(self.refusal))
        else:
            self.locked[place] = fd


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Calls:
    """What is flushed, by the function that does it."""
    calls: Calls = []

    def told(name: str) -> Callable[[int], None]:
        return lambda fd: calls.append((name, "directory" if S_ISDIR(os.fstat(fd).st_mode) else "file"))

    monkeypatch.setattr(os, "fsync", told("fsync"))
    monkeypatch.setattr("accounting.ledger.writing.posix._fdatasync", told("fdatasync"))
    return calls


def test_the_platform_at_hand_is_chosen_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def module(name: str) -> FakeMsvcrt:
        assert name == "msvcrt"
        return FakeMsvcrt()

    monkeypatch.setattr("accounting.ledger.writing.windows.import_module", module)
    names = {"linux": Posix, "darwin": MacOs, "win32": Windows, "freebsd14": Posix, "cygwin": Posix}
    assert {name: type(system_of(name)) for name in names} == names
    assert type(SYSTEM) is names.get(sys.platform, Posix)


def append(directory: Path, system: System) -> None:
    with LedgerWriter(directory, system=system) as writer:
        writer.append(noted("a"), noted("b"))


def test_linux(tmp_path: Path, calls: Calls) -> None:
    append(tmp_path / "ledger", Posix())
    opening = [("fdatasync", "file"), ("fsync", "directory"), ("fsync", "directory")]
    assert calls == [*opening, ("fdatasync", "file")]


def test_macos(tmp_path: Path, calls: Calls) -> None:
    append(tmp_path / "ledger", MacOs(FakeFcntl(calls)))
    full = ("fcntl", 51)
    assert calls == [("flock", 2 | 4), full, full, full, full, ("flock", 8)]


@pytest.mark.parametrize("refusal", [errno.ENOTSUP, errno.EINVAL, errno.ENOTTY])
def test_macos_where_the_file_system_refuses(tmp_path: Path, calls: Calls, refusal: int) -> None:
    append(tmp_path / "ledger", MacOs(FakeFcntl(calls, refusal)))
    flushed = [call for call in calls if call[0] == "fsync"]
    assert flushed == [("fsync", "file"), ("fsync", "directory"), ("fsync", "directory"), ("fsync", "file")]


def test_macos_where_the_disk_fails(tmp_path: Path, calls: Calls) -> None:
    with pytest.raises(OSError, match=os.strerror(errno.EIO)):
        append(tmp_path / "ledger", MacOs(FakeFcntl(calls, errno.EIO)))
    assert ("fsync", "file") not in calls


@pytest.mark.parametrize("held", [errno.EACCES, errno.EDEADLK])
def test_windows(tmp_path: Path, calls: Calls, held: int) -> None:
    system = Windows(FakeMsvcrt(held))
    (tmp_path / "ledger.lock").write_bytes(b"left by someone")  # which byte is locked does not depend on it
    with LedgerWriter(tmp_path / "ledger", system=system) as writer:
        with pytest.raises(LedgerHeldError, match="does not tell which"):
            LedgerWriter(tmp_path / "ledger", system=system)
        writer.append(noted("a"))
    assert calls == [("fsync", "file"), ("fsync", "file")]
    append(tmp_path / "ledger", system)
    assert whole(tmp_path / "ledger").count(b"\n") == 3


def test_windows_where_no_lock_can_be_had(tmp_path: Path) -> None:
    system = Windows(FakeMsvcrt(errno.ENOLCK))
    with LedgerWriter(tmp_path / "ledger", system=system), pytest.raises(OSError, match="no lock can be had here"):
        LedgerWriter(tmp_path / "ledger", system=system)


@pytest.mark.parametrize("held", [errno.EWOULDBLOCK, errno.EACCES])
def test_posix_locks_that_are_held(tmp_path: Path, held: int) -> None:
    class Held(FakeFcntl):
        def flock(self, fd: int, operation: int, /) -> None:
            raise OSError(held, os.strerror(held))

    with FileIO(tmp_path / "x", "ab") as file:
        assert not Posix(Held([])).lock(file)


def test_files_are_opened_to_append_to(tmp_path: Path) -> None:
    system = Posix()
    with system.create(tmp_path / "x") as first, system.open(tmp_path / "x") as second:
        system.write(first, memoryview(b"ab"))
        system.write(second, memoryview(b"cd"))
        system.truncate(first, 3)
        system.write(second, memoryview(b"e"))
        assert not os.get_inheritable(first.fileno())
    assert (tmp_path / "x").read_bytes() == b"abce"
    with pytest.raises(FileExistsError):
        system.create(tmp_path / "x")
    system.remove(tmp_path / "x")
    system.remove(tmp_path / "x")
    with pytest.raises(FileNotFoundError):
        system.open(tmp_path / "x")
    assert list(tmp_path.iterdir()) == []
