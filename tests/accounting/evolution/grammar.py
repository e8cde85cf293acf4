"""Small schemas, what a change makes of one, and the same one spelled otherwise."""

import json
from collections.abc import Iterator
from copy import deepcopy
from importlib import import_module
from random import Random
from typing import Any, Final

from hypothesis import strategies as st

from accounting.evolution.value import as_list, as_object

jsonschema: Any = import_module("jsonschema")
Json = Any

KEYS: Final = ("p", "q", "r")
WORDS: Final = ("a", "b", "c")
TAGS: Final = ("ka", "kb", "kc")
DEFAULTS: Final[tuple[Json, ...]] = (1, True, [1], [True])


def few(draw: st.DrawFn, those: Any, least: int = 0, most: int = 3) -> list[Any]:
    return draw(st.lists(st.sampled_from(those), min_size=least, max_size=most, unique=True))


def some(draw: st.DrawFn, schema: dict[str, Json], **keywords: st.SearchStrategy[Any]) -> Json:
    """The schema with some of these keywords."""
    return schema | {key: draw(values) for key, values in keywords.items() if draw(st.booleans())}


SMALL: Final = st.integers(0, 3)


@st.composite
def leaves(draw: st.DrawFn) -> Json:
    match draw(st.integers(0, 9)):
        case 0:
            return draw(st.sampled_from([{}, True, {"type": "null"}, {"type": "boolean"}, {"const": None}]))
        case 1:
            patterns = st.sampled_from(["^a", "b$"])
            return some(draw, {"type": "string"}, minLength=SMALL, maxLength=SMALL, pattern=patterns)
        case 2 | 3:
            kind = draw(st.sampled_from(["integer", "number"]))
            limits = {key: st.integers(-3, 4) for key in ("minimum", "maximum")}
            open_ends = {key: st.integers(-3, 4) for key in ("exclusiveMinimum", "exclusiveMaximum")}
            return some(draw, {"type": kind}, **limits, **open_ends, multipleOf=st.integers(1, 4))
        case 4 | 5:
            return {"type": "string", "enum": few(draw, WORDS, 1)}
        case 6:
            return {"enum": few(draw, (1, 2, "a", "b", None, True), 1, 4)}
        case 7:
            return {
                "type": draw(st.lists(st.sampled_from(["string", "null", "integer", "array"]), min_size=1, unique=True))
            }
        case 8:
            return {"$ref": draw(st.sampled_from(["#/$defs/One", "#/$defs/Two"]))}
        case _:
            return {"const": draw(st.sampled_from([1, "a", "b", False]))}


@st.composite
def objects(draw: st.DrawFn, inner: st.SearchStrategy[Json]) -> Json:
    names = few(draw, KEYS)
    schema: dict[str, Json] = {"type": "object", "properties": {name: draw(inner) for name in names}}
    needed = few(draw, names) if names else []
    schema |= {"required": needed} if needed else {}
    counts: dict[str, Any] = {"minProperties": SMALL, "maxProperties": SMALL} if draw(st.integers(0, 5)) == 0 else {}
    more = draw(st.sampled_from(["open", "open", "closed", "schema"]))
    if more != "open":
        schema["additionalProperties"] = False if more == "closed" else draw(inner)
    return some(draw, schema, **counts)


@st.composite
def tagged(draw: st.DrawFn, inner: st.SearchStrategy[Json]) -> Json:
    variants: list[Json] = []
    for word in few(draw, TAGS, 1):
        its = {"k": {"const": word}} | {name: draw(inner) for name in few(draw, KEYS, 0, 1)}
        variants.append({"type": "object", "properties": its, "required": ["k"]})
    return {"oneOf": variants}


@st.composite
def one_key(draw: st.DrawFn, inner: st.SearchStrategy[Json]) -> Json:
    names = few(draw, KEYS, 1)
    variants: list[Json] = [
        {"type": "object", "properties": {name: draw(inner)}, "required": [name], "additionalProperties": False}
        for name in names
    ]
    newer = {"type": "object", "minProperties": 1, "maxProperties": 1, "propertyNames": {"not": {"enum": names}}}
    return {"oneOf": [*variants, newer] if draw(st.booleans()) else variants}


@st.composite
def conditional(draw: st.DrawFn, inner: st.SearchStrategy[Json]) -> Json:
    kind = draw(st.sampled_from([{"type": "string"}, {"enum": few(draw, TAGS, 1)}]))
    schema = {"type": "object", "properties": {"k": kind, "p": draw(inner)}, "required": ["k"]}
    cases = [
        {"if": {"properties": {"k": {"const": word}}, "required": ["k"]}, "then": {"properties": {"p": draw(inner)}}}
        for word in few(draw, TAGS, 1, 2)
    ]
    return schema | {"allOf": cases}


@st.composite
def parts(draw: st.DrawFn, inner: st.SearchStrategy[Json]) -> Json:
    """A schema with a union or a denial beside its other keywords."""
    schema: Json = draw(objects(inner))
    needs = [{"required": [name]} for name in few(draw, KEYS, 1, 2)]
    whole: Json = {"allOf": [draw(inner)]}
    ways: list[Json] = [{"anyOf": needs}, {"oneOf": needs}, {"not": needs[0]}, {"allOf": needs}, whole]
    beside: Json = draw(st.sampled_from(ways))
    return schema | beside


def wider(inner: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    several = st.lists(inner, min_size=1, max_size=3)
    lists = st.fixed_dictionaries(
        {"type": st.just("array")},
        optional={
            "items": inner,
            "prefixItems": st.lists(inner, min_size=1, max_size=2),
            "minItems": SMALL,
            "maxItems": SMALL,
            "uniqueItems": st.booleans(),
        },
    )
    return st.one_of(
        objects(inner),
        objects(inner),
        inner.map(lambda one: {"type": "object", "additionalProperties": one}),
        lists,
        several.map(lambda those: {"anyOf": those}),
        several.map(lambda those: {"oneOf": those}),
        inner.map(lambda one: {"anyOf": [one, {"type": "null"}]}),
        inner.map(lambda one: {"description": "told", "allOf": [one]}),
        st.tuples(inner, st.sampled_from(DEFAULTS)).map(lambda pair: {"default": pair[1], "allOf": [pair[0]]}),
        tagged(inner),
        one_key(inner),
        conditional(inner),
        parts(inner),
        inner.map(lambda one: {"not": one}),
    )


NODES: Final = st.recursive(leaves(), wider, max_leaves=4)


@st.composite
def schemas(draw: st.DrawFn) -> Json:
    """A document: its root, and two definitions that may refer to each other, or to themselves inside an object."""
    root = draw(wider(NODES))
    next_one = {"anyOf": [{"$ref": "#/$defs/Two"}, {"type": "null"}]}
    link = {"type": "object", "properties": {"p": draw(NODES), "q": next_one}}
    one = draw(st.recursive(leaves().filter(lambda its: "$ref" not in str(its)), wider, max_leaves=2))
    return {**root, "$defs": {"One": one, "Two": link}}


# Changes


def inside(value: Json) -> list[tuple[Any, Json]]:
    """What an object or a list holds, by key or index."""
    held = as_object(value)
    return list(enumerate(as_list(value) or [])) if held is None else list(held.items())


def places(value: Json, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where something stands that a schema may stand for, or a number."""
    if path and path[-1] not in ("$defs", "properties"):
        yield path
    for key, one in inside(value):
        if key not in ("enum", "required", "type", "const"):
            yield from places(one, (*path, key))


@st.composite
def changed(draw: st.DrawFn, schema: Json) -> Json:
    """The document with one or two places in it changed."""
    whole = deepcopy(schema)
    for _ in range(draw(st.integers(1, 2))):
        used = [path for path in places(whole) if path[0] != "$defs" or f'"#/$defs/{path[1]}"' in json.dumps(whole)]
        path: tuple[Any, ...] = draw(st.sampled_from(used or [("$defs", "One")]))
        held: Json = whole
        for key in path[:-1]:
            held = held[key]
        before = deepcopy(whole)
        for way in draw(st.permutations([grown, shifted, extended, replaced, removed])):
            way(draw, held, path[-1])
            if whole != before:
                break
    return whole


def removed(_: st.DrawFn, held: Json, key: Any) -> None:
    if as_object(held) is not None:
        del held[key]


def shifted(draw: st.DrawFn, held: Json, key: Any) -> None:
    if isinstance(held[key], int) and not isinstance(held[key], bool):
        held[key] += draw(st.sampled_from([-1, 1]))


def extended(draw: st.DrawFn, held: Json, key: Any) -> None:
    """With the keywords of another schema besides, or instead of its own."""
    if as_object(held[key]) is not None or isinstance(held[key], bool):
        held[key] = {**(as_object(held[key]) or {}), **(as_object(draw(NODES)) or {})}


def replaced(draw: st.DrawFn, held: Json, key: Any) -> None:
    if as_object(held[key]) is not None or isinstance(held[key], bool):
        held[key] = draw(NODES)


def grown(draw: st.DrawFn, held: Json, key: Any) -> None:
    """With one more of what it lists: a field, a required field, a word, a variant."""
    schema = as_object(held[key]) or {}
    if "properties" in schema and draw(st.booleans()):
        schema["properties"] = {**schema["properties"], draw(st.sampled_from(KEYS)): draw(NODES)}
    elif "properties" in schema:
        needed = {*schema.get("required", ()), draw(st.sampled_from(KEYS))}
        schema["required"] = sorted(needed)
    elif "enum" in schema:
        schema["enum"] = [*schema["enum"], *few(draw, [word for word in WORDS if word not in schema["enum"]] or ["d"])]
    for way in ("anyOf", "oneOf"):
        if way in schema:
            schema[way] = [*schema[way], draw(NODES)]


def is_schema(whole: Json) -> bool:
    try:
        jsonschema.Draft202012Validator.check_schema(whole)
    except jsonschema.SchemaError:
        return False
    return "$defs" in whole and {"One", "Two"} <= whole["$defs"].keys()


# The same in other words


def reordered(value: Json, random: Random) -> Json:
    """The same document with its keys in another order."""
    items = inside(value)
    if as_object(value) is not None:
        random.shuffle(items)
        return {key: reordered(one, random) for key, one in items}
    return [reordered(one, random) for _, one in items] if as_list(value) is not None else value


def renamed(whole: Json) -> Json:
    """The same document with other names for its definitions."""
    text = json.dumps({key: one for key, one in whole.items() if key != "$defs"})
    inner = {f"{name}Renamed": one for name, one in whole["$defs"].items()}
    for name in whole["$defs"]:
        text = text.replace(f'"#/$defs/{name}"', f'"#/$defs/{name}Renamed"')
    spelled = json.dumps(inner)
    for name in whole["$defs"]:
        spelled = spelled.replace(f'"#/$defs/{name}"', f'"#/$defs/{name}Renamed"')
    return {**json.loads(text), "$defs": json.loads(spelled)}
