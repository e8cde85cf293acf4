"""Real processes and real disks: a writer that is killed, a file that may not grow, a disk that is full."""

import json
import os
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from accounting.ledger import check
from accounting.ledger.canonical import line_hash
from accounting.ledger.writing import AppendError, LedgerWriter, storing
from tests.accounting.ledger.writing.places import stored, whole
from tests.accounting.ledger.writing.plain import noted
from tests.accounting.ledger.writing.processes import END, SMALL, groups

ROOT = Path(__file__).resolve().parents[4]
Running = subprocess.Popen[bytes]


def start(task: str, directory: Path, *arguments: object) -> Running:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.accounting.ledger.writing.processes", task, directory, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
    )


def told(running: Running) -> Any:
    """What a process says when its standard input ends."""
    out, err = running.communicate(timeout=120)
    assert running.returncode == 0, err.decode()
    return json.loads(out.splitlines()[-1])


def killed(directory: Path, seed: str, random: Random, checker: Running) -> dict[int, str]:
    """A writer that is killed somewhere, and a check meanwhile; the lines that it acknowledged, by number."""
    after = random.choice((0, 1, 1, 2, 3, 5, 8))
    with start("write", directory, seed) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        assert checker.stdin is not None
        said = [running.stdout.readline()]
        checker.stdin.write(b"now\n")
        checker.stdin.flush()
        said += [running.stdout.readline() for _ in range(after)]
        running.kill()
        said += running.stdout.readlines()
        assert running.stderr.read() == b""
    assert running.returncode == -9
    assert said[0] == b"opening\n"
    return {int(seq): hashed for seq, hashed in (line.decode().split() for line in said[1:])}


def kill_over_and_over(directory: Path, rounds: int) -> None:
    random = Random(rounds)
    LedgerWriter(directory).close()
    checker, follower = start("keep_checking", directory), start("follow", directory)
    with checker, follower:
        try:
            acknowledged: dict[int, str] = {}
            for number in range(rounds):
                acknowledged |= killed(directory, f"{rounds}.{number}", random, checker)
            with LedgerWriter(directory) as writer:
                writer.append(noted(END))
            checked, followed = told(checker), told(follower)
        finally:
            checker.kill()
            follower.kill()

    lines = whole(directory).splitlines()
    assert {seq: line_hash(lines[seq]) for seq in acknowledged} == acknowledged
    report = check(directory)
    assert report.conforms, report.findings
    assert report.summary.lines == len(lines)
    records = [json.loads(line) for line in lines]
    assert [record["kind"] for record in records].count("log_truncated") <= rounds
    assert checked == {"checks": rounds, "faults": []}
    assert followed["read"] == [[record["seq"], record["data"].get("text")] for record in records]


@pytest.mark.invariant("W1")
def test_a_writer_is_killed_over_and_over(tmp_path: Path) -> None:
    kill_over_and_over(tmp_path / "ledger", 40)


@pytest.mark.soak
def test_a_writer_is_killed_five_hundred_times(tmp_path: Path) -> None:
    kill_over_and_over(tmp_path / "ledger", 500)


def test_a_file_that_may_not_grow(tmp_path: Path) -> None:
    running = start("outgrow", tmp_path / "ledger")
    out, err = running.communicate(timeout=60)
    assert (running.returncode, err) == (0, b"")
    number, size, error = out.decode().split(" ", 2)
    assert "File too large" in error
    assert f"(byte {size})" in error
    texts = [json.loads(line)["data"]["text"] for line in whole(tmp_path / "ledger").splitlines()]
    assert texts == [f"{index}{half}" for index in range(int(number)) for half in "ab"] + ["after"]
    assert len(texts) > 3
    assert check(tmp_path / "ledger").conforms


@pytest.fixture
def small_disk(tmp_path: Path) -> Generator[Path]:
    """A file system of 256 kB."""
    place = tmp_path / "small"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "rounds-test", str(place)]
    if os.geteuid() or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a small file system cannot be mounted here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_disk_that_is_full(small_disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storing, "SEGMENT_LIMIT", SMALL)
    fillers = [small_disk / f"filler{index}" for index in range(4)]
    for filler in fillers:
        filler.write_bytes(b"x" * 40_960)
    directory = small_disk / "ledger"
    there: list[object] = []
    with LedgerWriter(directory) as writer:
        for group in groups(Random(3)):
            before = stored(directory)
            try:
                writer.append(*group)
            except AppendError as error:
                assert "No space left on device" in str(error)
                assert stored(directory) == before
                fillers.pop().unlink()
                if not fillers:
                    break
                continue
            there += [draft.data["text"] for draft in group]
        writer.append(noted(END))
    assert [json.loads(line)["data"]["text"] for line in whole(directory).splitlines()] == [*there, END]
    assert check(directory).conforms
