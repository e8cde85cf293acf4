"""Asking and giving up, step by step, with workers that only seem to start. Spec: asks.md 1.9."""

import errno
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from accounting.ask import in_flight, parse
from accounting.ask.cancel import CancelOutcome, cancel, discard
from accounting.ask.lock_file import acquire, look
from accounting.ask.run import NO_PROVIDER
from accounting.ask.send import CUT_OFF, SendOutcome, Sent, send
from accounting.ask.spawn import Job
from accounting.ask.thread import AskThread
from accounting.clock import stamp, system_clock
from accounting.processes import Where
from tests.accounting.ask.threads import aborted, chunk, end, error, question, spelled
from wire.ask import AskAborted, AskError, AskEvent, AskMeta, AskQuestion, AskState

PROVIDER = ("agent", "--print")


class Starts:
    """Workers that are noted, not started; the process given for each is this one's parent."""

    def __init__(self, pid: int | None = os.getppid()) -> None:
        self.jobs: list[tuple[Job, tuple[str, ...]]] = []
        self.pid = pid
        self.seen: list[bytes] = []

    def __call__(self, job: Job, provider: Sequence[str]) -> int | None:
        self.jobs.append((job, tuple(provider)))
        self.seen.append(Path(job.thread).read_bytes())
        return self.pid


@pytest.fixture
def thread(tmp_path: Path) -> AskThread:
    return AskThread(tmp_path / "ask" / "harbour.jsonl")


def _events(thread: AskThread) -> tuple[AskEvent, ...]:
    return thread.read().events


def test_the_first_question(thread: AskThread) -> None:
    starts = Starts()
    before = system_clock()
    sent = send(thread, "  where is port set?\n", provider=PROVIDER, focus=" s1 ", start=starts)
    assert sent == Sent(outcome=SendOutcome.sent, seq=1)
    meta, asked = _events(thread)
    assert isinstance(meta, AskMeta)
    assert isinstance(asked, AskQuestion)
    assert (meta.run_id, meta.provider, meta.started_at) == ("harbour", "agent --print", asked.at)
    assert (asked.seq, asked.text, asked.focus) == (1, "where is port set?", "s1")
    assert stamp(before) <= asked.at <= stamp(system_clock())
    lock = look(thread.lock_path)
    assert lock is not None
    assert lock.pid == starts.pid
    ((job, provider),) = starts.jobs
    assert (job.thread, job.seq, job.taken, job.notify) == (str(thread.path), 1, lock.started_at, None)
    assert provider == PROVIDER
    assert parse(starts.seen[0]).events == (meta, asked), "the question is there before its worker is"


def test_questions_follow_one_another(thread: AskThread) -> None:
    thread.append(question(6))
    thread.append(end(6))
    thread.append(question(3))
    sent = send(thread, "b?", provider=PROVIDER, start=Starts())
    assert sent.seq == 7
    assert [type(event) for event in _events(thread)[3:]] == [AskQuestion]


@pytest.mark.parametrize("text", ["", " \n\t", "\ufeff\u2003"])
def test_a_blank_question(thread: AskThread, text: str) -> None:
    assert send(thread, text, provider=PROVIDER, start=Starts()) == Sent(outcome=SendOutcome.empty)
    assert not thread.path.parent.exists()


def test_a_provider_that_calls_back_starts_nothing(thread: AskThread) -> None:
    starts = Starts()
    environ = {"ROUNDS_ASK_WITHIN": "1"}
    assert send(thread, "a?", provider=PROVIDER, start=starts, environ=environ) == Sent(outcome=SendOutcome.nested)
    assert starts.jobs == []
    assert not thread.path.parent.exists()


def test_while_one_is_answered_none_is_asked(thread: AskThread) -> None:
    starts = Starts()
    send(thread, "a?", provider=PROVIDER, start=starts)
    before = thread.path.read_bytes(), look(thread.lock_path)
    assert send(thread, "b?", provider=PROVIDER, start=starts) == Sent(outcome=SendOutcome.locked)
    assert (thread.path.read_bytes(), look(thread.lock_path)) == before
    assert len(starts.jobs) == 1


def test_no_provider(thread: AskThread) -> None:
    assert send(thread, "a?", provider=()) == Sent(outcome=SendOutcome.no_provider, seq=1)
    meta, _, failed = _events(thread)
    assert isinstance(meta, AskMeta)
    assert isinstance(failed, AskError)
    assert (meta.provider, failed.message, failed.seq) == ("(none)", NO_PROVIDER, 1)
    assert look(thread.lock_path) is None


def test_no_worker(thread: AskThread) -> None:
    assert send(thread, "a?", provider=PROVIDER, start=Starts(None)) == Sent(outcome=SendOutcome.spawn_failed, seq=1)
    assert in_flight(_events(thread)) == 1
    assert look(thread.lock_path) is None
    assert cancel(thread) is CancelOutcome.cancelled
    assert in_flight(_events(thread)) is None


def test_what_was_left_in_flight_is_settled_by_the_next_question(thread: AskThread) -> None:
    send(thread, "a?", provider=PROVIDER, start=Starts(None))
    send(thread, "b?", provider=PROVIDER, start=Starts())
    failed, asked = _events(thread)[2:]
    assert isinstance(failed, AskError)
    assert isinstance(asked, AskQuestion)
    assert (failed.seq, failed.message, asked.seq) == (1, CUT_OFF, 2)


def test_a_stale_lock_is_taken_over(thread: AskThread) -> None:
    thread.append(question(1))
    thread.lock_path.write_text('{"pid":0,"startedAt":"2020-01-01T00:00:00.000Z"}')
    assert send(thread, "b?", provider=PROVIDER, start=Starts()).outcome is SendOutcome.sent
    lock = look(thread.lock_path)
    assert lock is not None
    assert lock.started_at > "2026"


def test_a_thread_that_cannot_be_read_is_not_taken_for_an_empty_one(thread: AskThread) -> None:
    thread.path.mkdir(parents=True)
    starts = Starts()
    with pytest.raises(OSError, match=r"harbour\.jsonl"):
        send(thread, "a?", provider=PROVIDER, start=starts)
    assert starts.jobs == []
    assert look(thread.lock_path) is None


def test_any_text_can_be_asked(thread: AskThread) -> None:
    send(thread, "half \ud800 whole \ud83d\ude00 raw \udcff end", provider=PROVIDER, focus="\udcff", start=Starts())
    asked = _events(thread)[-1]
    assert isinstance(asked, AskQuestion)
    assert (asked.text, asked.focus) == ("half \ufffd whole \U0001f600 raw \ufffd end", "\ufffd")


def test_a_secret_in_the_command_is_not_written_down(thread: AskThread) -> None:
    environ = {"AGENT_TOKEN": "sesame-open-1"}
    starts = Starts()
    send(thread, "a?", provider=("agent", "--key=sesame-open-1"), environ=environ, start=starts)
    assert b"sesame" not in thread.path.read_bytes()
    assert b"agent --key=$AGENT_TOKEN" in thread.path.read_bytes()
    assert starts.jobs[0][1] == ("agent", "--key=sesame-open-1")


def test_the_providers_own_name_is_no_secret(thread: AskThread) -> None:
    environ = {"AGENT_TOKEN": "long-agent"}
    send(thread, "a?", provider=("long-agent", "-p"), environ=environ, start=Starts())
    assert b'"long-agent -p"' in thread.path.read_bytes()


def test_a_disk_that_fills_up_before_the_worker_is_named(thread: AskThread, monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker runs, so the question is being answered; it names itself."""

    class Last(Starts):
        def __call__(self, job: Job, provider: Sequence[str]) -> int | None:
            monkeypatch.setattr(os, "write", full)
            return super().__call__(job, provider)

    def full(descriptor: int, content: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    assert send(thread, "a?", provider=PROVIDER, start=Last()) == Sent(outcome=SendOutcome.sent, seq=1)
    lock = look(thread.lock_path)
    assert lock is not None
    assert lock.pid == 0


def test_a_full_disk_is_told_with_its_file(thread: AskThread, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int, content: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match=r"No space left on device: '.*\.lock\.new'"):
        send(thread, "a?", provider=PROVIDER, start=Starts())
    with pytest.raises(OSError, match=r"No space left on device: '.*harbour\.jsonl'"):
        thread.append(question(1))


def test_after_the_highest_number_there_is_none(thread: AskThread) -> None:
    thread.append(question(2**53 - 1))
    before = thread.path.read_bytes()
    with pytest.raises(OSError, match=r"no number is left for another question.*harbour\.jsonl"):
        send(thread, "b?", provider=PROVIDER, start=Starts())
    assert thread.path.read_bytes() == before
    assert look(thread.lock_path) is None


# Giving up.


def test_cancelling_where_nothing_is(thread: AskThread) -> None:
    assert cancel(thread) is CancelOutcome.idle
    assert not thread.path.parent.exists()
    thread.append(question(1))
    thread.append(end(1))
    before = thread.path.read_bytes()
    assert cancel(thread) is CancelOutcome.idle
    assert (thread.path.read_bytes(), look(thread.lock_path)) == (before, None)
    assert [entry.name for entry in thread.path.parent.iterdir()] == ["harbour.jsonl"], "nothing is left behind"


def test_a_provider_cannot_give_up_its_own_question(thread: AskThread) -> None:
    _in_flight(thread, 70)
    before = thread.path.read_bytes(), look(thread.lock_path)
    workers = Workers(thread)
    assert cancel(thread, processes=workers, environ={"ROUNDS_ASK_WITHIN": "1"}) is CancelOutcome.nested
    assert (thread.path.read_bytes(), look(thread.lock_path), workers.calls) == (*before, [])


def test_a_sender_that_died_before_its_question(thread: AskThread) -> None:
    thread.path.parent.mkdir()
    thread.lock_path.write_text('{"pid":0,"startedAt":"2020-01-01T00:00:00.000Z"}')
    assert cancel(thread) is CancelOutcome.idle
    assert (look(thread.lock_path), thread.exists) == (None, False)


class Workers:
    """Processes that do as they are told."""

    def __init__(self, thread: AskThread, *, at_end: Sequence[AskEvent] = (), deaf: bool = False, mine: bool = True):
        self.thread = thread
        self.running = {70}
        self.at_end = at_end
        self.deaf = deaf
        self.mine = mine
        self.calls: list[str] = []

    def alive(self, pid: int, /) -> bool:
        return pid in self.running

    def started_at(self, pid: int, /) -> str | None:
        return str(pid) if pid in self.running else None

    def began_at(self, pid: int, /) -> int | None:
        return None

    def where(self, recorded: str, /) -> Where:
        return Where.here

    def in_group(self, pid: int, /) -> bool:
        return False

    def leads_since(self, pid: int, recorded_at: int, /) -> bool:
        assert recorded_at > 0
        return self.mine

    def group_began_at(self, pid: int, /) -> int | None:
        return None

    def group_left(self, pid: int, /) -> bool:
        return pid in self.running

    def terminate(self, pid: int, /) -> None:
        self.calls.append("terminate")
        for event in self.at_end:
            self.thread.append(event)
        if not self.deaf:
            self.running.discard(pid)

    def kill(self, pid: int, /) -> None:
        self.calls.append("kill")
        self.running.discard(pid)


def _in_flight(thread: AskThread, pid: int) -> None:
    thread.append(question(4))
    thread.append(chunk(4, "part"))
    held, _ = acquire(thread.lock_path, system_clock(), lambda _: True)
    assert held is not None
    held.record(pid)


@pytest.mark.invariant("A9")
@pytest.mark.parametrize("deaf", [False, True])
def test_a_worker_is_ended_and_the_question_cancelled(thread: AskThread, deaf: bool) -> None:
    _in_flight(thread, 70)
    workers = Workers(thread, deaf=deaf)
    assert cancel(thread, processes=workers) is CancelOutcome.cancelled
    assert workers.calls == (["terminate", "kill"] if deaf else ["terminate"])
    last = _events(thread)[-1]
    assert isinstance(last, AskAborted)
    assert last.seq == 4
    assert look(thread.lock_path) is None


@pytest.mark.invariant("A9")
def test_an_answer_that_comes_first_wins(thread: AskThread) -> None:
    _in_flight(thread, 70)
    assert cancel(thread, processes=Workers(thread, at_end=[end(4)])) is CancelOutcome.idle
    assert _events(thread)[-1] == end(4)
    assert look(thread.lock_path) is None


def test_a_process_that_was_only_given_the_number_is_let_be(thread: AskThread) -> None:
    _in_flight(thread, 70)
    workers = Workers(thread, mine=False)
    assert cancel(thread, processes=workers) is CancelOutcome.cancelled
    assert (workers.calls, workers.running) == ([], {70})


def test_a_worker_that_cannot_be_ended(thread: AskThread, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("accounting.ask.ending._KILLED_S", 0.05)
    _in_flight(thread, 70)

    class Undying(Workers):
        def kill(self, pid: int, /) -> None:
            self.calls.append("kill")

    workers = Undying(thread, deaf=True)
    before = thread.path.read_bytes()
    assert cancel(thread, processes=workers) is CancelOutcome.stuck
    assert thread.path.read_bytes() == before
    assert look(thread.lock_path) is not None
    assert workers.calls == ["terminate", "kill"]


@pytest.mark.parametrize(
    "lock",
    [
        '{"pid":0,"startedAt":"2020-01-01T00:00:00.000Z"}',
        '{"pid":71,"startedAt":"2020-01-01T00:00:00.000Z"}',
        '{"pid":0,"startedAt":"never"}',
    ],
)
def test_a_thread_is_never_wedged(thread: AskThread, lock: str) -> None:
    thread.append(question(4))
    thread.lock_path.write_text(lock)
    assert cancel(thread, processes=Workers(thread)) is CancelOutcome.cancelled
    assert in_flight(_events(thread)) is None
    assert send(thread, "next?", provider=PROVIDER, start=Starts()).seq == 5


def test_a_sender_is_given_time_to_start_its_worker(thread: AskThread, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has the lock and will write the question: the lock is not taken from under it."""
    held, _ = acquire(thread.lock_path, system_clock(), lambda _: True)
    assert held is not None
    steps = iter((lambda: thread.append(question(1)), lambda: held.record(70)))

    def meanwhile(_: float) -> None:
        assert held.is_held()
        next(steps, lambda: None)()

    monkeypatch.setattr("accounting.ask.cancel.time.sleep", meanwhile)
    workers = Workers(thread)
    assert cancel(thread, processes=workers) is CancelOutcome.cancelled
    assert workers.calls == ["terminate"]


def test_a_sender_that_never_comes_back_is_not_waited_for_for_ever(
    thread: AskThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("accounting.ask.cancel.STARTING_MS", 50)
    thread.append(question(1))
    held, _ = acquire(thread.lock_path, system_clock() + 60_000, lambda _: True)  # whose clock was ahead
    assert held is not None
    assert cancel(thread) is CancelOutcome.cancelled
    assert not held.is_held()


@pytest.mark.invariant("A9")
def test_the_next_question_is_not_what_was_to_be_cancelled(thread: AskThread) -> None:
    _in_flight(thread, 70)

    class Hurried(Workers):
        """Its end is seen first by somebody who asks the next question."""

        def terminate(self, pid: int, /) -> None:
            super().terminate(pid)
            self.thread.lock_path.unlink()
            send(self.thread, "next?", provider=PROVIDER, start=Starts())

    assert cancel(thread, processes=Hurried(thread)) is CancelOutcome.idle
    assert in_flight(_events(thread)) == 5
    assert look(thread.lock_path) is not None


@pytest.mark.parametrize("written", [False, True])
def test_another_programs_lock_gets_a_new_time_with_its_worker(
    thread: AskThread, monkeypatch: pytest.MonkeyPatch, written: bool
) -> None:
    """By 1.9 it is the same turn: the worker is ended, not taken for that of a next question."""
    thread.append(question(3))
    thread.append(end(3))
    now = system_clock()
    asked = AskQuestion(seq=4, at=stamp(now + 1), text="a?")
    if written:
        thread.append(asked)
    thread.lock_path.write_text(f'{{"pid":0,"startedAt":"{stamp(now)}"}}')

    def meanwhile(_: float) -> None:
        if not written:
            thread.append(asked)
        thread.lock_path.write_text(f'{{"pid":70,"startedAt":"{stamp(now + 40)}"}}')
        monkeypatch.undo()

    monkeypatch.setattr("accounting.ask.cancel.time.sleep", meanwhile)
    workers = Workers(thread)
    assert cancel(thread, processes=workers) is CancelOutcome.cancelled
    assert workers.calls == ["terminate"]
    assert in_flight(_events(thread)) is None


@pytest.mark.parametrize("later_ms", [40, 2001])
def test_another_programs_next_question_is_let_be(
    thread: AskThread, monkeypatch: pytest.MonkeyPatch, later_ms: int
) -> None:
    now = system_clock()
    thread.append(AskQuestion(seq=1, at=stamp(now), text="a?"))
    thread.path.with_name(f"{thread.path.name}.lock").write_text(f'{{"pid":0,"startedAt":"{stamp(now)}"}}')

    def meanwhile(_: float) -> None:
        thread.append(end(1))
        thread.append(AskQuestion(seq=2, at=stamp(now + later_ms), text="b?"))
        thread.lock_path.write_text(f'{{"pid":70,"startedAt":"{stamp(now + later_ms)}"}}')
        monkeypatch.undo()

    monkeypatch.setattr("accounting.ask.cancel.time.sleep", meanwhile)
    workers = Workers(thread)
    assert cancel(thread, processes=workers) is CancelOutcome.idle
    assert (workers.calls, in_flight(_events(thread))) == ([], 2)


def test_leaving_a_thread(thread: AskThread) -> None:
    _in_flight(thread, 70)
    thread.park("half")
    workers = Workers(thread)
    discard(thread, workers)
    assert workers.calls == ["terminate"]
    assert [entry.name for entry in thread.path.parent.iterdir()] == [".guard"]
    discard(thread, workers)


def test_the_state_of_what_was_cut_off_is_told(thread: AskThread) -> None:
    thread.path.parent.mkdir()
    thread.path.write_bytes(spelled([question(1), aborted(1), question(2), error(2), question(3)]))
    send(thread, "next?", provider=(), environ={})
    states = [one.state for one in thread.recent(9).shown]
    assert states == [AskState.cancelled, AskState.failed, AskState.failed, AskState.failed]
