"""Several processes at one index, and a ledger that grows meanwhile."""

import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from random import Random

import pytest

from accounting.ledger import Ledger
from accounting.ledger.index import index_file, store
from tests.accounting.ledger.index.world import ASKED, read, same
from tests.compare import Plain
from tests.lines import canonical

A, B, *_ = ASKED
Later = Callable[[], AbstractContextManager[None]]

READER = """
import sys
from pathlib import Path
from accounting.ledger import Ledger
path, beside, times, *runs = sys.argv[1:]
print("ready", flush=True)
sys.stdin.readline()
for _ in range(int(times)):
    for run in runs:
        told, expected = [], []
        records = list(Ledger(path, index=beside).records(run, told.append))
        assert records == list(Ledger(path).records(run, expected.append))
        assert told == expected
    assert Ledger(path, index=beside).run_ids() == Ledger(path).run_ids()
"""


def line(seq: int, run: str, size: int = 20) -> bytes:
    plain: Plain = {"v": 2, "run": run, "seq": seq, "t": 5, "kind": "went_back", "data": {"text": "x" * size}}
    if seq % 17 == 0:
        plain |= {"kind": "signal_enqueued"}
    return canonical(plain) + (b"x" if seq % 50 == 0 else b"") + b"\n"


@pytest.fixture
def at(tmp_path: Path) -> Path:
    """A ledger of four segments, 4,000 lines."""
    path = tmp_path / "ledger"
    path.mkdir()
    for first in range(0, 4000, 1000):
        lines = (line(seq, (A, B)[seq * seq % 3 % 2]) for seq in range(first, first + 1000))
        (path / f"ledger-{first:020d}.jsonl").write_bytes(b"".join(lines))
    return path


def reader(at: Path, beside: Path, times: int) -> "subprocess.Popen[bytes]":
    """A process that reads with and without the index and compares, once it is told to."""
    command: list[str | Path] = [sys.executable, "-c", READER, at, beside, str(times), A, B]
    started = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert started.stdout is not None
    assert started.stdout.readline() == b"ready\n"
    return started


def ended(*started: "subprocess.Popen[bytes]") -> None:
    """Let them begin, and see all of them end well."""
    for one in started:
        assert one.stdin is not None
        one.stdin.write(b"\n")
        one.stdin.flush()
    for one in started:
        _, told = one.communicate(timeout=60)
        assert (one.returncode, told) == (0, b"")


def test_processes_that_build_and_read_at_once(at: Path, tmp_path: Path) -> None:
    beside = tmp_path / "index"
    ended(*(reader(at, beside, 3) for _ in range(3)))
    same(at, beside)


def test_processes_while_the_index_is_taken_from_them(at: Path, tmp_path: Path) -> None:
    beside = tmp_path / "index"
    started = [reader(at, beside, 4) for _ in range(2)]
    random = Random(1)
    for one in started:
        assert one.stdin is not None
        one.stdin.write(b"\n")
        one.stdin.flush()
    file = index_file(beside, at)
    taken = 0
    while any(one.poll() is None for one in started):
        if file.exists() and (content := file.read_bytes()):
            if random.random() < 0.5:
                file.unlink(missing_ok=True)
            else:
                at_byte = random.randrange(len(content))
                with file.open("r+b") as damaged:
                    damaged.seek(at_byte)
                    damaged.write(b"\xff" * 64)
            taken += 1
    assert taken
    for one in started:
        assert (one.communicate()[1], one.returncode) == (b"", 0)
    same(at, beside)


BUILDER = """
import sys
from accounting.ledger import Ledger
from accounting.ledger.index import store
put = store.Store.put_places
def stopped(*given):
    put(*given)
    print("writing", flush=True)
    sys.stdin.readline()
store.Store.put_places = stopped
Ledger(sys.argv[1], index=sys.argv[2]).run_ids()
"""


def test_a_process_killed_while_it_builds(
    at: Path, tmp_path: Path, later: Later, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside = tmp_path / "index"
    monkeypatch.setattr(store, "PATIENCE", 0.05)
    builder: list[str | Path] = [sys.executable, "-c", BUILDER, at, beside]
    for segments in (1, 3):
        with subprocess.Popen(builder, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as started:
            assert started.stdin is not None
            assert started.stdout is not None
            for _ in range(segments - 1):
                assert started.stdout.readline() == b"writing\n"
                started.stdin.write(b"\n")
                started.stdin.flush()
            assert started.stdout.readline() == b"writing\n"
            # In the midst of a transaction, so that nobody else can write.
            with later():
                same(at, beside, (A,))
            started.send_signal(signal.SIGKILL)
        with later():
            same(at, beside)
        index_file(beside, at).unlink(missing_ok=True)


WRITER = """
import os, sys
from pathlib import Path
from random import Random
folder, content, seed = Path(sys.argv[1]), Path(sys.argv[2]).read_bytes(), int(sys.argv[3])
random = Random(seed)
done = segment = 0
file = None
while done < len(content):
    if random.random() < 0.02:
        sys.stdin.readline()  # another read has been begun
    if file is None or (content[done - 1 : done] == b"\\n" and random.random() < 0.05):
        file = os.open(folder / f"ledger-{segment:020d}.jsonl", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        segment += 1
    size = random.choice((1, 7, 150, 400, 3000))
    done += os.write(file, content[done : done + size])
"""


def test_a_ledger_that_grows_while_it_is_read(tmp_path: Path) -> None:
    """Every answer is that of a scan of whole lines, of all that were there when it was asked for."""
    sources, folder, beside = tmp_path / "lines", tmp_path / "ledger", tmp_path / "index"
    folder.mkdir()
    lines = [line(seq, (A, B)[seq % 2], seq % 90) for seq in range(8000)]
    sources.write_bytes(b"".join(lines))
    (folder / f"ledger-{0:020d}.jsonl").touch()
    whole = [record for record, _ in read(sources, A)[0]]
    with subprocess.Popen([sys.executable, "-c", WRITER, folder, sources, "1"], stdin=subprocess.PIPE) as writer:
        assert writer.stdin is not None
        reads = 0
        while writer.poll() is None:
            before = sum(path.read_bytes().count(b"\n") for path in folder.iterdir())
            with suppress(BrokenPipeError):
                writer.stdin.write(b"\n")
                writer.stdin.flush()
            records = [record for record, _ in Ledger(folder, index=beside).records(A)]
            assert records == whole[: len(records)]
            assert len(records) >= sum(record.seq < before for record in whole)
            reads += 1
    assert writer.returncode == 0
    assert reads > 20
    same(folder, beside)
    assert [record for record, _ in read(folder, A, beside)[0]] == whole
    assert [*beside.iterdir()] == [index_file(beside, folder)]
