"""Opening PATH: a ledger (a directory, a file, `-` or a pipe), sessions of another agent, or a dispatched run."""

import os
import stat
import sys
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from functools import partial
from io import FileIO
from pathlib import Path
from secrets import token_hex
from tempfile import gettempdir
from typing import TYPE_CHECKING, BinaryIO, Final, NamedTuple

from accounting.cli.ask.named import thread_named
from accounting.cli.dispatched import dispatched
from accounting.cli.out import write_all
from accounting.cli.progress import progress
from accounting.cli.trouble import Trouble

if TYPE_CHECKING:
    from accounting.cli.foreign import Foreign
    from accounting.ledger import Ledger

STANDARD_INPUT: Final = "standard input"
"""What problems call the ledger that came in by `-`."""
CACHE: Final = "ROUNDS_CACHE_DIR"
"""The environment variable that names the cache directory in place of the user's own; empty: keep no index."""
INDEX_PAYS: Final = 32 << 20
"""Bytes from which on a ledger is given an index: a smaller one is read through before a person notices."""
_CHUNK: Final = 1 << 20


class _AtHand(NamedTuple):
    path: Path
    """What is to be read."""
    name: str | None = None
    """What it is called where that is not its path: it is gone when the command ends."""
    agent: str | None = None
    """Whose sessions it holds, where that is known from outside."""


@contextmanager
def opened(path: str, *, indexed: bool = False) -> "Generator[Ledger]":
    """The ledger at a PATH. What can be read only once is first written to a temporary file (`TMPDIR` says where).

    `indexed` is for commands that read one run: a large ledger is then read through its index in the cache directory.

    Raises `Trouble` when it cannot be read.
    """
    with _at_hand(path) as kept:
        with _troubles(path):
            ledger = _ledger(kept, indexed=indexed)
        yield ledger


@contextmanager
def located(path: str, agent: str | None = None, *, indexed: bool = False) -> "Generator[Ledger | Foreign]":
    """The ledger at a PATH, as `opened` gives it, or the sessions of other agents that it holds.

    `agent` names the reader for a path that is not to be told by what it holds. Raises `Trouble` as `opened` does.
    """
    from accounting.cli.foreign import foreign_at

    with _at_hand(path) as kept:
        with _troubles(path):
            foreign = foreign_at(kept.path, kept.name or path, agent or kept.agent, passing=kept.name is not None)
            found = foreign or _ledger(kept, indexed=indexed)
        yield found


@contextmanager
def _at_hand(path: str) -> Generator[_AtHand]:
    """What is to be read."""
    with ExitStack() as stack:
        with _troubles(path):
            if path == "-":
                if sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison] - it is when closed at the start
                    raise Trouble("standard input is closed; give a path, or - with something to read")
                spooled = stack.enter_context(_spooled(lambda: nullcontext(sys.stdin.buffer)))
                kept = _AtHand(spooled, STANDARD_INPUT)
            elif (thread := thread_named(path)) is not None:
                kept = _AtHand(thread)
            elif (run := dispatched(path)) is not None:
                kept = _AtHand(run.path, agent=run.agent)
            elif _read_once(path):
                kept = _AtHand(stack.enter_context(_spooled(partial(FileIO, path))), path)
            else:
                kept = _AtHand(Path(path))
        yield kept


def _ledger(kept: _AtHand, *, indexed: bool) -> "Ledger":
    from accounting.ledger import Ledger

    ledger = Ledger(kept.path, name=kept.name)
    return _with_index(ledger) if indexed and kept.name is None and ledger.size >= INDEX_PAYS else ledger


@contextmanager
def reading(ledger: "Ledger", label: str) -> Generator[None]:
    """Around a read of the whole ledger: shows how far it has come. Raises `Trouble` when the ledger cannot be read."""

    def at_work() -> str:
        return "indexing" if ledger.indexing else label

    with _troubles(ledger.segments[0].name), progress(at_work, lambda: ledger.position, ledger.size):
        yield


def _with_index(ledger: "Ledger") -> "Ledger":
    """The ledger with its index, where one can be kept."""
    from accounting.ledger import Ledger

    named = os.environ.get(CACHE)
    if named is None:
        from platformdirs import user_cache_path

        cache = user_cache_path("rounds", appauthor=False)
        if not cache.is_absolute():  # nobody's home
            return ledger
    elif named:
        cache = Path(named)
    else:
        return ledger
    try:
        return Ledger(ledger.path, index=cache / "index")
    except ValueError:  # the cache lies inside the ledger, where nothing may be written
        return ledger


@contextmanager
def _troubles(path: str) -> Generator[None]:
    from accounting.ledger import NotALedgerError

    try:
        yield
    except NotALedgerError as error:
        raise Trouble(str(error)) from None
    except FileNotFoundError as error:
        why = "no such file or directory; give a ledger's directory, a file of its lines, or -"
        raise Trouble(f"{error.filename or path}: {why}") from None
    except OSError as error:
        raise Trouble(f"{error.filename or path}: cannot be read: {error.strerror or error}") from None


def _read_once(path: str) -> bool:
    mode = Path(path).stat().st_mode
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


@contextmanager
def _spooled(source: Callable[[], AbstractContextManager[BinaryIO | FileIO]]) -> Generator[Path]:
    """A file of all that the source has; gone when the block ends, however far it got."""
    # A directory of its own and always the same name: a reader may look beside a file, or take its name for an id.
    kept = Path(gettempdir(), f"rounds-{token_hex(8)}", "input.jsonl")
    taken = 0
    try:
        with ExitStack() as stack:
            with _keeping(kept):
                kept.parent.mkdir(mode=0o700)
                kept.touch(mode=0o600, exist_ok=False)
                file = stack.enter_context(FileIO(kept, "wb"))
            read = stack.enter_context(source()).read
            stack.enter_context(progress(lambda: "taking in the input", lambda: taken))
            while chunk := read(_CHUNK):
                with _keeping(kept):
                    write_all(file, chunk)
                taken += len(chunk)
        yield kept
    finally:
        kept.unlink(missing_ok=True)
        with suppress(OSError):
            kept.parent.rmdir()


@contextmanager
def _keeping(kept: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        why = f"{kept}: the input cannot be kept here: {error.strerror or error}; TMPDIR names another place"
        raise Trouble(why) from None
