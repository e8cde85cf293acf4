"""The alternatives of one JSON type, on both sides, with what is needed to compare them."""

from collections.abc import Sequence
from typing import NamedTuple

from accounting.evolution.arms import arms
from accounting.evolution.form import Arm, is_closed, properties_of, required_of
from accounting.evolution.found import Found
from accounting.evolution.walk import Names, Walk


class Group(NamedTuple):
    """The alternatives of one JSON type on both sides."""

    walk: Walk
    """The comparison that this is part of."""
    old_at: str
    """Where the old union stands."""
    new_at: str
    """Where the new one does."""
    old: tuple[Arm, ...]
    """The old alternatives."""
    new: tuple[Arm, ...]
    """The new ones."""
    names: Names
    """What their objects name as wholes."""
    several: bool
    """Whether both sides are unions, whose alternatives have texts of their own."""

    def compared(self, old: Arm, new: Arm) -> tuple[Found, ...]:
        """One alternative with one."""
        siblings = (keys(self.old), keys(self.new))
        return tuple(arms(self.walk, old, new, self.names, siblings))


def one_key(arm: Arm) -> str | None:
    """The key of an object that has to have it and may have no other."""
    properties = properties_of(arm)
    if len(properties) == 1 and is_closed(arm) and required_of(arm) == tuple(properties):
        return next(iter(properties))
    return None


def keys(those: Sequence[Arm]) -> frozenset[str]:
    """The keys of those that have just one."""
    return frozenset(key for arm in those if (key := one_key(arm)) is not None)
