"""The schema's version and hash: cheap to import, committed, and changed by what changes the meaning alone."""

import copy
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import wire
from wire.export import MAJOR, VERSION, bundle, schemas, version_file
from wire.export.version import schema_hash

ROOT = Path(wire.__file__).parent.parent


def test_the_committed_module_is_what_the_exporter_writes() -> None:
    path, text = version_file()
    assert path == ROOT / "wire" / "schema_version.py"
    assert path.read_bytes() == text
    assert (VERSION, schema_hash(bundle())) == (wire.SCHEMA_VERSION, wire.SCHEMA_HASH)
    assert re.fullmatch(r"[0-9]+\.[0-9]+", wire.SCHEMA_VERSION)
    assert wire.SCHEMA_VERSION.split(".")[0] == str(MAJOR)
    assert re.fullmatch("[0-9a-f]{64}", wire.SCHEMA_HASH)


@pytest.mark.parametrize("name", schemas())
def test_every_document_carries_both_for_clients_in_other_languages(name: str) -> None:
    whole = json.loads(schemas()[name])
    assert whole["$comment"] == f"Version {wire.SCHEMA_VERSION}, hash {wire.SCHEMA_HASH}."
    assert list(whole)[:3] == ["$schema", "$id", "$comment"]


def test_they_are_imported_with_msgspec_alone_and_without_the_exporter() -> None:
    program = (
        "import sys; sys.modules.update(dict.fromkeys(('click', 'rich', 'blake3', 'jsonschema', 'ast')));"
        "import wire; print(wire.SCHEMA_HASH, [name for name in sys.modules if name.startswith('wire.export')])"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True, cwd=ROOT)
    assert run.stdout.strip() == f"{wire.SCHEMA_HASH} []"


def test_the_change_log_has_a_section_for_the_version() -> None:
    assert f"\n## {VERSION} " in (ROOT / "schema" / "CHANGELOG.md").read_text()


def _changed(path: str, value: Any) -> Any:
    whole = copy.deepcopy(bundle())
    *way, last = path.split("/")
    inner: Any = whole
    for key in way:
        inner = inner[key]
    inner[last] = value
    return whole


@pytest.mark.parametrize(
    "path",
    ["description", "$comment", "$id", "$defs/Call/title", "$defs/Call/properties/tool/description"],
)
def test_wording_leaves_the_hash(path: str) -> None:
    assert schema_hash(_changed(path, "other")) == schema_hash(bundle())


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("$defs/U32/maximum", 2**31),
        ("$defs/RunId/pattern", "^x$"),
        ("$defs/Outcome/enum", ["waiting", "answered"]),
        ("$defs/Call/required", []),
        ("$defs/Call/properties/title", {"type": "string"}),
        ("$defs/Call/properties/description", {"type": "string"}),
        ("$defs/Cut/properties/kind/const", "cut_off"),
        ("$defs/description", {"type": "string"}),
        ("$defs/Block/oneOf", []),
        ("anyOf", []),
    ],
)
def test_meaning_changes_the_hash(path: str, value: Any) -> None:
    assert schema_hash(_changed(path, value)) != schema_hash(bundle())


def test_the_order_in_which_fields_are_written_is_part_of_the_meaning() -> None:
    fields = bundle()["$defs"]["Gate"]["properties"]
    other = _changed("$defs/Gate/properties", dict(reversed(fields.items())))
    assert schema_hash(other) != schema_hash(bundle())
