"""Real processes: pipes, signals, locales, terminals, and a core install."""

import os
import signal
import subprocess
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path

import pytest

from accounting.cli.trouble import INTERRUPTED, PIPE_CLOSED
from accounting.sample import PATH
from tests.accounting.cli.help import ROUNDS, environment, ledger, process, rounds, shell
from tests.build_sample import FILE, KEEPER
from tests.cases.build import model, replied, text

SAMPLE_RUN = ("--run", KEEPER)
FOLDED = rounds("fold", PATH, *SAMPLE_RUN).stdout_bytes


@pytest.fixture(autouse=True)
def interruptible() -> Generator[None]:
    """Children take Ctrl-C even where the tests themselves were started in the background, to which it is deaf."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def talkative(tmp_path: Path) -> Path:
    """A ledger whose drawing and JSON are longer than a pipe holds."""
    return ledger(tmp_path / "long.jsonl", *(one for _ in range(4000) for one in (model(), replied(text("x" * 70)))))


# Reading what can be read only once.


def test_standard_input(tmp_path: Path) -> None:
    temporary = tmp_path / "spool"
    temporary.mkdir()
    given = process("fold", "-", *SAMPLE_RUN, input=FILE.read_bytes(), env=environment(TMPDIR=str(temporary)))
    assert (given.returncode, given.stdout, given.stderr) == (0, FOLDED, b"")
    assert [*temporary.iterdir()] == []


def test_standard_input_is_called_by_its_name() -> None:
    given = process("fold", "-", input=b"not json\n" + FILE.read_bytes().splitlines(keepends=True)[0])
    assert given.returncode == 1
    assert given.stderr.startswith(b"rounds: standard input:1 (byte 0): not-json: ")


@pytest.mark.parametrize(
    "line",
    [
        "cat {file} | rounds fold - --run {run}",
        "cat {file} | rounds fold /dev/stdin --run {run}",
        "rounds fold <(cat {file}) --run {run}",
        "rounds fold - --run {run} < {file}",
        "rounds fold /dev/stdin --run {run} < {file}",
        "rounds fold /dev/fd/9 --run {run} 9< {file}",
        # A beginning of an id takes two reads.
        "cat {file} | rounds fold - --run 019a1f7c",
        "rounds fold <(cat {file}) --run 019a1f7c",
    ],
)
def test_pipes_and_descriptors(line: str) -> None:
    given = shell(line.format(file=FILE, run=KEEPER), Path.cwd())
    assert (given.returncode, given.stdout, given.stderr) == (0, FOLDED, b"")


def test_a_problem_in_a_pipe_names_the_pipe() -> None:
    given = shell(f"rounds fold <(echo; cat {FILE}) --run {KEEPER}", Path.cwd())
    assert (given.returncode, given.stdout) == (1, FOLDED)
    assert given.stderr.startswith(b"rounds: /dev/fd/")
    assert b":1 (byte 0): not-json: " in given.stderr


@pytest.mark.parametrize("size", [2_000, 30_000])
def test_no_room_for_what_comes_in(size: int) -> None:
    given = shell(f"ulimit -f 1; head -c {size} {FILE} | rounds fold -", Path.cwd())
    assert given.returncode == 2
    assert given.stderr.endswith(b".jsonl: the input cannot be kept here: File too large; TMPDIR names another place\n")


def test_closed_standard_input() -> None:
    given = shell("rounds fold - <&-", Path.cwd())
    assert given.returncode == 2
    assert given.stderr.startswith(b"rounds: standard input is closed")


def test_no_room_for_the_output() -> None:
    given = shell(f"rounds fold {PATH} --run {KEEPER} > /dev/full", Path.cwd())
    assert (given.returncode, given.stderr) == (2, b"rounds: No space left on device\n")


# Endings from outside.


@pytest.mark.parametrize("command", ["show", "fold", "runs"])
def test_a_reader_that_was_never_there(command: str) -> None:
    # Too little for a pipe to fill: the writing fails only as the output is flushed.
    reading, writing = os.pipe()
    os.close(reading)
    arguments = [*ROUNDS, command, PATH, *(() if command == "runs" else SAMPLE_RUN)]
    given = subprocess.run(
        arguments, stdout=writing, stderr=subprocess.PIPE, timeout=30, check=False, env=environment()
    )
    os.close(writing)
    assert (given.returncode, given.stderr) == (PIPE_CLOSED, b"")


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("arguments", [("show",), ("fold",), ("show", "--json")])
def test_a_reader_that_leaves(talkative: Path, arguments: tuple[str, ...], unbuffered: str) -> None:
    env = environment(PYTHONUNBUFFERED=unbuffered)
    with subprocess.Popen(
        [*ROUNDS, *arguments, talkative], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        assert running.stdout.read(1)
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait(30) == PIPE_CLOSED


def test_a_reader_that_leaves_a_drawing_in_colour(talkative: Path) -> None:
    given = shell(f"FORCE_COLOR=1 TERM=xterm rounds show {talkative} | head -c 1; echo ${{PIPESTATUS[0]}}", Path.cwd())
    assert (given.stdout.split(b"\n")[0][-3:], given.stderr) == (b"141", b"")


def test_help_without_a_reader() -> None:
    given = shell("rounds --help >&- ; rounds show --help | true; echo ${PIPESTATUS[0]}", Path.cwd())
    assert given.stderr == b""
    assert given.stdout in (b"0\n", b"141\n")


def opened_with_a_reader(pipe: Path, reader: "subprocess.Popen[bytes]") -> int:
    """The pipe's writing end, once the process has opened the other; or its death."""
    while True:
        try:
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:  # nobody reads yet
            with suppress(subprocess.TimeoutExpired):
                raise AssertionError(f"exit code {reader.wait(0.005)} before the pipe was opened") from None


def interrupted(running: "subprocess.Popen[bytes]") -> tuple[bytes, bytes]:
    """What a process leaves after Ctrl-C, pressed again where the first came just before it began to wait."""
    for _ in range(30):
        running.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            return running.communicate(timeout=1)
    running.kill()
    raise AssertionError("it does not take Ctrl-C")


def test_ctrl_c_while_taking_in_a_pipe(tmp_path: Path) -> None:
    pipe, temporary = tmp_path / "pipe", tmp_path / "spool"
    os.mkfifo(pipe)
    temporary.mkdir()
    arguments = [*ROUNDS, "fold", str(pipe), *SAMPLE_RUN]
    env = environment(TMPDIR=str(temporary))
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env) as running:
        writing = opened_with_a_reader(pipe, running)
        [folder] = temporary.iterdir()
        [kept] = folder.iterdir()
        assert (folder.stat().st_mode & 0o777, kept.stat().st_mode & 0o777) == (0o700, 0o600)
        assert interrupted(running) == (b"", b"")
        os.close(writing)
    assert running.returncode == INTERRUPTED
    assert [*temporary.iterdir()] == []


def test_ctrl_c_while_drawing(talkative: Path) -> None:
    with subprocess.Popen(
        [*ROUNDS, "show", talkative], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    ) as running:
        assert running.stdout is not None
        # It draws more than a pipe holds, and waits for a reader in the midst of it.
        assert running.stdout.read(1)
        _, told = interrupted(running)
    assert (running.returncode, told) == (INTERRUPTED, b"")
