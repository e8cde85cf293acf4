"""Two objects, field by field.

A reader ignores a key that an open object does not name, and a writer writes no such key. So a field that one side
does not name is nothing to that side, unless the object is closed, or its keys are data: a schema of all other keys,
or an object that names no key at all.
"""

import re
from collections.abc import Iterator
from typing import Final

from accounting.evolution.arms import child, place
from accounting.evolution.cases import cases
from accounting.evolution.defaults import of_field
from accounting.evolution.difference import Change
from accounting.evolution.form import ANYTHING, Arm, Form, Keyword, is_closed, own_names, properties_of, required_of
from accounting.evolution.found import Found, beneath, breaks_both, narrower, wider
from accounting.evolution.keywords import escaped
from accounting.evolution.read import Schema
from accounting.evolution.walk import Names, Walk

_WORD: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


def objects(
    walk: Walk, old: Arm, new: Arm, names: Names, siblings: tuple[frozenset[str], frozenset[str]]
) -> Iterator[Found]:
    """Compares two objects."""
    listed = own_names(old), own_names(new)
    for name in dict.fromkeys((*listed[0], *listed[1])):
        here = step(name)
        # A part that does not name a field may stand beside one that does.
        if (name in listed[0] or name in names.old) and (name in listed[1] or name in names.new):
            yield from beneath(here, _field(walk, old, new, name))
        elif name in listed[0]:
            yield from beneath(here, _gone(walk, old, new, name, data=names.new_data))
        else:
            yield from beneath(here, _added(walk, old, new, name, data=names.old_data))
    yield from _others(walk, old, new)
    yield from beneath(
        ".(key)", walk.forms(child(walk.old, old, "propertyNames"), child(walk.new, new, "propertyNames"))
    )
    yield from _reserved(walk, old, new, siblings)
    yield from cases(walk, old, new, names)


def step(name: str) -> str:
    """A key as one step of a path."""
    return f".{name}" if _WORD.fullmatch(name) else f'."{name}"'


def _pointer(arm: Arm, name: str) -> str | None:
    properties = arm.keywords.get("properties")
    return f"{properties.at}/{escaped(name)}" if properties is not None and name in properties_of(arm) else None


def _slot(schema: Schema, arm: Arm, name: str) -> Form:
    """What a key may hold, by its name or as one of all others."""
    pointer = _pointer(arm, name)
    return child(schema, arm, "additionalProperties") if pointer is None else schema.form(pointer)


def _field(walk: Walk, old: Arm, new: Arm, name: str) -> Iterator[Found]:
    before, after = _slot(walk.old, old, name), _slot(walk.new, new, name)
    where = _pointer(old, name) or old.at, _pointer(new, name) or new.at
    needed, still = name in required_of(old), name in required_of(new)
    if needed != still:
        change = Change.made_optional if needed else Change.made_required
        sentence = f"`{name}` may be left out now" if needed else f"`{name}` has to be there now"
        yield Found(change, needed, still, sentence, *where)
    yield from of_field(walk.forms(before, after), (before, after), (needed, still))


def _added(walk: Walk, old: Arm, new: Arm, name: str, *, data: bool) -> Iterator[Found]:
    needed = name in required_of(new)
    takes_it, fits = _one_sided(walk, old, new, name, data=data)
    change = Change.required_field_added if needed else Change.optional_field_added
    why = "" if takes_it else ", and an old reader refuses it"
    why += "" if fits else ", and old data may hold something else under it"
    where = old.at, _pointer(new, name) or new.at
    yield Found(change, fits and not needed, takes_it, f"`{name}` is new{why}", *where)


def _gone(walk: Walk, old: Arm, new: Arm, name: str, *, data: bool) -> Iterator[Found]:
    needed = name in required_of(old)
    fits, takes_it = _one_sided(walk, old, new, name, data=data)
    why = "" if fits else ", and a new reader refuses it"
    why += ", and an old reader needs it" if needed else ""
    why += "" if takes_it else ", and new data may hold something else under it"
    where = _pointer(old, name) or old.at, new.at
    yield Found(Change.field_removed, fits, takes_it and not needed, f"`{name}` is gone{why}", *where)


def _one_sided(walk: Walk, old: Arm, new: Arm, name: str, *, data: bool) -> tuple[bool, bool]:
    """Of a field that one side does not name: whether that side takes what the other writes, and the reverse."""
    lacking, schema = (
        (old, walk.old) if _pointer(old, name) is None and name not in required_of(old) else (new, walk.new)
    )
    more = child(schema, lacking, "additionalProperties")
    if more is ANYTHING and not data:
        return True, True
    if lacking is old:
        found = walk.forms(more, _slot(walk.new, new, name))
        return all(one.old_reads_new for one in found), all(one.new_reads_old for one in found)
    found = walk.forms(_slot(walk.old, old, name), more)
    return all(one.new_reads_old for one in found), all(one.old_reads_new for one in found)


def _others(walk: Walk, old: Arm, new: Arm) -> Iterator[Found]:
    """The keys that are not named."""
    before, after = child(walk.old, old, "additionalProperties"), child(walk.new, new, "additionalProperties")
    if bool(before.arms) == bool(after.arms):
        yield from beneath(".*", walk.forms(before, after))
        return
    where = place(old.keywords.get("additionalProperties"), old), place(new.keywords.get("additionalProperties"), new)
    if after.arms:
        yield wider(Change.opened, "keys that are not named are allowed now", *where)
    else:
        yield narrower(Change.closed, "keys that are not named are no longer allowed", *where)


def _reserved(walk: Walk, old: Arm, new: Arm, siblings: tuple[frozenset[str], frozenset[str]]) -> Iterator[Found]:
    """Names that a key may not be. Those that the alternatives beside it have are no news."""
    before, after = old.keywords.get("reservedNames"), new.keywords.get("reservedNames")
    lost = _names(before) - siblings[0] - _names(after)
    gained = _names(after) - siblings[1] - _names(before)
    where = place(before, old), place(after, new)
    if lost := {name for name in lost if _may_have(new, name)}:
        sentence = f"a key may be {', '.join(sorted(lost))} now"
        yield wider(Change.type_widened, sentence, *where)
    if gained := {name for name in gained if _may_have(old, name)}:
        sentence = f"a key may no longer be {', '.join(sorted(gained))}"
        yield narrower(Change.type_narrowed, sentence, *where)
    rule, other = old.keywords.get("otherNames"), new.keywords.get("otherNames")
    if rule is None and other is None:
        return
    if rule is not None and other is not None:
        if not walk.same(rule, other):
            yield breaks_both(Change.not_comparable, "the rule for keys is another", rule.at, other.at)
    elif rule is not None and not _all_pass(rule, new):
        yield wider(Change.type_widened, "a rule for keys is gone", rule.at, new.at)
    elif other is not None and not _all_pass(other, old):
        yield narrower(Change.type_narrowed, "there is a rule for keys", old.at, other.at)


def _names(keyword: Keyword | None) -> set[str]:
    return set() if keyword is None else set(keyword.value)


def _may_have(arm: Arm, name: str) -> bool:
    return name in own_names(arm) or not is_closed(arm)


def _all_pass(refused: Keyword, arm: Arm) -> bool:
    """Whether an object has only keys of letters and digits, and no refused pattern is in any of them."""
    if not is_closed(arm) or not all(_WORD.fullmatch(name) for name in own_names(arm)):
        return False
    try:
        patterns = [re.compile(one["pattern"]) for one in refused.value if one.keys() == {"pattern"}]
    except re.error:
        return False
    some = any(pattern.search(name) for pattern in patterns for name in own_names(arm))
    return len(patterns) == len(refused.value) and not some
