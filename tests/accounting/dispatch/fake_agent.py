"""An agent to test with: does what its task says, a word after the other. Runs by itself, without the project.

    python fake_agent.py [--to FILE] [TASK]

The task is the argument, else standard input. Words: `init[:ID]`, `say:TEXT` (a line as it is), `part:TEXT` (one
without its end), `call:ID`, `ok[:TEXT]`, `error:SUBTYPE`, `success-error`, `sleep:SECONDS`, `exit:CODE`, `kill:SIGNAL`,
`deaf` (no more SIGTERM), `child` (one that is deaf, in the same group), `daemon:SECONDS` (one in a session of its own,
which keeps the output open and says a result at its end), `flood:MEGABYTES`, `env:NAME` (whether it is there), `cwd`,
`hold:FILE` (until the file is there), `fd` (which are open).
`--to FILE` appends a line to a file at once: a start.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

SESSION = "0c8b5f1e-0000-4000-8000-000000000001"


def say(value: object) -> None:
    put(json.dumps(value).encode() + b"\n")


def put(data: bytes) -> None:
    while data:
        data = data[os.write(1, data) :]


def result(subtype: str, text: str, *, is_error: bool) -> None:
    say(
        {
            "type": "result",
            "subtype": subtype,
            "is_error": is_error,
            "result": text,
            "num_turns": 2,
            "duration_ms": 30,
            "total_cost_usd": 0.25,
            "usage": {"input_tokens": 7, "output_tokens": 5},
            "session_id": SESSION,
        }
    )


def call(ident: str) -> None:
    block = {"type": "tool_use", "id": ident, "name": "Read", "input": None}
    say({"type": "assistant", "message": {"content": [block]}, "session_id": SESSION})


def flood(megabytes: int) -> None:
    line = json.dumps({"type": "assistant", "message": {"content": [{"type": "text", "text": "x" * 8000}]}})
    put((line.encode() + b"\n") * (megabytes * 1_000_000 // len(line)))


def daemon(seconds: str) -> None:
    if os.fork() == 0:
        os.setsid()
        time.sleep(float(seconds))
        result("success", "from the daemon", is_error=False)
        os._exit(0)


def deaf_child() -> None:
    code = (
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); time.sleep(60)"
    )
    child = subprocess.Popen([sys.executable, "-S", "-E", "-c", code], stdout=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.readline()
    put(f"child {child.pid}\n".encode())


def do(word: str) -> None:
    name, _, value = word.partition(":")
    match name:
        case "init":
            say(
                {
                    "type": "system",
                    "subtype": "init",
                    "session_id": value or SESSION,
                    "cwd": str(Path.cwd()),
                    "tools": [],
                }
            )
        case "say":
            put(value.encode() + b"\n")
        case "part":
            put(value.encode())
        case "call":
            call(value)
        case "ok":
            result("success", value or "done", is_error=False)
        case "error":
            result(value, "went wrong", is_error=True)
        case "success-error":
            result("success", "API error", is_error=True)
        case "sleep":
            time.sleep(float(value))
        case "exit":
            os._exit(int(value))
        case "kill":
            os.kill(os.getpid(), getattr(signal, value))
            time.sleep(60)
        case "deaf":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        case "child":
            deaf_child()
        case "daemon":
            daemon(value)
        case "flood":
            flood(int(value))
        case "env":
            put(f"{value}: {'there' if value in os.environ else 'absent'}\n".encode())
        case "cwd":
            put(str(Path.cwd()).encode() + b"\n")
        case "fd":
            put(
                json.dumps(
                    sorted(fd for fd in (int(one.name) for one in Path("/proc/self/fd").iterdir()) if fd > 2)
                ).encode()
                + b"\n"
            )
        case "hold":
            while not Path(value).exists():
                time.sleep(0.01)
        case _:
            put(f"no such word: {word}\n".encode())
            os._exit(2)


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["--to"]:
        descriptor = os.open(arguments[1], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        os.write(descriptor, f"{os.getpid()}\n".encode())
        os.close(descriptor)
        arguments = arguments[2:]
    task = arguments[0] if arguments else sys.stdin.read()
    for word in task.split():
        do(word)


if __name__ == "__main__":
    main(sys.argv[1:])
