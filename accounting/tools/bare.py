"""A schema without what only tells of it. Spec: dispatch.md 2.7.

A client is given every schema of every tool, and a model is charged for what it reads. What a tool answers is told by
its text; what its fields mean stands in the exported schema.
"""

from accounting.tools.forms import as_object
from accounting.tools.subset import ANNOTATIONS
from wire.scalars import Json, JsonObject


def bare(schema: JsonObject) -> JsonObject:
    """A schema of the subset that takes the same values, without titles, descriptions and the other annotations."""
    return {key: _bare(key, value) for key, value in schema.items() if key not in ANNOTATIONS}


def _bare(key: str, value: Json) -> Json:
    match key:
        case "properties":
            return {name: bare(as_object(one)) for name, one in as_object(value).items()}
        case "oneOf" if isinstance(value, list):
            return [bare(as_object(one)) for one in value]
        case "items" | "additionalProperties" if isinstance(value, dict):
            return bare(value)
        case _:
            return value  # data, which may hold such keys
