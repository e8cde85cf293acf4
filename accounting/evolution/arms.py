"""One alternative with one, both of the same JSON type: each keyword by what it means."""

from collections.abc import Iterator
from itertools import zip_longest
from typing import Final

from accounting.evolution.bounds import bounds
from accounting.evolution.difference import Change
from accounting.evolution.form import ANYTHING, Arm, Form, Keyword
from accounting.evolution.found import Found, beneath, breaks_both, matter, narrower, wider
from accounting.evolution.read import Schema
from accounting.evolution.value import same
from accounting.evolution.walk import Names, Walk

_CHANGES: Final = {
    "pattern": (Change.pattern_narrowed, Change.pattern_widened, Change.pattern_changed),
    "format": (Change.format_narrowed, Change.format_widened, Change.format_changed),
}


def arms(
    walk: Walk, old: Arm, new: Arm, names: Names, siblings: tuple[frozenset[str], frozenset[str]]
) -> Iterator[Found]:
    """Compares them. `siblings` are the keys that alternatives beside them have, which a key may not be."""
    from accounting.evolution.objects import objects

    names = walk.names(names, old, new)
    found = [*_scalars(old, new), *_listed(old, new)]
    if old.type == "array":
        found += _arrays(walk, old, new)
    elif old.type == "object":
        found += objects(walk, old, new, names, siblings)
    found += _alone(walk, old, new)
    found += _also(walk, old.also, new.also, names, (old.at, new.at))
    found += _exactly_one(walk, old, new, names)
    yield from found
    yield from _unknown(walk, old, new, changed=matter(found))


def place(keyword: Keyword | None, arm: Arm) -> str:
    """Where a keyword stands, or what it is missing from."""
    return arm.at if keyword is None else keyword.at


def _scalars(old: Arm, new: Arm) -> Iterator[Found]:
    yield from bounds(old, new)
    whole, still = "integer" in old.keywords, "integer" in new.keywords
    if whole != still:
        change = Change.type_widened if whole else Change.type_narrowed
        sentence = "was a whole number, is any" if whole else "was any number, is a whole one"
        yield Found(change, whole, still, sentence, old.at, new.at)
    for key, changes in _CHANGES.items():
        before, after = old.keywords.get(key), new.keywords.get(key)
        if before is None and after is None:
            continue
        if before is not None and after is not None and before.value == after.value:
            continue
        told = "where there was none" if before is None else "is gone" if after is None else "is another"
        change = changes[0] if before is None else changes[1] if after is None else changes[2]
        sentence = f"a {key} {told}" if before is None else f"the {key} {told}"
        if change is changes[2]:
            sentence += ", and the two cannot be compared"
        yield Found(change, after is None, before is None, sentence, place(before, old), place(after, new))


def _listed(old: Arm, new: Arm) -> Iterator[Found]:
    """An enumeration with something beside it, or of objects or lists."""
    before, after = old.keywords.get("enum"), new.keywords.get("enum")
    if before is None or after is None:
        if before is not after:
            change = Change.type_narrowed if before is None else Change.type_widened
            told = "only listed values are allowed now" if before is None else "values are no longer listed"
            yield Found(change, after is None, before is None, told, place(before, old), place(after, new))
        return
    pairs = ((before, after, Change.enum_member_removed), (after, before, Change.enum_member_added))
    for these, those, change in pairs:
        for value in these.value:
            if not any(same(value, other) for other in those.value):
                added = change is Change.enum_member_added
                told = f"`{value}` is {'new' if added else 'no longer listed'}"
                yield Found(change, added, not added, told, before.at, after.at)


def _arrays(walk: Walk, old: Arm, new: Arm) -> Iterator[Found]:
    before, after = _firsts(walk.old, old), _firsts(walk.new, new)
    others = child(walk.old, old, "items"), child(walk.new, new, "items")
    for index, (one, other) in enumerate(zip_longest(before, after)):
        yield from beneath(f"[{index}]", walk.forms(one or others[0], other or others[1]))
    yield from beneath("[]", walk.forms(*others))


def _firsts(schema: Schema, arm: Arm) -> list[Form]:
    items = arm.keywords.get("prefixItems")
    return [] if items is None else [schema.form(f"{items.at}/{index}") for index in range(len(items.value))]


def child(schema: Schema, arm: Arm, key: str) -> Form:
    """The form of what a keyword says of all items or keys; without the keyword, of anything."""
    return schema.form(arm.keywords[key].at) if key in arm.keywords else ANYTHING


def _alone(walk: Walk, old: Arm, new: Arm) -> Iterator[Found]:
    for key in dict.fromkeys((*old.alone, *new.alone)):
        before, after = old.alone.get(key), new.alone.get(key)
        where = place(before, old), place(after, new)
        if before is None:
            yield narrower(Change.type_narrowed, f"`{key}` was added", *where)
        elif after is None:
            yield wider(Change.type_widened, f"`{key}` is gone", *where)
        elif not _same_alone(walk, key, before, after):
            yield breaks_both(Change.not_comparable, f"`{key}` is another", *where)


def _same_alone(walk: Walk, key: str, old: Keyword, new: Keyword) -> bool:
    if key != "if":
        return walk.same_schema(old.at, new.at)
    return {*old.value} == {*new.value} and all(
        walk.same_schema(f"{old.at}/{part}", f"{new.at}/{part}") for part in old.value
    )


def _also(
    walk: Walk, old: tuple[Form, ...], new: tuple[Form, ...], names: Names, where: tuple[str, str]
) -> Iterator[Found]:
    """Schemas that have to fit besides."""
    for before, after in _side_by_side(walk, old, new, names):
        if before is not None and after is not None:
            yield from walk.forms(before, after, names)
        elif after is not None:
            yield narrower(Change.type_narrowed, "has to fit one more schema", where[0], after.at)
        elif before is not None:
            yield wider(Change.type_widened, "has to fit one schema less", before.at, where[1])


def _side_by_side(
    walk: Walk, old: tuple[Form, ...], new: tuple[Form, ...], names: Names
) -> Iterator[tuple[Form | None, Form | None]]:
    """Those that are the same first, what is left by order."""
    lost, gained = list(old), list(new)
    for before in old:
        after = next((form for form in gained if not matter(walk.forms(before, form, names))), None)
        if after is not None:
            yield before, after
            lost.remove(before)
            gained.remove(after)
    yield from zip_longest(lost, gained)


def _exactly_one(walk: Walk, old: Arm, new: Arm, names: Names) -> Iterator[Found]:
    """Alternatives that may overlap: a value has to stay out of all others but one.

    So in none of them may anything change the verdict of a reader, in whichever direction.
    """
    if len(old.exactly_one) != len(new.exactly_one):
        told = "alternatives of which exactly one has to fit, and which may overlap, are others"
        yield breaks_both(Change.not_comparable, told, old.at, new.at)
        return
    for before, after in _side_by_side(walk, old.exactly_one, new.exactly_one, names):
        if before is not None and after is not None:
            for one in walk.forms(before, after, names):
                kept = one.new_reads_old and one.old_reads_new
                yield one._replace(new_reads_old=kept, old_reads_new=kept)


def _unknown(walk: Walk, old: Arm, new: Arm, *, changed: bool) -> Iterator[Found]:
    """A keyword that is not known is the same only where everything beside it is, on which it may act."""
    for key in dict.fromkeys((*old.unknown, *new.unknown)):
        before, after = old.unknown.get(key), new.unknown.get(key)
        if before is not None and after is not None and not changed and walk.same(before, after):
            continue
        told = f"`{key}` is not known here" + (", and what stands beside it has changed" if changed else "")
        yield breaks_both(Change.not_comparable, told, place(before, old), place(after, new))
