"""What relates the fields of one object: the keywords that the schema says it with, as a condition to write as code.

Each field has been read by its own type before; so what a rule says of one is whether it is there, whether it is null
and which word it holds.
"""

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from wire.export.keywords import Schema

KEYWORDS = ("allOf", "anyOf", "oneOf")
"""Where an object has its rules."""


class Has(NamedTuple):
    """The field is there, be it null."""

    key: str


class Null(NamedTuple):
    """The field is there and null."""

    key: str


class Holds(NamedTuple):
    """The field is there and holds one of these words."""

    key: str
    words: tuple[str, ...]


class Not(NamedTuple):
    """The rule does not hold."""

    rule: "Rule"


class All(NamedTuple):
    """Every one of the rules holds."""

    rules: tuple["Rule", ...]


class Any(NamedTuple):
    """At least one of the rules holds."""

    rules: tuple["Rule", ...]


class One(NamedTuple):
    """Exactly one of the rules holds."""

    rules: tuple["Rule", ...]


Rule: TypeAlias = Has | Null | Holds | Not | All | Any | One
"""A condition on the fields of one object."""


def rule(schema: Schema, always: frozenset[str]) -> Rule:
    """The rule that keywords say of an object, some of whose fields are always there.

    Raises `TypeError` for a keyword that has no such meaning here.
    """
    match schema:
        case {"if": condition, "then": then}:
            return Any((Not(rule(condition, always)), rule(then, always)))
        case _:
            rules = tuple(_of_object(schema, always))
            return rules[0] if len(rules) == 1 else All(rules)


def _of_object(schema: Schema, always: frozenset[str]) -> Iterator[Rule]:
    required = frozenset(schema.get("required", ()))
    yield from (Has(key) for key in sorted(required - always))
    for keyword, value in schema.items():
        match keyword:
            case "properties":
                for key, one in value.items():
                    held = _of_field(key, one)
                    yield held if key in required | always else Any((Not(Has(key)), held))
            case "not":
                yield Not(rule(value, always))
            case "allOf":
                yield from (rule(one, always) for one in value)
            case "anyOf":
                yield Any(tuple(rule(one, always) for one in value))
            case "oneOf":
                yield One(tuple(rule(one, always) for one in value))
            case "description" | "required":
                pass
            case _:
                raise TypeError(f"no rule for the keyword {keyword}")


def _of_field(key: str, schema: Schema) -> Rule:
    match schema:
        case {"type": "null"}:
            return Null(key)
        case {"not": {"type": "null"}}:
            return Not(Null(key))
        case {"const": word}:
            return Holds(key, (word,))
        case {"enum": words}:
            return Holds(key, tuple(words))
        case {"anyOf": forms} if {"type": "null"} not in forms:  # The forms that its type allows, without null.
            return Not(Null(key))
        case _:
            raise TypeError(f"{key}: no rule for {sorted(schema)}")
