"""Whether no value fits two of several forms: only then is "exactly one of them" the same as "any of them"."""

from collections.abc import Sequence
from itertools import combinations

from accounting.evolution.form import Arm, Form, is_closed, properties_of, required_of, words
from accounting.evolution.value import as_list, as_object, same


def disjoint(forms: Sequence[Form]) -> bool:
    """Whether it can be shown of every two of them."""
    return all(_apart(one, two) for a, b in combinations(forms, 2) for one in a.arms for two in b.arms)


def _apart(one: Arm, two: Arm) -> bool:
    if one.type != two.type:
        return True
    listed, other = words(one), words(two)
    if listed is not None and other is not None:
        return not any(same(word, one) for word in listed for one in other)
    return one.type == "object" and (_told_apart(one, two) or _refuses(one, two) or _refuses(two, one))


def _told_apart(one: Arm, two: Arm) -> bool:
    """By a property of theirs that one requires, and that is never the same word in both."""
    required = {*required_of(one), *required_of(two)}
    first, second = tags(one), tags(two)
    return any(not first[name] & second[name] for name in first.keys() & second.keys() & required)


def _refuses(one: Arm, two: Arm) -> bool:
    """Whether a key that one requires is one that the other has no place for."""
    properties = properties_of(two)
    reserved = two.keywords["reservedNames"].value if "reservedNames" in two.keywords else ()
    absent = two.alone["not"].value if "not" in two.alone else None
    return any(
        (is_closed(two) and name not in properties) or name in reserved or absent == {"required": [name]}
        for name in required_of(one)
    )


def tags(arm: Arm) -> dict[str, frozenset[str]]:
    """The words of each property that is spelled as a constant or an enumeration of strings."""
    found: dict[str, frozenset[str]] = {}
    for name, schema in properties_of(arm).items():
        its = as_object(schema) or {}
        listed = [its["const"]] if "const" in its else as_list(its.get("enum")) or []
        if listed and all(isinstance(one, str) for one in listed):
            found[name] = frozenset(listed)
    return found
