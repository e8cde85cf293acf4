"""How Rust spells the schema's names: types, fields, comments."""

import re
from collections.abc import Mapping
from typing import Final

from accounting.codegen.model import Field, Listed, Named, Type
from accounting.codegen.templates import commented

DERIVES: Final = "#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]\n"
"""Of what serde reads and writes."""
_PLAIN: Final[Mapping[str, str]] = {"string": "String", "boolean": "bool", "json": "Json"}
_TAKEN: Final = frozenset({"as", "box", "crate", "else", "enum", "fn", "for", "if", "impl", "in", "let", "loop"}) | {
    *("match", "mod", "move", "mut", "pub", "ref", "return", "self", "static", "struct", "super", "trait", "type"),
    *("union", "unsafe", "use", "where", "while", "yield"),
}


def type_of(one: Type) -> str:
    """The type of a field's value."""
    match one:
        case Named(name):
            return name
        case Listed(item):
            return f"Vec<{type_of(item)}>"
        case _:
            return _PLAIN[one]


def field_name(field: Field) -> str:
    """The name of a field; the key beside it where the two differ."""
    name = re.sub(r"([A-Z])", r"_\1", field.key).lower()
    return f"{name}_" if name in _TAKEN else name


def told(text: str, indent: str = "") -> str:
    """A text as the comment before what it is about."""
    return commented(text, f"{indent}/// ")
