"""A ledger of many interleaved runs, for measuring: canonical lines that chain, about 2 kB each.

python -m bench.generate PATH BYTES [RUNS]
"""

import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from accounting.ledger.canonical import GENESIS, encode_sorted, line_hash


def _words(source: random.Random, size: int) -> str:
    """Prose-like text with quotes and newlines where prose has them."""
    pieces: list[str] = []
    length = 0
    while length < size:
        word = "".join(source.choices("etaoinshrdlu", k=source.randint(2, 9)))
        pieces.append(source.choice(("", "", "", "", "", "", '"', "\n")) + word)
        length += len(word) + 1
    return " ".join(pieces)


def _session(source: random.Random, pool: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The endless records of one session: a request, its reply, the calls it asked for, their results."""
    yield "run_started", {"goal": "measure", "task": _words(source, 200)}
    number = 0
    while True:
        yield "model_called", {"model": "bench-1", "segments": [f"{source.getrandbits(256):064x}" for _ in range(8)]}
        ids = [f"call-{number}-{index}" for index in range(source.randint(1, 3))]
        number += 1
        content: list[dict[str, Any]] = [
            {"kind": "thinking", "signature": "s" * 120, "thinking": source.choice(pool)[:600]},
            {"kind": "text", "text": source.choice(pool)[:1200]},
        ]
        content += [{"id": id_, "input": {"program": "make"}, "kind": "tool_use", "name": "exec"} for id_ in ids]
        usage = {"cache_read_tokens": 9000, "input_tokens": 12000, "output_tokens": 350, "v": 1}
        yield (
            "model_returned",
            {
                "billed_usd_micros": 4200,
                "calls": len(ids),
                "first_at": 1_700_000_000_000,
                "first_us": 350_000,
                "message": {"content": content, "role": "assistant"},
                "stop": "tool_use",
                "took_us": 4_000_000,
                "usage": usage,
            },
        )
        for id_ in ids:
            args = {"args": ["-c", source.choice(pool)[:400]], "program": "make"}
            data = {"args": args, "effect": "spawn", "id": id_, "name": "exec", "render": "terminal", "subject": "make"}
            yield "tool_called", data
        for id_ in source.sample(ids, len(ids)):
            text = source.choice(pool)
            result = {"content": text * source.choice((1, 1, 1, 2)), "exit_code": 0}
            yield "tool_result", {"name": "exec", "result": result, "took_us": 1500, "tool_use_id": id_}


def write_ledger(path: Path, size: int, runs: int = 50, seed: int = 1) -> None:
    """Write a ledger of at least `size` bytes."""
    source = random.Random(seed)
    pool = [_words(source, source.randint(1500, 5000)) for _ in range(400)]
    ids = [f"0198f6a2-7c4a-7bbb-9d1e-{index:012x}" for index in range(runs)]
    sessions = [_session(source, pool) for _ in ids]
    written = seq = 0
    prev = GENESIS
    with path.open("wb", buffering=1 << 20) as file:
        while written < size:
            index = source.randrange(runs)
            kind, data = next(sessions[index])
            head = (
                f'{{"v":2,"run":"{ids[index]}","seq":{seq},"prev":"{prev}","t":{1_700_000_000_000 + seq},'
                f'"who":"worker@bench.1","addr":"bench/room","kind":"{kind}","data":'
            )
            line = head.encode() + encode_sorted(data) + b"}"
            written += file.write(line + b"\n")
            prev = line_hash(line)
            seq += 1


if __name__ == "__main__":
    write_ledger(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 50)
