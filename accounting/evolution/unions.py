"""Two forms: the JSON types that they allow, and then the alternatives of each type."""

from collections.abc import Iterator
from typing import Final

from accounting.evolution.difference import Change
from accounting.evolution.form import Form
from accounting.evolution.found import Found, narrower, wider
from accounting.evolution.group import Group
from accounting.evolution.value import TYPES
from accounting.evolution.variants import variants
from accounting.evolution.walk import Names, Walk
from accounting.evolution.words import listed

_SCALAR: Final = ("boolean", "number", "string")


def unions(walk: Walk, old: Form, new: Form, names: Names) -> Iterator[Found]:
    """Compares what two forms allow."""
    yield from _types(old, new)
    for kind in TYPES:
        group = Group(
            walk,
            old.at,
            new.at,
            tuple(arm for arm in old.arms if arm.type == kind),
            tuple(arm for arm in new.arms if arm.type == kind),
            names,
            several=len(old.arms) > 1 and len(new.arms) > 1,
        )
        if group.old and group.new:
            yield from listed(group) if kind in _SCALAR else variants(group, group.old, group.new)


def _types(old: Form, new: Form) -> Iterator[Found]:
    """The JSON types that one of them allows and the other does not. Null is told apart where it is one more."""
    lost, gained = old.types - new.types, new.types - old.types
    if "null" in lost | gained and old.types & new.types:
        if "null" in gained:
            yield wider(Change.nullable_added, "may be null now", old.at, new.at)
        else:
            yield narrower(Change.nullable_removed, "may no longer be null", old.at, new.at)
        lost, gained = lost - {"null"}, gained - {"null"}
    if lost or gained:
        change = Change.type_changed if lost and gained else Change.type_narrowed if lost else Change.type_widened
        sentence = f"was {_told(old)}, is {_told(new)}"
        yield Found(change, not lost, not gained, sentence, old.at, new.at)


def _told(form: Form) -> str:
    if len(form.types) == len(TYPES):
        return "anything"
    return " or ".join(one for one in TYPES if one in form.types) or "nothing at all"
