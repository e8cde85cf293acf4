"""What a provider reads, what it is told by its environment, and how a worker is started. Spec: asks.md 1.0, 1.5."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounting.ask.environment import GUARD, nested, provider_environment, worker_environment, worker_provider
from accounting.ask.prompt import prompt
from accounting.ask.spawn import Job, plan
from accounting.processes.detached import interpreter_flags
from accounting.secrets import redacted, without_cut_secret
from tests.accounting.ask.threads import AT, question
from wire.ask import AskTurn


def test_the_first_question_stands_alone() -> None:
    assert prompt((), question(1, "where is port set?")) == "where is port set?\n"
    assert prompt((), question(1, "why?", "session-alpha")) == (
        "(The developer is looking at session session-alpha.)\n\nwhy?\n"
    )


def test_what_was_said_stands_before_the_question() -> None:
    turns = (AskTurn(question="where is port set?", answer="In cfg.py\nline 3"), AskTurn(question="why?", answer="TLS"))
    assert prompt(turns, question(3, "since when?", "s1")) == (
        "You answer a developer's questions. What was said so far:\n\n"
        "Developer: where is port set?\nYou: In cfg.py\nline 3\n\n"
        "Developer: why?\nYou: TLS\n\n"
        "Now answer this one. Your answer is shown as you write it.\n\n"
        "(The developer is looking at session s1.)\n\n"
        "Developer: since when?\n"
    )


# The environment.


def test_a_provider_is_guarded_and_a_worker_is_not() -> None:
    sender = {"PATH": "/bin", "API_KEY": "sesame-1"}
    worker = worker_environment(sender, ("claude", "-p"))
    assert not nested(sender)
    assert not nested(worker)
    assert worker_provider(worker) == ("claude", "-p")
    provider = provider_environment(worker)
    assert nested(provider)
    assert provider == {**sender, GUARD: "1"}
    assert worker_provider(provider) == ()


@pytest.mark.parametrize("value", ["", "{", "7", '"claude"', "[1]", '["claude", null]', "null"])
def test_a_worker_without_a_sound_command_has_none(value: str) -> None:
    name = next(iter(worker_environment({}, ())))
    assert worker_provider({name: value}) == ()


@given(st.lists(st.text()))
def test_any_command_reaches_the_worker(words: list[str]) -> None:
    assert worker_provider(worker_environment({}, words)) == tuple(words)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("bad key sesame-1.", "bad key $API_KEY."),
        ("sesame-1-longer", "$GITHUB_TOKEN"),
        ("/home/mara", "/home/mara"),
        ("port 80", "port 80"),
        ("monkey-business", "monkey-business"),
    ],
)
def test_secrets_are_named_not_told(text: str, expected: str) -> None:
    environ = {
        "API_KEY": "sesame-1",
        "GITHUB_TOKEN": "sesame-1-longer",
        "HOME": "/home/mara",
        "AUTH": "80",
        "MONKEY": "monkey-business",
    }
    assert redacted(text, environ) == expected


@pytest.mark.parametrize(
    "name",
    [
        *("API_KEY", "api_keys", "GH_PAT", "DATABASE_URL", "SSH_PASSPHRASE", "PGPASSWORD", "MYSQL_PWD", "AWS_SECRETS"),
        *("HTTP_AUTHORIZATION", "sessionToken", "agentApiKey", "TOKEN", "SENTRY_DSN"),
    ],
)
def test_variables_that_are_named_as_secrets_are(name: str) -> None:
    assert redacted("it says sesame-1", {name: "sesame-1"}) == f"it says ${name}"


@pytest.mark.parametrize("name", ["PWD", "OLDPWD", "KEYBOARD", "PATH", "AUTHOR", "EDITOR", "COMPAT"])
def test_other_variables_are_no_secrets(name: str) -> None:
    assert redacted("it says sesame-1", {name: "sesame-1"}) == "it says sesame-1"


@pytest.mark.parametrize(
    ("value", "secret"),
    [
        ("https://mara:sesame@proxy:80/", True),
        ("redis://:sesame@host", True),
        ("https://mara@host/a:b@c", False),
        ("https://host:8080/", False),
    ],
)
def test_an_address_with_a_password_is_a_secret(value: str, secret: bool) -> None:
    assert redacted(f"no route to {value}", {"PROXY": value}) == f"no route to {'$PROXY' if secret else value}"


def test_a_short_value_may_be_any_word() -> None:
    assert redacted("claude -p", {"LC_AUTH": "claude"}) == "claude -p"


@pytest.mark.parametrize(
    ("end", "left"),
    [
        (b"ame-1 is bad", b" is bad"),
        (b"sesame-1 is bad", b"sesame-1 is bad"),
        (b"e-1", b""),
        (b"is bad: sesam", b"is bad: sesam"),
        (b"\xa9! and", b" and"),
        (b"", b""),
    ],
)
def test_what_is_left_of_a_secret_that_was_cut_goes_too(end: bytes, left: bytes) -> None:
    assert without_cut_secret(end, {"API_KEY": "sesame-1", "TOKEN": "a-long-é!", "HOME": "/is bad"}) == left


# Starting a worker.

JOB = Job(thread="/data/rounds/ask/-odd name.jsonl", seq=7, taken=AT)


def test_a_worker_on_posix() -> None:
    how = plan(JOB, platform="linux", executable="/venv/bin/python", orig_argv=("python", "-X", "utf8", "/bin/rounds"))
    assert how.argv == (
        *("/venv/bin/python", "-X", "utf8", "-P", "-m", "accounting.cli", "ask", "worker"),
        *("--seq", "7", "--taken", AT, "--", "/data/rounds/ask/-odd name.jsonl"),
    )
    assert (how.new_session, how.creation_flags) == (True, 0)


def test_a_worker_on_windows() -> None:
    job = Job(thread="t.jsonl", seq=1, taken=AT, notify="/run/me.sock")
    how = plan(job, platform="win32", executable="python.exe", orig_argv=("python",))
    assert how.argv[-4:] == ("--notify", "/run/me.sock", "--", "t.jsonl")
    assert (how.new_session, how.creation_flags) == (False, 0x208)


@pytest.mark.invariant("A12")
def test_nothing_of_the_provider_is_on_the_command_line() -> None:
    how = plan(JOB, platform="linux", executable="python", orig_argv=())
    assert "sesame" not in json.dumps(how.argv)
    assert set(Job.__struct_fields__) == {"thread", "seq", "taken", "notify"}


@pytest.mark.parametrize(
    ("orig_argv", "flags"),
    [
        (["python"], []),
        (["python", "-m", "accounting.cli", "-x"], []),
        (["python", "/venv/bin/rounds", "-I", "ask"], []),
        (["python", "-c", "import x", "-B"], []),
        (["python", "-"], []),
        (["python", "-I", "-m", "pytest"], ["-I"]),
        (["python", "-Im", "pytest"], ["-I"]),
        (["python", "-OOB", "-Wdefault", "-W", "error", "script"], ["-OOB", "-Wdefault", "-W", "error"]),
        (["python", "-bWerror", "-Xdev", "script"], ["-bWerror", "-Xdev"]),
        (["python", "-bX", "dev", "-mcProfile"], ["-bX", "dev"]),
        (
            ["python", "--check-hash-based-pycs", "always", "-s", "script"],
            ["--check-hash-based-pycs", "always", "-s"],
        ),
        ([], []),
    ],
)
def test_the_interpreters_flags_are_passed_on(orig_argv: list[str], flags: list[str]) -> None:
    assert interpreter_flags(orig_argv) == tuple(flags)
