"""Structs to JSON Schema, draft 2020-12: one document for each root, and a bundle of all.

A tool, never imported by `import wire`: it reads the source for its docstrings.

    from wire.export import schema_dir, schemas

    for name, text in schemas().items():
        (schema_dir() / name).write_bytes(text)
"""

import json
from functools import cache
from pathlib import Path
from typing import Final

from wire.export.document import Document
from wire.export.keywords import DIALECT, Schema
from wire.export.roots import ROOTS, Root
from wire.export.rules import RULES
from wire.export.source import Alias, aliases
from wire.export.unknown import UNKNOWN
from wire.export.version import MAJOR, VERSION, comment, schema_hash, version_module

__all__ = [
    "BUNDLE",
    "MAJOR",
    "ROOTS",
    "VERSION",
    "Root",
    "bundle",
    "document",
    "schema_dir",
    "schemas",
    "version_file",
]

BUNDLE: Final = "rounds"
"""The name of the document that holds every definition once."""


def schemas() -> dict[str, bytes]:
    """Every document's text by its file name: the roots in their order, then the bundle."""
    return dict(_texts())


@cache
def _texts() -> dict[str, bytes]:
    documents = {root.name: document(root) for root in ROOTS} | {BUNDLE: bundle()}
    return {f"{name}.schema.json": _text(schema) for name, schema in documents.items()}


def document(root: Root) -> Schema:
    """The document of one root. Raises `TypeError`, naming type and field, for what it cannot express."""
    own = _document(root)
    schema = own.root(root)
    return {**_head(root.name, _digest()), **schema, "$defs": own.definitions()}


def bundle() -> Schema:
    """Every definition once; each root is a definition of its own, and a value of any root fits the whole."""
    schema = _bundled()
    return {**_head(BUNDLE, schema_hash(schema)), **schema}


def _bundled() -> Schema:
    own = _document(None)
    return {
        "title": BUNDLE.capitalize(),
        "description": "Everything that travels: a value of any of the roots.",
        "anyOf": [own.define_root(root) for root in ROOTS],
        "$defs": own.definitions(),
    }


@cache
def _digest() -> str:
    return schema_hash(_bundled())


def _head(name: str, digest: str) -> Schema:
    """What a document begins with. The hash is of the whole export, and the same in each: what two sides compare."""
    return {"$schema": DIALECT, "$id": f"urn:rounds:schema:{MAJOR}:{name}", "$comment": comment(digest)}


def version_file() -> tuple[Path, bytes]:
    """The module that carries the schema's version and hash for `import wire`, and what it has to say."""
    return Path(__file__).parent.parent / "schema_version.py", version_module(schema_hash(bundle()))


def schema_dir() -> Path:
    """The folder of the committed documents: inside the installed package, or beside it in the repository.

    Raises `FileNotFoundError` when there is neither.
    """
    package = Path(__file__).parent.parent
    for folder in (package / "schema", package.parent / "schema"):
        if (folder / "README.md").is_file():
            return folder
    raise FileNotFoundError(f"no schema folder in {package} or beside it")


def _document(root: Root | None) -> Document:
    return Document(_aliases(), RULES, UNKNOWN, itself=root)


@cache
def _aliases() -> tuple[Alias, ...]:
    return aliases(__name__, package=__name__.split(".")[0])


def _text(schema: Schema) -> bytes:
    return (json.dumps(schema, indent=2, ensure_ascii=False) + "\n").encode()
