"""A database read so that nothing is left behind: nobody there, a writer at work, a crash; dispatch.md 2.0, 2.6."""

import errno
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from threading import Thread

import pytest

from accounting.foreign import sqlite_handles, sqlite_reading, sqlite_snapshot
from accounting.foreign.sqlite_snapshot import snapshot

HELD = """
import os, sqlite3, sys
database = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=0)
for line in sys.argv[2:]:
    database.execute(line)
print("ready", flush=True)
if sys.stdin.readline() == "leave\\n":
    database.close()
os._exit(0)
"""
WRITER = """
import sqlite3, sys
from threading import Thread
database = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=0)
database.execute("PRAGMA wal_autocheckpoint=20")
stopped = []
def stop():
    sys.stdin.readline()
    stopped.append(1)
Thread(target=stop, daemon=True).start()
done = 0
while not stopped:
    database.execute("BEGIN IMMEDIATE")
    database.execute("UPDATE pair SET a = a + 1")
    database.execute("UPDATE pair SET b = b + 1")
    database.execute("COMMIT")
    done += 1
    if done % 10 == 1:
        print(done, flush=True)
database.close()
print("left", flush=True)
"""
COMES_AND_GOES = """
import sqlite3, sys, time
end, done = time.monotonic() + int(sys.argv[2]), 0
while time.monotonic() < end:
    database = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=0)
    for _ in range(3):
        database.execute("UPDATE t SET v = v + 1")
        done += 1
    database.close()
    time.sleep(0.001 * (done % 7))
print(done)
"""
TABLE = ("PRAGMA journal_mode=WAL", "CREATE TABLE t(a)", "INSERT INTO t VALUES (1)")


def start(code: str, *argv: str | Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        (sys.executable, "-S", "-E", "-c", code, *map(str, argv)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def told(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def tell(process: subprocess.Popen[str], word: str) -> str:
    """End it by a word, and give the last line it said."""
    out, _ = process.communicate(f"{word}\n", timeout=30)
    assert process.returncode == 0
    return out.strip().rpartition("\n")[2]


def held(path: Path, *lines: str) -> subprocess.Popen[str]:
    """A process that has done this and still holds the database."""
    process = start(HELD, path, *lines)
    assert told(process) == "ready"
    return process


def listing(folder: Path) -> dict[str, tuple[int, bytes]]:
    """All files with their times and their bytes."""
    return {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in folder.iterdir()}


def count(database: sqlite3.Connection) -> int:
    number: int = database.execute("SELECT count(*) FROM t").fetchone()[0]
    return number


@pytest.fixture
def path(tmp_path: Path) -> Path:
    folder = tmp_path / "odd # % ? name"
    folder.mkdir()
    return folder / "workbuddy.db"


def test_nobody_is_there(path: Path) -> None:
    tell(held(path, *TABLE), "leave")
    before = listing(path.parent)
    assert [*before] == ["workbuddy.db"], "the last to leave put the log away"
    assert snapshot(path, count) == 1
    assert listing(path.parent) == before


def test_one_who_was_killed_left_its_log(path: Path) -> None:
    tell(held(path, *TABLE), "die")
    before = listing(path.parent)
    assert {*before} == {"workbuddy.db", "workbuddy.db-wal", "workbuddy.db-shm"}
    assert snapshot(path, count) == 1, "what is in the log counts"
    assert listing(path.parent) == before


def test_a_link_leads_to_the_log_as_well(path: Path, tmp_path: Path) -> None:
    tell(held(path, *TABLE), "die")
    link = tmp_path / "link.db"
    link.symlink_to(path)
    before = listing(path.parent)
    assert snapshot(link, count) == 1
    assert listing(path.parent) == before
    link.unlink()
    link.symlink_to(link)
    with pytest.raises(OSError, match="symbolic links"):
        snapshot(link, count)


def test_a_log_without_its_index_is_read_from_a_copy(
    path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    tell(held(path, *TABLE), "die")
    path.with_name("workbuddy.db-shm").unlink()
    before = listing(path.parent)
    assert snapshot(path, count) == 1
    assert listing(path.parent) == before
    assert [one.name for one in tmp_path.iterdir()] == [path.parent.name], "no copy is left"


def test_an_index_without_a_log_is_of_no_use_and_stays(path: Path) -> None:
    tell(held(path, *TABLE), "leave")
    path.with_name("workbuddy.db-shm").write_bytes(b"\0" * 32768)
    before = listing(path.parent)
    assert snapshot(path, count) == 1
    assert listing(path.parent) == before


@pytest.mark.parametrize("mode", ["DELETE", "TRUNCATE", "PERSIST"])
def test_a_database_without_a_log(path: Path, mode: str) -> None:
    tell(held(path, f"PRAGMA journal_mode={mode}", *TABLE[1:]), "leave")
    before = listing(path.parent)
    assert snapshot(path, count) == 1
    assert listing(path.parent) == before


def test_a_change_that_a_crash_left_half_done_is_read_as_undone(path: Path) -> None:
    tell(held(path, "PRAGMA journal_mode=DELETE", *TABLE[1:]), "leave")
    half = ("PRAGMA cache_size=1", "PRAGMA cache_spill=1", "BEGIN", "UPDATE t SET a = 2")
    fill = (
        "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000) INSERT INTO t SELECT randomblob(200) FROM n"
    )
    tell(held(path, *half, fill), "die")
    before = listing(path.parent)
    assert {*before} == {"workbuddy.db", "workbuddy.db-journal"}
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as plain, pytest.raises(sqlite3.Error):
        plain.execute("SELECT count(*) FROM t").fetchone()  # or this would show nothing
    assert snapshot(path, lambda database: database.execute("SELECT a FROM t").fetchall()) == [(1,)]
    assert listing(path.parent) == before


@pytest.mark.parametrize("lines", [TABLE, (*TABLE, "SELECT * FROM t"), (*TABLE, "BEGIN IMMEDIATE", "DELETE FROM t")])
def test_a_writer_is_there(path: Path, lines: tuple[str, ...]) -> None:
    writer = held(path, *lines)
    before = listing(path.parent)
    assert snapshot(path, count) == 1, "what is not committed does not count"
    assert listing(path.parent) == before
    tell(writer, "leave")


def test_an_index_that_names_no_state_yet_is_read_all_the_same(path: Path) -> None:
    writer = held(path, "PRAGMA journal_mode=WAL", "PRAGMA wal_autocheckpoint=0", "CREATE TABLE t(a)")
    assert snapshot(path, count) == 0
    tell(writer, "leave")


def test_a_writer_goes_on_while_one_state_is_read(path: Path) -> None:
    """It has no patience at all: were it ever held up, it would end with an error."""
    tell(held(path, "PRAGMA journal_mode=WAL", "CREATE TABLE pair(a, b)", "INSERT INTO pair VALUES (0, 0)"), "leave")
    writer = start(WRITER, path)
    told(writer)

    def read(database: sqlite3.Connection) -> list[tuple[int, int]]:
        seen: list[tuple[int, int]] = []
        for _ in range(5):
            seen += database.execute("SELECT a, b FROM pair").fetchall()
            before = int(told(writer))
            while int(told(writer)) <= before:
                pass
        return seen

    seen = [snapshot(path, read) for _ in range(4)]
    for states in seen:
        assert len(states) == 5
        assert len({*states}) == 1, "one state, however long it is read"
        assert states[0][0] == states[0][1], "no half of a change"
    assert [states[0] for states in seen] == sorted(states[0] for states in seen)
    assert seen[0][0] != seen[-1][0]
    assert tell(writer, "stop") == "left"
    assert {one.name for one in path.parent.iterdir()} == {"workbuddy.db"}, "it was the last to leave"


def test_one_who_comes_and_goes_meanwhile_is_noticed(path: Path) -> None:
    """It leaves its log behind, as ever when somebody reads: the next one to leave puts it away."""
    tell(held(path, *TABLE), "leave")
    states: list[int] = []

    def read(database: sqlite3.Connection) -> int:
        states.append(count(database))
        if len(states) == 1:
            tell(held(path, "INSERT INTO t VALUES (2)"), "leave")
        return count(database)

    assert snapshot(path, read) == 2
    assert len(states) == 2
    assert path.with_name("workbuddy.db-wal").exists()
    tell(held(path, "SELECT * FROM t"), "leave")
    assert {one.name for one in path.parent.iterdir()} == {"workbuddy.db"}


def test_one_who_comes_and_stays_meanwhile_is_noticed(path: Path) -> None:
    tell(held(path, *TABLE), "leave")
    there: list[subprocess.Popen[str]] = []

    def read(database: sqlite3.Connection) -> int:
        if not there:
            there.append(held(path, "INSERT INTO t VALUES (2)"))
        return count(database)

    assert snapshot(path, read) == 2
    tell(there[0], "leave")
    assert {one.name for one in path.parent.iterdir()} == {"workbuddy.db"}


@pytest.mark.parametrize(
    "lines",
    [
        ("INSERT INTO t VALUES (2)",),
        ("INSERT INTO t VALUES (2)", "PRAGMA wal_checkpoint"),
        ("INSERT INTO t VALUES (2)", "PRAGMA wal_checkpoint(TRUNCATE)"),
        ("PRAGMA wal_checkpoint(RESTART)", "INSERT INTO t VALUES (2)"),
    ],
)
@pytest.mark.parametrize("end", ["leave", "die"])
def test_one_who_comes_after_a_crash_does_no_harm(path: Path, end: str, lines: tuple[str, ...]) -> None:
    """Though nobody held the log when it was opened, it is not put away as long as it is read."""
    tell(held(path, *TABLE), "die")
    there: list[subprocess.Popen[str]] = []

    def read(database: sqlite3.Connection) -> tuple[int, int]:
        before = count(database)
        there.append(held(path, *lines))
        if end == "leave":
            tell(there[0], end)
        return before, count(database)

    assert snapshot(path, read) == (1, 1)
    assert len(there) == 1, "one reading was enough"
    assert snapshot(path, count) == 2
    if end == "die":
        tell(there[0], end)


@pytest.mark.skipif(sys.platform == "win32", reason="nothing is locked there")
def test_one_who_comes_and_goes_is_noticed_within_one_tick_of_the_clock(path: Path) -> None:
    """The times of files are coarse; what is left of a writer is not."""
    tell(held(path, *TABLE), "leave")
    os.utime(path, ns=(0, 5))
    states: list[int] = []

    def read(database: sqlite3.Connection) -> int:
        states.append(count(database))
        if len(states) == 1:
            tell(held(path, "INSERT INTO t VALUES (2)"), "leave")
            os.utime(path, ns=(0, 5))
        return count(database)

    assert snapshot(path, read) == 2
    assert len(states) == 2


def test_what_changes_each_time_is_given_up(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_snapshot, "_PATIENCE_S", 0.1)
    tell(held(path, *TABLE), "leave")

    def read(database: sqlite3.Connection) -> int:
        os.utime(path, ns=(0, path.stat().st_mtime_ns + 1))
        return count(database)

    with pytest.raises(OSError, match="changed each time") as caught:
        snapshot(path, read)
    assert caught.value.errno == errno.EBUSY


@pytest.mark.parametrize("end", ["leave", "die", "die without an index"])
def test_nothing_can_be_written(path: Path, end: str) -> None:
    tell(held(path, *TABLE), end.partition(" ")[0])
    if end.endswith("index"):
        path.with_name("workbuddy.db-shm").unlink()
    before = listing(path.parent)
    with pytest.raises(OSError, match="attempt to write a readonly database"):
        snapshot(path, lambda database: database.execute("DELETE FROM t"))
    assert listing(path.parent) == before


def test_what_is_no_database(path: Path) -> None:
    def fails(why: str) -> int | None:
        with pytest.raises(OSError, match=why) as caught:
            snapshot(path, count)
        assert caught.value.filename == str(path)
        return caught.value.errno

    assert fails("No such file") == errno.ENOENT
    path.write_bytes(b"not a database at all" * 100)
    assert fails("no SQLite database: another file, or one that is encrypted") == errno.EINVAL
    path.write_bytes(b"SQLite format 3\0")
    assert fails("no SQLite database") == errno.EINVAL
    path.unlink()
    path.mkdir()
    assert fails("no database") == errno.EISDIR
    path.rmdir()
    os.mkfifo(path)
    assert fails("no database") == errno.EINVAL


def test_a_damaged_database_is_told(path: Path) -> None:
    tell(held(path, *TABLE), "leave")
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))
    with pytest.raises(OSError, match=r"cannot be read: .*malformed") as caught:
        snapshot(path, count)
    assert caught.value.errno == errno.EINVAL
    path.write_bytes(content[:100] + b"\xff" * (len(content) - 100))
    with pytest.raises(OSError, match="cannot be read"):
        snapshot(path, count)


def test_a_table_that_is_not_there_is_told(path: Path) -> None:
    tell(held(path, *TABLE), "leave")
    with pytest.raises(OSError, match="no such table: u"):
        snapshot(path, lambda database: database.execute("SELECT * FROM u"))


@pytest.mark.parametrize("beside", [(), ("-wal",), ("-wal", "-shm")])
def test_an_empty_file_is_an_empty_database_and_its_log_stays(path: Path, beside: tuple[str, ...]) -> None:
    path.touch()
    for log in beside:
        path.with_name(f"{path.name}{log}").write_bytes(b"of a database that is being made")
    before = listing(path.parent)
    assert snapshot(path, lambda database: database.execute("SELECT * FROM sqlite_master").fetchall()) == []
    assert listing(path.parent) == before


def test_a_database_that_is_held_locked(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_reading, "_WAIT_S", 0)
    writer = held(path, "PRAGMA journal_mode=DELETE", *TABLE[1:], "BEGIN EXCLUSIVE", "DELETE FROM t")
    with pytest.raises(OSError, match="locked") as caught:
        snapshot(path, count)
    assert caught.value.errno == errno.EBUSY
    tell(writer, "die")
    assert snapshot(path, count) == 1


def test_a_log_that_its_writer_has_to_itself_is_read_from_a_copy(path: Path) -> None:
    writer = held(path, "PRAGMA locking_mode=EXCLUSIVE", *TABLE)
    before = listing(path.parent)
    assert {*before} == {"workbuddy.db", "workbuddy.db-wal"}
    assert snapshot(path, count) == 1
    assert listing(path.parent) == before
    tell(writer, "leave")


def test_an_index_that_cannot_be_read_without_writing_is_read_in_the_ordinary_way(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = held(path, *TABLE)
    done, ways = sqlite_reading.begun, list[str]()

    def refused(uri: str) -> sqlite3.Connection:
        ways.append(uri.partition("?")[2])
        if "readonly_shm" in uri:
            error = sqlite3.OperationalError("attempt to write a readonly database")
            error.sqlite_errorcode = sqlite3.SQLITE_READONLY_CANTINIT
            raise error
        return done(uri)

    monkeypatch.setattr(sqlite_snapshot, "begun", refused)
    assert snapshot(path, count) == 1
    assert ways == ["mode=ro&readonly_shm=1", "mode=ro"]
    tell(writer, "leave")


@pytest.mark.parametrize("when", ["the database was copied", "the log was seen"])
def test_a_log_that_goes_while_it_is_copied(path: Path, when: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tell(held(path, *TABLE), "die")
    path.with_name("workbuddy.db-shm").unlink()
    read, copy = os.read, shutil.copyfile
    gone: list[str] = []

    def put_away() -> None:
        if not gone:
            gone.append(when)
            with closing(sqlite3.connect(path)) as last:
                count(last)

    def read_on(file: int, most: int) -> bytes:
        piece = read(file, most)
        if not piece and when == "the database was copied":
            put_away()
        return piece

    def copied(source: Path, target: Path) -> None:
        if when == "the log was seen":
            put_away()
        copy(source, target)

    monkeypatch.setattr(os, "read", read_on)
    monkeypatch.setattr(shutil, "copyfile", copied)
    assert snapshot(path, count) == 1
    assert gone
    assert {one.name for one in path.parent.iterdir()} == {"workbuddy.db"}


def test_threads_read_one_after_the_other(path: Path) -> None:
    """Else the first to close a file would give up the locks of all."""
    writer = held(path, *TABLE)
    found: list[int] = []
    others = [Thread(target=lambda: found.append(snapshot(path, count))) for _ in range(4)]

    def read(database: sqlite3.Connection) -> int:
        for other in others:
            other.start()
        others[0].join(0.1)
        found.append(0)
        return count(database)

    assert snapshot(path, read) == 1
    for other in others:
        other.join()
    assert found == [0, 1, 1, 1, 1]
    tell(writer, "leave")


# The program that this runs in may have the database open.

LOCKS_IT = """
import sqlite3, sys
database = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=0)
try:
    database.execute("BEGIN EXCLUSIVE")
    print("locked")
except sqlite3.OperationalError as error:
    print(error)
"""


def test_a_lock_of_our_own_process_is_kept(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as own:
        own.execute("CREATE TABLE t(a)")
        own.execute("BEGIN IMMEDIATE")
        own.execute("INSERT INTO t VALUES (1)")
        assert snapshot(path, count) == 0
        assert start(LOCKS_IT, path).communicate()[0] == "database is locked\n"
        own.execute("COMMIT")
    assert snapshot(path, count) == 1
    assert start(LOCKS_IT, path).communicate()[0] == "locked\n"  # and none of ours stays behind


@pytest.mark.parametrize("by_us", [False, True], ids=["not read", "read"])
def test_a_log_that_our_own_process_uses_is_kept(path: Path, by_us: bool) -> None:
    """Whoever is the last to leave puts it away: another process must see that we are there."""
    if by_us and not hasattr(pytest.importorskip("fcntl"), "F_OFD_SETLK"):
        pytest.skip("the system has no locks of handles")
    with closing(sqlite3.connect(path, isolation_level=None)) as own:
        for line in TABLE:
            own.execute(line)
        assert not by_us or snapshot(path, count) == 1
        tell(held(path, "SELECT a FROM t"), "leave")
        assert path.with_name("workbuddy.db-wal").exists()
        own.execute("INSERT INTO t VALUES (2)")
        assert count(own) == 2
    assert snapshot(path, count) == 2


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="nothing here tells which files are open")
def test_only_so_many_files_stay_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_handles, "_MOST_HELD", 3)

    def read(name: str) -> None:
        with closing(sqlite3.connect(tmp_path / name)) as made:
            made.execute("CREATE TABLE IF NOT EXISTS t(a)")
        assert snapshot(tmp_path / name, count) == 0

    def held_open() -> set[str]:
        names = {os.path.realpath(file) for file in Path("/proc/self/fd").iterdir()}
        return {Path(name).name for name in names if name.startswith(str(tmp_path))}

    for name in ("a", "b", "c", "d"):
        read(name)
    assert held_open() == {"b", "c", "d"}
    read("b")
    read("e")
    assert held_open() == {"b", "d", "e"}
    for path in tmp_path.iterdir():
        path.unlink()
    read("f")
    assert held_open() == {"f"}


@pytest.mark.soak
def test_a_writer_comes_and_goes_all_the_time(path: Path) -> None:
    """Every state that is read is a whole one, and the writer, which has no patience, is never held up."""
    numbers = "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 500) SELECT i, 0 AS v FROM n"
    tell(held(path, "PRAGMA journal_mode=WAL", f"CREATE TABLE t AS {numbers}"), "leave")
    writer = start(COMES_AND_GOES, path, "60")
    states = [0]
    while writer.poll() is None:
        found = snapshot(path, lambda database: database.execute("SELECT DISTINCT v FROM t").fetchall())
        assert len(found) == 1, found
        states.append(found[0][0])
    assert writer.returncode == 0
    assert states == sorted(states)
    assert snapshot(path, lambda database: database.execute("SELECT DISTINCT v FROM t").fetchall()) == [
        (int(writer.communicate()[0]),)
    ]
