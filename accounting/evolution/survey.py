"""One look through a whole document before it is compared with anything.

What is not followed here is refused wherever it stands, so that it does not depend on what stands opposite.
"""

from collections.abc import Iterator
from typing import Final

from accounting.evolution.keywords import SchemaError, checked, escaped
from accounting.evolution.read import DEFINITIONS, Schema, target
from accounting.evolution.value import Json, as_list, as_object

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_ONE: Final = (
    *("items", "additionalProperties", "propertyNames", "not", "if", "then", "else"),
    *("contains", "unevaluatedItems", "unevaluatedProperties", "contentSchema"),
)
_SEVERAL: Final = ("allOf", "anyOf", "oneOf", "prefixItems")
_BY_NAME: Final = ("properties", "patternProperties", "dependentSchemas", *DEFINITIONS)


def surveyed(whole: Json) -> Schema:
    """The document, once all of it can be compared. Raises `SchemaError`, naming the place."""
    dialect = (as_object(whole) or {}).get("$schema", _DIALECT)
    if dialect not in (_DIALECT, f"{_DIALECT}#"):
        raise SchemaError(f"#/$schema: {dialect!r} is another dialect; only draft 2020-12 is compared")
    schema = Schema(whole)
    todo = ["#"]
    while todo:
        at = todo.pop()
        value = schema.value(at)
        if isinstance(value, bool):
            continue
        its = checked(value, at)
        if "$ref" in its:
            schema.value(target(f"{at}/$ref", its["$ref"]))
        for key, inner in its.items():
            todo += (f"{at}/{escaped(key)}{step}" for step in _steps(key, inner))
    return schema


def _steps(key: str, value: Json) -> Iterator[str]:
    """The ways from a keyword to the schemas that it holds."""
    if key in _ONE:
        yield ""
    elif key in _SEVERAL:
        yield from (f"/{index}" for index in range(len(as_list(value) or ())))
    elif key in _BY_NAME:
        yield from (f"/{escaped(name)}" for name in as_object(value) or {})
