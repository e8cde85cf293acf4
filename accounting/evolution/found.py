"""A difference while it is being found: its path still grows at the front as the walk comes back."""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from accounting.evolution.difference import Change

_PLACES: Final = 16
"""How many places of one difference are kept."""


class Found(NamedTuple):
    """What was found, at a path that is relative to where the walk is."""

    change: Change
    """Its class."""
    new_reads_old: bool
    """Whether a new reader of old data gets on."""
    old_reads_new: bool
    """Whether an old reader of new data gets on."""
    sentence: str
    """What is different."""
    old_at: str
    """Where in the old document; no pointer when it is not in it."""
    new_at: str
    """Where in the new document."""
    paths: tuple[str, ...] = ("",)
    """Where in a value, each written from its front."""

    @property
    def matters(self) -> bool:
        """Whether it is more than words."""
        return self.change is not Change.text_changed


def narrower(change: Change, sentence: str, old_at: str, new_at: str) -> Found:
    """Fewer values are allowed: a new reader may refuse old data."""
    return Found(change, new_reads_old=False, old_reads_new=True, sentence=sentence, old_at=old_at, new_at=new_at)


def wider(change: Change, sentence: str, old_at: str, new_at: str) -> Found:
    """More values are allowed: an old reader may refuse new data."""
    return Found(change, new_reads_old=True, old_reads_new=False, sentence=sentence, old_at=old_at, new_at=new_at)


def harmless(change: Change, sentence: str, old_at: str, new_at: str) -> Found:
    """No reader minds."""
    return Found(change, new_reads_old=True, old_reads_new=True, sentence=sentence, old_at=old_at, new_at=new_at)


def breaks_both(change: Change, sentence: str, old_at: str, new_at: str) -> Found:
    """Either reader may refuse what the other side writes."""
    return Found(change, new_reads_old=False, old_reads_new=False, sentence=sentence, old_at=old_at, new_at=new_at)


def beneath(step: str, found: Iterable[Found]) -> Iterator[Found]:
    """The same, seen from one step further out."""
    for one in found:
        yield one._replace(paths=tuple(step + path for path in one.paths))


def gathered(found: Iterable[Found]) -> tuple[Found, ...]:
    """Each difference once, with all its places."""
    once: dict[Found, dict[str, None]] = {}
    for one in found:
        paths = once.setdefault(one._replace(paths=()), {})
        paths.update(dict.fromkeys(one.paths))
    return tuple(one._replace(paths=tuple(paths)[:_PLACES]) for one, paths in once.items())


def matter(found: Iterable[Found]) -> bool:
    """Whether any is more than words."""
    return any(one.matters for one in found)
