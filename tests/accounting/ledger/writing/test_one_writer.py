"""One writer at a time: the second is refused before it reads or writes, whichever way it comes."""

import fcntl
import os
import signal
import subprocess
import sys
from io import FileIO
from pathlib import Path
from threading import Barrier, Thread

import pytest

from accounting.ledger import check
from accounting.ledger.writing import LedgerHeldError, LedgerWriter, WriterUnusableError
from accounting.ledger.writing.posix import Posix
from tests.accounting.ledger.writing.places import FIRST, marks, whole
from tests.accounting.ledger.writing.plain import lines, noted
from tests.accounting.ledger.writing.systems import QUICK, Quick
from wire.error import ErrorCode

ROOT = Path(__file__).resolve().parents[4]


def hold(directory: Path) -> FileIO:
    """The lock of a ledger, taken by hand."""
    file = FileIO(directory.with_name(directory.name + ".lock"), "ab")
    fcntl.flock(file.fileno(), fcntl.LOCK_EX)
    return file


def refused(path: Path | str) -> LedgerHeldError:
    with pytest.raises(LedgerHeldError) as caught:
        LedgerWriter(path, system=QUICK)
    assert caught.value.code is ErrorCode.E_LEDGER_HELD
    return caught.value


def test_a_second_writer_changes_nothing_and_the_first_goes_on(tmp_path: Path) -> None:
    with LedgerWriter(tmp_path / "ledger", system=QUICK) as writer:
        writer.append(noted("a"))
        before = marks(tmp_path)
        refused(tmp_path / "ledger")
        assert marks(tmp_path) == before
        writer.append(noted("b"))
    with LedgerWriter(tmp_path / "ledger", system=QUICK) as writer:
        assert [record.seq for record in writer.append(noted("c"))] == [2]


@pytest.mark.invariant("W3")
def test_it_is_the_lock_that_refuses(tmp_path: Path) -> None:
    # A ledger that is damaged, one with a torn tail, one that is not there, a file where one would be.
    for name in ("damaged", "torn", "missing", "file"):
        if name in ("damaged", "torn"):
            (tmp_path / name).mkdir()
            (tmp_path / name / FIRST).write_bytes(b"{}\n" if name == "damaged" else b"{")
        elif name == "file":
            (tmp_path / name).write_bytes(b"")
        with hold(tmp_path / name):
            before = marks(tmp_path)
            refused(tmp_path / name)
            assert marks(tmp_path) == before


SPIES = """
import fcntl, sys
from accounting.ledger.writing import LedgerHeldError, LedgerWriter
folder, opened = sys.argv[1], []
def watch(event, arguments):
    if event in ("open", "os.listdir", "os.scandir", "os.mkdir", "os.rename", "os.remove", "os.truncate"):
        opened.append(str(arguments[0]))
lock = open(folder + "/ledger.lock", "ab")
fcntl.flock(lock, fcntl.LOCK_EX)
sys.addaudithook(watch)
try: LedgerWriter(folder + "/ledger")
except LedgerHeldError: print({path for path in opened if path.startswith(folder)})
lock.close()
LedgerWriter(folder + "/ledger").close()
print(folder + "/ledger" in opened)
"""


@pytest.mark.invariant("W3")
def test_nothing_is_touched_before_the_lock_is_had(tmp_path: Path) -> None:
    (tmp_path / "ledger").mkdir()
    (tmp_path / "ledger" / FIRST).write_bytes(b"".join(lines([noted("a")])))
    done = script(SPIES, tmp_path)
    lock = str(tmp_path / "ledger.lock")
    assert (done.returncode, done.stdout.decode(), done.stderr) == (0, f"{ {lock} }\nTrue\n", b"")


def test_every_way_to_a_ledger_meets_one_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = tmp_path / "city" / "ledger"
    real.parent.mkdir()
    with LedgerWriter(real, system=QUICK):
        (tmp_path / "link").symlink_to(real)
        (tmp_path / "town").symlink_to(real.parent)
        (tmp_path / "chain").symlink_to("link")
        monkeypatch.chdir(real.parent)
        for path in ("ledger", "./ledger/", "../city/ledger", tmp_path / "link", tmp_path / "town" / "ledger"):
            assert refused(path).ledger == real
        assert refused(tmp_path / "chain").lock == tmp_path / "city" / "ledger.lock"
        monkeypatch.chdir(real)
        refused(".")
    assert sorted(path.name for path in tmp_path.rglob("*.lock")) == ["ledger.lock"]


def test_a_link_to_a_ledger_that_is_still_to_be_made(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "ledger")
    with LedgerWriter(tmp_path / "link", system=QUICK) as writer:
        writer.append(noted("a"))
        refused(tmp_path / "ledger")
    assert check(tmp_path / "ledger").conforms


def test_the_message_names_everything(tmp_path: Path) -> None:
    with LedgerWriter(tmp_path / "ledger", system=QUICK):
        error = refused(tmp_path / "ledger")
    assert error.holder == f"this very process ({os.getpid()})"
    for part in (tmp_path / "ledger:", tmp_path / "ledger.lock", error.holder, "wait", "would not free"):
        assert str(part) in str(error)


def test_a_holder_in_another_process(tmp_path: Path) -> None:
    code = (
        "import sys; from accounting.ledger.writing import LedgerWriter\n"
        "with LedgerWriter('ledger'): print('held', flush=True); sys.stdin.read()"
    )
    (tmp_path / "a place").mkdir()
    running = subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=tmp_path / "a place",
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    with running:
        assert running.stdout is not None
        assert running.stdout.readline() == b"held\n"
        before = marks(tmp_path)
        error = refused(tmp_path / "a place" / "ledger")
        assert error.holder == f"process {running.pid}, which works in {tmp_path / 'a place'}"
        assert marks(tmp_path) == before
        running.kill()
    # Dead, it holds nothing, though it never gave the lock back.
    LedgerWriter(tmp_path / "a place" / "ledger", system=QUICK).close()


def test_a_holder_that_the_system_does_not_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("accounting.ledger.writing.posix._LOCKS", tmp_path / "none")
    with hold(tmp_path / "ledger"):
        error = refused(tmp_path / "ledger")
    assert error.holder is None
    assert "the system does not tell which" in str(error)


@pytest.mark.parametrize(
    ("row", "holder"),
    [
        ("1: FLOCK  ADVISORY  WRITE {pid} {file} 0 EOF", "this very process ({pid})"),
        ("1: FLOCK  ADVISORY  WRITE 0 {file} 0 EOF", None),
        ("1: FLOCK  ADVISORY  WRITE -1 {file} 0 EOF", None),
        ("1: FLOCK  ADVISORY  WRITE 4194999 {file} 0 EOF", "process 4194999"),
        ("1: POSIX  ADVISORY  WRITE {pid} {file} 0 EOF", None),
        ("1: FLOCK  ADVISORY  WRITE {pid} {file}1 0 EOF", None),
        ("1: -> FLOCK  ADVISORY  WRITE 5 {file} 0 EOF\n\n2:", None),
    ],
)
def test_the_table_of_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, row: str, holder: str | None) -> None:
    monkeypatch.setattr("accounting.ledger.writing.posix._LOCKS", tmp_path / "locks")
    with FileIO(tmp_path / "x.lock", "ab") as file:
        stat = os.fstat(file.fileno())
        place = f"{os.major(stat.st_dev):02x}:{os.minor(stat.st_dev):02x}:{stat.st_ino}"
        (tmp_path / "locks").write_text(row.format(pid=os.getpid(), file=place) + "\n")
        assert Posix().holder(file) == (None if holder is None else holder.format(pid=os.getpid()))


def test_a_lock_file_that_is_removed(tmp_path: Path) -> None:
    lock = tmp_path / "ledger.lock"
    first = LedgerWriter(tmp_path / "ledger", system=QUICK)
    first.append(noted("a"))
    lock.unlink()
    with pytest.raises(WriterUnusableError, match="removed or replaced"):
        first.append(noted("b"))
    with LedgerWriter(tmp_path / "ledger", system=QUICK) as second:
        with pytest.raises(WriterUnusableError, match="removed or replaced"):
            first.append(noted("b"))
        second.append(noted("b"))
    first.close()
    assert lock.is_file()
    assert whole(tmp_path / "ledger").count(b"\n") == 2
    assert check(tmp_path / "ledger").conforms


def test_a_lock_file_removed_between_opening_and_locking(tmp_path: Path) -> None:
    class Meddled(Quick):
        times = 0

        def lock(self, file: FileIO) -> bool:
            self.times += 1
            if self.times < 3:
                (tmp_path / "ledger.lock").unlink()
            return super().lock(file)

    system = Meddled()
    with LedgerWriter(tmp_path / "ledger", system=system):
        assert system.times == 3
        refused(tmp_path / "ledger")


def test_a_file_system_without_locks(tmp_path: Path) -> None:
    class Lockless(Quick):
        def lock(self, file: FileIO) -> bool:
            raise OSError(95, "Operation not supported")

    with pytest.raises(OSError, match=r"no lock can be had here \(Operation not supported\).*ledger\.lock"):
        LedgerWriter(tmp_path / "ledger", system=Lockless())
    assert not (tmp_path / "ledger").exists()


def test_the_lock_is_given_back_when_opening_fails(tmp_path: Path) -> None:
    (tmp_path / "ledger").mkdir()
    (tmp_path / "ledger" / FIRST).write_bytes(b"{}\n")
    for _ in range(2):
        with pytest.raises(Exception, match="not-a-line"):
            LedgerWriter(tmp_path / "ledger", system=QUICK)
    hold(tmp_path / "ledger").close()


def test_threads_share_a_writer(tmp_path: Path) -> None:
    together = Barrier(4)
    with LedgerWriter(tmp_path / "ledger", system=QUICK) as writer:

        def work(name: str) -> None:
            together.wait()
            for index in range(40):
                writer.append(noted(f"{name}{index}"), noted(f"{name}{index}'"))

        threads = [Thread(target=work, args=(name,)) for name in "abcd"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    report = check(tmp_path / "ledger")
    assert report.conforms
    assert report.summary.lines == 320


def test_an_append_from_within_an_append_is_refused(tmp_path: Path) -> None:
    class Nosy(Quick):
        writer: LedgerWriter

        def barrier(self, file: FileIO) -> None:
            # As a handler of a signal may.
            for attempt in (lambda: self.writer.append(noted("b")), self.writer.close):
                with pytest.raises(WriterUnusableError, match="a group is being written"):
                    attempt()

    with LedgerWriter(tmp_path / "ledger", system=QUICK) as writer:
        nosy = Nosy()
        nosy.writer = writer
        writer._store._system = nosy  # pyright: ignore[reportPrivateUsage]
        writer.append(noted("a"))
        writer.append(noted("c"))
    assert whole(tmp_path / "ledger").count(b"\n") == 2


FORKS = """
import os, sys
from accounting.ledger.writing import Draft, LedgerWriter, WriterUnusableError
from wire.scalars import NIL_RUN
draft = Draft(run=NIL_RUN, who="city", kind="session_named", data={})
writer = LedgerWriter(sys.argv[1])
writer.append(draft)
reading, writing = os.pipe()
child = os.fork()
if not child:
    try:
        writer.append(draft)
    except WriterUnusableError as error:
        assert f"belongs to process {os.getppid()}" in str(error), error
        writer.close()  # takes nothing from the parent
        os.write(writing, b"refused")
        {then}
    os._exit(0)
os.close(writing)
assert os.read(reading, 7) == b"refused"
"""


def script(code: str, *arguments: object) -> subprocess.CompletedProcess[bytes]:
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code, *map(str, arguments)], capture_output=True, env=env, check=False
    )


def test_a_forked_process_does_not_write_and_the_parent_goes_on(tmp_path: Path) -> None:
    code = FORKS.replace("{then}", "pass") + (
        "os.waitpid(child, 0)\n"
        "from accounting.ledger.writing import LedgerHeldError\n"
        "try: LedgerWriter(sys.argv[1])\n"
        "except LedgerHeldError: pass\n"
        "else: raise SystemExit('the lock was lost')\n"
        "writer.append(draft)\n"
        "writer.close()\n"
    )
    done = script(code, tmp_path / "ledger")
    assert (done.returncode, done.stderr) == (0, b"")
    assert whole(tmp_path / "ledger").count(b"\n") == 2
    assert check(tmp_path / "ledger").conforms


def test_a_forked_process_does_not_keep_the_lock(tmp_path: Path) -> None:
    # The writer's process dies without a word; its child lives on.
    code = (
        FORKS.replace("{then}", "os.close(1); os.close(2); sys.stdin.read()")
        + "print(child)\nsys.stdout.flush()\nos._exit(0)\n"
    )
    reading, writing = os.pipe()
    try:
        env = os.environ | {"PYTHONPATH": str(ROOT)}
        done = subprocess.run(
            [sys.executable, "-c", code, tmp_path / "ledger"], stdin=reading, capture_output=True, env=env, check=False
        )
        assert (done.returncode, done.stderr) == (0, b"")
        child = int(done.stdout)
        os.kill(child, 0)  # it is there
        with LedgerWriter(tmp_path / "ledger", system=QUICK) as writer:
            writer.append(noted("b"))
        os.kill(child, signal.SIGKILL)
    finally:
        os.close(reading)
        os.close(writing)


def test_a_started_process_does_not_inherit_the_lock(tmp_path: Path) -> None:
    writer = LedgerWriter(tmp_path / "ledger", system=QUICK)
    code = "import sys; print('here', flush=True); sys.stdin.read()"
    started = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, close_fds=False
    )
    with started:
        assert started.stdout is not None
        assert started.stdout.readline() == b"here\n"
        writer._lock._file.close()  # pyright: ignore[reportPrivateUsage] # as when this process ended
        LedgerWriter(tmp_path / "ledger", system=QUICK).close()
        started.kill()
    writer._store.close()  # pyright: ignore[reportPrivateUsage]
