"""Sessions of other agents at a PATH: whether it holds any, and which of them `--run` means."""

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from accounting.cli.progress import progress
from accounting.cli.trouble import Trouble

if TYPE_CHECKING:
    from accounting.foreign import Session, Source
    from wire.scalars import RunId

_HEAD: Final = 1 << 16
_SURE: Final = 8
"""Characters of an id from which on a file's name that holds them is taken to be that session's."""
_LISTED: Final = 20


class Foreign:
    """The sessions of other agents in a file, a directory or a database."""

    def __init__(self, path: Path, shown: str, agent: str | None = None, *, passing: bool = False) -> None:
        self.path: Final = path
        """What is read."""
        self.shown: Final = shown
        """What it is called."""
        self.passing: Final = passing
        """Whether the path is gone when the command ends, so that `shown` is what it is to be called."""
        self.passed_over = 0
        """How many files that might be sessions no reader knew, when `sources` was asked last."""
        self._agent = agent

    def resolved(self) -> "Foreign":
        """The same by its full path, so that what is kept of it means the same wherever it is read."""
        return self if self.passing else Foreign(self.path.resolve(), self.shown, self._agent)

    def sources(self) -> "list[Source]":
        """All there are. Raises `Trouble` when there is none, or there is no such agent."""
        self.passed_over = 0
        found = list(self._below(self.path, self._pass_over))
        if not found:
            raise unknown(self.shown)
        return found

    def sessions(self) -> "Iterator[Session]":
        """All there are, sub-agents after what started them; one is held at a time."""
        with _reading(self.sources()) as sources:
            for source in sources:
                yield from map(self._named_right, _sessions(source))

    def read_each(self) -> "AbstractContextManager[Iterable[Source]]":
        """The sources for who reads them one by one; how far that has come is shown. Raises `Trouble` as `sources`."""
        return _reading(self.sources())

    def chosen(self, asked: str | None) -> "Session":
        """The session that `asked` names by its run's id or a beginning of it, or by the id that its agent gave it.

        `None` means the only one.

        Files that are named after it are looked at first, and no other where one of them is it; the runs of sub-agents
        only where no session is it.

        Raises `Trouble` when it names no session or several.
        """
        return self._named_right(self._only() if asked is None else self._asked(asked))

    def _asked(self, asked: str) -> "Session":
        wanted = asked.strip().lower()
        if len(wanted) >= _SURE and self.path.is_dir():
            named = [source for file in self._named(wanted) for source in self._below(file)]
            found = _matching(named, wanted)
            if found is not None:
                return found
        sources = self.sources()
        likely = [source for source in sources if source.run is None or source.run.startswith(wanted)]
        if any(source.run for source in likely):
            found = _matching(likely, wanted)
            if found is not None:
                return found
        found = _matching(sources, wanted)
        if found is None:
            raise Trouble(f"{self.shown}: no run {wanted!r}; `rounds runs` lists them", _choices(sources))
        return found

    def _only(self) -> "Session":
        sources = self.sources()
        if len(sources) > 1:
            raise Trouble(f"{self.shown}: {len(sources):,} sessions in it; choose one with --run", _choices(sources))
        with _reading(sources):
            for session in _sessions(sources[0]):
                return session
        raise unknown(self.shown)

    def _named_right(self, session: "Session") -> "Session":
        from accounting.foreign.renaming import renamed

        return renamed(session, str(self.path), self.shown) if self.passing else session

    def _named(self, wanted: str) -> Iterator[Path]:
        """The files and folders whose name holds the id, those in a folder so named not once more."""
        left = [self.path]
        while left:
            for entry in sorted(left.pop().iterdir()):
                if wanted in entry.name.lower():
                    yield entry
                elif entry.is_dir() and not entry.is_symlink():
                    left.append(entry)

    def _pass_over(self, _: Path) -> None:
        self.passed_over += 1

    def _below(self, path: Path, passed_over: "Callable[[Path], None] | None" = None) -> "Iterator[Source]":
        from accounting.foreign import NotForeignError, UnknownAgentError, sources

        try:
            yield from sources(path, self._agent, passed_over)
        except NotForeignError:
            return
        except UnknownAgentError as error:
            raise Trouble(f"--from: {error}") from None


def foreign_at(path: Path, shown: str, agent: str | None, *, passing: bool) -> Foreign | None:
    """What there is of other agents at a path; `None` where it is a ledger, or nothing that is known.

    `agent` names the reader, and the path is no ledger then. `passing`: it will be gone, and `shown` is its name.
    Raises `OSError` when it cannot be read.
    """
    if agent is not None:
        return Foreign(path, shown, agent, passing=passing)
    if path.is_dir():
        return None if _has_segments(path) else Foreign(path, shown)
    from accounting.ledger.pick import owner

    with path.open("rb") as file:
        if owner(file.read(_HEAD)) is not None:
            return None
    from accounting.foreign.registry import recognise
    from accounting.foreign.sample import take_sample

    if any({"run", "seq", "kind", "data"} <= row.keys() for row in take_sample(path).rows):
        return None
    return None if recognise(path) is None else Foreign(path, shown, passing=passing)


def unknown(shown: str) -> Trouble:
    """What is said of a path that holds neither a ledger nor a session that any reader knows."""
    from accounting.foreign import readers

    tried = ", ".join(reader.name for reader in readers())
    return Trouble(
        f"{shown}: neither a ledger nor a session of an agent that is known here",
        (f"tried {tried}", "give a ledger's directory, a file of its lines, or --from AGENT to read it as that one's"),
    )


def _has_segments(directory: Path) -> bool:
    from accounting.ledger.segments import first_seq

    return any(first_seq(entry.name) is not None for entry in directory.iterdir())


def _matching(sources: "list[Source]", wanted: str) -> "Session | None":
    """The session of the run that begins so, of several copies the fullest. Raises `Trouble` when runs share it."""
    found: dict[RunId, Session] = {}
    whole = len(wanted) == len("019a1f7c-4e80-7d4e-8a31-5f0c9be21d47")
    with _reading(sources):
        for source in sources:
            if whole and found and source.run != wanted:
                continue
            for session in _sessions(source):
                if not (session.run.startswith(wanted) or session.id.lower() == wanted):
                    continue
                fuller = found.get(session.run)
                if fuller is None or len(session.records) > len(fuller.records):
                    found[session.run] = session
    if len(found) > 1:
        raise Trouble(
            f"{len(found):,} runs begin with {wanted!r}; give more of the id with --run",
            tuple(f"{run}  {session.agent}" for run, session in [*found.items()][:_LISTED]),
        )
    return next(iter(found.values()), None)


def _choices(sources: "list[Source]") -> tuple[str, ...]:
    listed: list[str] = []
    for source in sources[:_LISTED]:
        run = source.run or next((session.run for session in _sessions(source)), "no session")
        listed.append(f"{run}  {source.agent}  {source.path.name}")
    more = len(sources) - _LISTED
    return (*listed, f"and {more:,} more: `rounds runs` lists them") if more > 0 else tuple(listed)


def _sessions(source: "Source") -> "Iterator[Session]":
    from accounting.foreign import read_source

    try:
        yield from read_source(source)
    except OSError as error:
        where = error.filename or source.path
        raise Trouble(f"{where}: cannot be read: {error.strerror or error}") from None


@contextmanager
def _reading(sources: "list[Source]") -> "Generator[Iterable[Source]]":
    """The sources, showing how far they have come."""
    passed = 0

    def each() -> "Iterator[Source]":
        nonlocal passed
        for source in sources:
            yield source
            passed += source.path.stat().st_size if source.path.is_file() else 0

    with progress(lambda: "reading", lambda: passed):
        yield each()
