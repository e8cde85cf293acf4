"""Limits of numbers, of lengths and of counts: which values are let in on one side only."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from accounting.evolution.difference import Change
from accounting.evolution.form import Arm, is_closed, properties_of, required_of
from accounting.evolution.found import Found
from accounting.evolution.value import Json


class Limit(NamedTuple):
    """How far values may go. Compares as a key: a greater one lets in more."""

    reach: float
    """The number, negated for a lower limit; infinite without one."""
    included: bool
    """Whether the number itself is let in."""


_NONE: Final = Limit(float("inf"), included=True)


class Ends(NamedTuple):
    """One limit of an alternative."""

    stated: Limit
    """What a reader holds values to."""
    actual: Limit
    """How far values go: no further than stated, and less where something else says so."""


def bounds(old: Arm, new: Arm) -> Iterator[Found]:
    """Compares all limits of one alternative."""
    for name, before, after in zip(_NAMES, _limits(old), _limits(new), strict=True):
        new_reads_old, old_reads_new = before.actual <= after.stated, after.actual <= before.stated
        if not (new_reads_old and old_reads_new):
            change = Change.bound_widened if new_reads_old else Change.bound_narrowed
            sentence = f"{name} was {_told(name, before.stated)}, is {_told(name, after.stated)}"
            yield Found(change, new_reads_old, old_reads_new, sentence, old.at, new.at)
    yield from _steps(old, new)
    unique, still = "uniqueItems" in old.keywords, "uniqueItems" in new.keywords
    if unique != still:
        change = Change.bound_widened if unique else Change.bound_narrowed
        sentence = f"items {'may repeat now' if unique else 'may no longer repeat'}"
        yield Found(change, unique, still, sentence, old.at, new.at)


_NAMES: Final = (
    *("the least value", "the greatest value"),
    *("the least length", "the greatest length"),
    *("the least number of items", "the greatest number of items"),
    *("the least number of keys", "the greatest number of keys"),
)


def _limits(arm: Arm) -> tuple[Ends, ...]:
    closed = Limit(len(properties_of(arm)), included=True) if is_closed(arm) else _NONE
    least, most = _count(arm, "minProperties", -1), _count(arm, "maxProperties", 1)
    stated = (
        _of_numbers(arm, "minimum", "exclusiveMinimum", -1),
        _of_numbers(arm, "maximum", "exclusiveMaximum", 1),
        _count(arm, "minLength", -1),
        _count(arm, "maxLength", 1),
        _count(arm, "minItems", -1),
        _count(arm, "maxItems", 1),
    )
    return (
        *(Ends(limit, limit) for limit in stated),
        Ends(least, min(least, Limit(-len({*required_of(arm)}), included=True))),
        Ends(most, min(most, closed)),
    )


def _of_numbers(arm: Arm, key: str, exclusive: str, sign: int) -> Limit:
    whole = "integer" in arm.keywords
    found = [_NONE]
    if key in arm.keywords:
        found.append(Limit(sign * arm.keywords[key].value, included=True))
    if exclusive in arm.keywords:
        reach = sign * arm.keywords[exclusive].value
        # Before a whole number comes the one below it.
        found.append(Limit(reach - 1, included=True) if whole and reach == reach // 1 else Limit(reach, included=False))
    return min(found)


def _count(arm: Arm, key: str, sign: int) -> Limit:
    if key in arm.keywords:
        return Limit(sign * arm.keywords[key].value, included=True)
    return Limit(0, included=True) if sign < 0 else _NONE


def _told(name: str, limit: Limit) -> str:
    if limit == _NONE:
        return "not set"
    number = -limit.reach if "least" in name else limit.reach
    return f"{number}" + ("" if limit.included else " (not itself)")


def _steps(old: Arm, new: Arm) -> Iterator[Found]:
    before, after = old.keywords.get("multipleOf"), new.keywords.get("multipleOf")
    if before == after or (before is not None and after is not None and before.value == after.value):
        return
    finer = before is not None and (after is None or _divides(after.value, before.value))
    coarser = after is not None and (before is None or _divides(before.value, after.value))
    change = Change.bound_widened if finer else Change.bound_narrowed if coarser else Change.bound_changed
    was, now = (("not set" if one is None else f"{one.value}") for one in (before, after))
    where = (old.at if before is None else before.at, new.at if after is None else after.at)
    yield Found(change, finer, coarser, f"the step between values was {was}, is {now}", *where)


def _divides(one: Json, other: Json) -> bool:
    return isinstance(one, int) and isinstance(other, int) and one > 0 and other % one == 0
