"""Looking at runs that somebody else started, or nobody did: whose process it is, and what its output says by now."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path

import pytest
from msgspec import structs

from accounting.clock import system_clock
from accounting.dispatch.errors import RunBusyError, UnknownRunError
from accounting.dispatch.ids import new_run_id, run_id_of
from accounting.dispatch.listing import list_runs
from accounting.dispatch.observe import Observing, observe
from accounting.dispatch.store import RunStore
from accounting.dispatch.transcripts.of_run import session_path_of
from accounting.processes import PROCESSES, Where
from tests.accounting.dispatch.runs import SESSION, create, journal_of, path, until
from wire.dispatch import DispatchJournal, DispatchState, StateSource

RUN = run_id_of("harbour")
INIT = json.dumps({"type": "system", "subtype": "init", "session_id": SESSION}).encode() + b"\n"
RESULT = json.dumps({"type": "result", "subtype": "success", "is_error": False, "result": "done"}).encode() + b"\n"


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    return RunStore(tmp_path / "state")


@pytest.fixture
def process() -> Generator["subprocess.Popen[bytes]"]:
    """A process that leads a group, as an agent does."""
    made = subprocess.Popen(["/bin/sleep", "60"], start_new_session=True)
    yield made
    with suppress(ProcessLookupError):
        os.killpg(made.pid, signal.SIGKILL)
    made.wait()


def running(store: RunStore, pid: int, started_at: str | None, output: bytes = b"") -> DispatchJournal:
    """A run that another process started."""
    journal = journal_of(
        RUN, state=DispatchState.running, pid=pid, pid_started_at=started_at, started_at=1_000, owner_pid=2**31
    )
    create(store, journal)
    store.stream_path(RUN).write_bytes(output)
    return journal


def completed_session(configuration: Path, began: int) -> Path:
    """The session file of the run, which ends well."""
    rows = (
        {"role": "user", "timestamp": began + 1, "content": [{"type": "input_text", "text": "do"}]},
        {
            "role": "assistant",
            "status": "completed",
            "timestamp": began + 2,
            "content": [{"type": "output_text", "text": "all done"}],
        },
    )
    session = configuration / "projects/-work" / f"{SESSION}.jsonl"
    session.parent.mkdir(parents=True)
    common = {"type": "message", "sessionId": SESSION, "cwd": "/work"}
    session.write_text("".join(json.dumps({**common, **row, "id": str(n)}) + "\n" for n, row in enumerate(rows)))
    return session


def test_what_the_output_says_is_written_down(store: RunStore, process: "subprocess.Popen[bytes]") -> None:
    journal = running(store, process.pid, PROCESSES.started_at(process.pid))
    observing = Observing(store, RUN)
    assert observing.look() == journal, "nothing is new"
    with store.stream_path(RUN).open("ab", buffering=0) as stream:
        stream.write(INIT[:20])
        assert observing.look().session_id is None
        stream.write(INIT[20:])
        assert observing.look().session_id == SESSION
        assert store.read(RUN).session_id == SESSION
        stream.write(RESULT[:-1])
        assert observing.look().state is DispatchState.running, "the line is not at its end"
        stream.write(RESULT[-1:])
    ended = observing.look()
    assert (ended.state, ended.result_text) == (DispatchState.succeeded, "done")
    assert ended == store.read(RUN) == observe(store, RUN)
    assert process.poll() is None


def test_an_output_that_was_cut_is_read_anew(store: RunStore, process: "subprocess.Popen[bytes]") -> None:
    running(store, process.pid, PROCESSES.started_at(process.pid), b"warning\n" * 100)
    observing = Observing(store, RUN)
    assert observing.look().ignored_lines == 100
    store.stream_path(RUN).write_bytes(INIT + RESULT)
    assert observing.look().state is DispatchState.succeeded


def test_an_output_that_is_missing_says_nothing(store: RunStore, process: "subprocess.Popen[bytes]") -> None:
    running(store, process.pid, PROCESSES.started_at(process.pid))
    store.stream_path(RUN).unlink()
    assert observe(store, RUN).state is DispatchState.running
    process.kill()
    process.wait()
    assert observe(store, RUN).state is DispatchState.unknown


def test_a_result_that_came_before_the_end_counts_though_the_process_is_gone(store: RunStore) -> None:
    running(store, 2**31, "long ago", INIT + RESULT)
    assert observe(store, RUN).state is DispatchState.succeeded


def test_a_number_that_was_given_to_another_process_is_gone(
    store: RunStore, process: "subprocess.Popen[bytes]"
) -> None:
    running(store, process.pid, f"{PROCESSES.started_at(process.pid)}0")
    found = observe(store, RUN)
    assert (found.state, found.state_source) == (DispatchState.unknown, StateSource.process_exit)
    assert process.poll() is None


def test_a_zombie_is_gone(store: RunStore) -> None:
    zombie = subprocess.Popen(["/bin/sleep", "60"], start_new_session=True)
    running(store, zombie.pid, PROCESSES.started_at(zombie.pid))
    assert observe(store, RUN).state is DispatchState.running
    zombie.kill()
    until(lambda: not PROCESSES.alive(zombie.pid))
    os.kill(zombie.pid, 0)  # still answers: nobody has collected it
    assert observe(store, RUN).state is DispatchState.unknown
    zombie.wait()


def test_where_the_system_does_not_tell_when_a_process_began(
    store: RunStore, process: "subprocess.Popen[bytes]"
) -> None:
    running(store, process.pid, None)
    assert observe(store, RUN).state is DispatchState.running
    process.kill()
    process.wait()
    assert observe(store, RUN).state is DispatchState.unknown


def test_queued_by_a_process_that_is_gone(store: RunStore, process: "subprocess.Popen[bytes]") -> None:
    queued = journal_of(RUN, owner_pid=process.pid, owner_pid_started_at=PROCESSES.started_at(process.pid))
    create(store, queued)
    assert observe(store, RUN) == queued, "it may be about to start it"
    process.kill()
    process.wait()
    found = observe(store, RUN)
    assert (found.state, found.state_source) == (DispatchState.unknown, StateSource.process_exit)
    assert found.error is not None
    assert found.error.code == "never_started"


def test_an_owner_s_number_may_be_another_s_too(store: RunStore, process: "subprocess.Popen[bytes]") -> None:
    create(store, journal_of(RUN, owner_pid=process.pid, owner_pid_started_at="another time"))
    assert observe(store, RUN).state is DispatchState.unknown


def test_an_unknown_run_is_found_in_its_session_file_later(store: RunStore, tmp_path: Path) -> None:
    configuration = tmp_path / "agent"
    now = system_clock() - 1000
    journal = running(store, 2**31, "gone", INIT)
    with store.locked(RUN) as held:
        held.write(structs.replace(journal, configuration=path(configuration), created_at=now, started_at=now))
    found = observe(store, RUN)
    assert (found.state, found.session_id) == (DispatchState.unknown, SESSION)
    assert observe(store, RUN) == found
    assert found.session_file is not None
    session = completed_session(configuration, now)
    assert found.session_file == str(session)
    later = observe(store, RUN)
    assert (later.state, later.state_source, later.result_text) == (
        DispatchState.succeeded,
        StateSource.transcript,
        "all done",
    )
    session.unlink()
    assert observe(store, RUN) == later == store.read(RUN)


class DiesWhenAsked:
    """Processes of which one prints its result and ends in the very moment in which it is asked about."""

    def __init__(self, stream: Path, *, at: int) -> None:
        self._stream = stream
        self._left = at

    def alive(self, pid: int) -> bool:
        self._left -= 1
        if self._left == 0:
            with self._stream.open("ab") as file:
                file.write(RESULT)
        return self._left > 0

    def started_at(self, pid: int) -> str | None:
        return "then"

    def began_at(self, pid: int) -> int | None:
        return None

    def where(self, recorded: str) -> Where:
        return Where.here

    def in_group(self, pid: int) -> bool:
        return False

    def leads_since(self, pid: int, recorded_at: int) -> bool:
        return False

    def group_began_at(self, pid: int) -> int | None:
        return None

    def group_left(self, pid: int) -> bool:
        return False

    def terminate(self, pid: int) -> None:
        raise AssertionError("nobody is to be ended")

    kill = terminate


@pytest.mark.parametrize("at", [1, 2])
def test_the_process_is_asked_for_before_its_output_is_read(store: RunStore, at: int) -> None:
    running(store, 41, "then", INIT)
    processes = DiesWhenAsked(store.stream_path(RUN), at=at)
    assert observe(store, RUN, processes).state is DispatchState.succeeded


def test_w7_the_process_decides_and_not_its_session_file(
    store: RunStore, tmp_path: Path, process: "subprocess.Popen[bytes]"
) -> None:
    journal = running(store, process.pid, PROCESSES.started_at(process.pid), INIT)
    now = system_clock() - 1000
    session = completed_session(tmp_path, now)
    with store.locked(RUN) as held:
        held.write(
            structs.replace(
                journal,
                configuration=path(tmp_path),
                session_file=path(session),
                created_at=now,
                started_at=now,
                updated_at=now,
            )
        )
    assert observe(store, RUN).state is DispatchState.running
    process.kill()
    process.wait()
    found = observe(store, RUN)
    assert (found.state, found.state_source) == (DispatchState.succeeded, StateSource.transcript)  # W4


@pytest.mark.invariant("D7")
def test_a_process_of_elsewhere_is_not_judged_and_its_output_is_read(store: RunStore) -> None:
    started = f"{'0' * 16}/another-boot/pid:[1]/17"
    journal = running(store, 2**31, started)
    observing = Observing(store, RUN)
    assert observing.look() == journal
    assert [run.state for run in list_runs(store).runs] == [DispatchState.running]
    with store.stream_path(RUN).open("ab", buffering=0) as stream:
        stream.write(INIT + RESULT)
    assert observing.look().state is DispatchState.succeeded
    store.journal_path(RUN).unlink()
    queued = journal_of(RUN, owner_pid=2**31, owner_pid_started_at=started)
    create(store, queued)
    assert observe(store, RUN) == queued


def test_an_old_session_without_times_that_was_taken_up_again_is_no_end(store: RunStore, tmp_path: Path) -> None:
    """What it held when the run named it is of before; its answer now is of the run."""
    said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "do"}]}
    answer = [{"type": "output_text", "text": "all done"}]
    answered = {"type": "message", "role": "assistant", "status": "completed", "content": answer}
    old = "".join(json.dumps(row) + "\n" for row in (said, answered))
    session = tmp_path / "projects/-work" / f"{SESSION}.jsonl"
    session.parent.mkdir(parents=True)
    session.write_text(old)
    journal = running(store, 2**31, "gone", INIT)
    with store.locked(RUN) as held:
        held.write(structs.replace(journal, configuration=path(tmp_path)))
    found = observe(store, RUN)
    assert (found.state, found.session_bytes) == (DispatchState.unknown, len(old))
    with session.open("a") as stream:
        stream.write(json.dumps({"type": "file-history-snapshot"}) + "\n")
    os.utime(session, (0.0, 0.0))  # before the process was found gone
    assert observe(store, RUN) == found
    with session.open("a") as stream:
        stream.write(json.dumps(answered) + "\n")
    os.utime(session, (0.0, 0.0))
    assert observe(store, RUN).state is DispatchState.succeeded


@pytest.mark.invariant("D1")
@pytest.mark.parametrize(
    ("asked", "printed", "state", "source"),
    [
        (True, True, DispatchState.cancelled, StateSource.observation),
        (True, False, DispatchState.succeeded, StateSource.transcript),
        (False, True, DispatchState.failed, StateSource.observation),
    ],
)
def test_a_session_that_looks_completed_is_no_success_after_an_error(
    store: RunStore, tmp_path: Path, *, asked: bool, printed: bool, state: DispatchState, source: StateSource
) -> None:
    now = system_clock() - 1000
    completed_session(tmp_path, now)
    error = b'{"type": "result", "subtype": "error_during_execution", "is_error": true}\n'
    journal = running(store, 2**31, "gone", INIT + (error if printed else b""))
    with store.locked(RUN) as held:
        held.write(
            structs.replace(
                journal,
                configuration=path(tmp_path),
                created_at=now,
                started_at=now,
                updated_at=now,
                cancel_asked_at=now if asked else None,
            )
        )
    found = observe(store, RUN)
    assert (found.state, found.state_source) == (state, source)


def test_a_session_file_that_is_not_there_yet_holds_nothing(store: RunStore, tmp_path: Path) -> None:
    journal = running(store, 2**31, "gone", INIT)
    with store.locked(RUN) as held:
        held.write(structs.replace(journal, configuration=path(tmp_path)))
    assert observe(store, RUN).session_bytes == 0


def test_a_place_that_no_name_can_spell_keeps_no_run_from_its_end(store: RunStore, tmp_path: Path) -> None:
    success = b'{"type": "result", "subtype": "success", "is_error": false}\n'
    journal = running(store, 2**31, "gone", INIT + success)
    with store.locked(RUN) as held:
        workspace = path(Path("/work") / ("\u9577" * 100))
        held.write(structs.replace(journal, configuration=path(tmp_path), workspace=workspace))
    found = observe(store, RUN)
    assert found.state is DispatchState.succeeded
    kept = completed_session(tmp_path, 0)  # the agent has cut its name, and keeps the session elsewhere
    assert found.session_file != str(kept)
    assert session_path_of(found) == kept


def test_a_session_file_that_turns_up_elsewhere_is_told_at_the_end(
    store: RunStore, tmp_path: Path, process: "subprocess.Popen[bytes]"
) -> None:
    """How an agent spells a workspace as one name is its own business."""
    journal = running(store, process.pid, PROCESSES.started_at(process.pid), INIT)
    with store.locked(RUN) as held:
        held.write(structs.replace(journal, configuration=path(tmp_path)))
    expected = tmp_path / "projects/-work" / f"{SESSION}.jsonl"
    assert observe(store, RUN).session_file == str(expected)
    other = tmp_path / "projects/work-harbour" / expected.name
    other.parent.mkdir(parents=True)
    other.write_text("{}\n")
    with store.stream_path(RUN).open("ab") as stream:
        stream.write(RESULT)
    ended = observe(store, RUN)
    assert (ended.session_file, ended.session_bytes) == (str(other), 0)
    assert ended == store.read(RUN)


def test_counts_alone_are_written_once_a_second(
    store: RunStore, process: "subprocess.Popen[bytes]", monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [1_000]
    monkeypatch.setattr("accounting.dispatch.output.system_clock", lambda: clock[0])
    journal = running(store, process.pid, PROCESSES.started_at(process.pid))
    observing, written = Observing(store, RUN), [journal]
    with store.stream_path(RUN).open("ab", buffering=0) as stream:
        for count in range(1, 101):
            clock[0] += 30
            stream.write(b"warning\n")
            told = observing.look()
            assert told.ignored_lines == count, "it is told at once"
            if store.read(RUN) != written[-1]:
                written.append(store.read(RUN))
                assert written[-1] == told
            assert told.updated_at == written[-1].updated_at
        assert [one.updated_at - 1_000 for one in written] == [0, 1_020, 2_040]
        stream.write(INIT)
        assert observing.look() == store.read(RUN), "who is named is written at once"
        stream.write(b"warning\n" + RESULT)
        assert observing.look() == store.read(RUN)
    assert (store.read(RUN).state, store.read(RUN).ignored_lines) == (DispatchState.succeeded, 101)


def test_there_is_no_such_run(store: RunStore) -> None:
    with pytest.raises(UnknownRunError):
        observe(store, new_run_id())
    assert not store.runs.exists()


def test_nobody_writes_while_another_changes_the_run(store: RunStore) -> None:
    running(store, 2**31, "gone", INIT + RESULT)
    observing = Observing(store, RUN)
    with store.locked(RUN), pytest.raises(RunBusyError):
        observing.look(0.01)
    assert store.read(RUN).state is DispatchState.running
    assert observing.look().state is DispatchState.succeeded


def test_what_was_read_before_the_lock_is_read_again_under_it(
    store: RunStore, monkeypatch: pytest.MonkeyPatch, process: "subprocess.Popen[bytes]"
) -> None:
    """A run that was cancelled and started again between the look and the lock: the new one has nothing of the old."""
    running(store, process.pid, "another time", INIT + RESULT)
    real = store.read
    again = journal_of(
        RUN,
        state=DispatchState.running,
        pid=process.pid,
        pid_started_at=PROCESSES.started_at(process.pid),
        started_at=2_000,
        task="again",
    )

    def read_and_replace(run: object) -> DispatchJournal:
        before = real(RUN)
        store.journal_path(RUN).unlink()
        store.stream_path(RUN).rename(store.runs / "aside")
        create(store, again)
        store.stream_path(RUN).write_bytes(b"")
        return before

    monkeypatch.setattr(store, "read", read_and_replace)
    assert Observing(store, RUN).look() == again


NO_ROOM = """
import resource, sys
from pathlib import Path
from accounting.dispatch.observe import observe
from accounting.dispatch.store import RunStore
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
try:
    observe(RunStore(Path(sys.argv[1])), sys.argv[2])
except OSError as error:
    print(error.filename)
"""


def test_no_room_loses_nothing(store: RunStore) -> None:
    journal = running(store, 2**31, "gone", INIT + RESULT)
    argv = [sys.executable, "-c", NO_ROOM, str(store.directory), RUN]
    assert subprocess.run(argv, capture_output=True, check=True).stdout.strip()
    assert store.read(RUN) == journal
    assert observe(store, RUN).state is DispatchState.succeeded
