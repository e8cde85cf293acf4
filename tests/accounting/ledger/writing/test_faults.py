"""Every operation fails once, in every way: what was acknowledged is there, and of what was not nothing is.

Where the taking back fails too, whole lines of the group may be left, as after a crash; never more than that, and the
writer says that it can no longer tell.
"""

import errno
import json
import os
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from io import FileIO
from itertools import takewhile
from pathlib import Path
from types import FrameType
from typing import Any, Self

import pytest

from accounting.ledger import check
from accounting.ledger.writing import AppendError, Draft, LedgerWriter, WriterUnusableError, storing
from tests.accounting.ledger.writing.places import FIRST, place, stored, whole
from tests.accounting.ledger.writing.plain import clock, in_segments, lines, noted, notice
from tests.accounting.ledger.writing.systems import QUICK, Step, Watched

LIMIT = 2 * len(lines([noted("a")])[0]) + 100
"""Two plain lines and no third."""
BEFORE = [noted("old")]
TORN = b'{"v":2,"run":"0'
GROUPS = [
    [noted("a")],
    [noted("b"), noted("c", 50)],
    [noted(text) for text in "defgh"],
    [noted("i", 900)],
    [noted("j")],
]
"""Within a segment; over one roll; over three; one that is longer than a segment; and one more."""
FEW = 60
"""More operations than opening and all the groups take."""


class Fault(Watched):
    """From one operation on, so many of them fail: in place of being done, or after it."""

    def __init__(self, at: int, error: BaseException, *, times: int = 1, after: bool = False) -> None:
        super().__init__()
        self.failing = range(at, at + times)
        self.error = error
        self.after = after
        self.made: list[FileIO] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for file in self.made:  # those too that nobody heard of
            file.close()

    def step(self, name: str, do: Step) -> Any:
        fails = len(self.steps) in self.failing
        self.steps.append(name)
        if fails and not self.after:
            raise self.error
        done = do()
        if isinstance(done, FileIO):
            self.made.append(done)
        if fails:
            raise self.error
        return done


class Short(Watched):
    """The write at one place takes half of what it is given, and the one after it fails."""

    def __init__(self, at: int) -> None:
        super().__init__()
        self.at = at

    def write(self, file: FileIO, data: memoryview) -> int:
        self.steps.append("write")
        if len(self.steps) - 2 == self.at and self.steps[-2] == "write":
            raise failure()
        half = len(self.steps) - 1 == self.at
        return file.write(data[: len(data) // 2] if half else data) or 0


def failure() -> OSError:
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


ERRORS: dict[str, Callable[[], BaseException]] = {
    "ENOSPC": failure,
    "EIO": lambda: OSError(errno.EIO, os.strerror(errno.EIO)),
    "Ctrl-C": KeyboardInterrupt,
}


@pytest.fixture(autouse=True)
def small_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storing, "SEGMENT_LIMIT", LIMIT)


@contextmanager
def torn_ledger() -> Generator[Path]:
    """A ledger of one line and a torn one."""
    with place() as directory:
        directory.mkdir()
        (directory / FIRST).write_bytes(b"".join(lines(BEFORE)) + TORN)
        yield directory


def opened(directory: Path, system: Watched) -> tuple[LedgerWriter, list[Draft]] | None:
    """A writer and what is in the ledger, where opening works."""
    try:
        writer = LedgerWriter(directory, now=clock, system=system)
    except (OSError, AppendError, WriterUnusableError, KeyboardInterrupt):
        return None
    # Who was refused in between has cut the tail, perhaps, and could not say so.
    told = [*BEFORE, notice(len(TORN))]
    there = told if whole(directory) == b"".join(lines(told)) else BEFORE
    assert stored(directory) == in_segments(lines(there), LIMIT)
    return writer, list(there)


def assert_goes_on(directory: Path) -> bytes:
    """A healthy system opens the ledger and appends to it; what it found there, what it cut and told included."""
    with LedgerWriter(directory, now=clock, system=QUICK) as writer:
        found = whole(directory)
        writer.append(noted("end"))
    assert check(directory).conforms
    return found


def play_through(directory: Path, system: Watched) -> None:
    """Opens and appends all groups, each until it is stored; what fails must leave nothing behind."""
    writer, there = opened(directory, system) or opened(directory, system) or (None, [])
    assert writer is not None
    for group in GROUPS:
        before = stored(directory)
        try:
            writer.append(*group)
        except (AppendError, KeyboardInterrupt) as error:
            if isinstance(error, AppendError):
                assert isinstance(error.__cause__, OSError)
                assert f"(byte {len(before[max(before)])})" in str(error)
                assert str(error.__cause__) in str(error)
            assert stored(directory) == before
            writer.append(*group)
        there += group
        assert stored(directory) == in_segments(lines(there), LIMIT)
    writer.close()
    assert assert_goes_on(directory) == b"".join(lines(there))


@pytest.mark.invariant("W2")
@pytest.mark.parametrize("after", [False, True], ids=["instead", "after"])
@pytest.mark.parametrize("name", ERRORS)
def test_one_operation_fails(name: str, after: bool) -> None:
    steps = FEW
    for at in range(FEW):
        with torn_ledger() as directory, Fault(at, ERRORS[name](), after=after) as system:
            play_through(directory, system)
            steps = len(system.steps)
    assert steps < FEW  # every one of them has failed once


@pytest.mark.invariant("W2")
def test_a_write_takes_half_and_the_next_one_fails() -> None:
    for at in range(FEW):
        with torn_ledger() as directory:
            play_through(directory, Short(at))


def test_writes_that_take_a_few_bytes_each() -> None:
    class Slow(Watched):
        def write(self, file: FileIO, data: memoryview) -> int:
            return file.write(data[:7]) or 0

    with torn_ledger() as directory:
        play_through(directory, Slow())


def test_a_write_that_takes_nothing(tmp_path: Path) -> None:
    class Stuck(Watched):
        def write(self, file: FileIO, data: memoryview) -> int:
            return 0

    writer = LedgerWriter(tmp_path / "ledger", system=Stuck())
    with writer, pytest.raises(AppendError, match="takes no bytes"):
        writer.append(noted("a"))


@pytest.mark.parametrize("after", [False, True], ids=["instead", "after"])
@pytest.mark.parametrize("name", ["EIO", "Ctrl-C"])
@pytest.mark.parametrize("times", [2, 10**6])
def test_what_failed_cannot_be_taken_back(name: str, after: bool, times: int) -> None:
    unusable = 0
    for at in range(FEW):
        with torn_ledger() as directory, Fault(at, ERRORS[name](), times=times, after=after) as system:
            unusable += play_until_broken(directory, system)
    assert unusable


def play_until_broken(directory: Path, system: Fault) -> bool:
    """Opens and appends groups until one fails, and has a healthy system go on; whether the writer was broken."""
    now_open = opened(directory, system)
    if now_open is None:
        assert assert_goes_on(directory).startswith(b"".join(lines(BEFORE)))
        return False
    writer, there = now_open
    failed: list[Draft] = []
    before = stored(directory)
    for group in GROUPS:
        before = stored(directory)
        try:
            writer.append(*group)
        except (AppendError, WriterUnusableError, KeyboardInterrupt):
            failed = group
            break
        there += group
    said = broken(writer)
    with suppress(KeyboardInterrupt):
        writer.close()
    if len(system.failing) == 2:
        # What the writer could not take back was taken back as it closed: the disk works again.
        assert stored(directory) == before or not failed
    kept, found = b"".join(lines(there)), assert_goes_on(directory)
    assert found == kept or (said and is_part(found, there, failed))
    return said


def broken(writer: LedgerWriter) -> bool:
    """Whether the writer refuses to go on, which it then does every time."""
    answers: list[str] = []
    for _ in range(2):
        try:
            writer.append()
        except WriterUnusableError as error:
            answers.append(str(error))
    assert len(answers) in (0, 2)
    assert all("Close this writer and open the ledger again" in answer for answer in answers)
    return bool(answers)


def is_part(found: bytes, there: list[Draft], failed: list[Draft]) -> bool:
    """Whether a ledger holds what was acknowledged, then first lines of the group that failed, perhaps all of them.

    The line after those may have been torn, and is then told of.
    """
    spelled, rest = lines([*there, *failed]), found.splitlines(keepends=True)
    count = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(spelled, rest, strict=False)))
    told = [json.loads(line) for line in rest[count:]]
    if not told:
        return len(there) <= count
    notice = told[0]["kind"] == "log_truncated" and told[0]["data"]["dropped_bytes"]
    return len(told) == 1 and len(there) <= count < len(spelled) and 0 < notice < len(spelled[count])


def test_the_error_of_a_broken_writer(tmp_path: Path) -> None:
    system = Fault(10**6, failure())
    with LedgerWriter(tmp_path / "ledger", system=system) as writer:
        writer.append(noted("a"))
        system.failing = range(len(system.steps), 10**6)
        with pytest.raises(WriterUnusableError) as caught:
            writer.append(noted("b"))
        for part in (FIRST, "(byte ", "a group of 1 lines failed", "No space left", "close the writer, and open"):
            assert part in str(caught.value)
        assert caught.value.__cause__ is system.error


def test_ctrl_c_is_passed_on_even_when_the_group_cannot_be_taken_back(tmp_path: Path) -> None:
    class Interrupted(Watched):
        armed = False

        def write(self, file: FileIO, data: memoryview) -> int:
            if self.armed:
                raise KeyboardInterrupt
            return super().write(file, data)

        def truncate(self, file: FileIO, size: int) -> None:
            if self.armed:
                raise failure()
            super().truncate(file, size)

    system = Interrupted()
    with LedgerWriter(tmp_path / "ledger", system=system) as writer:
        writer.append(noted("a"))
        system.armed = True
        with pytest.raises(KeyboardInterrupt) as caught:
            writer.append(noted("b"))
        assert "failed (KeyboardInterrupt) and could not be cut off again" in caught.value.__notes__[0]
        with pytest.raises(WriterUnusableError):
            writer.append(noted("b"))
        system.armed = False
    assert whole(tmp_path / "ledger").count(b"\n") == 1


def test_a_file_in_the_way_of_a_new_segment_is_not_removed(tmp_path: Path) -> None:
    with LedgerWriter(tmp_path / "ledger", now=clock, system=QUICK) as writer:
        writer.append(noted("a"), noted("b"))
        in_the_way = tmp_path / "ledger" / "ledger-00000000000000000002.jsonl"
        in_the_way.write_bytes(b"mine")
        with pytest.raises(AppendError, match="File exists"):
            writer.append(noted("c"))
        assert in_the_way.read_bytes() == b"mine"
        in_the_way.unlink()
        writer.append(noted("c"))
    assert stored(tmp_path / "ledger") == in_segments(lines(map(noted, "abc")), LIMIT)


@pytest.mark.invariant("W2")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # a file that was about to be closed
def test_ctrl_c_at_every_line_of_the_storing() -> None:
    answers: list[str] = []
    while "stored" not in answers:
        with torn_ledger() as directory:
            answers.append(play_interrupted(directory, len(answers)))
    assert 0 < answers.count("stored all the same") < answers.count("taken back")


def play_interrupted(directory: Path, at: int) -> str:
    """Interrupts a group at a line of storing.py; the writer goes on, and what became of the group."""
    there, group = [*BEFORE, notice(len(TORN))], GROUPS[2]
    with LedgerWriter(directory, now=clock, system=QUICK) as writer:
        answer = "stored"
        try:
            with interrupted_at(at):
                writer.append(*group)
        except KeyboardInterrupt:
            untouched = stored(directory) == in_segments(lines(there), LIMIT)
            answer = "taken back" if untouched else "stored all the same"
        there += [] if answer == "taken back" else group
        assert stored(directory) == in_segments(lines(there), LIMIT)
        writer.append(noted("z"))
    assert whole(directory) == b"".join(lines([*there, noted("z")]))
    return answer


@contextmanager
def interrupted_at(number: int) -> Generator[None]:
    """Ctrl-C just before a line of storing.py is run, counted from when this begins."""
    left = number

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal left
        if frame.f_code.co_filename != storing.__file__:
            return None
        if event == "line":
            left -= 1
            if left == -1:
                raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)
