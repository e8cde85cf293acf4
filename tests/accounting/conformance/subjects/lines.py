"""A fake fold of contract (b), which goes wrong in the way that its first argument names, at the second ledger."""

import json
import os
import signal
import sys
import threading
from typing import Any

how = sys.argv[1]
out, err = sys.stdout.buffer, sys.stderr.buffer
folds = 0


def say(value: Any) -> None:
    out.write(json.dumps(value).encode() + b"\n")
    out.flush()


def hang() -> None:
    threading.Event().wait()


def wrong(asked: dict[str, Any], right: dict[str, Any]) -> None:
    match how:
        case "slow":
            hang()
        case "half":
            out.write(b'{"re":"fold","id":2')
            out.flush()
            hang()
        case "half-and-gone":
            out.write(b'{"re":"fold","id":2')
            out.flush()
            sys.exit(0)
        case "leaves":
            sys.exit(0)
        case "killed":
            err.write(b"about to go")
            err.flush()
            os.kill(os.getpid(), signal.SIGKILL)
        case "deaf":
            os.close(1)
            hang()
        case "other-id":
            say({**right, "id": 7})
        case "earlier-id":
            say({**right, "id": 1})
        case "twice":
            say(right)
            say(right)
        case "other-word":
            say({"re": "start", "protocol": 1, "name": "fake", "version": "1"})
        case "unknown-word":
            say({**right, "re": "folded"})
        case "check-word":
            say({"re": "check", "id": asked["id"], "findings": []})
        case "both":
            say({**right, "rejected": "and yet"})
        case "neither":
            say({"re": "fold", "id": asked["id"]})
        case "answer-in-text":
            say({**right, "answer": json.dumps(right["answer"])})
        case "chats":
            out.write(b"folding...\n")
            say(right)
        case "nested":
            out.write(b'{"re":"fold","id":2,"answer":' + b'{"a":' * 600 + b"1" + b"}" * 601 + b"\n")
            out.flush()
        case "rejects-oddly":
            say({"re": "fold", "id": asked["id"], "rejected": "not \ud800"})
        case "rejects":
            say({"re": "fold", "id": asked["id"], "rejected": "not today"})
        case "floods":
            while True:
                out.write(b"x" * (1 << 16))
        case "floods-lines":
            while True:
                out.write(b"{}\n" * (1 << 14))
        case _:
            sys.exit(f"no fault {how!r}")


if how == "slow-start":
    hang()
if how == "no-start":
    sys.exit("cannot start")
if how == "banner":
    out.write(b"fake 1.0 ready\n")
for line in sys.stdin.buffer:
    asked = json.loads(line)
    match asked["cmd"]:
        case "start":
            version = 2 if how == "newer" else 1
            odd = "\ud800" if how == "odd-name" else ""
            say({"re": "start", "protocol": version, "name": f"fake{odd}", "version": f"1.0{odd}"})
            if how == "shut":
                os.close(0)
                hang()
        case "fold":
            folds += 1
            right: dict[str, Any] = {"re": "fold", "id": asked["id"], "answer": {"run": asked["run"], "turns": []}}
            if how == "echoes":
                say({**right, "answer": asked})
            elif folds < 2 or how in ("right", "odd-name", "stays", "stop-fails", "stop-chats"):
                say(right)
            else:
                wrong(asked, right)
        case "check":
            at = -1 if how == "negative-line" else 2
            say({"re": "check", "id": asked["id"], "findings": [{"code": "float", "line": at, "more": 1}]})
        case _:
            if how == "stays":
                hang()
            if how == "stop-chats":
                say({"re": "stop"})
            sys.exit(how == "stop-fails")
