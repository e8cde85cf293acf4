"""Reading another agent's session: how long, beside decoding its lines untyped and beside other readers.

python -m bench.foreign [MEGABYTES] [PYTHON]

Everything is measured in turn within one run, in time of the processor and the best of several, over one made-up
Claude Code file (32 MB unless said otherwise). What was read is kept until the clock has stopped, ours as theirs.
PYTHON is an interpreter in whose environment other readers are installed; which of them were there is printed. The
others read only. Memory is the peak of a fresh process that reads and folds.
"""

import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from accounting.foreign import Session, read
from accounting.views.rounds import RoundsFold
from wire import RoundsAnswer

SESSION = "5b1d7a52-0f1e-4c3a-9a77-3d1b5f6c2e90"
ROUNDS = 5

OURS_ALONE = """
import resource, sys
from bench.foreign import fold
fold(sys.argv[1])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""

OTHERS = {
    "cc-session-core": "from cc_session_core import Session; work = Session.load",
    "atif-make": "from pathlib import Path; import atif_make; work = lambda path: atif_make.convert(Path(path))",
    "claude-code-log": (
        "from claude_code_log.converter import load_transcript as load; from pathlib import Path; "
        "work = lambda path: load(Path(path), silent=True)"
    ),
    "claude-code-transcripts": "from claude_code_transcripts import parse_session_file as work",
}
"""How each of the others reads one file into its own values, rendering left out."""

TIMED = """
import sys, time
best = 1e9
for _ in range(int(sys.argv[2])):
    start = time.process_time()
    kept = work(sys.argv[1])
    best = min(best, time.process_time() - start)
    del kept
print(best, file=sys.stderr)
"""


def _words(source: random.Random, size: int) -> str:
    words = ["".join(source.choices("etaoinshrdlu", k=source.randint(2, 9))) for _ in range(400)]
    pieces: list[str] = []
    length = 0
    while length < size:
        word = source.choice(words) + source.choice((" ", " ", " ", " ", "\n", ' "', ", ", "/"))
        pieces.append(word)
        length += len(word)
    return "".join(pieces)


def lines(size: int) -> Iterator[bytes]:
    """The lines of a session of about that many bytes: requests of two or three lines, each with its tool's answer."""
    source = random.Random(7)
    written = number = 0
    parent: str | None = None

    def line(kind: str, **more: Any) -> bytes:
        nonlocal written, number, parent
        number += 1
        uuid = f"00000000-0000-4000-8000-{number:012d}"
        seconds = number // 2
        stamp = (
            f"2026-05-{1 + seconds // 86400:02d}T{seconds // 3600 % 24:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
        )
        text = json.dumps(
            {
                "parentUuid": parent,
                "isSidechain": False,
                "userType": "external",
                "cwd": "/home/someone/project",
                "sessionId": SESSION,
                "version": "2.1.260",
                "gitBranch": "main",
                "type": kind,
                "uuid": uuid,
                "timestamp": f"{stamp}.{number % 1000:03d}Z",
                **more,
            },
            ensure_ascii=False,
            separators=(",", ":"),
        ).encode()
        parent = uuid
        written += len(text) + 1
        return text + b"\n"

    yield line("user", message={"role": "user", "content": _words(source, 300)})
    request = 0
    while written < size:
        request += 1
        call = f"toolu_{request:020d}"
        shell = source.random() < 0.6
        arguments: dict[str, Any] = (
            {"command": _words(source, 80), "description": "looks"}
            if shell
            else {
                "file_path": f"/home/someone/project/{request}.py",
                "old_string": _words(source, 400),
                "new_string": "x",
            }
        )
        blocks: list[dict[str, Any]] = [
            {"type": "tool_use", "id": call, "name": "Bash" if shell else "Edit", "input": arguments}
        ]
        if source.random() < 0.7:
            blocks.insert(0, {"type": "text", "text": _words(source, 250)})
        if source.random() < 0.4:
            blocks.insert(0, {"type": "thinking", "thinking": _words(source, 700), "signature": "s" * 400})
        for block in blocks:
            usage = {
                "input_tokens": 4,
                "cache_creation_input_tokens": source.randint(0, 3000),
                "cache_read_input_tokens": 20_000 + request,
                "output_tokens": source.randint(1, 900),
                "service_tier": "standard",
                "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
            }
            yield line(
                "assistant",
                requestId=f"req_{request:020d}",
                message={
                    "id": f"msg_{request:020d}",
                    "type": "message",
                    "role": "assistant",
                    "model": "claude-opus-4-5-20251101",
                    "content": [block],
                    "stop_reason": "tool_use" if block["type"] == "tool_use" else None,
                    "stop_sequence": None,
                    "usage": usage,
                },
            )
        printed = _words(source, int(source.lognormvariate(7.3, 1.1)))
        twin: dict[str, Any] = (
            {"stdout": printed, "stderr": "", "interrupted": False, "isImage": False}
            if shell
            else {
                "filePath": "/p.py",
                "oldString": printed,
                "newString": "x",
                "structuredPatch": [],
                "userModified": False,
            }
        )
        answer = {"tool_use_id": call, "type": "tool_result", "content": printed, "is_error": False}
        yield line("user", message={"role": "user", "content": [answer]}, toolUseResult=twin)
        if request % 40 == 0:
            yield line("user", message={"role": "user", "content": _words(source, 120)})


def fold(path: str) -> tuple[Session, RoundsAnswer]:
    """Read and fold."""
    session = read(path)
    rounds = RoundsFold(session.run)
    for record in session.records:
        rounds.feed(record)
    return session, rounds.answer()


def untyped(path: str) -> int:
    """Decode every line untyped, and nothing else."""
    decode = msgspec.json.Decoder().decode
    count = 0
    with Path(path).open("rb", buffering=1 << 20) as file:
        for line in file:
            decode(line)
            count += 1
    return count


def seconds(work: Callable[[str], object], path: str) -> float:
    start = time.process_time()
    kept = work(path)
    took = time.process_time() - start
    del kept
    return took


def other(python: str, setup: str, path: str) -> float | None:
    """The best of several runs of another reader; `None` where it is not installed, or fails."""
    program = f"{setup}\n{TIMED}"
    ran = subprocess.run([python, "-c", program, path, str(ROUNDS)], capture_output=True, text=True, check=False)
    return float(ran.stderr.split()[-1]) if ran.returncode == 0 else None


def main() -> None:
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 32
    python = sys.argv[2] if len(sys.argv) > 2 else sys.executable
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / f"{SESSION}.jsonl")
        with Path(path).open("wb") as file:
            file.writelines(lines(megabytes * 1_000_000))
        mb = Path(path).stat().st_size / 1e6
        works: dict[str, Callable[[str], object]] = {"read": read, "read and fold": fold, "untyped decoding": untyped}
        times = dict.fromkeys(works, 1e9)
        for _ in range(ROUNDS):
            for name, work in works.items():
                times[name] = min(times[name], seconds(work, path))
        print(f"file: {mb:.0f} MB, {untyped(path)} lines, {len(fold(path)[1].turns)} turns")
        for name, took in times.items():
            ratio = times["untyped decoding"] / took
            print(f"{name:24} {took:7.3f} s {mb / took:6.0f} MB/s {ratio:6.2f} of untyped decoding")
        for name, setup in OTHERS.items():
            theirs = other(python, setup, path)
            if theirs is None:
                print(f"{name:24} not there")
            else:
                ratio = theirs / times["read"]
                print(f"{name:24} {theirs:7.3f} s {mb / theirs:6.0f} MB/s {ratio:6.2f} times as long as our reading")
        alone = subprocess.run([sys.executable, "-c", OURS_ALONE, path], capture_output=True, text=True, check=True)
        print(f"peak memory              {int(alone.stdout) / 1024:7.0f} MB")


if __name__ == "__main__":
    main()
