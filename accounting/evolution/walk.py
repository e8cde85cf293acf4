"""Two schemas side by side: every pair of forms is compared once, and a type that refers to itself ends the walk.

Where a comparison comes back to a pair that it is in the middle of, there is nothing new to say of it: what is
different is told where the pair was met first. The question of a reader is asked by the same walk: a reader
gets on when no difference breaks it.
"""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from accounting.evolution.defaults import defaults
from accounting.evolution.difference import Change
from accounting.evolution.form import ANYTHING, Arm, Form, Keyword, is_anything, named, names_keys
from accounting.evolution.found import Found, gathered, harmless, matter, narrower, wider
from accounting.evolution.keywords import escaped
from accounting.evolution.read import Schema
from accounting.evolution.value import as_list, as_object, same, type_of

_NO_DEPTH: Final = 1 << 60


class Names(NamedTuple):
    """The keys that the two objects name as wholes, where a part of them is compared."""

    old: frozenset[str] = frozenset()
    """By the old one."""
    new: frozenset[str] = frozenset()
    """By the new one."""
    old_data: bool = True
    """Whether the old one lists no keys at all, so that they are data."""
    new_data: bool = True
    """The same of the new one."""


NO_NAMES: Final = Names()


class Walk:
    """One comparison: what was compared already, and what is being compared."""

    def __init__(self, old: Schema, new: Schema) -> None:
        """Takes the two documents."""
        self.old = old
        self.new = new
        self._done: dict[tuple[str, str, Names], tuple[Found, ...]] = {}
        self._open: dict[tuple[str, str, Names], int] = {}
        self._leans_on = _NO_DEPTH

    def at(self, old: str, new: str) -> tuple[Found, ...]:
        """Compares what stands at two pointers."""
        return self.forms(self.old.form(old), self.new.form(new))

    def forms(self, old: Form, new: Form, names: Names = NO_NAMES) -> tuple[Found, ...]:
        """Compares two forms."""
        pair = (old.at, new.at, names)
        if pair in self._done:
            return self._done[pair]
        if pair in self._open:
            self._leans_on = min(self._leans_on, self._open[pair])
            return ()
        depth = self._open[pair] = len(self._open)
        outside, self._leans_on = self._leans_on, _NO_DEPTH
        found = gathered(self._compared(old, new, names))
        del self._open[pair]
        if self._leans_on >= depth:
            self._done[pair] = found
        else:
            # It rests on a pair further out that is not decided yet: not to be used anywhere else.
            outside = min(outside, self._leans_on)
        self._leans_on = outside
        return found

    def _compared(self, old: Form, new: Form, names: Names) -> Iterator[Found]:
        from accounting.evolution.unions import unions

        yield from defaults(old, new)
        if ANYTHING not in (old, new):
            yield from texts(old.texts, new.texts)
            shared = old.hidden.keys() & new.hidden.keys()
            yield from texts(
                {key: one for key, one in old.hidden.items() if key in shared},
                {key: one for key, one in new.hidden.items() if key in shared},
            )
        if is_anything(old) and is_anything(new):
            return
        if is_anything(old):
            yield narrower(Change.type_narrowed, "was anything, and is not any more", old.at, new.at)
        elif is_anything(new):
            yield wider(Change.type_widened, "may be anything now", old.at, new.at)
        else:
            yield from unions(self, old, new, names)

    def names(self, outer: Names, old: Arm, new: Arm) -> Names:
        """The names of the wholes with those of two parts."""
        return Names(
            outer.old | named(old, self.old.form),
            outer.new | named(new, self.new.form),
            outer.old_data and not names_keys(old),
            outer.new_data and not names_keys(new),
        )

    def same_schema(self, old: str, new: str) -> bool:
        """Whether two schemas, by their pointers, mean the same."""
        return not matter(self.at(old, new))

    def same(self, old: Keyword, new: Keyword) -> bool:
        """Whether two values of a keyword are the same, and what they refer to means the same."""
        before, after = _parts(old), _parts(new)
        if before is None or after is None:
            return before is after and same(old.value, new.value)
        if "$ref" in before and "$ref" in after:
            return self.same_schema(old.at, new.at)
        of_one_type = type_of(old.value) == type_of(new.value)
        return (
            of_one_type and before.keys() == after.keys() and all(self.same(before[key], after[key]) for key in before)
        )


def _parts(keyword: Keyword) -> dict[str, Keyword] | None:
    """What a list or an object holds; `None` for any other value."""
    held = as_object(keyword.value)
    if held is None:
        several = as_list(keyword.value)
        held = None if several is None else {str(index): one for index, one in enumerate(several)}
    return None if held is None else {key: Keyword(f"{keyword.at}/{escaped(key)}", one) for key, one in held.items()}


def texts(old: Mapping[str, Keyword], new: Mapping[str, Keyword]) -> Iterator[Found]:
    """What is told differently."""
    for key in dict.fromkeys((*old, *new)):
        before, after = old.get(key), new.get(key)
        if before is None or after is None or before.value != after.value:
            what = "added" if before is None else "removed" if after is None else "changed"
            old_at, new_at = "" if before is None else before.at, "" if after is None else after.at
            yield harmless(Change.text_changed, f"`{key}` {what}", old_at, new_at)
