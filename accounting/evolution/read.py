"""From the text of a schema to its form: references, unions and conditions of JSON Schema, draft 2020-12."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Final
from urllib.parse import unquote

from msgspec.structs import replace

from accounting.evolution.disjoint import disjoint
from accounting.evolution.form import ANYTHING, NOTHING, Arm, Case, Form, Keyword, anything, both, is_anything
from accounting.evolution.keywords import SchemaError, checked, escaped, own_form
from accounting.evolution.value import Json, as_list, as_object

TEXTS: Final = frozenset(("title", "description", "examples", "deprecated", "readOnly", "writeOnly", "discriminator"))
"""Keywords that tell people or generators something and decide about no value."""
_PARTS: Final = frozenset(("$ref", "allOf", "anyOf", "oneOf", "if", "then", "else"))
DEFINITIONS: Final = ("$defs", "definitions")
"""Where definitions are kept."""
_APART: Final = frozenset(("$schema", "$id", "$comment", "default", *DEFINITIONS, *TEXTS, *_PARTS))


class Schema:
    """One document, read as it is asked for."""

    def __init__(self, whole: Json) -> None:
        """Takes the parsed document."""
        self._whole = whole
        self._forms: dict[str, Form | None] = {}
        self.value = cache(self._value)

    def _value(self, at: str) -> Json:
        """What stands at a pointer. Raises `SchemaError` when nothing does."""
        value = self._whole
        for part in at.split("/")[1:]:
            key = part.replace("~1", "/").replace("~0", "~")
            by_key, by_place = as_object(value), as_list(value)
            if by_key is not None and key in by_key:
                value = by_key[key]
            elif by_place is not None and re.fullmatch("0|[1-9][0-9]{0,9}", key) and int(key) < len(by_place):
                value = by_place[int(key)]
            else:
                raise SchemaError(f"{at}: nothing stands there, and something refers to it")
        return value

    def form(self, at: str) -> Form:
        """The form of the schema at a pointer. Raises `SchemaError`."""
        if at in self._forms:
            found = self._forms[at]
            if found is None:
                raise SchemaError(f"{at}: the type is defined by nothing but itself")
            return found
        self._forms[at] = None
        try:
            form = self._forms[at] = replace(self._read(at), at=at)
        except BaseException:
            del self._forms[at]
            raise
        return form

    def _read(self, at: str) -> Form:
        value = self.value(at)
        if isinstance(value, bool):
            return ANYTHING if value else NOTHING
        schema = checked(value, at)
        own = {key: Keyword(f"{at}/{escaped(key)}", one) for key, one in schema.items()}
        parts = [own_form(at, {key: one for key, one in own.items() if key not in _APART})]
        if "$ref" in schema:
            parts.append(self.form(target(f"{at}/$ref", schema["$ref"])))
        parts += [self.form(place) for place in (_places(own["allOf"]) if "allOf" in own else ())]
        parts += [self._union(own[key], parts[0].types) for key in ("anyOf", "oneOf") if key in own]
        if "if" in schema:
            parts.append(self._condition(at, schema))
        form = parts[0]
        for part in parts[1:]:
            form = both(form, part)
        about = {key: one for key, one in own.items() if key in TEXTS}
        # A reference alone, or with words around it, is what it refers to: so are its texts and its default.
        inner = [part for part in parts if not is_anything(part) or part.texts]
        said = inner[0] if len(inner) == 1 else form
        return replace(
            form,
            texts={**said.texts, **about},
            hidden={**said.hidden, **{key: one for key, one in said.texts.items() if key in about}},
            defaults=(own["default"],) if "default" in own else form.defaults,
        )

    def _union(self, options: Keyword, types: frozenset[str]) -> Form:
        forms = [_only(self.form(place), types) for place in _places(options)]
        arms = tuple(_told(arm, form) for form in forms for arm in form.arms)
        if options.at.endswith("oneOf") and not disjoint(forms):
            kinds = dict.fromkeys(arm.type for arm in arms)
            arms = tuple(Arm(type=one, at=options.at, keywords={}, exactly_one=tuple(forms)) for one in kinds)
        return Form(at=options.at, arms=arms)

    def _condition(self, at: str, schema: Mapping[str, Json]) -> Form:
        """`if` a property is a word, `then`; any other condition is kept whole."""
        told = {"if": Keyword(at, {key: schema[key] for key in ("if", "then", "else") if key in schema})}
        tested = _tested(schema["if"]) if "then" in schema and "else" not in schema else ()
        cases = tuple(Case(name, word, f"{at}/then") for name, word in tested)
        # What is no object has no such property, and the condition is not told apart for it.
        arms = (
            replace(arm, cases=cases) if cases and arm.type == "object" else replace(arm, alone=told)
            for arm in anything(at).arms
        )
        return Form(at=at, arms=tuple(arms))


def target(at: str, reference: Json) -> str:
    """Where a `$ref` leads. Raises `SchemaError` for what is not inside the document."""
    if not isinstance(reference, str) or not f"{reference}/".startswith("#/"):
        raise SchemaError(f"{at}: {reference!r} leads out of the document or to an anchor; only #/... is followed")
    return unquote(reference)


def _tested(test: Json) -> tuple[tuple[str, str], ...]:
    """The property that has to be there and be one of these words, if that is all that is tested."""
    properties = as_object((as_object(test) or {}).get("properties")) or {}
    if len(properties) != 1 or test != {"properties": properties, "required": [*properties]}:
        return ()
    name, words = next(iter(properties)), as_object(next(iter(properties.values()))) or {}
    listed = [words["const"]] if "const" in words else as_list(words.get("enum")) or []
    if words.keys() - {"type"} not in ({"const"}, {"enum"}) or words.get("type", "string") != "string":
        return ()
    return tuple((name, word) for word in listed if isinstance(word, str))


def _only(form: Form, types: frozenset[str]) -> Form:
    return form if form.types <= types else replace(form, arms=tuple(arm for arm in form.arms if arm.type in types))


def _told(arm: Arm, form: Form) -> Arm:
    told = replace(arm, defaults=(*arm.defaults, *form.defaults)) if form.defaults else arm
    return replace(told, texts=form.texts) if len(form.arms) == 1 else told


def _places(key: Keyword) -> list[str]:
    several = as_list(key.value)
    if not several:
        raise SchemaError(f"{key.at}: has to list something")
    return [f"{key.at}/{index}" for index in range(len(several))]
