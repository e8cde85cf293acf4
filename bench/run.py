"""`make bench`: how long reading and folding take beside plain msgspec decoding of the same lines.

Every figure is a ratio of two times taken in turn within this run (median of several pairs), so that it means the
same on a slow machine as on a fast one. Above 1 is faster than the baseline.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

from blake3 import blake3
from msgspec import UNSET, Raw, Struct, UnsetType, json

from accounting.ledger import Ledger, verify
from accounting.ledger.line import Line
from accounting.ledger.pick import every
from accounting.ledger.segments import blocks
from accounting.views.rounds import RoundsFold, every_run, read_rounds
from bench.generate import write_ledger
from wire import PAYLOADS, Kind, Record
from wire.scalars import JsonObject, RunId, run_id

MB = 1_000_000
PAIRS = 5


class Envelope(Struct, frozen=True, kw_only=True):
    """The baseline's envelope: every field, the payload left as bytes."""

    v: int
    run: str
    seq: int
    prev: str
    t: int
    who: str
    addr: str | UnsetType = UNSET
    kind: str
    data: Raw
    ig: bool = False


def envelopes(path: Path) -> None:
    """Baseline: every line's envelope, `data: Raw`."""
    decode = json.Decoder(Envelope).decode
    with path.open("rb", buffering=1 << 20) as file:
        for line in file:
            decode(line)


def typed(path: Path) -> None:
    """Baseline: every line's envelope and its payload as its kind's Struct."""
    decode = json.Decoder(Envelope).decode
    payloads = {str(kind): json.Decoder(forms[0]).decode for kind, forms in PAYLOADS.items()}
    with path.open("rb", buffering=1 << 20) as file:
        for line in file:
            envelope = decode(line)
            payloads[envelope.kind](envelope.data)


def hashed(path: Path) -> None:
    """Baseline: every line's envelope and its BLAKE3, as a checker needs them at the least."""
    decode = json.Decoder(Envelope).decode
    with path.open("rb", buffering=1 << 20) as file:
        for line in file:
            blake3(line).hexdigest()
            decode(line)


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def ratio(baseline: Callable[[], object], ours: Callable[[], object]) -> str:
    """How many times as fast as the baseline, as the median of pairs."""
    pairs = [timed(baseline) / timed(ours) for _ in range(PAIRS)]
    return f"{statistics.median(pairs):.2f}x  ({min(pairs):.2f} to {max(pairs):.2f} over {PAIRS} pairs)"


def profile(path: Path) -> list[tuple[str, float]]:
    """Where the time of folding every run goes: the share of each step, from passes that stop one step later."""
    decode, encode = json.Decoder(Line).decode, json.Encoder().encode

    def lines(work: Callable[[bytes], object]) -> None:
        with path.open("rb", buffering=0) as file:
            for block in blocks(file):
                for _, start, end in every(block.content)[0]:
                    work(block.content[start:end])

    def nothing(line: bytes) -> None:
        pass

    def again(line: bytes) -> bool:
        return encode(decode(line)) == line

    passes: list[tuple[str, Callable[[], object]]] = [
        ("finding the lines", lambda: lines(nothing)),
        ("decoding them", lambda: lines(decode)),
        ("writing them again, to prove them canonical", lambda: lines(again)),
        ("looking for depth and wide integers, placing, passing on", lambda: deque(Ledger(path).records(), maxlen=0)),
        ("folding, figures only", lambda: every_run(Ledger(path).records(), texts=False)),
        ("folding, texts", lambda: answers(path)),
    ]
    times = [0.0, *(min(timed(work) for _ in range(3)) for _, work in passes)]
    return [(name, (times[index + 1] - times[index]) / times[-1]) for index, (name, _) in enumerate(passes)]


def peak(path: Path, run: RunId) -> str:
    """Peak memory of a process that folds one run, in MB."""
    code = (
        "import sys; from accounting.views.rounds import read_rounds; read_rounds(sys.argv[1], sys.argv[2]);"
        "print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    )
    done = subprocess.run([sys.executable, "-c", code, path, run], check=True, capture_output=True, text=True)
    return f"{int(done.stdout) * 1024 / MB:.0f} MB"


def live(turns: int) -> tuple[float, float]:
    """Microseconds of one `feed`, and of one `answer` after one change, in a session of so many turns."""
    run = run_id("0198f6a2-7c4a-7bbb-9d1e-000000000000")
    assert run is not None
    fold = RoundsFold(run)
    seq = 0

    def feed(kind: Kind, data: JsonObject) -> None:
        nonlocal seq
        fold.feed(Record(v=2, run=run, seq=seq, t=seq, kind=kind, data=data))
        seq += 1

    def turn(number: int) -> None:
        feed(Kind.model_called, {"model": "m"})
        feed(Kind.tool_called, {"id": f"c{number}", "name": "exec", "args": {"program": "make"}})
        feed(Kind.tool_result, {"tool_use_id": f"c{number}", "name": "exec", "result": "done\n"})

    def session() -> None:
        for number in range(turns):
            turn(number)

    fed = timed(session) / (3 * turns)
    fold.answer()
    answers: list[float] = []
    for number in range(200):
        feed(Kind.tool_called, {"id": f"x{number}", "name": "exec", "args": {}})
        answers.append(timed(fold.answer))
    return fed * 1e6, statistics.median(answers) * 1e6


def main(size: int) -> None:
    with tempfile.TemporaryDirectory(prefix="rounds-bench-") as folder:
        path = Path(folder) / "ledger.jsonl"
        print(f"generating {size // MB} MB of 50 runs ...", flush=True)
        write_ledger(path, size)
        lines = sum(1 for _ in path.open("rb"))
        print(f"{lines} lines, {path.stat().st_size / lines:.0f} bytes each\n")
        run = run_id("0198f6a2-7c4a-7bbb-9d1e-000000000007")
        assert run is not None
        print("one run read and folded, beside decoding every envelope with `data: Raw`")
        print("   ", ratio(lambda: envelopes(path), lambda: read_rounds(path, run)), flush=True)
        print("every run read and folded, beside typed decoding of every line")
        print("   ", ratio(lambda: typed(path), lambda: answers(path)), flush=True)
        print("every run, figures only (as `rounds runs`)")
        print("   ", ratio(lambda: typed(path), lambda: every_run(Ledger(path).records(), texts=False)), flush=True)
        print("where the time of every run goes")
        for name, share in profile(path):
            print(f"    {share:4.0%}  {name}", flush=True)
        print("every line held to every rule (as `rounds check`), beside BLAKE3 and envelope of every line")
        print("   ", ratio(lambda: hashed(path), lambda: deque(verify(path), maxlen=0)), flush=True)
        print(f"peak memory of folding one run of {size // MB} MB\n   ", peak(path, run), flush=True)
        fed, answered = live(1000)
        print("a live session of 1,000 turns")
        print(f"    feed: {fed:.1f} us a record; answer after one change: {answered:.1f} us")


def answers(path: Path) -> None:
    """Every run's answer, from one pass."""
    for fold in every_run(Ledger(path).records()).values():
        fold.answer()


if __name__ == "__main__":
    main(int(sys.argv[1]) * MB if len(sys.argv) > 1 else 200 * MB)
