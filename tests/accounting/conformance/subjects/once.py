"""A fake fold of contract (a), which goes wrong in the way that its first argument names; the run comes last."""

import os
import signal
import subprocess
import sys
import threading

how, run = sys.argv[1], sys.argv[-1]
ANSWER = f'{{"run":"{run}","turns":[]}}\n'.encode()
out, err = sys.stdout.buffer, sys.stderr.buffer
LONG = b"x" * (1 << 16)


def hang() -> None:
    threading.Event().wait()


def child(*, session: bool) -> None:
    """Another process that holds the pipes open; its number is told."""
    held = subprocess.Popen(
        [sys.executable, "-ISc", "import threading; threading.Event().wait(60)"], start_new_session=session
    )
    err.write(b"%d" % held.pid)
    err.flush()


if how not in ("unread", "closes"):
    sys.stdin.buffer.read()
match how:
    case "right" | "unread":
        out.write(ANSWER)
    case "closes":
        os.close(0)
        out.write(ANSWER)
    case "slow":
        hang()
    case "half":
        out.write(ANSWER[:9])
        out.flush()
        hang()
    case "deaf":
        out.write(ANSWER)
        out.flush()
        os.close(1)
        hang()
    case "killed":
        err.write(b"about to go")
        err.flush()
        os.kill(os.getpid(), signal.SIGKILL)
    case "refuses":
        err.write(b"no such ledger\n")
        sys.exit(3)
    case "lies-refusing":
        out.write(ANSWER)
        sys.exit(1)
    case "lies-answering":
        err.write(b"something went wrong\n")
    case "chats":
        out.write(b"loading...\n" + ANSWER)
    case "twice":
        out.write(ANSWER + ANSWER)
    case "floods":
        while True:
            out.write(LONG)
    case "floods-stderr":
        while True:
            err.write(LONG)
    case "much-stderr":
        for _ in range(256):
            err.write(LONG)
        err.write(b"the end")
        out.write(ANSWER)
    case "child":
        child(session=False)
        out.write(ANSWER)
    case "daemon":
        child(session=True)
        out.write(ANSWER)
    case "child-slow":
        child(session=False)
        hang()
    case "deep":
        out.write(b"[" * 200_000)
    case "nested":
        out.write(b'{"a":' * 700 + b"1" + b"}" * 700)
    case "nested-lists":
        out.write(b'{"run":' + b"[" * 940 + b"]" * 940 + b"}")
    case "digits":
        out.write(b'{"t":' + b"9" * 10_000 + b"}")
    case "nan":
        out.write(b'{"t":NaN}')
    case "key-twice":
        out.write(b'{"run":1,"run":1}')
    case "latin":
        out.write(b'"\xe9"')
    case "negative-line":
        out.write(b'{"findings":[{"code":"float","line":-1}]}')
    case "surrogate":
        out.write(ANSWER[:-2] + b',"worktree":"\\ud800"}')
    case _:
        sys.exit(f"no fault {how!r}")
