"""The schema's own version, and the hash of what it means."""

import json
from hashlib import sha256
from typing import Any, Final

from wire.export.keywords import Schema

MAJOR: Final = 1
"""In every `$id`. It changes with what breaks a reader or a writer (schema/CHANGELOG.md)."""

MINOR: Final = 1
"""It changes with whatever else changes the hash."""

VERSION: Final = f"{MAJOR}.{MINOR}"

_WORDING: Final = ("title", "description")
_BY_NAME: Final = ("properties", "$defs")
_DATA: Final = ("const", "enum", "required")


def schema_hash(bundle: Schema) -> str:
    """SHA-256, as hex, of the bundle's definitions without their titles and descriptions.

    So a better wording keeps the hash, and whatever changes what a document accepts, or the order in which fields are
    written, changes it.
    """
    bare = _bare({key: bundle[key] for key in ("anyOf", "$defs")})
    return sha256(json.dumps(bare, ensure_ascii=False, separators=(",", ":")).encode()).hexdigest()


def comment(digest: str) -> str:
    """What the `$comment` of every document says: which schema it is part of."""
    return f"Version {VERSION}, hash {digest}."


def version_module(digest: str) -> bytes:
    """The source of `wire/schema_version.py`."""
    return (
        '"""The version and the hash of the exported schema: written by `rounds schema --out`, not by hand.\n\n'
        "docs/clients/README.md tells how two sides compare them.\n"
        '"""\n\n'
        "from typing import Final\n\n"
        f'SCHEMA_VERSION: Final = "{VERSION}"\n'
        '"""Major and minor version of the schema; the major one stands in every `$id`."""\n\n'
        f'SCHEMA_HASH: Final = "{digest}"\n'
        '"""SHA-256, as hex, of every definition without its wording: equal hashes mean the same shapes."""\n'
    ).encode()


def _bare(schema: Any) -> Any:
    """A schema without its wording; a property that happens to be called `title` stays."""
    several: list[Any] = schema
    keywords: Schema = schema
    if isinstance(schema, list):
        return [_bare(one) for one in several]
    if not isinstance(schema, dict):
        return schema
    return {key: _bare_under(key, value) for key, value in keywords.items() if key not in _WORDING}


def _bare_under(key: str, value: Any) -> Any:
    if key in _DATA:
        return value
    return {name: _bare(one) for name, one in value.items()} if key in _BY_NAME else _bare(value)
