"""The variants of a union: which of them belong together, and which are on one side only."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from accounting.evolution.difference import Change
from accounting.evolution.disjoint import tags
from accounting.evolution.form import Arm, required_of
from accounting.evolution.found import Found, beneath, matter
from accounting.evolution.group import Group, one_key
from accounting.evolution.walk import texts


def variants(group: Group, old: Sequence[Arm], new: Sequence[Arm]) -> Iterator[Found]:
    """Compares some of a group's alternatives, which belong together."""
    pairs, lost, gained = _pairs(group, old, new)
    for before, after, label in pairs:
        if group.several:
            yield from texts(before.texts, after.texts)
        yield from beneath(label, group.compared(before, after))
    for arm in lost:
        fits = any(all(one.new_reads_old for one in group.compared(arm, other)) for other in new)
        sentence = f"{_name(arm)} is gone" + (", and still allowed by another alternative" if fits else "")
        change = Change.variant_removed if arm.type == "object" else Change.type_narrowed
        yield Found(change, fits, True, sentence, arm.at, group.new_at)  # noqa: FBT003
    for arm in gained:
        fits = any(all(one.old_reads_new for one in group.compared(other, arm)) for other in old)
        sentence = f"{_name(arm)} is new" + (", and was allowed by another alternative" if fits else "")
        change = Change.variant_added if arm.type == "object" else Change.type_widened
        yield Found(change, True, fits, sentence, group.old_at, arm.at)  # noqa: FBT003


class _Mark(NamedTuple):
    """What tells an alternative from the others."""

    word: str
    label: str
    """The mark in a path; empty where the path goes on with it anyway."""


def _pairs(
    group: Group, old: Sequence[Arm], new: Sequence[Arm]
) -> tuple[list[tuple[Arm, Arm, str]], list[Arm], list[Arm]]:
    """Which alternatives belong together: by mark, then by sameness, then by title, and what is left by order."""
    if len(old) == len(new) == 1:
        return [(old[0], new[0], "")], [], []
    pairs: list[tuple[Arm, Arm, str]] = []
    lost, gained = list(old), list(new)
    marks = _marks(old, new)

    def match(test: Callable[[Arm, Arm], bool]) -> None:
        for before in tuple(lost):
            after = next((arm for arm in gained if test(before, arm)), None)
            if after is not None:
                pairs.append((before, after, marks[id(before)].label if id(before) in marks else ""))
                lost[:] = [arm for arm in lost if arm is not before]
                gained[:] = [arm for arm in gained if arm is not after]

    def unmarked(one: Arm, other: Arm) -> bool:
        return not {id(one), id(other)} & marks.keys()

    match(lambda one, other: id(one) in marks and marks.get(id(one)) == marks.get(id(other)))
    match(lambda one, other: not matter(group.compared(one, other)))
    titles = _titles(lost) & _titles(gained)
    match(lambda one, other: _title(one) in titles and _title(one) == _title(other))
    match(unmarked)
    return pairs, lost, gained


def _marks(old: Sequence[Arm], new: Sequence[Arm]) -> dict[int, _Mark]:
    """By identity: a property that is another word in each, or the one key of each that has one."""
    every = (*old, *new)
    for name in tags(every[0]):
        found = [_tag(arm, name) for arm in every]
        if None not in found and len({*found[: len(old)]}) == len(old) and len({*found[len(old) :]}) == len(new):
            return {id(arm): _Mark(f"{word}", f"({name}={word})") for arm, word in zip(every, found, strict=True)}
    keys = [one_key(arm) for arm in every]
    counted = Counter((index < len(old), key) for index, key in enumerate(keys))
    return {
        id(arm): _Mark(key, "")
        for index, (arm, key) in enumerate(zip(every, keys, strict=True))
        if key is not None and counted[index < len(old), key] == 1
    }


def _tag(arm: Arm, name: str) -> str | None:
    its = tags(arm).get(name, frozenset())
    return next(iter(its)) if len(its) == 1 and name in required_of(arm) else None


def _title(arm: Arm) -> str | None:
    return arm.texts["title"].value if "title" in arm.texts else None


def _titles(those: Sequence[Arm]) -> set[str | None]:
    """Those that one of them has alone."""
    counted = Counter(_title(arm) for arm in those)
    return {title for title, count in counted.items() if title is not None and count == 1}


def _name(arm: Arm) -> str:
    title = _title(arm) or arm.at.rsplit("/", 1)[-1]
    key = one_key(arm)
    tagged = [f"{name}={next(iter(its))}" for name, its in tags(arm).items() if len(its) == 1]
    label = f"the key `{key}`" if key is not None else ", ".join(tagged)
    return f"an alternative ({label or title})"
