"""How Go spells the schema's names: types, comments, texts."""

import json
from collections.abc import Mapping
from typing import Final

from accounting.codegen.model import Definition, Listed, Named, Type
from accounting.codegen.templates import commented

_PLAIN: Final[Mapping[str, str]] = {"string": "string", "boolean": "bool", "json": "json.RawMessage"}


def type_of(one: Type) -> str:
    """The type of a field's value."""
    match one:
        case Named(name):
            return name
        case Listed(item):
            return f"List[{type_of(item)}]"
        case _:
            return _PLAIN[one]


def told(one: Definition) -> str:
    """The comment before a definition, which begins with its name as Go wants it."""
    return commented(f"{one.name}: {one.text}", "// ")


def quoted(text: str) -> str:
    """A text as Go writes it."""
    return json.dumps(text)
