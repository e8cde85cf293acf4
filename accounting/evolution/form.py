"""What a schema means, apart from how it is spelled: the alternatives it allows, each for one JSON type.

References are followed, a description around a reference is no type of its own, unions inside unions are one union,
`type: [string, null]` is a union of two. Children stay pointers until something asks for them, so that a type may
refer to itself.
"""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from accounting.evolution.value import TYPES, Json, as_object, same


class Keyword(NamedTuple):
    """A keyword's value and where it stands."""

    at: str
    """A JSON pointer, in the form of a URI fragment."""
    value: Json
    """The value."""


class Case(NamedTuple):
    """A condition: where a property is this word, another schema holds too."""

    property: str
    """The property's name."""
    word: str
    """What it is compared with."""
    then: str
    """Pointer to the schema that then holds."""


class Arm(Struct, frozen=True, kw_only=True):
    """One alternative: values of one JSON type that all of this holds for."""

    type: str
    """`null`, `boolean`, `number`, `string`, `array` or `object`."""
    at: str
    """Where it stands."""
    keywords: Mapping[str, Keyword]
    """What applies to this type; `const` is an `enum` of one, and an integer has the keyword `integer`."""
    alone: Mapping[str, Keyword] = {}
    """`not` and `if`: compared only for sameness, whatever stands beside them."""
    unknown: Mapping[str, Keyword] = {}
    """Keywords that are not known here, which may act on their neighbours."""
    texts: Mapping[str, Keyword] = {}
    """Title, description and the like, where it is one of several."""
    also: "tuple[Form, ...]" = ()
    """More that holds, not merged."""
    exactly_one: "tuple[Form, ...]" = ()
    """Of these exactly one holds, and two of them may overlap."""
    cases: tuple[Case, ...] = ()
    """What holds where a property is a certain word."""
    defaults: tuple[Keyword, ...] = ()
    """The `default` of it, and of each union that it is in."""

    @property
    def plain(self) -> bool:
        """Whether the keywords are all there is to it."""
        return not (self.alone or self.unknown or self.also or self.exactly_one or self.cases)


class Form(Struct, frozen=True, kw_only=True):
    """What a schema allows: any of its arms."""

    at: str
    """Where it stands; a word of its own for what stands nowhere."""
    arms: tuple[Arm, ...]
    """The alternatives; none allows nothing."""
    texts: Mapping[str, Keyword] = {}
    """Title, description and the like: the outermost of each."""
    hidden: Mapping[str, Keyword] = {}
    """Those behind them, of what was referred to."""
    defaults: tuple[Keyword, ...] = ()
    """Its `default`; without one of its own, those of what it is made of."""

    @property
    def types(self) -> frozenset[str]:
        """The JSON types it allows."""
        return frozenset(arm.type for arm in self.arms)


def anything(at: str = "anything") -> Form:
    """The form of `{}`."""
    return Form(at=at, arms=tuple(Arm(type=one, at=at, keywords={}) for one in TYPES))


ANYTHING: Final = anything()
"""Every value."""
NOTHING: Final = Form(at="nothing", arms=())
"""No value."""


def is_anything(form: Form) -> bool:
    """Whether it allows every value."""
    return form.types == frozenset(TYPES) and all(arm.plain and not arm.keywords for arm in form.arms)


def both(first: Form, second: Form) -> Form:
    """What both allow. Alternatives are not multiplied: a union that meets another form stays whole beside it."""
    if is_anything(first) or is_anything(second):
        kept, other = (second, first) if is_anything(first) else (first, second)
        return _told(kept, other)
    if len(second.types) == len(second.arms):
        arms = tuple(_merged(one, two) for one in first.arms for two in second.arms if one.type == two.type)
    else:
        arms = tuple(_with(one, second) for one in first.arms if one.type in second.types)
    return _told(replace(first, arms=arms), second)


def _told(form: Form, other: Form) -> Form:
    return replace(form, defaults=(*form.defaults, *other.defaults))


def _merged(one: Arm, two: Arm) -> Arm:
    pairs = ((one.keywords, two.keywords), (one.alone, two.alone), (one.unknown, two.unknown))
    clash = any(not same(a[key].value, b[key].value) for a, b in pairs for key in a.keys() & b.keys())
    if clash or _acts(one, two) or _acts(two, one) or (one.exactly_one and two.exactly_one):
        return _with(one, Form(at=f"{two.at}|{two.type}", arms=(two,)))
    return replace(
        one,
        keywords={**two.keywords, **one.keywords},
        alone={**two.alone, **one.alone},
        unknown={**two.unknown, **one.unknown},
        also=one.also + two.also,
        exactly_one=one.exactly_one or two.exactly_one,
        cases=one.cases + two.cases,
        defaults=one.defaults + two.defaults,
    )


_ACTS_ON: Final = {"additionalProperties": "properties", "items": "prefixItems"}


def _acts(one: Arm, two: Arm) -> bool:
    """Whether something in the one looks at what stands beside it, so that the other may not be put there."""
    if one.unknown and two.keywords:
        return True
    return any(act in one.keywords and on in two.keywords for act, on in _ACTS_ON.items())


def _with(arm: Arm, form: Form) -> Arm:
    return replace(arm, also=(*arm.also, form))


def words(arm: Arm) -> tuple[Json, ...] | None:
    """The words that are all it allows; `None` when it is no plain enumeration."""
    if arm.type == "boolean" and not arm.keywords and arm.plain:
        return (False, True)
    return tuple(arm.keywords["enum"].value) if {*arm.keywords} == {"enum"} and arm.plain else None


def named(arm: Arm, form_at: Callable[[str], Form]) -> frozenset[str]:
    """The keys that an object's schema speaks of, in any of its parts. `form_at` reads what stands at a pointer."""
    found: dict[str, None] = {}
    todo, read = [arm], set[str]()
    while todo:
        one = todo.pop()
        found.update(dict.fromkeys((*own_names(one), *(case.property for case in one.cases))))
        thens = {case.then for case in one.cases} - read
        read |= thens
        forms = (*one.also, *one.exactly_one, *map(form_at, thens))
        todo += [inner for form in forms for inner in form.arms if inner.type == "object"]
    return frozenset(found)


def names_keys(arm: Arm) -> bool:
    """Whether an object's schema lists keys, be it none; else all its keys are data."""
    inner = (one for form in (*arm.also, *arm.exactly_one) for one in form.arms if one.type == "object")
    return "properties" in arm.keywords or any(names_keys(one) for one in inner)


def own_names(arm: Arm) -> tuple[str, ...]:
    """The keys that it speaks of itself, in their order."""
    return tuple(dict.fromkeys((*properties_of(arm), *required_of(arm))))


def properties_of(arm: Arm) -> dict[str, Json]:
    """The schemas of the keys that an object lists."""
    return as_object(arm.keywords["properties"].value if "properties" in arm.keywords else {}) or {}


def required_of(arm: Arm) -> tuple[str, ...]:
    """The keys that an object needs."""
    return tuple(arm.keywords["required"].value) if "required" in arm.keywords else ()


def is_closed(arm: Arm) -> bool:
    """Whether an object may have no keys but those it lists."""
    more = arm.keywords.get("additionalProperties")
    return more is not None and more.value is False
