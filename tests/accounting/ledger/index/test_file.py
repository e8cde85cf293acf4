"""The index file itself: damaged, foreign, locked, without room, or gone. It is never more than a help."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accounting.ledger import Ledger
from accounting.ledger.index import index, index_file, store
from accounting.ledger.index.store import VERSION
from tests.accounting.ledger.index.world import ASKED, count, read, same
from tests.compare import Plain
from tests.lines import canonical, damage
from wire.scalars import NIL_RUN as NIL

A, B, _, ABSENT = ASKED
Later = Callable[[], AbstractContextManager[None]]


def line(seq: int, run: str, kind: str = "model_called", **data: Any) -> bytes:
    plain: Plain = {"v": 2, "run": run, "seq": seq, "t": 5, "kind": kind, "data": data}
    return canonical(plain)


def ledger(folder: Path, segments: int = 2, lines: int = 12) -> Path:
    """A ledger of several segments: runs in turn, letters, approvals, junk."""
    path = folder / "ledger"
    path.mkdir()
    for segment in range(segments):
        first = segment * lines
        content = [line(seq, (A, B)[seq % 2], text="x" * (seq % 7)) for seq in range(first, first + lines)]
        content[3] = line(first + 3, B, "signal_enqueued", id="s")
        content[5] = line(first + 5, NIL, "approval_resolved", id="a")
        content[7] = b"junk"
        (path / f"ledger-{first:020d}.jsonl").write_bytes(b"\n".join(content) + b"\n")
    return path


@pytest.fixture
def at(tmp_path: Path) -> Path:
    return ledger(tmp_path)


@pytest.fixture
def beside(tmp_path: Path) -> Path:
    return tmp_path / "index"


def execute(path: Path, beside: Path, *statements: str) -> list[Any]:
    """Run SQL behind the index's back."""
    with closing(sqlite3.connect(index_file(beside, path), isolation_level=None)) as database:
        return [database.execute(statement).fetchone() for statement in statements]


def used(path: Path, beside: Path, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether one run can be read without indexing anything."""
    with monkeypatch.context() as patch:
        patch.setattr(index, "build", None)
        try:
            return read(path, A, beside) == read(path, A)
        except TypeError:  # it would have been built
            return False


# Damage. The stats are believed, so that only the index itself can say that something is wrong.


class Sound:
    """A ledger, the bytes of its index, and what reading it gives."""

    def __init__(self, folder: Path) -> None:
        self.path = ledger(folder)
        self.beside = folder / "index"
        same(self.path, self.beside)
        self.file = index_file(self.beside, self.path)
        self.content = self.file.read_bytes()
        self.answers = {run: read(self.path, run) for run in ASKED}
        self.counts = count(self.path)

    def holds(self, content: bytes, random: Random) -> None:
        """Nothing changes with these bytes for an index."""
        self.file.write_bytes(content)
        for run in random.sample(ASKED, 2):
            assert read(self.path, run, self.beside) == self.answers[run]
        assert count(self.path, self.beside) == self.counts


@pytest.fixture(scope="session")
def sound(tmp_path_factory: Any, later: Later) -> Sound:
    with later():
        return Sound(tmp_path_factory.mktemp("sound"))


@pytest.mark.invariant("X2")
@settings(max_examples=settings().max_examples // 2 * 3)
@given(st.integers(0, 10**9))
def test_damage_at_any_byte(later: Later, sound: Sound, seed: int) -> None:
    random = Random(seed)
    with later():
        sound.holds(damage(sound.content, random), random)


@settings(max_examples=settings().max_examples // 2)
@given(st.integers(0, 10**9))
def test_pages_that_were_never_written(later: Later, sound: Sound, seed: int) -> None:
    """What a crash of the machine leaves: some pages are zeros, or those of an earlier time."""
    random = Random(seed)
    content = sound.content
    pages = [content[at : at + 4096] for at in range(0, len(content), 4096)]
    for _ in range(random.randint(1, 2)):
        pages[random.randrange(len(pages))] = random.choice((bytes(4096), random.choice(pages)))
    with later():
        sound.holds(b"".join(pages), random)


ALTERED = [
    "DELETE FROM places WHERE start = 0",
    "DELETE FROM places WHERE run = (SELECT min(run) FROM places)",
    "DELETE FROM segments",
    "DELETE FROM places",
    "UPDATE places SET places = substr(places, 29)",
    "UPDATE places SET places = substr(places, 1, 28)",
    "UPDATE places SET places = places || places",
    "UPDATE places SET places = substr(places, 29, 28) || substr(places, 1, 28) || substr(places, 57)",
    "UPDATE places SET places = zeroblob(length(places))",
    "UPDATE places SET places = 7",
    "UPDATE places SET places = NULL",
    "UPDATE places SET places = (SELECT places FROM places WHERE run = (SELECT max(run) FROM places))",
    "UPDATE segments SET state = NULL",
    "UPDATE segments SET state = substr(state, 1, length(state) - 1)",
    "UPDATE segments SET state = zeroblob(16) || substr(state, 17)",
    "UPDATE segments SET state = x'00'",
    "UPDATE segments SET state = 'text'",
    "UPDATE segments SET state = CAST(x'ff' AS TEXT)",
    "UPDATE segments SET state = (SELECT max(state) FROM segments)",
    "UPDATE segments SET name = 'x' || rowid",
    "DROP TABLE places",
    "DROP TABLE segments",
    "ALTER TABLE segments RENAME TO others",
    "ALTER TABLE places RENAME COLUMN places TO others",
    "PRAGMA user_version = 0",
    f"PRAGMA user_version = {VERSION - 1}",
    f"PRAGMA user_version = {VERSION + 1}",
    "PRAGMA application_id = 1",
    "CREATE TRIGGER t BEFORE INSERT ON places BEGIN SELECT RAISE(FAIL, 'no'); END",
]


@pytest.mark.invariant("X2")
@pytest.mark.parametrize("statement", ALTERED)
def test_rows_altered_behind_its_back(
    at: Path, beside: Path, later: Later, statement: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with later():
        same(at, beside)
        execute(at, beside, statement)
        same(at, beside)
        # And what was damaged is made anew.
        same(at, beside)
        assert used(at, beside, monkeypatch)
        assert execute(at, beside, "PRAGMA user_version") == [(VERSION,)]


@pytest.mark.parametrize(
    "content",
    [b"", b"\0" * 5000, b"not SQLite at all", b"SQLite format 3\0", b"SQLite format 3\0" + b"\xff" * 8000],
    ids=["empty", "zeros", "text", "a beginning", "a header and junk"],
)
def test_any_other_file_in_its_place(
    at: Path, beside: Path, later: Later, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside.mkdir()
    index_file(beside, at).write_bytes(content)
    with later():
        same(at, beside)
        assert used(at, beside, monkeypatch)


def test_another_programs_database(at: Path, beside: Path, later: Later, monkeypatch: pytest.MonkeyPatch) -> None:
    beside.mkdir()
    execute(at, beside, "CREATE TABLE segments (name, state)", "CREATE TABLE notes (text)")
    with later():
        same(at, beside)
        assert used(at, beside, monkeypatch)


def test_the_index_of_another_ledger(tmp_path: Path, beside: Path, later: Later) -> None:
    ledgers: list[Path] = []
    for lines in (12, 14):
        folder = tmp_path / str(lines)
        folder.mkdir()
        ledgers.append(ledger(folder, lines=lines))
    first, second = ledgers
    with later():
        same(first, beside)
        index_file(beside, first).rename(index_file(beside, second))
        same(second, beside)


def test_the_index_goes_while_it_is_read(at: Path, beside: Path, later: Later) -> None:
    with later():
        same(at, beside)
        records = Ledger(at, index=beside).records(A)
        found = [next(records)]
        index_file(beside, at).unlink()
        found += list(records)
        assert found == read(at, A)[0]
        same(at, beside)


# No way in.


@pytest.mark.parametrize("lock", ["IMMEDIATE", "EXCLUSIVE"])
@pytest.mark.parametrize("known", [False, True])
def test_a_database_that_is_locked(
    at: Path, beside: Path, later: Later, monkeypatch: pytest.MonkeyPatch, lock: str, known: bool
) -> None:
    monkeypatch.setattr(store, "PATIENCE", 0.01)
    beside.mkdir()
    with later():
        if known:
            same(at, beside)
        with closing(sqlite3.connect(index_file(beside, at), isolation_level=None)) as database:
            database.execute(f"BEGIN {lock}")
            same(at, beside)
            with max(at.iterdir()).open("ab") as file:
                file.write(line(99, A) + b"\n")
            same(at, beside)
        same(at, beside)
        assert used(at, beside, monkeypatch)


@pytest.mark.parametrize("shape", ["a file for the directory", "a directory for the file", "a file above"])
def test_nowhere_to_keep_it(at: Path, beside: Path, shape: str) -> None:
    if shape == "a directory for the file":
        index_file(beside, at).mkdir(parents=True)
    else:
        beside.write_text("in the way")
    same(at, beside / "deeper" if shape == "a file above" else beside)


FULL = """
import resource, sys
from pathlib import Path
from accounting.ledger import Ledger
path, beside, limit = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
run = sys.argv[4]
for _ in range(3):
    assert list(Ledger(path, index=beside).records(run)) == list(Ledger(path).records(run))
    assert Ledger(path, index=beside).run_ids() == Ledger(path).run_ids()
"""


@pytest.mark.parametrize("limit", [0, 1000, 4096, 12_288, 20_480])
def test_no_room_for_it(at: Path, beside: Path, limit: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FULL, at, beside, str(limit), A], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    same(at, beside)


def test_a_directory_that_may_not_be_written(
    at: Path, beside: Path, later: Later, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An index that somebody else made is read all the same."""
    with later():
        same(at, beside)
        index_file(beside, at).chmod(0o400)
        beside.chmod(0o500)
        if os.access(beside, os.W_OK):
            # This user may do everything: SQLite is told to refuse.
            connect = sqlite3.connect

            def read_only(file: Path, **options: Any) -> Any:
                return connect(f"file:{file}?mode=ro", uri=True, **options)

            monkeypatch.setattr(sqlite3, "connect", read_only)
        same(at, beside)
        assert used(at, beside, monkeypatch)
        with max(at.iterdir()).open("ab") as file:
            file.write(line(99, A) + b"\n")
        same(at, beside)
        beside.chmod(0o700)


# Where it is.


def test_it_never_lies_inside_the_ledger(at: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(at)
    for inside in (at, at / "index", at / "a" / ".." / "b", link, link / "index"):
        with pytest.raises(ValueError, match="inside the ledger"):
            Ledger(at, index=inside)
        with pytest.raises(ValueError, match="inside the ledger"):
            Ledger(link, index=inside)
    assert Ledger(at, index=at.parent).run_ids() == Ledger(at).run_ids()
    assert all(entry.suffix == ".jsonl" for entry in at.iterdir())


def test_a_ledger_has_one_index_by_whatever_way_it_is_reached(at: Path, beside: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(at)
    same(at, beside)
    same(link, beside)
    same(at / ".." / "ledger", beside)
    [file] = beside.iterdir()
    assert file.stat().st_mode & 0o077 == 0 or beside.stat().st_mode & 0o077 == 0


def test_without_what_it_needs_the_ledger_is_scanned(at: Path, beside: Path) -> None:
    code = (
        "import sys; sys.modules[sys.argv[1]] = None\n"
        "from accounting.ledger import Ledger\n"
        "assert len(list(Ledger(sys.argv[2], index=sys.argv[3]).records(sys.argv[4]))) > 9"
    )
    for missing in ("blake3", "sqlite3"):
        subprocess.run([sys.executable, "-c", code, missing, at, beside, A], check=True)
    assert not beside.exists()
    # Nor is it there unless it is asked for.
    asked = "import sys; import accounting.ledger; print('sqlite3' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", asked], check=True, capture_output=True).stdout == b"False\n"


def test_an_id_that_is_none(at: Path, beside: Path) -> None:
    with max(at.iterdir()).open("ab") as file:
        file.write(line(98, A, x=1.5) + b"\n" + line(99, B, x=1.5) + b"\n")
    ids: tuple[Any, ...] = ("no id", A.upper(), "", A[:-1])
    for run in ids:
        assert read(at, run, beside) == read(at, run)
