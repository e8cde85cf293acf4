"""What is known of each request of a pi session beside its records: key, branch, origin. Spec: foreign.md 3.6."""

from typing import Final

from msgspec.structs import replace

from accounting.foreign.fidelity import Standing
from accounting.foreign.outline import TurnStanding
from accounting.foreign.pi.rows import Entry, Message, Usage
from accounting.foreign.pi.tree import Tree
from accounting.foreign.session import run_of
from accounting.foreign.times import time_ms
from wire.scalars import RunId, TimeMs

AGENT: Final = "pi"


class Turns:
    """The turns, one by one."""

    def __init__(self) -> None:
        self.tree: Final = Tree()
        self._standings: list[TurnStanding] = []
        self._keys: set[str] = set()
        self._parent: RunId | None = None
        self._created: TimeMs | None = None

    def branched(self, parent: str | None, created: TimeMs | None) -> None:
        """The session was made at that time, and branched off another: `parent` is the path or id of it."""
        if parent:
            self._parent, self._created = run_of(AGENT, named_after(parent)), created

    def add(self, entry: Entry, message: Message, *, metered: bool) -> Standing:
        """The next turn; the standing of its token counts."""
        number = len(self._standings) + 1
        self.tree.turn(entry.id, number)
        figures = Standing.exact if metered else Standing.unknown
        self._standings.append(
            TurnStanding(number=number, key=self._key(entry, message), figures=figures, copied_from=self._origin(entry))
        )
        return figures

    def finish(self) -> tuple[TurnStanding, ...]:
        """All of them, now that the live branch is known."""
        lives = self.tree.live(len(self._standings))
        return tuple(replace(one, live=live) for one, live in zip(self._standings, lives, strict=True))

    def _key(self, entry: Entry, message: Message) -> str | None:
        """When it began and ended, and what it took: a session that branches off has all of them copied as they are.

        Ids are no part of it. Those of old files were given later, to each copy its own, and they are short.
        """
        if message.timestamp is None or entry.timestamp is None:
            return None
        usage = message.usage or Usage()
        key = f"pi:{message.timestamp}/{entry.timestamp}/{usage.input}/{usage.output}/{usage.cache_read}"
        if key in self._keys:
            return None
        self._keys.add(key)
        return key

    def _origin(self, entry: Entry) -> RunId | None:
        """The run that a turn was copied from, when it was written before this session was made."""
        written = time_ms(entry.timestamp)
        if self._created is None or written is None or written >= self._created:
            return None
        return self._parent


def named_after(name: str) -> str:
    """The session's id by its file's name, or path, which ends in a time, a `_` and the id."""
    stem = name.replace("\\", "/").rpartition("/")[2].removesuffix(".jsonl")
    return stem.rpartition("_")[2] or stem
