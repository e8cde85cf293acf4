"""Conditions on a word: where a property is this word, another schema holds too. So a union may be told by its tag.

The rule for names holds for words: a writer uses no word that its schema does not name, though the property be open.
"""

from collections.abc import Iterator

from accounting.evolution.difference import Change
from accounting.evolution.form import ANYTHING, Arm, words
from accounting.evolution.found import Found, beneath, harmless
from accounting.evolution.keywords import escaped
from accounting.evolution.read import Schema
from accounting.evolution.walk import Names, Walk


def cases(walk: Walk, old: Arm, new: Arm, names: Names) -> Iterator[Found]:
    """Compares what holds for each word."""
    before, after = _by_word(old), _by_word(new)
    for key in dict.fromkeys((*before, *after)):
        lost, gained = before.get(key, []), after.get(key, [])
        shared = min(len(lost), len(gained))
        found = [
            one
            for then, other in zip(lost, gained, strict=False)
            for one in walk.forms(walk.old.form(then), walk.new.form(other), names)
        ]
        for then in lost[shared:]:
            found += _gone(walk, new, then, key, names)
        for then in gained[shared:]:
            found += _added(walk, old, then, key, names)
        yield from beneath(f"({key[0]}={key[1]})", found)


def _by_word(arm: Arm) -> dict[tuple[str, str], list[str]]:
    found: dict[tuple[str, str], list[str]] = {}
    for case in arm.cases:
        found.setdefault((case.property, case.word), []).append(case.then)
    return found


def _added(walk: Walk, old: Arm, then: str, key: tuple[str, str], names: Names) -> Iterator[Found]:
    known = _knows(walk.old, old, key)
    if known:
        yield from walk.forms(ANYTHING, walk.new.form(then), names)
    elif known is None:
        sentence = f"what `{key[1]}` stands for is told now; until now it was one of the words that are not named"
        yield harmless(Change.variant_added, sentence, old.at, then)


def _gone(walk: Walk, new: Arm, then: str, key: tuple[str, str], names: Names) -> Iterator[Found]:
    known = _knows(walk.new, new, key)
    if known:
        yield from walk.forms(walk.old.form(then), ANYTHING, names)
    elif known is None:
        sentence = f"what `{key[1]}` stands for is no longer told; it is one of the words that are not named"
        yield harmless(Change.variant_removed, sentence, then, new.at)


def _knows(schema: Schema, arm: Arm, key: tuple[str, str]) -> bool | None:
    """Whether a side names the word; `None` when it does not, and allows words that it does not name.

    A word that it refuses is told where the property is compared. A condition that is not read here may name it.
    """
    properties = arm.keywords.get("properties")
    if properties is None or key[0] not in properties.value or arm.also or "if" in arm.alone:
        return True
    texts = [one for one in schema.form(f"{properties.at}/{escaped(key[0])}").arms if one.type == "string"]
    if any(key[1] in (words(one) or ()) for one in texts):
        return True
    return None if any(words(one) is None for one in texts) else False
