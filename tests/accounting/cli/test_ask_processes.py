"""`rounds ask` with real processes: answers watched, left, cancelled and killed; a chat on a terminal."""

import json
import os
import pty
import select
import signal
import subprocess
import termios
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from accounting.ask.lock_file import look
from accounting.ask.places import temporary_directory, threads_in
from accounting.cli.ask.answering import Left, Tick, answering
from accounting.cli.trouble import INTERRUPTED
from tests.accounting.ask.threads import chunk, end, question, spelled
from tests.accounting.ask.workers import DEADLINE_S, settled, shown, until
from tests.accounting.cli.asking import Gate, ask, ask_json, kept, places, start
from tests.accounting.cli.help import ROUNDS, environment
from tests.accounting.cli.test_ask import hold, put
from wire.ask import AskChunk, AskState

__all__ = ["places"]


@pytest.fixture(autouse=True)
def interruptible() -> Generator[None]:
    """Children take Ctrl-C even where the tests themselves were started in the background, to which it is deaf."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def gate(places: Path) -> Gate:
    return Gate(places / "gate")


def read_until(running: "subprocess.Popen[bytes]", wanted: bytes) -> bytes:
    """What a process prints, up to and with these bytes."""
    assert running.stdout is not None
    given = b""
    while wanted not in given:
        more = os.read(running.stdout.fileno(), 65536)
        assert more, f"{wanted!r} never came: {given!r}"
        given += more
    return given


class Terminal:
    """A command on a terminal of its own."""

    def __init__(self, *words: str | Path) -> None:
        self._ours, theirs = pty.openpty()
        termios.tcsetwinsize(theirs, (24, 80))
        self.running = subprocess.Popen(
            [*ROUNDS, "ask", *map(str, words)],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            preexec_fn=lambda: _own(0),
            env=environment(TERM="xterm-256color", NO_COLOR="1"),
        )
        os.close(theirs)
        self.shown = b""

    def until(self, wanted: str) -> str:
        """What has come since the last such call, up to these words."""
        while wanted.encode() not in self.shown:
            assert select.select([self._ours], [], [], DEADLINE_S)[0], f"{wanted!r} never came: {self.shown!r}"
            self.shown += os.read(self._ours, 65536)
        given, _, self.shown = self.shown.partition(wanted.encode())
        return given.decode() + wanted

    def type(self, text: str) -> None:
        os.write(self._ours, text.encode())

    def close(self) -> None:
        """Take the terminal away."""
        os.close(self._ours)

    def interrupted(self) -> int:
        """The exit code after Ctrl-C."""
        return self._left_after(lambda: self.type("\x03"))

    def signalled(self, number: signal.Signals) -> int:
        """The exit code after a signal."""
        return self._left_after(lambda: self.running.send_signal(number))

    def end(self) -> int:
        """The exit code, once it has ended."""
        assert self._ended(DEADLINE_S), f"it does not end: {self.shown!r}"
        return self._left()

    def _left_after(self, tell: Callable[[], None]) -> int:
        """The exit code, once it was told; told again where the first time was just before it began to wait."""
        for _ in range(30):
            tell()
            if self._ended(1):
                return self._left()
        raise AssertionError("it does not take it")

    def _ended(self, seconds: float) -> bool:
        """Whether its end of the terminal is closed before nothing has come for so long."""
        while select.select([self._ours], [], [], seconds)[0]:
            try:
                self.shown += os.read(self._ours, 65536)
            except OSError:
                return True
        return False

    def _left(self) -> int:
        os.close(self._ours)
        return self.running.wait(DEADLINE_S)


def _own(descriptor: int) -> None:
    import fcntl

    fcntl.ioctl(descriptor, termios.TIOCSCTTY, 0)


def test_an_answer_is_seen_as_it_comes(places: Path, gate: Gate) -> None:
    assert ask("send", "--provider", gate.provider, "Where?").exit_code == 0
    with start("watch") as watching:
        assert read_until(watching, b"part").endswith(b"answer\n  part")
        gate.open("and\nall of it\n")
        assert watching.communicate() == (b" and\n  all of it\n", b"")
    assert watching.returncode == 0


def test_the_records_of_an_answer_as_they_come(places: Path, gate: Gate) -> None:
    ask("send", "--provider", gate.provider, "Where?")
    with start("watch", "--json") as watching:
        first = read_until(watching, b'"part')
        gate.open("end")
        rest, _ = watching.communicate()
    given = [json.loads(line) for line in (first + rest).splitlines()]
    assert given[0]["t"] == "question"
    assert given[-1]["t"] == "end"
    assert "".join(one["text"] for one in given[1:-1]) == "part end"


def test_ctrl_c_ends_the_watching_and_not_the_answer(places: Path, gate: Gate) -> None:
    ask("send", "--provider", gate.provider, "Where?")
    with start("watch") as watching:
        read_until(watching, b"part")
        watching.send_signal(signal.SIGINT)
        assert watching.communicate() == (b"\n", b"")
    assert watching.returncode == INTERRUPTED
    gate.open("all")
    assert settled(kept("main")).text == "part all"


def test_a_second_question_is_refused_until_the_first_is_cancelled(places: Path, gate: Gate) -> None:
    ask("send", "--provider", gate.provider, "Where?")
    again = ask("send", "--provider", "cat", "Why?")
    assert (again.exit_code, again.stdout) == (1, "")
    assert again.stderr.startswith("rounds: main: an earlier question is being answered")
    assert ask_json("list")[0]["live"]
    with start("watch") as watching:
        read_until(watching, b"part")
        assert ask("cancel").stdout == "main: cancelled\n"
        assert watching.communicate() == (b"\n  (cancelled)\n", b"")
    assert watching.returncode == 1
    assert ask("send", "--provider", "cat", "Why?").exit_code == 0
    assert settled(kept("main")).text == "Why?"


def test_a_watcher_does_not_wait_for_a_worker_that_was_killed(
    places: Path, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("accounting.cli.ask.answering.LEFT_S", 0.05)
    thread = kept("main")
    ask("send", "--provider", gate.provider, "Where?")
    came = answering(thread, 0, 1)
    while not isinstance(next(came), AskChunk):
        pass
    lock = look(thread.lock_path)
    assert lock is not None
    os.kill(lock.pid, signal.SIGKILL)
    assert set(came) <= {Tick, Left}
    assert ask("cancel").stdout == "main: cancelled\n"


def test_a_thread_that_begins_anew_is_shown_anew(places: Path) -> None:
    thread = kept("main")
    put(thread, question(1), chunk(1, "old"))
    hold(thread)
    with start("watch") as watching:
        read_until(watching, b"old")
        new = places / "new"
        new.write_bytes(spelled([question(1, "b?"), chunk(1, "new"), end(1)]))
        new.replace(thread.path)
        assert watching.communicate() == (b"\nyou\n  b?\n\nanswer\n  new\n", b"")
    assert watching.returncode == 0


def test_thinking_is_counted_on_a_terminal_and_taken_away(places: Path) -> None:
    fifo = places / "mute"
    os.mkfifo(fifo)
    ask("send", "--provider", f"cat {fifo}", "Where?")
    watching = Terminal("watch")
    watching.until("thinking… 0s")
    fifo.write_text("there\n")
    assert watching.until("there").endswith("\r\x1b[K  there")
    assert watching.end() == 0


def test_a_chat_on_a_terminal(places: Path, gate: Gate) -> None:
    chat = Terminal("chat", "--thread", "harbour", "--provider", gate.provider)
    chat.until("you> ")
    chat.type("Where?\n")
    chat.until("part")
    gate.open("there")
    chat.until("there")
    chat.until("you> ")
    chat.type("\n")
    chat.until("you> ")
    chat.type("Why?\n")
    chat.until("part")
    chat.type("\x03")
    chat.until("(cancelled)")
    chat.until("you> ")
    chat.type("\x04")
    assert chat.end() == 1, "the last question was not answered"
    assert [(one.question, one.state) for one in shown(kept("harbour"))] == [
        ("Where?", AskState.answered),
        ("Why?", AskState.cancelled),
    ]


def test_ctrl_c_at_the_prompt_ends_a_chat_and_its_temporary_thread(places: Path) -> None:
    chat = Terminal("chat", "--temporary", "--provider", "cat")
    chat.until("you> ")
    chat.type("Where?\n")
    chat.until("  Where?\r\n")
    chat.until("you> ")
    assert [path.name.partition("-")[0] for path in threads_in(temporary_directory())] == [str(chat.running.pid)]
    assert chat.interrupted() == INTERRUPTED
    assert threads_in(temporary_directory()) == ()


def test_a_chat_through_pipes(places: Path) -> None:
    given = subprocess.run(
        [*ROUNDS, "ask", "chat", "--provider", "sh -c 'tail -n 1'"],
        input=b"Where?\n\nand why?\n",
        capture_output=True,
        env=environment(),
        timeout=60,
        check=False,
    )
    assert (given.returncode, given.stderr) == (0, b"")
    assert given.stdout == b"  Where?\n  Developer: and why?\n"
    nobody = ask("chat", input="x\n")
    assert (nobody.exit_code, nobody.stdout) == (1, "")
    assert "nobody answers" in nobody.stderr


def test_a_chat_as_json(places: Path) -> None:
    given = ask("chat", "--provider", "cat", "--json", input="Where?\n")
    records = [json.loads(line) for line in given.stdout.splitlines()]
    assert (given.exit_code, [one["t"] for one in records]) == (0, ["question", "chunk", "end"])


def test_a_question_outlives_who_asked_it(places: Path, gate: Gate) -> None:
    with start("send", "--provider", gate.provider, "Where?") as sending:
        assert sending.communicate()[0] == b"main 1: being answered; `rounds ask watch --thread main` shows it\n"
    until(lambda: shown(kept("main"))[0].state is AskState.answering, "an answer begins")
    gate.open("all")
    assert settled(kept("main")).text == "part all"
