"""The protocols with real workers: raced, killed, watched and cut short. Spec: asks.md 1.0, 1.9, issue 7."""

import os
import random
import signal
import subprocess
import sys
from collections.abc import Generator, Sequence
from itertools import count
from pathlib import Path
from threading import Event, Thread

import pytest

from accounting.ask import AskFold, in_flight, parse
from accounting.ask.cancel import CancelOutcome, cancel
from accounting.ask.environment import worker_environment
from accounting.ask.lock_file import look
from accounting.ask.send import SendOutcome, send
from accounting.ask.spawn import COMMAND, Job, launch, start_worker
from accounting.ask.thread import AskThread
from accounting.processes.detached import Detached
from tests.accounting.ask.workers import WORK, processes_with, script, settled, shell, shown, start, until
from wire.ask import AskAborted, AskChunk, AskEnd, AskError, AskQuestion, AskState

_marks = count()

SENDER = """
import sys
from accounting.ask.send import send
from accounting.ask.thread import AskThread
from tests.accounting.ask.workers import shell, start
print("ready", flush=True)
sys.stdin.readline()
sent = send(AskThread(sys.argv[1]), sys.argv[2], provider=shell("printf part; sleep 60"), start=start)
print(sent.outcome.value, flush=True)
"""


@pytest.fixture
def thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[AskThread]:
    """A thread; at the end nothing that was started for it may be left."""
    mark = f"ask-test-{os.getpid()}-{next(_marks)}"
    monkeypatch.setenv("ROUNDS_TEST_MARK", mark)
    yield AskThread(tmp_path / "ask" / "harbour.jsonl")
    until(lambda: processes_with(mark) == [], "no process is left")


class Reader:
    """Polls a thread as fast as it can: what it sees has to be a beginning of what is there in the end."""

    def __init__(self, thread: AskThread) -> None:
        self._thread = thread
        self._over = Event()
        self._tail = AskThread(thread.path).follow()
        self.seen: list[bytes] = []
        self.followed: list[object] = []
        self._runs = Thread(target=self._run)
        self._runs.start()

    def _run(self) -> None:
        while not self._over.is_set():
            content = self._thread.path.read_bytes() if self._thread.exists else b""
            if not self.seen or self.seen[-1] != content:
                self.seen.append(content)
            look = self._tail.wait(0)
            assert not look.again
            self.followed += look.events

    def end(self) -> None:
        """Hold everything that was seen to the whole."""
        self._over.set()
        self._runs.join()
        self.followed += self._tail.wait(0).events
        self._tail.close()
        whole = self._thread.path.read_bytes()
        events = parse(whole).events
        assert tuple(self.followed) == events
        for content in self.seen:
            assert whole.startswith(content)
            assert parse(content).events == events[: len(parse(content).events)]


@pytest.mark.invariant("A7")
def test_of_senders_that_race_one_wins(thread: AskThread) -> None:
    senders = [
        subprocess.Popen(
            [sys.executable, "-c", SENDER, thread.path, f"question {number}?"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(8)
    ]
    for sender in senders:
        assert sender.stdout is not None
        assert sender.stdout.readline() == "ready\n"
    reader = Reader(thread)
    for sender in senders:
        assert sender.stdin is not None
        sender.stdin.write("\n")
        sender.stdin.flush()
    said = [sender.communicate()[0] for sender in senders]
    assert sorted(said) == ["locked\n"] * 7 + ["sent\n"]
    until(lambda: any(isinstance(event, AskChunk) for event in thread.read().events), "an answer begins")
    assert cancel(thread) is CancelOutcome.cancelled
    reader.end()
    asked = [event for event in thread.read().events if isinstance(event, AskQuestion)]
    assert [one.text for one in asked] == [f"question {said.index('sent' + chr(10))}?"]
    assert shown(thread)[0].state is AskState.cancelled


@pytest.mark.invariant("A8")
def test_an_answer_from_question_to_end(thread: AskThread) -> None:
    reader = Reader(AskThread(thread.path))
    assert send(thread, "a?", provider=shell("printf 'In '; printf 'cfg.py'"), start=start).seq == 1
    assert (settled(thread).state, settled(thread).text) == (AskState.answered, "In cfg.py")
    assert send(thread, "and b?", provider=shell("cat"), start=start).seq == 2
    assert "Developer: a?\nYou: In cfg.py\n" in settled(thread).text
    reader.end()


@pytest.mark.invariant("A10")
@pytest.mark.parametrize(
    "provider",
    [
        shell("printf part; sleep 60 & sleep 60 & wait"),
        shell("trap '' TERM; printf part; sleep 60; sleep 60"),
        script("signal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: say(b'part ' * 100)"),
    ],
    ids=["has children", "is deaf", "floods"],
)
def test_cancelling_ends_all_of_it(thread: AskThread, provider: tuple[str, ...]) -> None:
    """That nothing is left is what the fixture waits for."""
    send(thread, "a?", provider=provider, start=start)
    until(lambda: any(isinstance(event, AskChunk) for event in thread.read().events), "an answer begins")
    assert cancel(thread) is CancelOutcome.cancelled
    size = thread.path.stat().st_size
    (last,) = shown(thread)
    assert (last.state, last.text[:4]) == (AskState.cancelled, "part")
    assert look(thread.lock_path) is None
    assert cancel(thread) is CancelOutcome.idle
    assert thread.path.stat().st_size == size


def test_a_worker_that_is_killed_wedges_nothing(thread: AskThread) -> None:
    send(thread, "a?", provider=shell("printf part; sleep 60"), start=start)
    until(lambda: any(isinstance(event, AskChunk) for event in thread.read().events), "an answer begins")
    lock = look(thread.lock_path)
    assert lock is not None
    os.kill(lock.pid, signal.SIGKILL)
    # No cancelling: the next question takes over, and ends the provider that was left.
    until(lambda: send(thread, "b?", provider=shell("echo B"), start=start).outcome is SendOutcome.sent, "taken over")
    assert settled(thread).text == "B"
    assert [one.state for one in shown(thread)] == [AskState.failed, AskState.answered]
    assert AskFold.of(thread.read().events).completed_turns()[0].question == "b?"


def test_a_signal_to_the_worker_alone_ends_its_provider_too(thread: AskThread) -> None:
    send(thread, "a?", provider=shell("printf part; sleep 60"), start=start)
    until(lambda: any(isinstance(event, AskChunk) for event in thread.read().events), "an answer begins")
    lock = look(thread.lock_path)
    assert lock is not None
    os.kill(lock.pid, signal.SIGTERM)
    until(lambda: not processes_with(os.environ["ROUNDS_TEST_MARK"]), "all ended")
    assert in_flight(thread.read().events) == 1, "whoever ends it says so"
    assert cancel(thread) is CancelOutcome.cancelled


def test_what_a_provider_leaves_behind_ends_with_the_answer(thread: AskThread) -> None:
    send(thread, "a?", provider=shell("sleep 60 >/dev/null 2>&1 & echo yes"), start=start)
    assert settled(thread).text == "yes"


@pytest.mark.invariant("A12")
def test_a_provider_that_calls_back_starts_nothing(thread: AskThread) -> None:
    nested = (
        "import sys; from accounting.ask.send import send; from accounting.ask.thread import AskThread\n"
        "print(send(AskThread(sys.argv[1] + '.inner.jsonl'), 'again?', provider=('false',)).outcome.value)"
    )
    send(thread, "a?", provider=(sys.executable, "-c", nested, str(thread.path)), start=start)
    assert settled(thread).text == "nested"
    assert not Path(f"{thread.path}.inner.jsonl").exists()


def test_the_workers_command_line_tells_nothing_of_the_provider(thread: AskThread) -> None:
    send(thread, "a?", provider=shell("printf part; sleep 60 # sesame-open-1"), start=start)
    until(lambda: any(isinstance(event, AskChunk) for event in thread.read().events), "an answer begins")
    lock = look(thread.lock_path)
    assert lock is not None
    assert b"sesame" not in Path(f"/proc/{lock.pid}/cmdline").read_bytes()
    assert cancel(thread) is CancelOutcome.cancelled


@pytest.mark.invariant("A11")
def test_a_worker_that_slept_too_long_writes_nothing_more(thread: AskThread) -> None:
    send(thread, "a?", provider=shell("printf part; sleep 0.2; printf more; sleep 60"), start=start)
    until(lambda: any(isinstance(event, AskChunk) for event in thread.read().events), "an answer begins")
    lock = look(thread.lock_path)
    assert lock is not None
    os.kill(lock.pid, signal.SIGSTOP)
    # So old that its number may be another's by now: it is not ended, but it is taken over.
    thread.lock_path.write_text(f'{{"pid":{lock.pid},"startedAt":"2020-01-01T00:00:00.000Z"}}')
    assert send(thread, "b?", provider=shell("echo B"), start=start).seq == 2
    assert settled(thread).text == "B"
    os.kill(lock.pid, signal.SIGCONT)
    until(lambda: not processes_with(os.environ["ROUNDS_TEST_MARK"]), "it ended, and its provider")
    assert [one.text for one in shown(thread)] == ["part", "B"]
    assert [one.state for one in shown(thread)] == [AskState.failed, AskState.answered]


def test_a_disk_that_is_full_costs_the_answer_and_nothing_else(thread: AskThread) -> None:
    def limited(job: Job, provider: Sequence[str]) -> int | None:
        line = 'ulimit -f 16; exec "$@"'  # blocks of 512 or 1024 bytes
        argv = ("/bin/sh", "-c", line, "sh", sys.executable, "-c", WORK, job.thread, str(job.seq), job.taken)
        return launch(Detached(argv=argv, new_session=True, creation_flags=0), worker_environment(os.environ, provider))

    send(thread, "a?", provider=script("while True: say(b'flood ' * 100); time.sleep(0.001)"), start=limited)
    until(lambda: not thread.lock_path.exists(), "given up")
    before = thread.read()
    size = thread.path.stat().st_size
    assert size in (16 * 512, 16 * 1024)
    assert in_flight(before.events) == 1, "there was no room to say why"
    assert send(thread, "b?", provider=shell("echo B"), start=start).seq == 2
    assert settled(thread).text == "B"
    assert thread.read().events[: len(before.events)] == before.events
    assert [one.state for one in shown(thread)] == [AskState.failed, AskState.answered]


def test_a_sender_that_is_killed_before_it_names_the_worker(thread: AskThread) -> None:
    """The worker names itself."""
    code = (
        "import os, sys; from accounting.ask.send import send; from accounting.ask.thread import AskThread\n"
        "from tests.accounting.ask.workers import shell, start\n"
        "def only(job, provider):\n    start(job, provider); os._exit(9)\n"
        "send(AskThread(sys.argv[1]), 'a?', provider=shell('printf part; sleep 60'), start=only)"
    )
    assert subprocess.run([sys.executable, "-c", code, thread.path], check=False).returncode == 9
    until(lambda: any(isinstance(event, AskChunk) for event in thread.read().events), "an answer begins")
    lock = look(thread.lock_path)
    assert lock is not None
    assert lock.pid > 0
    assert cancel(thread) is CancelOutcome.cancelled


@pytest.mark.invariant("A10")
@pytest.mark.parametrize("rounds", [2, pytest.param(500, marks=pytest.mark.soak)])
def test_killed_at_any_moment_then_cancelled_then_asked(thread: AskThread, rounds: int) -> None:
    chance = random.Random(7)
    trickle = script("for _ in range(400): say(b'drip '); time.sleep(0.002)")
    reader = Reader(thread)
    for number in range(1, rounds + 1):
        sent = send(thread, f"{number}?", provider=trickle, start=start)
        assert (sent.outcome, sent.seq) == (SendOutcome.sent, number)
        lock = look(thread.lock_path)
        pause = Event()
        pause.wait(chance.uniform(0, 0.5))
        if lock is not None and lock.pid > 0 and chance.random() < 0.7:
            os.kill(lock.pid, signal.SIGKILL)
        before = thread.path.read_bytes()
        outcome = cancel(thread)
        assert thread.path.read_bytes().startswith(before)
        assert (shown(thread)[-1].state is AskState.cancelled) is (outcome is CancelOutcome.cancelled)
        assert in_flight(thread.read().events) is None
        assert look(thread.lock_path) is None
    reader.end()
    events = thread.read().events
    assert [event.seq for event in events if isinstance(event, AskQuestion)] == [*range(1, rounds + 1)]
    ends = [event.seq for event in events if isinstance(event, AskEnd | AskAborted | AskError)]
    assert sorted(ends) == [*range(1, rounds + 1)]


def test_a_worker_that_cannot_be_started(thread: AskThread) -> None:
    def nowhere(job: Job, provider: Sequence[str]) -> int | None:
        return launch(Detached(argv=("/no/such/python",), new_session=True, creation_flags=0), {})

    assert send(thread, "a?", provider=shell("echo yes"), start=nowhere).outcome is SendOutcome.spawn_failed
    assert look(thread.lock_path) is None


def test_a_worker_is_on_its_own(thread: AskThread) -> None:
    """A session and a group of its own, no terminal, nothing on its standard streams."""
    send(thread, "a?", provider=shell("printf part; sleep 60"), start=start)
    until(lambda: any(isinstance(event, AskChunk) for event in thread.read().events), "an answer begins")
    lock = look(thread.lock_path)
    assert lock is not None
    assert (os.getpgid(lock.pid), os.getsid(lock.pid)) == (lock.pid, lock.pid)
    streams = [Path(f"/proc/{lock.pid}/fd/{number}").readlink() for number in range(3)]
    assert streams == [Path(os.devnull)] * 3
    assert cancel(thread) is CancelOutcome.cancelled


def test_the_command_line_is_the_worker(thread: AskThread) -> None:
    known = subprocess.run(
        [sys.executable, "-m", "accounting.cli", *COMMAND, "--help"], check=False, capture_output=True
    )
    if known.returncode:
        pytest.skip("the command line has no worker")
    send(thread, "a?", provider=shell("echo yes"), start=start_worker)
    assert settled(thread).text == "yes"
