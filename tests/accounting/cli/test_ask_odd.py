"""`rounds ask` where something is odd: files that are no thread, locks without a worker, threads that do not read."""

import json
import os
import signal
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from accounting.ask.places import kept_directory, temporary_directory
from accounting.ask.send import SendOutcome, Sent
from accounting.ask.thread import AskThread, Recent
from tests.accounting.ask.threads import chunk, end, error, meta, question, spelled
from tests.accounting.ask.workers import settled
from tests.accounting.cli.asking import Gate, ask, ask_json, kept, places, start
from tests.accounting.cli.test_ask import hold, put
from tests.accounting.cli.test_ask_processes import Terminal

__all__ = ["places"]

TORN = b'{"t":"meta","runId":"a","star'


def taken(thread: AskThread, seconds_ago: float) -> None:
    """Have somebody take the thread's lock so long ago, and start no worker."""
    at = datetime.now(UTC) - timedelta(seconds=seconds_ago)
    thread.lock_path.parent.mkdir(parents=True, exist_ok=True)
    thread.lock_path.write_text(json.dumps({"pid": 0, "startedAt": f"{at:%Y-%m-%dT%H:%M:%S}.000Z"}))


# Files that a question is added to, and those that none is.


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("notes.md", b"# Notes\n\nNot a thread.\n"),
        ("example.md", b"An end:\n" + spelled([question(1), end(1)])),
        ("prog.sh", b"#!/bin/sh\necho {}\n"),
        ("blob", bytes(range(256))),
        ("pretty.json", b'{\n  "a": [\n    1\n  ]\n}\n'),
        ("list.json", b"[" + spelled([end(1)]).strip() + b"]\n"),
        ("long.jsonl", b'{"a":"' + b"x" * 70_000 + b'"}\n'),
        ("torn.jsonl", b'{"run":"a","se'),
        ("whole.jsonl", b'{"t":"odd"}'),
    ],
)
def test_nothing_is_added_to_what_is_no_thread(places: Path, name: str, content: bytes) -> None:
    path = places / name
    path.write_bytes(content)
    given = ask("send", "--provider", "cat", "--thread", path, "Where?")
    assert (given.exit_code, given.stdout) == (2, "")
    assert given.stderr.startswith(f"rounds: {path}: this is no thread, and nothing is added to it")
    assert path.read_bytes() == content
    assert [*places.iterdir()] == [path]


@pytest.mark.parametrize(
    "content",
    [b"", b"\n", TORN, TORN + b"\n" + TORN, TORN + b"\n" + spelled([question(1), end(1)]), spelled([question(1)])],
)
def test_a_thread_however_torn_is_added_to(places: Path, content: bytes) -> None:
    path = places / "a.jsonl"
    path.write_bytes(content)
    assert ask("send", "--provider", "cat", "--thread", path, "Where?").exit_code == 0
    assert settled(AskThread(path)).text.endswith("Where?")
    assert path.read_bytes().startswith(content)


def test_a_long_first_question_is_a_threads(places: Path) -> None:
    path = places / "a.jsonl"
    path.write_bytes(spelled([question(1, "x" * 70_000), end(1)]))
    assert ask("send", "--provider", "cat", "--thread", path, "Where?").exit_code == 0
    assert settled(AskThread(path)).seq == 2


def test_a_new_thread_is_a_file_that_is_listed(places: Path) -> None:
    given = ask("send", "--provider", "cat", "--thread", places / "x y", "Where?")
    assert (given.exit_code, given.stdout) == (2, "")
    assert given.stderr == f"rounds: {places / 'x y'}: no such thread; the file of a new one ends in `.jsonl`\n"
    assert [*places.iterdir()] == []


def test_a_pipe_is_no_thread(places: Path) -> None:
    path = places / "fifo.jsonl"
    os.mkfifo(path)
    for words in (("send", "--provider", "cat", "Where?"), ("show",)):
        given = ask(*words, "--thread", path)
        assert (given.exit_code, given.stderr) == (2, f"rounds: {path}: no regular file\n")


# A lock, and nobody at it.


def test_what_was_to_be_the_first_question_is_cancelled(places: Path) -> None:
    thread = kept("main")
    taken(thread, 60)
    assert ask("send", "--provider", "cat", "Where?").exit_code == 1
    given = ask("cancel", "--thread", "main")
    assert (given.exit_code, given.stdout) == (0, "main: nothing is being answered\n")
    assert ask("send", "--provider", "cat", "Where?").exit_code == 0
    assert settled(thread).text == "Where?"


def test_a_thread_without_a_worker_is_told_apart(places: Path) -> None:
    thread = put(kept("main"), question(1))
    taken(thread, 300)
    assert ask("show").stdout.splitlines()[-1] == "  (no worker yet)"
    assert ask("list").stdout.startswith("main  no worker ")
    (listed,) = ask_json("list")
    assert (listed["live"], listed["worker"], ask_json("show")["live"]) == (True, False, True)
    taken(thread, 0)
    assert ask("show").stdout.splitlines()[-1].startswith("  thinking… ")
    hold(thread)
    assert ask("list").stdout.startswith("main  waiting ")
    assert ask_json("list")[0]["worker"]


def test_watching_says_that_there_is_no_worker(places: Path) -> None:
    thread = put(kept("main"), question(1))
    taken(thread, 300)
    watching = Terminal("watch")
    watching.until("no worker yet… ")
    put(thread, chunk(1, "there"), end(1))
    assert watching.until("there").endswith("\r\x1b[K  there")
    assert watching.end() == 0


def test_a_watcher_without_a_terminal_is_told_so_once(places: Path) -> None:
    thread = put(kept("main"), question(1))
    taken(thread, 300)
    with start("watch") as watching:
        assert watching.stderr is not None
        told = watching.stderr.readline()
        put(thread, end(1))
        assert watching.communicate()[1] == b""
    assert told == b"rounds: no worker yet; `rounds ask cancel --thread main` gives the question up\n"


def test_data_tells_a_question_that_waits_from_one_that_is_left(places: Path) -> None:
    thread = put(kept("main"), question(1))
    assert ask_json("show")["live"] is False
    hold(thread)
    assert ask_json("show")["live"] is True
    put(thread, end(1))
    assert ask_json("show")["live"] is False


# Which thread is meant.


def test_what_is_told_names_the_thread(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("accounting.cli.ask.answering.LEFT_S", 0.05)
    odd = AskThread(places / "it's" / "a.jsonl")
    for thread, named in ((kept("main"), "main"), (odd, f"'{places}/it'\"'\"'s/a.jsonl'")):
        put(thread, question(1))
        hold(thread)
        given = ask("send", "--provider", "cat", "--thread", thread.path, "Where?")
        assert f"`rounds ask watch --thread {named}` shows it" in given.stderr
        assert f"`rounds ask cancel --thread {named}` gives it up" in given.stderr
        thread.lock_path.unlink()
        assert f"`rounds ask cancel --thread {named}` gives" in ask("watch", "--thread", thread.path).stderr


def test_threads_are_listed_by_their_last_questions(places: Path) -> None:
    def asked(thread: AskThread, minute: int) -> None:
        thread.path.parent.mkdir(parents=True, exist_ok=True)
        thread.path.write_bytes(spelled([question(1)]).replace(b"T09:30:", b"T09:%02d:" % minute))

    asked(kept("old"), 10)
    asked(AskThread(temporary_directory() / "1-0badf00d.jsonl"), 20)
    asked(kept("new"), 30)
    put(kept("empty"), meta())
    assert [one["thread"] for one in ask_json("list")] == ["empty", "new", "1-0badf00d", "old"]


def test_an_odd_thread_does_not_hide_the_others(places: Path) -> None:
    put(kept("a"), question(1), end(1))
    put(kept("b"), question(1))
    kept("b").lock_path.mkdir()
    put(kept("c"), question(1), end(1))
    given = ask("list")
    assert given.exit_code == 1
    assert [line.split()[:2] for line in given.stdout.splitlines()] == [
        ["a", "answered"],
        ["b", "unreadable"],
        ["c", "answered"],
    ]
    assert given.stderr.startswith(f"rounds: {kept('b').lock_path}: ")
    told = ask("list", "--json")
    assert (told.exit_code, [one["readable"] for one in json.loads(told.stdout)]) == (1, [True, False, True])


# A chat that is odd, or ends.


def test_a_line_that_is_blank_to_a_thread_is_passed_over(places: Path) -> None:
    given = ask("chat", "--provider", "cat", input="\ufeff\nWhere?\n")
    assert (given.exit_code, given.stdout, given.stderr) == (0, "  Where?\n", "")


def test_a_question_that_is_not_among_the_last(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(thread: AskThread, text: str, **options: Any) -> Sent:
        return Sent(outcome=SendOutcome.sent, seq=2**53)

    def none(thread: AskThread, questions: int) -> Recent:
        return Recent(shown=(), start=0)

    monkeypatch.setattr("accounting.ask.send.send", lost)
    monkeypatch.setattr(AskThread, "recent", none)
    given = ask("chat", "--provider", "cat", input="Where?\n")
    assert given.exit_code == 1
    assert given.stderr == f"rounds: main: question {2**53} is not among the last of the thread\n"


@pytest.mark.parametrize("name", ["SIGHUP", "SIGTERM"])
@pytest.mark.parametrize("busy", [False, True])
def test_a_chat_that_is_hung_up_leaves_nothing(places: Path, name: str, busy: bool) -> None:
    gate = Gate(places / "gate")
    chat = Terminal("chat", "--temporary", "--provider", gate.provider)
    chat.until("you> ")
    if busy:
        chat.type("Where?\n")
        chat.until("part")
    assert chat.signalled(signal.Signals[name]) == 128 + signal.Signals[name]
    assert [path.name for path in temporary_directory().glob("*.jsonl*")] == []


def test_a_chat_whose_terminal_is_closed_leaves_nothing(places: Path) -> None:
    gate = Gate(places / "gate")
    chat = Terminal("chat", "--temporary", "--provider", gate.provider)
    chat.until("you> ")
    chat.type("Where?\n")
    chat.until("part")
    chat.close()
    chat.running.wait(20)
    assert [path.name for path in temporary_directory().glob("*.jsonl*")] == []


# A provider that calls back, and commands that answer.


def test_a_provider_cancels_nothing(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(kept("main"), question(1))
    monkeypatch.setenv("ROUNDS_ASK_WITHIN", "1")
    given = ask("cancel")
    assert (given.exit_code, given.stdout) == (1, "")
    assert given.stderr == "rounds: this is a provider's own call: it cancels nothing\n"
    told = ask("cancel", "--json")
    assert (told.exit_code, json.loads(told.stdout)["outcome"]) == (1, "nested")
    assert ask_json("show")["shown"][0]["state"] == "waiting"


def test_a_thread_whose_numbers_are_used_up(places: Path) -> None:
    put(kept("main"), question(2**53 - 1), end(2**53 - 1))
    for words, given in ((("send", "Where?"), None), (("chat",), "Where?\n")):
        refused = ask(*words, "--provider", "cat", input=given)
        assert (refused.exit_code, refused.stdout) == (2, "")
        assert refused.stderr.startswith(f"rounds: {kept('main').path}: no number is left")


@pytest.mark.parametrize("command", ["''", "' ' -p"])
def test_a_command_without_a_name(places: Path, command: str) -> None:
    given = ask("send", "--provider", command, "Where?")
    assert (given.exit_code, given.stdout) == (2, "")
    assert given.stderr.startswith("rounds: --provider: it is blank; name a command")
    path = places / "config" / "rounds" / "ask.toml"
    path.parent.mkdir(parents=True)
    path.write_text('provider = ["", "-p"]')
    assert ask("send", "Where?").stderr.startswith(f"rounds: {path}: provider: it is blank")
    assert not kept_directory().exists()


def test_a_failure_is_shown_as_it_is_recorded(places: Path) -> None:
    put(kept("main"), question(1), chunk(1, "half"), error(1, "boom"))
    assert ask("show").stdout.splitlines()[-1] == "  boom"
