"""`python -m bench.index [MB]`: what an index costs, and what one run of a large ledger costs with it.

Times are ratios of two measured in turn within this run, the median of several pairs: above 1 is faster than scanning.
Both are warm: the ledger is in the system's cache, and the modules are loaded.
"""

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from accounting.ledger import Ledger
from accounting.ledger.index.trust import SETTLING
from accounting.views.rounds import read_rounds
from bench.generate import write_ledger
from wire.scalars import run_id

MB = 1_000_000
SEGMENT = 64 << 20
IN_A_ROW = 5
PAIRS = 7
RUN = run_id("0198f6a2-7c4a-7bbb-9d1e-000000000007")
ABSENT = run_id("ffffffff-7c4a-7bbb-9d1e-000000000000")


def generate(folder: Path, size: int, runs: int) -> Path:
    """A ledger in segments; how many lines one may hold is the format's limit in bytes."""
    whole = folder / "whole"
    write_ledger(whole, size, runs)
    ledger = folder / "ledger"
    ledger.mkdir()
    with whole.open("rb") as lines:
        seq = 0
        while first := lines.readline():
            with (ledger / f"ledger-{seq:020d}.jsonl").open("wb") as segment:
                written = segment.write(first)
                seq += 1
                while written < SEGMENT and (line := lines.readline()):
                    if written + len(line) > SEGMENT:
                        lines.seek(-len(line), 1)
                        break
                    written += segment.write(line)
                    seq += 1
    whole.unlink()
    return ledger


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def ratio(scanned: Callable[[], object], indexed: Callable[[], object]) -> str:
    """How many times as fast with the index, as the median of pairs; and how long it takes.

    Each scan is warmed by the one before it, so each look by the index is too: the median of a few in a row.
    """
    pairs = [(timed(scanned), statistics.median(timed(indexed) for _ in range(IN_A_ROW))) for _ in range(PAIRS)]
    ratios = [first / second for first, second in pairs]
    taken = statistics.median(second for _, second in pairs)
    spread = f"{min(ratios):.1f} to {max(ratios):.1f} over {PAIRS} pairs; {taken * 1e3:.1f} ms"
    return f"{statistics.median(ratios):.1f}x  ({spread})"


def main(size: int) -> None:
    assert RUN is not None
    assert ABSENT is not None
    run, absent = RUN, ABSENT
    with tempfile.TemporaryDirectory(prefix="rounds-bench-") as folder:
        runs = max(50, 2 * size // MB)
        print(f"generating {size // MB} MB of {runs} runs in segments of 64 MiB ...", flush=True)
        path, index = generate(Path(folder), size, runs), Path(folder) / "index"
        time.sleep(SETTLING / 1e9)  # files just written are not believed by their stat
        scan = min(timed(lambda: list(Ledger(path).records(absent))) for _ in range(3))
        build = timed(lambda: list(Ledger(path, index=index).records(absent)))
        print(f"indexing it, beside one scan\n    {build / scan:.1f} times as long")
        taken = sum(file.stat().st_size for file in index.iterdir())
        print(f"the index\n    {taken / Ledger(path).size:.2%} of the ledger")
        assert read_rounds(Ledger(path, index=index), run) == read_rounds(path, run)
        lines = sum(1 for record, _ in Ledger(path, index=index).records(run) if record.run == run)
        print(f"one run of {lines} lines read and folded, beside scanning for it")
        print("   ", ratio(lambda: read_rounds(path, run), lambda: read_rounds(Ledger(path, index=index), run)))
        print("which runs there are")
        print("   ", ratio(lambda: Ledger(path).run_ids(), lambda: Ledger(path, index=index).run_ids()))
        print("one run of a ledger that has just grown: the newest segment is proven by its content")
        last = max(path.iterdir())
        with last.open("rb") as file:
            line = file.readline()

        def grown() -> object:
            with last.open("ab") as file:
                file.write(line)
            return read_rounds(Ledger(path, index=index), run)

        print("   ", ratio(lambda: read_rounds(path, run), grown))


if __name__ == "__main__":
    main(int(sys.argv[1]) * MB if len(sys.argv) > 1 else 200 * MB)
