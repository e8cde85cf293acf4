"""The gate: what was released of the schema changes under a new version only, and breaks under a new major one only.

`schema/released/` holds the documents that were promised; one that is not there was not promised yet. Every document
says its version and hash in its `$comment`, so that each is held to them by itself.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from accounting.evolution.compare import DOCUMENTS, differences, documents
from accounting.evolution.difference import Change, Difference, Reading
from accounting.evolution.read import Schema
from accounting.evolution.value import Json, as_object

_STAMP: Final = re.compile(r"Version (\d+)\.(\d+), hash ([0-9a-f]{64})\.")
_MAY_JOIN: Final = re.compile(r"\bA (?:word|form) that is not here is (?:kept|ignored)\b")
"""What the exporter writes into a description, from the table in `wire/export/unknown.py`."""


class _Version(NamedTuple):
    major: int
    minor: int

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"


class _Stamp(NamedTuple):
    """What a document says of the schema that it is part of."""

    version: _Version
    hash: str


def unannounced(released: Path, exported: Mapping[str, bytes], changes: str) -> tuple[str, ...]:
    """What was changed of the released documents without saying so, a line each.

    `exported` are the documents by file name, `changes` is the text of the change log. Without released documents
    nothing was promised yet. Raises `SchemaError` for what cannot be compared.
    """
    if not any(released.glob(DOCUMENTS)):
        return ()
    old = documents(released)
    new: dict[str, Json] = {name: json.loads(text) for name, text in exported.items()}
    silent = [f"{released / name}: no version and hash in its $comment" for name in old if _stamp(old[name]) is None]
    silent += [f"{name}: no version and hash in its $comment" for name in new if _stamp(new[name]) is None]
    if silent:
        return tuple(silent)
    before = {name: stamp for name, whole in old.items() if (stamp := _stamp(whole)) is not None}
    after = {name: stamp for name, whole in new.items() if (stamp := _stamp(whole)) is not None}
    # A document that is gone goes with the version of those that are left.
    rest = min(after.values(), default=_Stamp(_Version(0, 0), ""))
    pairs = {name: (stamp, after.get(name, rest)) for name, stamp in before.items()}
    return _back(pairs) or (*_breaks(old, new, pairs), *_versions(pairs, changes))


def _back(pairs: Mapping[str, tuple[_Stamp, _Stamp]]) -> tuple[str, ...]:
    lines = (
        f"the schema's version went back from {old.version} to {new.version}"
        for old, new in pairs.values()
        if new.version < old.version
    )
    return tuple(dict.fromkeys(lines))


def _breaks(
    old: Mapping[str, Json], new: Mapping[str, Json], pairs: Mapping[str, tuple[_Stamp, _Stamp]]
) -> tuple[str, ...]:
    """Each break of a document that has no new major version."""
    lines: list[str] = []
    for one in differences(old, new):
        if one.document in pairs and one.breaking and not _may_join(one, old):
            stamp, now = pairs[one.document]
            if now.version.major == stamp.version.major:
                lines.append(_line(one, f"and its major version is still {now.version.major}"))
    return tuple(lines)


def _versions(pairs: Mapping[str, tuple[_Stamp, _Stamp]], changes: str) -> tuple[str, ...]:
    """Another hash under the version that was released, and a new version that the change log does not name."""
    lines: list[str] = []
    for old, new in pairs.values():
        if new.version == old.version and new.hash != old.hash:
            lines.append(f"the schema's hash is not the one released as {old.version}, and its version is the same")
        heading = rf"^## {re.escape(str(new.version))}(?!\S)"
        if new.version > old.version and not re.search(heading, changes, re.MULTILINE):
            lines.append(f"the change log has no heading for version {new.version} of the schema")
    return tuple(dict.fromkeys(lines))


def _stamp(whole: Json) -> _Stamp | None:
    found = _STAMP.fullmatch(str((as_object(whole) or {}).get("$comment")))
    return None if found is None else _Stamp(_Version(int(found[1]), int(found[2])), found[3])


def _may_join(one: Difference, old: Mapping[str, Json]) -> bool:
    """Whether it is a further word or form, and readers of the released document are told to live with one.

    What they were told then is what counts, not what the table says today.
    """
    joins = one.change in (Change.variant_added, Change.enum_member_added)
    if not joins or one.new_reads_old is Reading.breaking or one.old_at is None:
        return False
    form = Schema(old[one.document]).form(one.old_at)
    texts = [told["description"].value for told in (form.texts, form.hidden) if "description" in told]
    return any(_MAY_JOIN.search(str(text)) for text in texts)


def _line(one: Difference, why: str) -> str:
    new, old = one.new_reads_old is Reading.breaking, one.old_reads_new is Reading.breaking
    who = "readers" if new and old else "a new reader of old data" if new else "an old reader of new data"
    return f"{one.document}: {one.path or '(all of it)'}: {one.change.value}, which breaks {who}, {why}: {one.sentence}"
