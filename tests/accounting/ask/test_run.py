"""A question answered by a real provider: what comes of each way it can end. Spec: asks.md 1.9."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event, Timer
from threading import enumerate as enumerate_threads

import pytest

from accounting.ask import LOCK_STALE_MS, completed_turns
from accounting.ask.lock_file import HeldLock, acquire, look
from accounting.ask.provider import Cancel
from accounting.ask.run import RunOutcome, run
from accounting.ask.thread import AskThread
from accounting.clock import system_clock
from tests.accounting.ask.threads import aborted, chunk, end, error, question, spelled
from tests.accounting.ask.workers import script, shell, until
from wire.ask import AskChunk, AskEnd, AskError, AskEvent, AskLock


class Place:
    """A thread with one question that waits, and the lock on it."""

    def __init__(self, thread: AskThread, lock: HeldLock) -> None:
        self.thread = thread
        self.lock = lock

    def run(
        self,
        provider: tuple[str, ...],
        *,
        timeout_ms: int = 20_000,
        notify: Callable[[], None] = lambda: None,
        cancel: Cancel | None = None,
        environ: dict[str, str] | None = None,
        seq: int = 1,
    ) -> RunOutcome:
        return run(
            self.thread,
            seq,
            self.lock.started_at,
            provider,
            timeout_ms=timeout_ms,
            notify=notify,
            cancel=cancel,
            environ=environ,
        )

    @property
    def added(self) -> tuple[AskEvent, ...]:
        return self.thread.read().events[1:]

    @property
    def answer(self) -> str:
        return "".join(event.text for event in self.added if isinstance(event, AskChunk))

    @property
    def message(self) -> str:
        last = self.added[-1]
        assert isinstance(last, AskError)
        return last.message


@pytest.fixture
def place(tmp_path: Path) -> Place:
    thread = AskThread(tmp_path / "one.jsonl")
    thread.append(question(1, "a?"))
    held, _ = acquire(thread.lock_path, system_clock(), lambda _: True)
    assert held is not None
    return Place(thread, held)


def test_an_answer(place: Place) -> None:
    assert place.run(shell("printf 'In cfg.py\\n'")) is RunOutcome.answered
    assert place.added[0] == chunk(1, "In cfg.py\n")
    assert isinstance(place.added[-1], AskEnd)
    assert len(place.added) == 2
    assert look(place.thread.lock_path) is None


def test_the_prompt_comes_by_standard_input(place: Place) -> None:
    earlier = [event for seq in range(2, 12) for event in (question(seq, f"q{seq}"), chunk(seq, f"a{seq}"), end(seq))]
    place.thread.path.write_bytes(spelled([question(1, "old?"), *earlier, question(12, "now? é")]))
    assert place.run(shell("cat"), seq=12) is RunOutcome.answered
    answer = completed_turns(place.thread.read().events, 1)[0].answer
    assert answer.startswith("You answer a developer's questions. What was said so far:\n\nDeveloper: q4\nYou: a4\n\n")
    assert answer.endswith("Developer: now? é")
    assert answer.count("You: ") == 8


def test_a_long_prompt_and_a_provider_that_reads_none_of_it(place: Place) -> None:
    place.thread.path.write_bytes(spelled([question(1, "x" * 1_000_000)]))
    assert place.run(shell("echo yes")) is RunOutcome.answered
    assert place.answer == "yes\n"


@pytest.mark.parametrize(
    ("code", "answer", "chunks"),
    [
        # One byte at a time: no piece splits a character.
        ("for byte in 'aé€😀'.encode():\n    say(bytes([byte])); time.sleep(0.02)", "aé€😀", 4),
        ("say(b'a\\xff\\xfeb')", "a\ufffd\ufffdb", 1),
        ("say('half €'.encode()[:-1])", "half \ufffd", 2),
        ("say(b'\\x00\\x1b[0m\\r\\n')", "\x00\x1b[0m\r\n", 1),
    ],
)
def test_bytes_become_text(place: Place, code: str, answer: str, chunks: int) -> None:
    assert place.run(script(code)) is RunOutcome.answered
    assert place.answer == answer
    assert len(place.added) <= chunks + 1
    assert isinstance(place.added[-1], AskEnd)


@pytest.mark.parametrize("pieces", [200, pytest.param(1700, marks=pytest.mark.soak)])
def test_a_flood_is_all_there_and_never_held(place: Place, pieces: int) -> None:
    code = f"for _ in range({pieces}):\n    rest = b'flood ' * 10_000\n    while rest: rest = rest[os.write(1, rest):]"
    assert place.run(script(code)) is RunOutcome.answered
    assert place.answer == "flood " * 10_000 * pieces
    assert all(len(event.text) <= 1 << 16 for event in place.added if isinstance(event, AskChunk))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "reply was empty"),
        ("printf ' \\n\\t'", "reply was empty"),
        ("exit 3", "exited with code 3"),
        ("echo part; echo no key >&2; exit 1", "no key"),
        ("printf 'bad\\377' >&2; exit 1", "bad\ufffd"),
        ("kill -9 $$", "ended by SIGKILL"),
        ("printf '\\303'; kill -SEGV $$", "ended by SIGSEGV"),
    ],
)
def test_what_is_no_answer_says_why(place: Place, line: str, message: str) -> None:
    assert place.run(shell(line)) is RunOutcome.answered
    assert place.message == message
    assert look(place.thread.lock_path) is None


def test_half_a_character_and_death(place: Place) -> None:
    place.run(script("say('€'.encode()[:2]); os.kill(os.getpid(), 9)"))
    assert (place.answer, place.message) == ("\ufffd", "ended by SIGKILL")


def test_of_long_errors_the_end_is_told(place: Place) -> None:
    place.run(script("sys.stderr.write('x' * 500_000 + 'the end'); sys.exit(1)"))
    assert place.message.endswith("xthe end")
    assert len(place.message) == 8192


@pytest.mark.parametrize(
    ("name", "why"),
    [("/no/such/agent", "No such file or directory"), ("/etc", "Permission denied"), ("a\0b", "embedded")],
)
def test_a_provider_that_is_not_there(place: Place, name: str, why: str) -> None:
    assert place.run((name, "-p")) is RunOutcome.answered
    assert place.message.startswith(f"cannot start {name}: {why}")
    assert place.message.endswith("\ninstall it, or name another command with --provider")


def test_no_provider(place: Place) -> None:
    assert place.run(()) is RunOutcome.no_provider
    assert place.message.startswith("no provider is set up\n")
    assert look(place.thread.lock_path) is None


DEAF = "signal.signal(signal.SIGTERM, signal.SIG_IGN); say(b'part'); "


@pytest.mark.parametrize(
    "code",
    [
        "say(b'part'); time.sleep(60)",
        pytest.param(DEAF + "time.sleep(60)", marks=pytest.mark.soak),
        pytest.param(DEAF + "os.close(1); time.sleep(60)", marks=pytest.mark.soak),
        pytest.param("say(b'part')\nwhile True: say(b'.'); time.sleep(0.001)", marks=pytest.mark.soak),
    ],
)
def test_a_provider_that_hangs(place: Place, code: str) -> None:
    began = time.monotonic()
    # It says who it is, so that it can be looked for afterwards.
    said = place.thread.path.with_name("pid")
    provider = script(f"open({str(said)!r}, 'w').write(str(os.getpid()))\n{code}")
    assert place.run(provider, timeout_ms=700) is RunOutcome.answered
    assert place.answer.startswith("part")
    assert place.message == "timed out after 700ms"
    assert time.monotonic() - began < 10
    with pytest.raises(ProcessLookupError):
        os.kill(int(said.read_text()), 0)


def test_a_deaf_provider_with_its_output_closed(place: Place) -> None:
    began = time.monotonic()
    assert place.run(shell("trap '' TERM; exec >&-; exec sleep 60"), timeout_ms=100) is RunOutcome.answered
    assert place.message == "timed out after 100ms"
    assert time.monotonic() - began < 10


def test_a_child_that_talks_on_does_not_hold_up_an_answer(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """How the provider ended is what counts, though what it started writes on, beyond the timeout too."""
    monkeypatch.setattr("accounting.ask.provider._DRAIN_MOST_S", 0.8)
    talks = "(for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do echo .; sleep 0.1; done) 2>&- & echo yes"
    assert place.run(shell(talks), timeout_ms=600) is RunOutcome.answered
    assert isinstance(place.added[-1], AskEnd)
    assert place.answer.replace(".\n", "") == "yes\n"


def test_with_its_output_closed_readers_are_told_all_the_same(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("accounting.ask.telling.HEARTBEAT_MS", 400)
    began = time.monotonic()
    seen: list[tuple[float, str]] = []
    place.run(
        shell("printf a; sleep 0.05; printf b; exec >&-; sleep 0.6"),
        notify=lambda: seen.append((time.monotonic() - began, place.answer)),
    )
    while_closed = [at for at, answer in seen[:-1] if answer == "ab"]
    assert while_closed, "the end of a burst is told"
    assert len(while_closed) >= 2, "and so is that it goes on"


def test_a_grandchild_that_keeps_the_pipes_open_holds_nothing_up(place: Place) -> None:
    began = time.monotonic()
    assert place.run(shell("sleep 5 & echo yes")) is RunOutcome.answered
    assert place.answer == "yes\n"
    assert time.monotonic() - began < 4


# What a run must not do.


@pytest.mark.parametrize("settle", [end(1), aborted(1), error(1)])
def test_a_settled_question_is_not_answered_again(place: Place, settle: AskEvent) -> None:
    place.thread.append(settle)
    before = place.thread.path.read_bytes()
    assert place.run(shell("echo yes")) is RunOutcome.no_question
    assert place.thread.path.read_bytes() == before
    assert look(place.thread.lock_path) is None


def test_a_question_that_was_never_asked(place: Place) -> None:
    assert place.run(shell("echo yes"), seq=2) is RunOutcome.no_question
    assert place.added == ()


def test_under_a_provider_nothing_runs(place: Place) -> None:
    assert place.run(shell("echo yes"), environ={"ROUNDS_ASK_WITHIN": "1"}) is RunOutcome.nested
    assert place.added == ()


def test_without_its_lock_nothing_runs(place: Place) -> None:
    place.lock.release()
    assert place.run(shell("echo yes")) is RunOutcome.lost
    assert (place.added, look(place.thread.lock_path)) == ((), None)


@pytest.mark.invariant("A11")
def test_a_lock_taken_over_ends_it_and_stays(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    other = AskLock(pid=0, started_at="2099-01-01T00:00:00.000Z")

    def take_over() -> None:
        if place.added and look(place.thread.lock_path) != other:
            place.thread.lock_path.write_text('{"pid":0,"startedAt":"2099-01-01T00:00:00.000Z"}')

    monkeypatch.setattr("accounting.ask.telling.HEARTBEAT_MS", 100)
    began = time.monotonic()
    assert place.run(script("say(b'part'); time.sleep(60)"), notify=take_over) is RunOutcome.lost
    assert time.monotonic() - began < 15, "it is noticed while nothing comes"
    assert place.added == (chunk(1, "part"),)
    assert look(place.thread.lock_path) == other


def test_a_cancelled_run_writes_nothing_and_keeps_its_lock(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("accounting.ask.telling.HEARTBEAT_MS", 60_000)  # so that only the word itself can end it
    cancel = Cancel()
    timer: list[Timer] = []

    def soon() -> None:
        if not timer:
            timer.append(Timer(0.05, cancel))
            timer[0].start()

    began = time.monotonic()
    assert place.run(script("say(b'part'); time.sleep(60)"), cancel=cancel, notify=soon) is RunOutcome.aborted
    timer[0].join()
    assert time.monotonic() - began < 10
    assert place.added == (chunk(1, "part"),)
    assert place.lock.is_held()


def test_a_flood_that_is_cancelled_leaves_no_thread_behind(place: Place) -> None:
    before = {*enumerate_threads()}
    cancel = Cancel()
    flood = script("while True: say(b'flood ' * 10_000)")

    def slowly() -> None:
        Event().wait(0.3)  # meanwhile all is read that is read ahead
        cancel()

    assert place.run(flood, cancel=cancel, notify=slowly) is RunOutcome.aborted
    until(lambda: before.issuperset(enumerate_threads()), "the readers ended")


def test_a_cancellation_that_the_provider_meets_first_is_no_failure(place: Place) -> None:
    """The whole group is ended at once: the provider may be gone before its worker knows."""
    cancel = Cancel()
    timers: list[Timer] = []

    def once(seconds: float) -> None:
        if not timers:
            timers.append(Timer(seconds, cancel))
            timers[0].start()

    outcome = place.run(shell("printf part; kill -TERM $$"), cancel=cancel, notify=lambda: once(0.05))
    timers[0].join()
    assert outcome is RunOutcome.aborted
    assert place.added == (chunk(1, "part"),)


def test_a_thread_that_takes_no_more(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int, content: bytes) -> int:
        if b'"chunk"' in content:
            raise OSError(28, "No space left on device")
        return write(descriptor, content)

    write = os.write
    monkeypatch.setattr(os, "write", full)
    assert place.run(shell("echo yes; exec sleep 60")) is RunOutcome.aborted
    assert place.message == "the answer could not be written down: No space left on device"
    assert look(place.thread.lock_path) is None


def test_a_worker_that_cannot_name_itself_lets_go(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk filled up since the question: nobody is to wait for an answer."""

    def full(descriptor: int, content: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    assert place.run(shell("echo yes")) is RunOutcome.aborted
    assert (place.added, look(place.thread.lock_path)) == ((), None)


@pytest.mark.parametrize("before", [0, 4, 12])
def test_a_secret_that_the_cut_goes_through_stays_out(place: Place, before: int) -> None:
    """Of long errors the end is kept, and it may begin within a secret."""
    environ = {**os.environ, "AGENT_API_KEY": "sesame-open-1"}
    code = f"sys.stderr.write('x' * 9000 + os.environ['AGENT_API_KEY'] + '.' * {8192 - 13 + before}); sys.exit(1)"
    assert place.run(script(code), environ=environ) is RunOutcome.answered
    assert not any(part in place.thread.path.read_bytes() for part in (b"ses", b"ame", b"open", b"n-1"))


@pytest.mark.invariant("A12")
def test_secrets_stay_out_of_the_thread(place: Place) -> None:
    environ = {**os.environ, "AGENT_API_KEY": "sesame-open-1"}
    assert place.run(shell('echo "bad key $AGENT_API_KEY" >&2; exit 1'), environ=environ) is RunOutcome.answered
    assert place.message == "bad key $AGENT_API_KEY"
    assert b"sesame" not in place.thread.path.read_bytes()


def test_what_the_provider_finds_in_its_environment(place: Place) -> None:
    assert place.run(shell('echo "$ROUNDS_ASK_WITHIN,$ROUNDS_ASK_WORKER_PROVIDER"')) is RunOutcome.answered
    assert place.answer == "1,\n"


def test_readers_are_told_after_it_was_written(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("accounting.ask.telling.HEARTBEAT_MS", 250)
    seen: list[int] = []
    provider = script("say(b'a')\ntime.sleep(0.4)\nfor _ in range(20): say(b'b'); time.sleep(0.01)")
    place.run(provider, notify=lambda: seen.append(len(place.added)))
    assert seen[0] == 1, "the first piece is told at once"
    assert seen[1] == 1, "the heartbeat tells while nothing comes"
    assert seen[-1] == len(place.added), "the end is told when it is there"
    assert len(seen) <= 8


def test_a_timeout_may_not_outlast_the_lock(place: Place) -> None:
    for wrong in (0, -1, LOCK_STALE_MS):
        with pytest.raises(ValueError, match="pass more than 0 and less than 600000"):
            place.run(shell("echo"), timeout_ms=wrong)
