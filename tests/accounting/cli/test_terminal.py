"""Locales, colour and terminals, with real processes."""

import os
import pty
import re
import subprocess
import termios
import threading
from pathlib import Path

import pytest

from accounting.sample import PATH
from tests.accounting.cli.help import ROUNDS, environment, ledger, process, rounds
from tests.build_sample import FILE, KEEPER
from tests.cases.build import model

SAMPLE_RUN = ("--run", KEEPER)
FOLDED = rounds("fold", PATH, *SAMPLE_RUN).stdout_bytes


LOCALES = (
    {"LC_ALL": "C"},
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    {"PYTHONIOENCODING": "latin-1"},
)


@pytest.mark.parametrize("locale", LOCALES)
def test_output_is_utf8_in_any_locale(locale: dict[str, str]) -> None:
    for colour in ({}, {"FORCE_COLOR": "1", "TERM": "xterm"}):
        plain, foreign = (process("show", PATH, *SAMPLE_RUN, env=environment(**colour, **env)) for env in ({}, locale))
        assert (foreign.returncode, foreign.stderr) == (0, b"")
        assert foreign.stdout == plain.stdout
        assert "清水" in foreign.stdout.decode()


@pytest.mark.parametrize("locale", LOCALES)
def test_problems_are_utf8_in_any_locale(tmp_path: Path, locale: dict[str, str]) -> None:
    path = ledger(tmp_path / "漢", model())
    path.write_bytes("漢\n".encode() + path.read_bytes())
    given = process("fold", path, env=environment(**locale))
    assert given.returncode == 1
    assert given.stderr.decode().endswith("found 漢\n")


def colours(env: dict[str, str]) -> tuple[bool, bool]:
    """Whether the drawing has any style, and whether it has a colour."""
    given = process("show", PATH, *SAMPLE_RUN, env=environment(TERM="xterm-256color", **env))
    assert given.returncode == 0
    return b"\x1b[" in given.stdout, b"\x1b[32m" in given.stdout


def test_colour_where_it_is_asked_for() -> None:
    assert colours({}) == (False, False)
    assert colours({"FORCE_COLOR": "1"}) == (True, True)
    assert colours({"FORCE_COLOR": "1", "NO_COLOR": "1"}) == (True, False)


def on_a_terminal(*arguments: str | Path, columns: int, stdin: int | None = None) -> tuple[int, bytes, bytes]:
    """Exit code, what a terminal so wide is given, and what standard error is."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (40, columns))
    with subprocess.Popen(
        [*ROUNDS, *arguments],
        stdin=stdin,
        stdout=theirs,
        stderr=subprocess.PIPE,
        env=environment(TERM="xterm-256color"),
    ) as running:
        os.close(theirs)
        given = b"".join(iter(lambda: _read(ours), b""))
        assert running.stderr is not None
        told = running.stderr.read()
    os.close(ours)
    return running.returncode, given, told


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:  # the other end is closed
        return b""


def test_a_terminal_has_colour_and_its_own_width() -> None:
    code, given, told = on_a_terminal("show", PATH, *SAMPLE_RUN, columns=40)
    assert (code, told) == (0, b"")
    assert b"\x1b[32m" in given
    assert max(map(len, _without_styles(given).decode().split("\r\n"))) == 40


def _without_styles(given: bytes) -> bytes:
    return re.sub(rb"\x1b\[[0-9;]*m", b"", given)


def test_nothing_watches_where_there_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(**_: object) -> None:
        raise AssertionError("watched")

    monkeypatch.setattr("accounting.cli.progress.Thread", never)
    assert rounds("fold", PATH, *SAMPLE_RUN).stdout_bytes == FOLDED


def test_no_progress_of_what_is_quick() -> None:
    ours, theirs = pty.openpty()
    given = subprocess.run(
        [*ROUNDS, "fold", PATH, *SAMPLE_RUN],
        stdout=subprocess.PIPE,
        stderr=theirs,
        timeout=30,
        check=False,
        env=environment(TERM="xterm-256color"),
    )
    os.close(theirs)
    assert (given.returncode, given.stdout, _read(ours)) == (0, FOLDED, b"")
    os.close(ours)


def test_progress_after_a_while_and_only_on_a_terminal() -> None:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*ROUNDS, "fold", "-", *SAMPLE_RUN],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=theirs,
        env=environment(TERM="xterm-256color"),
    ) as running:
        os.close(theirs)
        assert running.stdin is not None
        assert running.stdout is not None
        content = FILE.read_bytes()
        running.stdin.write(content[:1000])
        running.stdin.flush()
        # Nothing more comes in until the bar is there.
        shown = b""
        while b"taking in the input" not in shown:
            shown += os.read(ours, 65536)
        drained: list[bytes] = []
        draining = threading.Thread(target=lambda: drained.extend(iter(lambda: _read(ours), b"")))
        draining.start()
        running.stdin.write(content[1000:])
        running.stdin.close()
        assert running.stdout.read() == FOLDED
        assert running.wait(30) == 0
        draining.join(30)
    os.close(ours)
    # It takes itself off the screen again: nothing is drawn after the last line is erased.
    _, erased, after = (shown + b"".join(drained)).rpartition(b"\x1b[2K")
    assert erased
    assert b"taking in" not in after
