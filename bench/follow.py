"""`python -m bench.follow`: how soon a follower has a line that another process wrote, and what waiting costs.

A line counts from the moment its `fdatasync` returned, and again from the moment its writing began: a follower sees a
line as soon as it is written, and so may well have it before it is durable. The clock is the machine's monotonic one.
"""

import asyncio
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

from accounting.ledger import Ledger
from accounting.ledger.following import Follower, watch
from bench.generate import write_ledger

LINES = 400
MB = 1_000_000
IDLE_SECONDS = 5.0

WRITER = """
import os, random, sys, time
path, lines = sys.argv[1], int(sys.argv[2])
file = os.open(path, os.O_WRONLY | os.O_APPEND)
text = "x" * 2000
for seq in range(lines):
    line = ('{"v":2,"run":"0aaaaaaa-0000-4000-8000-00000000000a","seq":%d,"prev":"%064d","t":5,"who":"city",'
            '"kind":"tool_result","data":{"text":"%s"}}\\n' % (seq, 0, text)).encode()
    began = time.monotonic_ns()
    os.write(file, line)
    os.fdatasync(file)
    print(began, time.monotonic_ns())
    time.sleep(random.uniform(0.001, 0.02))
"""


def in_a_thread(following: Follower) -> list[int]:
    """When each record was handed out."""
    seen: list[int] = []
    for record, _ in following:
        seen.append(time.monotonic_ns())
        if record.seq == LINES - 1:
            break
    return seen


def in_an_event_loop(following: Follower) -> list[int]:
    async def main() -> list[int]:
        seen: list[int] = []
        async for record, _ in following:
            seen.append(time.monotonic_ns())
            if record.seq == LINES - 1:
                break
        return seen

    return asyncio.run(main())


def latency(name: str, follow: Callable[[Follower], list[int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"ledger-{0:020d}.jsonl"
        path.touch()
        with (
            Ledger(folder).follow() as following,
            subprocess.Popen(
                [sys.executable, "-c", WRITER, str(path), str(LINES)], stdout=subprocess.PIPE, text=True
            ) as writer,
        ):
            seen = follow(following)
            told, _ = writer.communicate()
    times = [[int(one) for one in line.split()] for line in told.splitlines()]
    since_written = [(at - began) / 1e6 for at, (began, _) in zip(seen, times, strict=True)]
    since_durable = [(at - durable) / 1e6 for at, (_, durable) in zip(seen, times, strict=True)]
    print(f"{name:<34} {figures(since_durable)} {figures(since_written)}")


def figures(values: list[float]) -> str:
    return f"{statistics.median(values):9.2f} {statistics.quantiles(values, n=20)[-1]:9.2f} {max(values):9.2f}"


def idle(name: str, followers: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / f"ledger-{0:020d}.jsonl").touch()
        ones = [Ledger(folder).follow() for _ in range(followers)]
        threads = [threading.Thread(target=list, args=(one,)) for one in ones]
        for thread in threads:
            thread.start()
        time.sleep(0.5)
        before = time.process_time()
        time.sleep(IDLE_SECONDS)
        used = time.process_time() - before
        for one in ones:
            one.stop()
        for thread in threads:
            thread.join()
    print(f"{name:<34} {used / IDLE_SECONDS * 100:9.3f} % of one processor")


def catching_up() -> None:
    """How long what is there already takes, beside reading it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ledger.jsonl"
        write_ledger(path, 200 * MB)
        runs = Ledger(path).run_ids()
        lines, one = sum(runs.values()), next(iter(runs))
        for name, run, count in (
            ("every run", None, lines),
            ("one run", one, sum(1 for _ in Ledger(path).records(one))),
        ):
            ratios: list[float] = []
            for _ in range(5):
                start = time.perf_counter()
                for _ in Ledger(path).records(run):
                    pass
                read = time.perf_counter() - start
                start = time.perf_counter()
                with Ledger(path).follow(run) as following:
                    for _ in range(count):
                        next(following)
                ratios.append(read / (time.perf_counter() - start))
            print(f"{name:<34} {statistics.median(ratios):9.2f}x as fast as Ledger.records")


def main() -> None:
    print(f"{LINES} lines of 2.2 kB, ms{'':<13} since durable: median, p95, most   since written: median, p95, most")
    latency("told, for", in_a_thread)
    latency("told, async for", in_an_event_loop)
    with patch.object(watch, "observe", return_value=None):
        latency("untold, for", in_a_thread)
        idle("idle, untold", 1)
    idle("idle, told", 1)
    idle("idle, told, 20 followers", 20)
    catching_up()


if __name__ == "__main__":
    main()
