"""`rounds ask`: what each command prints, and its exit codes. Spec: asks.md, issue 7."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given as given_any
from hypothesis import strategies as st

from accounting.ask import trim
from accounting.ask.cancel import CancelOutcome
from accounting.ask.places import kept_directory, temporary_directory
from accounting.ask.thread import AskThread
from accounting.cli.ask import live
from accounting.cli.ask.answering import Pieces
from tests.accounting.ask.threads import AT, TEXTS, aborted, chunk, end, error, meta, question, spelled
from tests.accounting.ask.workers import settled
from tests.accounting.cli.asking import ask, ask_json, kept, places
from tests.accounting.cli.help import ledger, rounds
from tests.cases.build import model
from wire.ask import AskEvent, AskState

__all__ = ["places"]

COMMANDS = ("send", "show", "watch", "cancel", "chat", "list", "sweep")


def put(thread: AskThread, *events: AskEvent) -> AskThread:
    for event in events:
        thread.append(event)
    return thread


def hold(thread: AskThread) -> None:
    """Have the thread's lock say that this process is answering."""
    thread.lock_path.write_text(json.dumps({"pid": os.getpid(), "startedAt": "2999-01-01T00:00:00.000Z"}))


# Help.


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_examples(command: str) -> None:
    given = ask(command, "--help")
    assert given.exit_code == 0
    assert f"rounds ask {command}" in given.stdout.partition("Examples:")[2]
    assert "--json" in given.stdout


def test_the_worker_is_hidden() -> None:
    given = ask("--help")
    assert all(f"\n  {command} " in given.stdout for command in COMMANDS)
    assert "worker" not in given.stdout.partition("Commands:")[2]
    assert ask("worker").exit_code == 2


# Sending.


def test_a_question_is_sent_and_answered(places: Path) -> None:
    given = ask("send", "--provider", "cat", " Where?\n")
    assert (given.exit_code, given.stderr) == (0, "")
    assert given.stdout == "main 1: being answered; `rounds ask watch --thread main` shows it\n"
    assert settled(kept("main")).text == "Where?"


def test_sending_as_json_and_to_a_thread_of_that_name(places: Path) -> None:
    told = ask_json("send", "--provider", "cat", "--thread", "harbour", "--focus", "019a2b5e-1", "Where?")
    path = str(kept_directory() / "harbour.jsonl")
    assert told == {"thread": "harbour", "path": path, "outcome": "sent", "seq": 1}
    assert settled(AskThread(path)).re == "019a2b5e"


def test_the_question_comes_from_standard_input(places: Path) -> None:
    assert ask("send", "--provider", "cat", "-", input="a\u2028b\nc\n").exit_code == 0
    assert settled(kept("main")).question == "a\u2028b\nc"


@pytest.mark.parametrize("blank", ["", " \n", "\ufeff"])
def test_a_blank_question(places: Path, blank: str) -> None:
    given = ask("send", "--provider", "cat", "--json", blank)
    assert (given.exit_code, given.stdout, given.stderr) == (2, "", "rounds: the question is blank\n")
    assert not kept("main").exists


def test_nobody_answers(places: Path) -> None:
    given = ask("send", "Where?")
    assert (given.exit_code, given.stdout) == (1, "")
    assert given.stderr.startswith("rounds: main: nobody answers: name a command with --provider")
    assert settled(kept("main")).state is AskState.failed


def test_a_provider_that_calls_back_asks_nothing(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROUNDS_ASK_WITHIN", "1")
    given = ask("send", "--provider", "cat", "Where?")
    assert (given.exit_code, given.stderr) == (1, "rounds: this is a provider's own call: it asks nothing\n")
    assert not kept("main").exists


def test_a_temporary_thread_belongs_to_the_shell(places: Path) -> None:
    told = ask_json("send", "--provider", "cat", "--temporary", "Where?")
    thread = AskThread(told["path"])
    assert thread.path.parent == temporary_directory()
    assert thread.name.startswith(f"{os.getppid()}-")
    assert settled(thread).text == "Where?"
    shown = ask_json("show", "--thread", thread.name)
    assert shown["path"] == told["path"]
    assert "leave out --thread" in ask("send", "--temporary", "--thread", "a", "x").stderr


def test_nothing_is_added_to_a_ledger(places: Path) -> None:
    path = ledger(places / "ledger.jsonl", model())
    before = path.read_bytes()
    given = ask("send", "--provider", "cat", "--thread", path, "Where?")
    assert given.exit_code == 2
    assert "this is no thread, and nothing is added to it" in given.stderr
    assert path.read_bytes() == before


# Who answers.


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("provider = \"my-agent -p 'two words'\"", ("my-agent", "-p", "two words")),
        ('provider = ["/opt/my agent", "-p"]', ("/opt/my agent", "-p")),
        ('provider = ""', ()),
        ("", ()),
    ],
)
def test_the_configuration_names_who_answers(places: Path, content: str, words: tuple[str, ...]) -> None:
    from accounting.cli.ask.config import config_path, provider_meant

    assert provider_meant(None) == ()
    config_path().parent.mkdir(parents=True)
    config_path().write_text(content)
    assert config_path() == places / "config" / "rounds" / "ask.toml"
    assert provider_meant(None) == words
    assert provider_meant("cat") == ("cat",)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("provider = 3", "`provider` is a command, or a list of its words, each of them text"),
        ('provider = ["a", 1]', "`provider` is a command, or a list of its words, each of them text"),
        ('provider = "it\'s"', '"it\'s" does not split into words: no closing quotation'),
        ('provider = " "', "it is blank"),
        ('providr = "a"', "there is no setting 'providr'; there is `provider`"),
        ("provider", "no TOML: "),
    ],
)
def test_a_configuration_that_does_not_read(places: Path, content: str, told: str) -> None:
    path = places / "config" / "rounds" / "ask.toml"
    path.parent.mkdir(parents=True)
    path.write_text(content)
    given = ask("send", "Where?")
    assert given.exit_code == 2
    assert given.stderr.startswith(f"rounds: {path}: ")
    assert told in given.stderr
    assert not kept("main").exists
    assert ask("send", "--provider", "it's", "x").stderr.startswith('rounds: --provider: "it\'s" does not split')


# Which thread.


def test_the_last_used_thread_is_meant(places: Path) -> None:
    put(kept("old"), question(1, "old?"))
    put(kept("new"), question(1, "new?"))
    for seconds, name in enumerate(("new", "old")):
        os.utime(kept(name).path, (1000 + seconds, 1000 + seconds))
    assert ask_json("show")["thread"] == "old"
    assert ask_json("show", "--thread", "new")["thread"] == "new"


def test_another_programs_directory_is_read(places: Path) -> None:
    other = places / "other" / "ask"
    put(AskThread(other / "7001-0badf00d.jsonl"), meta(), question(1, "a?"), chunk(1, "A"), end(1))
    before = {path: path.read_bytes() for path in other.iterdir()}
    for words in (("show", "--thread", other), ("show", "--thread", other / "7001-0badf00d.jsonl")):
        assert ask_json(*words)["shown"][0]["text"] == "A"
    assert ask("watch", "--thread", other).exit_code == 0
    assert [one["thread"] for one in ask_json("list", other)] == ["7001-0badf00d"]
    assert {path: path.read_bytes() for path in other.iterdir()} == before


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("show",), "there is no thread yet; `rounds ask send TEXT` begins one"),
        (("watch", "--thread", "none"), "none.jsonl: no such thread; `rounds ask list` lists yours"),
        (("cancel", "--thread", "none"), "none.jsonl: no such thread; `rounds ask list` lists yours"),
        (("show", "--thread", "a b"), "--thread: 'a b' is no name of a thread"),
        (("show", "--thread", "{tmp}"), "no thread in this directory"),
        (("list", "{tmp}/none"), "none: no such directory"),
        (("chat", "--temporary", "--thread", "a"), "leave out --thread"),
    ],
)
def test_trouble_is_one_line_and_makes_nothing(places: Path, words: tuple[str, ...], told: str) -> None:
    given = ask(*(word.format(tmp=places) for word in words))
    assert (given.exit_code, given.stdout) == (2, "")
    assert told in given.stderr
    assert given.stderr.count("\n") == 1
    assert [*places.iterdir()] == []


# Showing.


def test_a_thread_is_shown(places: Path) -> None:
    put(kept("main"), question(1, "Which?\nWhy?", "session-alpha"), chunk(1, "80\x1b[2J\n\nsee\tcfg\r\n"), end(1))
    put(kept("main"), question(2), chunk(2, "half"), aborted(2), question(3), error(3, "boom\nagain"), question(4))
    given = ask("show")
    assert (given.exit_code, given.stderr) == (0, "")
    assert given.stdout.splitlines() == [
        "you · re: session-", "  Which?", "  Why?", "", "answer", r"  80\x1b[2J", "", "  see     cfg", "",
        "you", "  a?", "", "answer", "  half", "  (cancelled)", "",
        "you", "  a?", "", "answer", "  boom", "  again", "",
        "you", "  a?", "", "answer", "  (nobody is answering)",
    ]  # fmt: skip
    assert ask("show", "--last", "1").stdout.splitlines()[0] == "you"
    assert ask("show", "--last", "1").stdout.count("you") == 1
    assert [one["seq"] for one in ask_json("show", "--last", "2")["shown"]] == [3, 4]


def test_a_question_that_somebody_answers_is_thought_about(places: Path) -> None:
    put(kept("main"), question(1), question(2))
    hold(kept("main"))
    shown = ask("show").stdout.splitlines()
    assert shown[4] == "  (nobody is answering)", "nobody goes back to an older question"
    assert shown[-1].startswith("  thinking… ")
    assert shown[-1].endswith("s")
    put(kept("main"), chunk(2, "part"))
    assert ask("show").stdout.splitlines()[-1] == "  part"


def test_threads_are_listed(places: Path) -> None:
    assert ask("list").stdout == ""
    put(kept("harbour"), question(1, "Where\nis it?"), chunk(1, "x"), end(1))
    put(AskThread(temporary_directory() / "1-0badf00d.jsonl"), question(2, "b" * 200))
    given = ask("list")
    assert given.stdout.splitlines() == [
        "harbour     answered    2026-10-05T09:30:00Z  Where ↵ is it?",
        f"1-0badf00d  unanswered  2026-10-05T09:30:00Z  {'b' * 35} … 165 more columns",
    ]
    first, second = ask_json("list")
    assert (first["temporary"], second["temporary"], second["live"]) == (False, True, False)
    assert first == {
        "thread": "harbour", "path": str(kept("harbour").path), "temporary": False, "seq": 1, "at": AT,
        "state": "answered", "question": "Where\nis it?", "live": False, "worker": False, "readable": True,
    }  # fmt: skip


def test_a_sweep_leaves_what_is_kept(places: Path) -> None:
    put(kept("7-kept"), question(1))
    gone = put(AskThread(temporary_directory() / f"{2**31 - 7}-0badf00d.jsonl"), question(1))
    mine = put(AskThread(temporary_directory() / f"{os.getpid()}-0badf00d.jsonl"), question(1))
    assert ask("sweep").stdout == f"{gone.path}\n1 thread removed\n"
    assert ask_json("sweep") == {"removed": []}
    assert (gone.exists, mine.exists, kept("7-kept").exists) == (False, True, True)


# What comes of an answer is shown as far as it is certain.


@given_any(st.lists(st.sampled_from((*TEXTS, "\r", "x y "))))
def test_pieces_add_up_to_the_answer(texts: list[str]) -> None:
    pieces = Pieces()
    shown = ""
    for index, text in enumerate(texts):
        shown += pieces.take(chunk(1, text))
        assert shown == trim("".join(texts[: index + 1]))
        assert pieces.begun == bool(shown)


# Watching what is settled, and cancelling what nobody is at.


@pytest.mark.parametrize(
    ("events", "code", "last"),
    [
        ((chunk(1, "A\n"), chunk(1, "\nB \n"), end(1)), 0, ["  A", "", "  B"]),
        ((chunk(1, "half"), aborted(1)), 1, ["  half", "  (cancelled)"]),
        ((chunk(1, "half"), error(1, "boom\nagain")), 1, ["  half", "  boom", "  again"]),
        ((error(1, " "),), 1, ["  the answer failed"]),
        ((end(1), aborted(1)), 1, ["  (cancelled)"]),
    ],
)
def test_watching_a_settled_question(places: Path, events: tuple[AskEvent, ...], code: int, last: list[str]) -> None:
    put(kept("main"), question(1, "Where?"), *events)
    given = ask("watch")
    assert (given.exit_code, given.stdout.splitlines()) == (code, ["you", "  Where?", "", "answer", *last])
    assert given.stdout.endswith("\n")
    told = ask("watch", "--json")
    assert (told.exit_code, told.stdout_bytes) == (code, spelled([question(1, "Where?"), *events]))


def test_a_question_asked_twice_is_watched_in_its_later_words(places: Path) -> None:
    put(kept("main"), question(1, "a?"), question(1, "A?"), chunk(1, "x"), end(1))
    assert ask("watch").stdout.splitlines() == ["you", "  A?", "", "answer", "  x"]


def test_watching_what_nobody_answers_ends(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("accounting.cli.ask.answering.LEFT_S", 0.05)
    put(kept("main"), question(1), chunk(1, "part"))
    given = ask("watch")
    assert (given.exit_code, given.stdout.splitlines()[-1]) == (1, "  part")
    assert given.stderr.startswith(
        "rounds: nobody is answering; `rounds ask cancel --thread main` gives the question up"
    )
    assert ask("cancel").stdout == "main: cancelled\n"
    assert ask("cancel").stdout == "main: nothing is being answered\n"
    assert ask_json("cancel") == {"thread": "main", "path": str(kept("main").path), "outcome": "idle"}
    assert ask("watch").stdout.splitlines()[-2:] == ["  part", "  (cancelled)"]


def test_watching_where_nothing_was_asked(places: Path) -> None:
    put(kept("main"), meta())
    given = ask("watch")
    assert (given.exit_code, given.stderr) == (2, f"rounds: {kept('main').path}: nothing was asked in this thread\n")


def test_a_worker_that_cannot_be_ended(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(kept("main"), question(1))

    def stuck(thread: AskThread) -> CancelOutcome:
        return CancelOutcome.stuck

    monkeypatch.setattr("accounting.ask.cancel.cancel", stuck)
    given = ask("cancel")
    assert (given.exit_code, given.stdout) == (1, "")
    assert given.stderr == "rounds: main: whoever answers cannot be ended; is it another user's?\n"
    assert ask("cancel", "--json").exit_code == 1


def test_a_worker_that_cannot_be_started(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "")
    given = ask("send", "--provider", "cat", "Where?")
    assert (given.exit_code, given.stdout) == (1, "")
    assert given.stderr == "rounds: main: no worker could be started; question 1 waits: cancel it, or ask again\n"


def test_an_answer_that_comes_before_it_is_cancelled_is_shown(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    watch = live.watch_answer
    pressed: list[int] = []

    def interrupted(thread: AskThread, *words: Any, **options: Any) -> Any:
        if not pressed:
            pressed.append(1)
            settled(thread)
            raise KeyboardInterrupt
        return watch(thread, *words, **options)

    monkeypatch.setattr("accounting.cli.ask.live.watch_answer", interrupted)
    given = ask("chat", "--provider", "cat", input="Where?\n")
    assert (given.exit_code, given.stdout, given.stderr) == (0, "  Where?\n", "")


# A thread is also a session.


def test_a_thread_is_drawn_as_rounds_by_name_and_by_path(places: Path) -> None:
    put(kept("harbour"), question(1, "Where?"), chunk(1, "There."), end(1), question(2, "Why?"), error(2, "boom"))
    put(kept("harbour"), question(3, "When?"))
    drawn = rounds("show", "harbour")
    assert (drawn.exit_code, drawn.stderr) == (0, "")
    lines = [line.strip() for line in drawn.stdout.splitlines()]
    assert "task      Where?" in lines
    assert "There." in lines
    assert "⊘ refused: E_PROVIDER call the provider; boom" in lines
    assert "no reply yet, waiting since 09:30:00" in lines
    assert rounds("show", kept("harbour").path).stdout == drawn.stdout
    answer = json.loads(rounds("fold", "harbour").stdout)
    assert [turn["stopped"] for turn in answer["turns"]] == ["end", "error", None]
    assert rounds("fold", "--from", "ask", kept("harbour").path).stdout == rounds("fold", "harbour").stdout


def test_records_tell_a_thread_and_not_its_name(places: Path) -> None:
    path = places / "ledger-00000000000000000000.log"
    path.write_bytes(b'{"t":"odd"}\n' + spelled([question(1, "Where?"), end(1)]))
    given = rounds("fold", path)
    assert given.exit_code == 0
    assert json.loads(given.stdout)["opening"]["task"] == "Where?"


def test_a_ledger_stays_a_ledger(places: Path) -> None:
    kept_directory().mkdir(parents=True)
    path = ledger(kept_directory() / "book.jsonl", model())
    assert json.loads(rounds("fold", path).stdout)["turns"][0]["opened"] == 0
    assert rounds("fold", "book").stdout == rounds("fold", path).stdout


def test_what_is_damaged_in_a_thread_is_told(places: Path) -> None:
    path = places / "a.jsonl"
    path.write_bytes(spelled([question(1, "Where?")]) + b"no\n" + spelled([end(1)]))
    given = rounds("show", path)
    assert given.exit_code == 1
    assert f"{path}:2 (byte " in given.stderr
    assert "not-json" in given.stderr
