"""What only the source says: the docstrings of fields and aliases, and which alias an annotation was spelled with."""

import ast
import inspect
from collections.abc import Iterator, Sequence
from enum import Enum
from functools import cache
from importlib import import_module
from itertools import pairwise
from types import UnionType
from typing import Any, NamedTuple, TypeAlias, Union, get_args, get_origin

from msgspec import Struct

ClassTexts: TypeAlias = dict[str, str]
"""The docstrings of a class by field or member; its own stands under the empty name."""


class Alias(NamedTuple):
    """A public type alias."""

    name: str
    """Its name, which is its name in the schema too."""
    value: Any
    """What it stands for."""
    text: str | None
    """The string literal after it."""


class Page(NamedTuple):
    """One module as its source spells it."""

    classes: dict[str, ClassTexts]
    """Docstrings by class."""
    aliases: dict[str, str | None]
    """Docstrings by public type alias."""
    imports: tuple[str, ...]
    """The modules it takes names from."""


def class_text(cls: type) -> str | None:
    """The first paragraph of a class's own docstring: what a reader in any language needs to know."""
    return _texts(cls).get("")


def field_text(cls: type[Struct], field: str) -> str | None:
    """The docstring after a field, in the class that declares it."""
    for owner in cls.__mro__[: cls.__mro__.index(Struct)]:
        if (text := _texts(owner).get(field)) is not None:
            return text
    return None


def member_texts(cls: type[Enum]) -> dict[str, str]:
    """The docstrings of an enum's members, by member. Raises `TypeError` naming one that has none."""
    texts = _texts(cls)
    for member in cls.__members__:
        if member not in texts:
            raise TypeError(f"{cls.__name__}.{member}: no docstring stands after the member")
    return {member: texts[member] for member in cls.__members__}


def aliases(module: str, package: str) -> tuple[Alias, ...]:
    """The public aliases in what a tool's module imports below `package`, near or far; the tool's own left out."""
    found: dict[str, Page] = {}
    ahead = [module]
    while ahead:
        name = ahead.pop(0)
        if name not in found:
            found[name] = page(name)
            ahead += [near for near in found[name].imports if near.split(".")[0] == package]
    return tuple(
        Alias(alias, getattr(import_module(name), alias), text)
        for name, its in found.items()
        if not f"{name}.".startswith(f"{module}.")
        for alias, text in its.aliases.items()
    )


def alias_of(members: Sequence[Any], among: Sequence[Alias]) -> Alias | None:
    """The alias that stands for exactly these members of a union (or for this one type)."""
    fits = [alias for alias in among if not inspect.isclass(alias.value) and members_of(alias.value) == tuple(members)]
    if len(fits) > 1:
        raise TypeError(f"{' and '.join(alias.name for alias in fits)} are aliases of the same type")
    return fits[0] if fits else None


def members_of(hint: Any) -> tuple[Any, ...]:
    """The members of a union, or the one type itself."""
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


@cache
def page(module: str) -> Page:
    """Reads the source of a module."""
    tree = ast.parse(inspect.getsource(import_module(module)))
    literals = dict(_literals(tree.body))
    return Page(
        classes={node.name: _class(node) for node in tree.body if isinstance(node, ast.ClassDef)},
        aliases={name: literals.get(name) for name in _alias_names(tree.body)},
        imports=tuple(node.module for node in tree.body if isinstance(node, ast.ImportFrom) and node.module),
    )


def _texts(cls: type) -> ClassTexts:
    return page(cls.__module__).classes.get(cls.__name__, {})


def _class(node: ast.ClassDef) -> ClassTexts:
    texts = dict(_literals(node.body))
    if (own := ast.get_docstring(node)) is not None:
        texts[""] = _plain(own)
    return texts


def _alias_names(body: Sequence[ast.stmt]) -> Iterator[str]:
    for node in body:
        match node:
            case ast.AnnAssign(target=ast.Name(id=name), annotation=ast.Name(id="TypeAlias")) if name[0] != "_":
                yield name
            case _:
                pass


def _literals(body: Sequence[ast.stmt]) -> Iterator[tuple[str, str]]:
    for node, after in pairwise(body):
        match node, after:
            case (
                ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                yield name, _plain(inspect.cleandoc(text))
            case _:
                pass


def _plain(text: str) -> str:
    # What follows the first paragraph is for who programs in Python; the pages named at its end are not the reader's.
    return " ".join(text.partition("\n\n")[0].split()).partition(" Spec: ")[0]
