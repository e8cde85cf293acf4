"""One state of a SQLite database, read so that nothing is left behind: no log, no index of one. Spec: dispatch.md 2.0.

    count = snapshot(path, lambda database: database.execute("SELECT count(*) FROM automations").fetchone())

A database that keeps a log (WAL) is only read where a log and its index are, or they are made, and they stay. So it is
looked at first who is there:

- no log: the file is the whole database, and is read as one that nobody changes. Whether somebody came meanwhile is
  seen by the log that there is then, and it is read again;
- a log and its index: the index is used, but not written. Where no process holds it SQLite makes one in memory, and
  keeps the log from being put away meanwhile;
- a log without its index, or changes that a crash left half done: a private copy is read.
"""

import errno
import os
import shutil
import sqlite3
import time
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from stat import S_ISREG
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Final, TypeVar

from accounting.foreign.sqlite_handles import lock, opened
from accounting.foreign.sqlite_reading import begun, raise_if_busy

T = TypeVar("T")
_MAGIC: Final = b"SQLite format 3\0"
_LOGGED: Final = 2
"""What the byte at 18 is in a database that keeps a log."""
_PIECE: Final = 1 << 20
_PATIENCE_S: Final = 5.0
_PAUSE_S: Final = 0.005
_Stamp = tuple[int, int, int] | None

_one_at_a_time: Final = Lock()


class _MovedError(Exception):
    """It was written while it was read as one that is not, or its last writer is just leaving."""


def snapshot(path: Path, read: Callable[[sqlite3.Connection], T]) -> T:
    """What `read` makes of one state of a database, which nobody is kept from writing meanwhile.

    `read` is given a connection inside one transaction, text as bytes; it may be called again when the database was
    written meanwhile, and must not call this. Raises `OSError` when there is no database that can be read: it is
    missing, held locked by another for longer than five seconds, or (`EINVAL`) something else, encrypted or damaged.
    """
    path = Path(os.path.realpath(path))  # the log is beside the file itself, not beside a link to it
    deadline = time.monotonic() + _PATIENCE_S
    with _one_at_a_time:
        while True:
            try:
                return _read(path, read)
            except _MovedError:
                if time.monotonic() > deadline:
                    break
                time.sleep(_PAUSE_S)
            except sqlite3.Error as error:
                raise_if_busy(error, path)
                code = errno.EIO if isinstance(error, sqlite3.OperationalError) else errno.EINVAL
                raise OSError(code, f"the database cannot be read: {error}", str(path)) from None
    raise OSError(errno.EBUSY, "the database changed each time it was read: try again", str(path))


def _read(path: Path, read: Callable[[sqlite3.Connection], T]) -> T:
    before = _stamps(path)
    head = _head(path)
    if not head:  # SQLite would remove the log of an empty file
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as nothing:
            return read(nothing)
    logged, indexed = (_beside(path, log).exists() for log in ("-wal", "-shm"))
    if logged:
        return _read_logged(path, read) if indexed else _read_copy(path, before, read)
    if head[18] == _LOGGED:
        return _read_unlocked(path, before, read)
    try:
        database = _open(path, "mode=ro")
    except sqlite3.Error as error:
        if not _needs_more(error):
            raise
        return _read_copy(path, before, read)
    with closing(database):
        return read(database)


def _read_logged(path: Path, read: Callable[[sqlite3.Connection], T]) -> T:
    with _logs_kept(path):
        if not all(_beside(path, log).exists() for log in ("-wal", "-shm")):
            raise _MovedError
        try:
            database = _open(path, "mode=ro&readonly_shm=1")
        except sqlite3.Error as error:
            if not _needs_more(error):
                raise
            database = _open(path, "mode=ro")  # the index names no state yet that could be read without writing to it
        with closing(database):
            return read(database)


def _read_unlocked(path: Path, before: tuple[_Stamp, ...], read: Callable[[sqlite3.Connection], T]) -> T:
    with _logs_kept(path):
        try:
            with closing(_open(path, "mode=ro&immutable=1")) as database:
                found = read(database)
                # Before it is closed: whoever wrote has left a log, which is kept until then.
                if _stamps(path) != before:
                    raise _MovedError
        except sqlite3.Error:
            if _stamps(path) == before:
                raise
            raise _MovedError from None  # what was read was neither one state nor the other
    return found


@contextmanager
def _logs_kept(path: Path) -> Generator[None]:
    """Keep the last writer from removing the log and its index, as it does when it leaves; it may write and leave.

    Raises `_MovedError` when it is just about it.
    """
    with opened(path) as file:
        try:
            lock(file, shared=True)
        except (BlockingIOError, PermissionError):
            raise _MovedError from None
        except OSError:  # a file system without locks: nobody could work there with a log
            pass
        try:
            yield
        finally:
            with suppress(OSError):
                lock(file, shared=False)


def _read_copy(path: Path, before: tuple[_Stamp, ...], read: Callable[[sqlite3.Connection], T]) -> T:
    with _copied(path) as copy:
        if _stamps(path) != before:
            raise _MovedError
        with closing(_open(copy, "mode=rw")) as database:
            return read(database)


def _open(path: Path, how: str) -> sqlite3.Connection:
    database = begun(f"{path.absolute().as_uri()}?{how}")
    database.execute("PRAGMA query_only=ON")  # for the copy too, so that it makes no difference which is read
    return database


@contextmanager
def _copied(path: Path) -> Generator[Path]:
    """A copy of the database and its logs, which opening it may put in order."""
    with TemporaryDirectory(prefix="rounds-") as folder:
        copy = Path(folder) / "copy.db"
        try:
            with opened(path) as file, copy.open("xb") as out:
                while piece := os.read(file, _PIECE):
                    out.write(piece)
            for log in ("-wal", "-journal"):  # nobody locks these
                if _beside(path, log).exists():
                    shutil.copyfile(_beside(path, log), _beside(copy, log))
        except FileNotFoundError:
            raise _MovedError from None
        yield copy


def _head(path: Path) -> bytes:
    """The first bytes of the file; none when it is empty. Raises `OSError`, also for what is no database."""
    if not S_ISREG(path.stat().st_mode):  # opening a pipe would wait
        raise OSError(errno.EISDIR if path.is_dir() else errno.EINVAL, "no file, so no database", str(path))
    with opened(path) as file:
        head = os.read(file, 100)
    if head and (len(head) < 100 or not head.startswith(_MAGIC)):
        raise OSError(errno.EINVAL, "no SQLite database: another file, or one that is encrypted", str(path))
    return head


def _stamps(path: Path) -> tuple[_Stamp, ...]:
    """By which a change of the database, its log, or its journal is seen; `None` for a file that is not there."""
    return tuple(_stamp(_beside(path, log)) for log in ("", "-wal", "-journal"))


def _stamp(path: Path) -> _Stamp:
    try:
        stat = path.stat()
    except FileNotFoundError:
        return None
    return stat.st_ino, stat.st_size, stat.st_mtime_ns


def _beside(path: Path, log: str) -> Path:
    return path.with_name(f"{path.name}{log}")


def _needs_more(error: sqlite3.Error) -> bool:
    """Whether reading failed because it would have had to write something first."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN)
