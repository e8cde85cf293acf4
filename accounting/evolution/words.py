"""Values that have no parts, listed or left open: words of an enumeration, constants, texts and numbers with limits."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from accounting.evolution.difference import Change
from accounting.evolution.form import Arm, words
from accounting.evolution.found import Found, breaks_both
from accounting.evolution.group import Group
from accounting.evolution.value import Json, same
from accounting.evolution.variants import variants


def listed(group: Group) -> Iterator[Found]:
    """Compares the values that are listed, and the alternatives that list none."""
    lists = _words(group.old), _words(group.new)
    lost = [word for word in lists[0] if not _among(word, lists[1])]
    gained = [word for word in lists[1] if not _among(word, lists[0])]
    old_open, new_open = _open(group.old), _open(group.new)
    where = group.old[0].at, group.new[0].at
    if old_open and new_open:
        yield from _members(lost, gained, old_open, new_open, where)
        yield from variants(group, old_open, new_open)
    elif not old_open and not new_open:
        if len(lists[0]) == len(lists[1]) == len(lost) == 1:
            yield breaks_both(Change.const_changed, f"was {_quoted(lost)}, is {_quoted(gained)}", *where)
        else:
            yield from _members(lost, gained, (), (), where)
    elif new_open:
        if lists[1]:
            yield from _members(lost, gained, (), new_open, where)
            lost = []
        takes = _take(new_open, lost)
        change = Change.type_widened if takes else Change.type_changed
        yield Found(change, takes, False, "was a list of values, and takes others now", *where)  # noqa: FBT003
    else:
        if lists[0]:
            yield from _members(lost, gained, old_open, (), where)
            gained = []
        fits = _take(old_open, gained)
        change = Change.type_narrowed if fits else Change.type_changed
        yield Found(change, False, fits, "took other values too, and is a list of values now", *where)  # noqa: FBT003


def _members(
    lost: Sequence[Json],
    gained: Sequence[Json],
    old_open: Sequence[Arm],
    new_open: Sequence[Arm],
    where: tuple[str, str],
) -> Iterator[Found]:
    for word in lost:
        takes = _take(new_open, (word,))
        sentence = f"{_quoted((word,))} is no longer listed{', and still allowed' if takes else ''}"
        yield Found(Change.enum_member_removed, takes, True, sentence, *where)  # noqa: FBT003
    for word in gained:
        takes = _take(old_open, (word,))
        sentence = f"{_quoted((word,))} is new{', and was allowed before' if takes else ''}"
        yield Found(Change.enum_member_added, True, takes, sentence, *where)  # noqa: FBT003


def _open(those: Sequence[Arm]) -> list[Arm]:
    return [arm for arm in those if words(arm) is None]


def _words(those: Sequence[Arm]) -> list[Json]:
    found: list[Json] = []
    for arm in those:
        found += [word for word in words(arm) or () if not _among(word, found)]
    return found


def _among(word: Json, others: Sequence[Json]) -> bool:
    return any(same(word, one) for one in others)


def _quoted(values: Sequence[Json]) -> str:
    return ", ".join(f"`{word}`" for word in values[:8]) + (" …" if len(values) > 8 else "")


def _take(those: Sequence[Arm], values: Sequence[Json]) -> bool:
    return all(any(_takes(arm, word) for arm in those) for word in values)


_LIMITS: Final[dict[str, Callable[[Json, Json], bool]]] = {
    "minLength": lambda word, least: len(word) >= least,
    "maxLength": lambda word, most: len(word) <= most,
    "minimum": lambda word, least: word >= least,
    "maximum": lambda word, most: word <= most,
    "integer": lambda word, _: word == word // 1,
}


def _takes(arm: Arm, word: Json) -> bool:
    """Whether an alternative that lists nothing surely allows this value: no pattern is tried out."""
    return (
        arm.plain
        and arm.keywords.keys() <= _LIMITS.keys()
        and all(_LIMITS[key](word, one.value) for key, one in arm.keywords.items())
    )
