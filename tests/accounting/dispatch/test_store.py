"""Journals on disk: exclusive, whole, private, and locked by who changes them."""

import os
import subprocess
import sys
import threading
from io import FileIO
from pathlib import Path
from stat import S_IMODE
from tempfile import TemporaryDirectory
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from accounting.dispatch.errors import CorruptJournalError, RunBusyError, UnknownRunError
from accounting.dispatch.ids import new_run_id, run_id_of
from accounting.dispatch.places import state_directory
from accounting.dispatch.store import RunStore
from accounting.ledger.writing.system import SYSTEM
from tests.accounting.dispatch.runs import create, journal_of, until
from wire import decode, encode
from wire.dispatch import DispatchJournal, DispatchState, StateSource

RUN = run_id_of("harbour")
QUEUED = journal_of(RUN)
CANCELLED = structs.replace(QUEUED, state=DispatchState.cancelled, state_source=StateSource.observation)

HOLD = """
import sys, time
from pathlib import Path
from accounting.dispatch.store import RunStore
with RunStore(Path(sys.argv[1])).locked(sys.argv[2]):
    print("held", flush=True)
    time.sleep(60)
"""

NO_ROOM = """
import resource, sys
from pathlib import Path
from msgspec import structs
from accounting.dispatch.store import RunStore
with RunStore(Path(sys.argv[1])).locked(sys.argv[2]) as held:
    journal = structs.replace(held.read(), task="x" * 1000)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
    try:
        held.write(journal)
    except OSError as error:
        print(error.filename)
"""


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"ROUNDS_STATE_DIR": "/s", "XDG_STATE_HOME": "/x", "HOME": "/h"}, "/s"),
        ({"ROUNDS_STATE_DIR": " ", "XDG_STATE_HOME": "/x", "HOME": "/h"}, "/x/rounds"),
        ({"XDG_STATE_HOME": "x", "HOME": "/h"}, "/h/.local/state/rounds"),
        ({"XDG_STATE_HOME": " ", "HOME": "/h"}, "/h/.local/state/rounds"),
        ({"HOME": "/h"}, "/h/.local/state/rounds"),
    ],
)
def test_where_runs_are(environ: dict[str, str], expected: str) -> None:
    assert state_directory(environ) == Path(expected)


def test_a_relative_state_directory_is_below_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert state_directory({"ROUNDS_STATE_DIR": "s"}) == tmp_path / "s"
    assert not any(tmp_path.iterdir())


def test_a_journal_is_read_as_it_was_written(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    assert store.ids() == ()
    assert create(store, QUEUED)
    assert store.read(RUN) == QUEUED
    running = structs.replace(QUEUED, state=DispatchState.running, pid=41, idempotent_replay=True)
    with store.locked(RUN) as held:
        held.write(running)
    assert store.read(RUN) == structs.replace(running, idempotent_replay=QUEUED.idempotent_replay)
    assert b"idempotentReplay" not in store.journal_path(RUN).read_bytes(), "that is for answers"
    assert store.ids() == (RUN,)


def test_the_second_to_create_a_run_changes_nothing(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    assert create(store, QUEUED)
    assert not create(store, structs.replace(QUEUED, task="another"))
    assert store.read(RUN) == QUEUED


def test_of_many_who_create_a_run_one_does(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    made: list[bool] = []
    threads = [threading.Thread(target=lambda: made.append(create(store, QUEUED))) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(made) == [*(False,) * 11, True]


def test_a_file_system_without_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(source: Path, target: Path) -> None:
        raise PermissionError(1, "no links here", str(target))

    monkeypatch.setattr(os, "link", refuse)
    store = RunStore(tmp_path)
    assert create(store, QUEUED)
    assert not create(store, structs.replace(QUEUED, task="another"))
    assert store.read(RUN) == QUEUED


def test_there_is_no_such_run(tmp_path: Path) -> None:
    store = RunStore(tmp_path / "state")
    with pytest.raises(UnknownRunError, match=rf"{RUN}: no such run in .*state/runs; `rounds dispatch list`"):
        store.read(RUN)
    assert not any(tmp_path.iterdir()), "looking leaves nothing behind"


@pytest.mark.parametrize("cut", [0, 1, 40, len(encode(QUEUED)) - 1])
def test_w20_a_half_written_journal_is_corrupt(tmp_path: Path, cut: int) -> None:
    store = RunStore(tmp_path)
    succeeded = structs.replace(QUEUED, state=DispatchState.succeeded, state_source=StateSource.observation)
    create(store, succeeded)
    path = store.journal_path(RUN)
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(CorruptJournalError) as caught:
        store.read(RUN)
    assert caught.value.path == path
    assert str(path) in str(caught.value)
    with store.locked(RUN) as held, pytest.raises(CorruptJournalError):
        held.read()


@pytest.mark.parametrize(
    "content", [b"\xff\xfe", b"null", b"[]", b"{}", b"[" * 100_000, encode(QUEUED).replace(b"queued", b"gone")]
)
def test_what_is_no_journal_is_corrupt(tmp_path: Path, content: bytes) -> None:
    store = RunStore(tmp_path)
    create(store, QUEUED)
    store.journal_path(RUN).write_bytes(content)
    with pytest.raises(CorruptJournalError):
        store.read(RUN)


def test_another_run_s_journal_is_corrupt(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    create(store, QUEUED)
    other = new_run_id()
    store.journal_path(RUN).rename(store.journal_path(other))
    with pytest.raises(CorruptJournalError, match=f"it is the journal of {RUN}"):
        store.read(other)


def test_a_named_pipe_is_no_journal(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    create(store, QUEUED)
    store.journal_path(RUN).unlink()
    os.mkfifo(store.journal_path(RUN))
    with pytest.raises(OSError, match="no regular file"):
        store.read(RUN)


def test_cancelled_attempts_are_kept_by_number(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    for number in (1, 2):
        with store.locked(RUN) as held:
            held.write(structs.replace(CANCELLED, task=f"attempt {number}"))
            store.stream_path(RUN).write_text(f"stream {number}")
            held.keep_attempt()
            held.write(QUEUED)
    for number in (1, 2):
        assert f"attempt {number}" in (store.runs / f"{RUN}.{number}.json").read_text()
        assert (store.runs / f"{RUN}.{number}.stream.jsonl").read_text() == f"stream {number}"
    assert not store.stream_path(RUN).exists()
    assert store.ids() == (RUN,), "an attempt is no run of its own"


def test_what_is_no_run_is_not_listed(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    create(store, QUEUED)
    for name in ("wb-1.json", "WB-0123456789abcdef.json", f"{RUN}.1.json", "notes.txt", f".{RUN}.json.new"):
        (store.runs / name).write_text("{}")
    assert store.ids() == (RUN,)


def test_a_lock_keeps_others_out_and_goes_with_its_holder(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    holder = subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path), RUN], stdout=subprocess.PIPE)
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    with pytest.raises(RunBusyError, match=rf"{RUN} is being changed by process {holder.pid}"), store.locked(RUN, 0.05):
        pass
    with store.locked(new_run_id(), 0.0):
        pass
    holder.kill()
    holder.communicate()
    with store.locked(RUN, 0.05):
        pass


def test_a_lock_can_be_given_back_and_taken_again(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    with store.locked(RUN) as held:
        with pytest.raises(RunBusyError), store.locked(RUN, 0.0):
            pass
        held.release()
        with held.again() as again:
            assert again.create(QUEUED)
    with store.locked(RUN, 0.0) as held:
        assert held.read() == QUEUED


def test_what_a_killed_writer_left_is_no_hindrance(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    store.runs.mkdir(parents=True)
    (store.runs / f".{RUN}.json.new").write_text("half a jour")
    assert create(store, QUEUED)
    assert store.read(RUN) == QUEUED
    assert {path.name for path in store.runs.iterdir()} == {f"{RUN}.json", f"{RUN}.lock"}


class CutOffError(Exception):
    """Ends a writer at a step."""


@settings(max_examples=25)
@given(cut=st.lists(st.integers(0, 5), max_size=6), tasks=st.lists(st.sampled_from("abc"), min_size=4, max_size=4))
def test_a_writer_that_is_cut_off_anywhere_loses_nothing(cut: list[int], tasks: list[str]) -> None:
    """A run is created and, as it is cancelled, started again, over and over, each time perhaps cut off at a step."""
    cuts = iter([*cut, *(None,) * 60])
    with TemporaryDirectory() as directory, pytest.MonkeyPatch.context() as patch:
        store = RunStore(Path(directory))
        written: list[str] = []
        for task in tasks:
            left = next(cuts)

            def reached(step: str) -> None:
                nonlocal left
                if left == 0:
                    raise CutOffError(step)
                left = None if left is None else left - 1

            patch.setattr("accounting.dispatch.steps.reached", reached)
            new = f"{task}{len(written)}"
            written.append(new)
            try:
                with store.locked(RUN, 0.0) as held:
                    if held.read() is None:
                        assert held.create(structs.replace(CANCELLED, task=new))
                    else:
                        held.keep_attempt()
                        held.write(structs.replace(CANCELLED, task=new))
            except CutOffError:
                if new not in _tasks(store):
                    written.pop()
            assert set(_tasks(store)) == {*written}
            assert len(_tasks(store)) <= len(written) + 1, "at most one is there under both names"
            assert not written or store.read(RUN).task in written[-2:], "a run is never without a journal"
        assert store.ids() == ((RUN,) if written else ())


def _tasks(store: RunStore) -> list[str]:
    """The tasks of all attempts; each of them reads."""
    return sorted(decode(path.read_bytes(), DispatchJournal).task for path in store.runs.glob(f"{RUN}*.json"))


def test_readers_never_see_half_a_journal(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    create(store, QUEUED)
    done = threading.Event()
    seen: set[str] = set()

    def read() -> None:
        while not done.is_set():
            seen.add(store.read(RUN).task[:1])

    reader = threading.Thread(target=read)
    reader.start()
    for index in range(60):
        with store.locked(RUN) as held:
            held.write(structs.replace(QUEUED, task="ab"[index % 2] * 100_000))
    until(lambda: len(seen) >= 2, "both were seen")
    done.set()
    reader.join()


def test_all_of_it_is_its_owner_s_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        store = RunStore(tmp_path / "a" / "state")
        create(store, CANCELLED)
        with store.locked(RUN) as held:
            held.keep_attempt()
            held.write(QUEUED)
    finally:
        os.umask(before)
    for path in (tmp_path / "a").rglob("*"):
        assert S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path
    assert S_IMODE((tmp_path / "a").stat().st_mode) == 0o700


def test_a_journal_and_its_name_are_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In that order: first what it holds, then the name; each time that it is written."""
    done: list[tuple[str, str, bool]] = []

    def barrier(file: FileIO) -> None:
        content = Path(f"/proc/self/fd/{file.fileno()}").read_bytes()
        done.append(("content", decode(content, DispatchJournal).task, _is_named(content)))

    def sync_directory(path: Path) -> None:
        assert path == store.runs
        content = store.journal_path(RUN).read_bytes()
        done.append(("name", decode(content, DispatchJournal).task, _is_named(content)))

    def _is_named(content: bytes) -> bool:
        return store.journal_path(RUN).exists() and store.journal_path(RUN).read_bytes() == content

    store = RunStore(tmp_path)
    real = SimpleNamespace(lock=SYSTEM.lock, unlock=SYSTEM.unlock, holder=SYSTEM.holder)
    real.barrier, real.sync_directory = barrier, sync_directory
    monkeypatch.setattr("accounting.dispatch.store.SYSTEM", real)
    with store.locked(RUN) as held:
        held.create(structs.replace(CANCELLED, task="first"))
        held.write(structs.replace(CANCELLED, task="second"))
        assert done == [
            ("content", "first", False),
            ("name", "first", True),
            ("content", "second", False),
            ("name", "second", True),
        ]
        held.keep_attempt()
    assert len(done) == 6, "an attempt that is kept, too"


def test_no_room_leaves_the_journal_as_it_was(tmp_path: Path) -> None:
    """The system refuses to let a file grow, as on a full disk."""
    store = RunStore(tmp_path)
    create(store, QUEUED)
    wrote = subprocess.run([sys.executable, "-c", NO_ROOM, str(tmp_path), RUN], capture_output=True, text=True)
    assert wrote.stdout == f"{store.runs / f'.{RUN}.json.new'}\n", wrote.stderr
    assert store.read(RUN) == QUEUED
    assert {path.name for path in store.runs.iterdir()} == {f"{RUN}.json", f"{RUN}.lock"}
