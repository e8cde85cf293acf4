"""`rounds dispatch` as processes: the agent outlives them, and waiting is theirs alone. Spec: dispatch.md 2.2."""

import fcntl
import json
import os
import pty
import select
import signal
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from accounting.cli.trouble import INTERRUPTED
from tests.accounting.ask.workers import until
from tests.accounting.cli.dispatching import dispatch, dispatch_json, places, process, start
from tests.accounting.cli.help import ROUNDS, environment

__all__ = ["places"]

AGENT = ("--profile", "fake", "--workspace")
DEADLINE_S = 20.0


def test_an_agent_outlives_who_started_it_and_another_waits(places: Path) -> None:
    task = f"init hold:{places}/go ok:late"
    with process("start", *AGENT, places / "workspace", "--json", task) as starting:
        out, err = starting.communicate()
    assert (starting.returncode, err) == (0, b"")
    run = json.loads(out)["runId"]
    with process("wait", run) as one, process("wait", run, "--json") as other:
        (places / "go").touch()
        drawn, told = one.communicate()
        answered, _ = other.communicate()
    assert (one.returncode, other.returncode, told) == (0, 0, b"")
    assert b"succeeded by observation" in drawn
    assert json.loads(answered)["resultText"] == "late"


def test_who_starts_may_be_killed_while_it_waits(places: Path) -> None:
    words = ("start", *AGENT, places / "workspace", "--key", "k", "--wait", "60")
    with process(*words, f"init hold:{places}/go ok") as starting:
        until(lambda: (places / "started").exists(), "a start")
        starting.kill()
    again = start(places, f"init hold:{places}/go ok", "--key", "k")
    assert (again["state"], again["idempotentReplay"]) == ("running", True)
    (places / "go").touch()
    assert dispatch("wait", again["runId"]).exit_code == 0
    assert len((places / "started").read_text().split()) == 1


def test_ctrl_c_ends_the_waiting_and_not_the_run(places: Path) -> None:
    run = start(places, f"init hold:{places}/go ok")["runId"]
    with process("wait", run) as waiting:
        until(lambda: _watches(waiting.pid), "it waits")
        waiting.send_signal(signal.SIGINT)
        out, err = waiting.communicate()
    assert (waiting.returncode, out) == (INTERRUPTED, b"")
    assert err.decode() == (
        f"rounds: {run} goes on: `rounds dispatch wait {run}` waits again, `rounds dispatch cancel {run}` gives it up\n"
    )
    assert dispatch_json("show", run)["state"] == "running"
    (places / "go").touch()
    assert dispatch("wait", run).exit_code == 0


def test_ctrl_c_while_a_session_is_waited_for_leaves_the_run(places: Path) -> None:
    with process("start", *AGENT, places / "workspace", f"hold:{places}/go init ok") as starting:
        until(lambda: (places / "started").exists() and _watches(starting.pid), "it waits")
        starting.send_signal(signal.SIGINT)
        out, err = starting.communicate()
    assert (starting.returncode, out) == (INTERRUPTED, b"")
    (listed,) = dispatch_json("list")["runs"]
    run = listed["runId"]
    assert err.decode() == f"rounds: {run}: running, no session yet; `rounds dispatch wait {run}` waits for its end\n"
    assert (listed["state"], listed["sessionId"]) == ("running", None)
    (places / "go").touch()
    assert dispatch("wait", run).exit_code == 0


def signalled(number: signal.Signals, step: str, *words: str | Path) -> "subprocess.CompletedProcess[str]":
    """`rounds`, which is sent a signal at a step."""
    command = (sys.executable, "-m", "tests.accounting.cli.signalled", number.name, step, *map(str, words))
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment(), timeout=30)


@pytest.mark.parametrize("step", ["run locked", "journal beside its name", "journal queued", "launcher started"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_start_is_not_broken_off(places: Path, number: signal.Signals, step: str) -> None:
    task = f"hold:{places}/go init ok"
    given = signalled(number, step, "dispatch", "start", *AGENT, places / "workspace", "--key", "k", task)
    (listed,) = dispatch_json("list")["runs"]
    run = listed["runId"]
    assert (listed["state"], given.stdout) == ("running", "")
    told = f"rounds: {run}: running, no session yet; `rounds dispatch wait {run}` waits for its end\n"
    if number is signal.SIGINT:
        assert (given.returncode, given.stderr) == (INTERRUPTED, told)
    else:
        assert (given.returncode, given.stderr) == (-signal.SIGTERM, "")
    (places / "go").touch()
    assert dispatch("wait", run).exit_code == 0
    assert start(places, task, "--key", "k")["idempotentReplay"]


@pytest.mark.parametrize("step", ["cancelling written down", "agent asked to end", "agent ended"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_cancel_is_not_broken_off(places: Path, number: signal.Signals, step: str) -> None:
    run = start(places, "init sleep:60")["runId"]
    given = signalled(number, step, "dispatch", "cancel", run)
    code = INTERRUPTED if number is signal.SIGINT else -signal.SIGTERM
    assert (given.returncode, given.stdout, given.stderr) == (code, f"{run}: cancelled\n", "")
    assert dispatch_json("show", run)["state"] == "cancelled"


@pytest.mark.parametrize("step", ["run locked", "journal queued", "launcher started"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_tool_s_start_is_not_broken_off(places: Path, number: signal.Signals, step: str) -> None:
    where = {"profile": "fake", "workspace": str(places / "workspace"), "key": "k"}
    arguments = json.dumps({**where, "task": f"init hold:{places}/go ok"})
    given = signalled(number, step, "tools", "call", "start_run", "--json", arguments)
    code = INTERRUPTED if number is signal.SIGINT else -number
    assert (given.returncode, given.stderr) == (code, "")
    (listed,) = dispatch_json("list")["runs"]
    answered = json.loads(given.stdout)
    assert (answered["runId"], answered["state"], listed["state"]) == (listed["runId"], "running", "running")
    assert answered["sessionId"] is not None
    (places / "go").touch()
    assert dispatch("wait", listed["runId"]).exit_code == 0


@pytest.mark.parametrize("step", ["cancelling written down", "agent ended"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_tool_s_cancel_is_not_broken_off(places: Path, number: signal.Signals, step: str) -> None:
    run = start(places, "init sleep:60")["runId"]
    given = signalled(number, step, "tools", "call", "cancel_run", "--json", json.dumps({"runId": run}))
    code = INTERRUPTED if number is signal.SIGINT else -number
    assert (given.returncode, given.stderr) == (code, "")
    assert json.loads(given.stdout)["cancelled"] is True
    assert dispatch_json("show", run)["state"] == "cancelled"


def test_a_tool_that_reads_only_is_broken_off(places: Path) -> None:
    run = start(places, f"init hold:{places}/go ok")["runId"]
    with subprocess.Popen(
        [*ROUNDS, "tools", "call", "wait_run", json.dumps({"runId": run, "seconds": 60})],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    ) as waiting:
        until(lambda: _watches(waiting.pid), "it waits")
        waiting.send_signal(signal.SIGINT)
        out, _ = waiting.communicate()
    assert (waiting.returncode, out) == (INTERRUPTED, b"")
    assert dispatch_json("show", run)["state"] == "running"
    (places / "go").touch()
    assert dispatch("wait", run).exit_code == 0


def _watches(pid: int) -> bool:
    """Whether a process is the command by now, no copy of this one, and watches files."""
    process = Path(f"/proc/{pid}")
    try:
        is_command = b"accounting.cli" in (process / "cmdline").read_bytes()
        return is_command and any("inotify" in str(path.readlink()) for path in (process / "fd").iterdir())
    except OSError:
        return False


def test_how_long_it_has_been_is_shown_on_a_terminal_and_taken_away(places: Path) -> None:
    run = start(places, f"init call:a call:b hold:{places}/go ok")["runId"]
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 80))
    with subprocess.Popen(
        [*ROUNDS, "dispatch", "wait", run],
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        env=environment(TERM="xterm-256color"),
    ) as waiting:
        os.close(theirs)
        shown = b""
        while "s · 2 tool calls".encode() not in shown:
            assert select.select([ours], [], [], DEADLINE_S)[0], shown
            shown += os.read(ours, 65536)
        (places / "go").touch()
        out, _ = waiting.communicate()
        while select.select([ours], [], [], 0)[0]:
            try:
                shown += os.read(ours, 65536)
            except OSError:  # nobody has the other end any more
                break
    os.close(ours)
    assert waiting.returncode == 0
    assert b"succeeded" in out
    assert shown.endswith(b"\r\x1b[K")
