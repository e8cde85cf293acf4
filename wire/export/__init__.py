"""Structs to JSON Schema, draft 2020-12: one document for each root.

A tool, never imported by `import wire`: it reads the source for its docstrings.

    from wire.export import schema_dir, schemas

    for name, text in schemas().items():
        (schema_dir() / name).write_bytes(text)
"""

import json
from functools import cache
from pathlib import Path
from typing import Final

from wire.answer.rounds import RoundsAnswer
from wire.check import CheckReport
from wire.export.document import Document, Root, Schema
from wire.export.rules import RULES
from wire.export.source import Alias, aliases
from wire.record.envelope import EventRecord

__all__ = ["ROOTS", "VERSION", "Root", "document", "schema_dir", "schemas"]

VERSION: Final = 1
"""The major version of the schema, in every `$id`: within it, shapes only gain optional fields and variants."""

ROOTS: Final = (
    Root("rounds-answer", RoundsAnswer, complete=True),
    Root("event-record", EventRecord, complete=False),
    Root("check-report", CheckReport, complete=True),
)
"""The documents: one line each."""


def schemas() -> dict[str, bytes]:
    """Every document's text by its file name."""
    return {f"{root.name}.schema.json": _text(document(root)) for root in ROOTS}


def document(root: Root) -> Schema:
    """The document of one root. Raises `TypeError`, naming type and field, for what it cannot express."""
    return Document(root, _aliases(), RULES).build(f"urn:rounds:schema:{VERSION}:{root.name}")


def schema_dir() -> Path:
    """The folder of the committed documents: inside the installed package, or beside it in the repository."""
    package = Path(__file__).parent.parent
    for folder in (package / "schema", package.parent / "schema"):
        if (folder / "README.md").is_file():
            return folder
    raise FileNotFoundError(f"no schema folder in {package} or beside it")


@cache
def _aliases() -> tuple[Alias, ...]:
    return aliases(__name__, package=__name__.split(".")[0])


def _text(schema: Schema) -> bytes:
    return (json.dumps(schema, indent=2, ensure_ascii=False) + "\n").encode()
