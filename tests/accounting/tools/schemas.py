"""Schemas as an exporter may write them, and values for them: small, and near each other."""

from typing import Any, Final

from hypothesis import strategies as st

Json = Any
NAMES: Final = ("a", "b", "c")
DEFINITIONS: Final = ("One", "Two")

SCALARS: Final = st.sampled_from((None, True, False, 0, 1, 1.0, 1.5, -1, "", "a", "b", "word"))
VALUES: Final[st.SearchStrategy[Json]] = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from((*NAMES, "d")), inner, max_size=3),
    max_leaves=6,
)
TYPES: Final = ("null", "boolean", "object", "array", "number", "integer", "string")


def _objects(inner: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    properties = st.dictionaries(st.sampled_from(NAMES), inner, max_size=3)
    return st.fixed_dictionaries(
        {"type": st.just("object")},
        optional={
            "properties": properties,
            "required": st.lists(st.sampled_from(NAMES), unique=True, max_size=2),
            "additionalProperties": st.booleans() | inner,
            "propertyNames": st.lists(st.sampled_from(NAMES), max_size=2).map(lambda names: {"not": {"enum": names}}),
            "maxProperties": st.integers(0, 2),
            "minProperties": st.integers(0, 1),
            "anyOf": st.lists(properties.map(lambda some: {"properties": some}), min_size=1, max_size=2),
            "not": st.sampled_from(NAMES).map(lambda name: {"required": [name]}),
            "title": st.sampled_from(("One", "Two")),
        },
    )


def _plain() -> st.SearchStrategy[Json]:
    typed = st.fixed_dictionaries(
        {"type": st.sampled_from(TYPES) | st.lists(st.sampled_from(TYPES), min_size=1, max_size=2, unique=True)},
        optional={
            "minimum": st.integers(-1, 1),
            "maximum": st.integers(0, 1),
            "pattern": st.sampled_from(("^a$", "^[a-z]+$")),
            "minLength": st.integers(0, 2),
            "enum": st.lists(SCALARS, min_size=1, max_size=3),
            "items": st.sampled_from(({"type": "string"}, {"type": ["integer", "null"]})),
            "description": st.sampled_from(("what", "why")),
        },
    )
    return st.one_of(
        typed,
        SCALARS.map(lambda value: {"const": value}),
        st.lists(SCALARS, min_size=1, max_size=3).map(lambda values: {"enum": values}),
        st.sampled_from(({}, {"description": "anything"}, {"type": "string", "minLength": 1})),
        st.sampled_from(("#", *(f"#/$defs/{name}" for name in DEFINITIONS))).map(lambda place: {"$ref": place}),
    )


def _several(inner: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    forms = st.lists(inner, min_size=1, max_size=4)
    return st.one_of(
        _objects(inner),
        st.fixed_dictionaries({"type": st.just("array"), "items": inner}, optional={"minItems": st.just(1)}),
        forms.map(lambda some: {"anyOf": some}),
        forms.map(lambda some: {"oneOf": some, "description": "one of them"}),
        inner.map(lambda one: {"description": "that one", "allOf": [one]}),
    )


SCHEMAS: Final[st.SearchStrategy[Json]] = st.recursive(_plain(), _several, max_leaves=8)


def _is_sound(document: Json) -> bool:
    """No definition refers to itself without a property or an element between."""
    return all(not _refers_at_once(document[key], document, ()) for key in ("root",)) and all(
        not _refers_at_once({"$ref": f"#/$defs/{name}"}, document, ()) for name in DEFINITIONS
    )


def _refers_at_once(schema: Json, document: Json, within: tuple[str, ...]) -> bool:
    place: str | None = schema.get("$ref")
    if place is not None:
        target = document["root"] if place == "#" else document["$defs"][place.removeprefix("#/$defs/")]
        return place in within or _refers_at_once(target, document, (*within, place))
    return any(
        _refers_at_once(one, document, within) for key in ("anyOf", "oneOf", "allOf") for one in schema.get(key, ())
    )


DOCUMENTS: Final[st.SearchStrategy[Json]] = (
    st.fixed_dictionaries({"root": SCHEMAS, "$defs": st.fixed_dictionaries(dict.fromkeys(DEFINITIONS, SCHEMAS))})
    .filter(_is_sound)
    .map(lambda document: {**document["root"], "$defs": document["$defs"]})
)
"""Whole documents, with definitions that may refer to each other and to the whole."""
