"""The gate: no reader of what was released breaks without a word.

A break is announced by a new major version of the schema, in each `$id`, and a heading for it in the change log.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from accounting.evolution.compare import DOCUMENTS, differences, documents
from accounting.evolution.difference import Difference, Reading
from accounting.evolution.value import Json, as_object

_MAJOR: Final = re.compile(r":schema:(\d+)[:.]")


def unannounced(released: Path, exported: Mapping[str, bytes], changes: str) -> tuple[str, ...]:
    """What breaks a reader of the released documents, a line each; empty when nothing does, or it was announced.

    `exported` are the documents by file name, `changes` is the text of the change log. Without released documents
    nothing was promised yet. Raises `SchemaError` for what cannot be compared.
    """
    if not any(released.glob(DOCUMENTS)):
        return ()
    old = documents(released)
    new: dict[str, Json] = {name: json.loads(text) for name, text in exported.items()}
    before, after = _version(old), _version(new)
    breaks = [one for one in differences(old, new) if one.breaking]
    if after < before:
        return (f"the schema's version went back from {before} to {after}",)
    if breaks and after == before:
        return tuple(_line(one, f"and the schema is still version {after}") for one in breaks)
    if after > before and not re.search(rf"^## {after}(\.\d+)*\b", changes, re.MULTILINE):
        return (f"the change log has no heading for version {after} of the schema",)
    return ()


def _version(those: Mapping[str, Json]) -> int:
    """The major version, the least of all documents: one that was left behind announces nothing."""
    found = [_MAJOR.search(str((as_object(whole) or {}).get("$id"))) for whole in those.values()]
    return min((0 if one is None else int(one[1]) for one in found), default=0)


def _line(one: Difference, why: str) -> str:
    new, old = one.new_reads_old is Reading.breaking, one.old_reads_new is Reading.breaking
    who = "readers" if new and old else "a new reader of old data" if new else "an old reader of new data"
    return f"{one.document}: {one.path or '(all of it)'}: {one.change.value}, which breaks {who}, {why}: {one.sentence}"
