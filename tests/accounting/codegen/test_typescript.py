"""The generated TypeScript: compiled strictly, held to the schema, and its page followed."""

import json
from collections.abc import Sequence
from pathlib import Path
from shutil import which
from types import MappingProxyType
from typing import Final

import pytest

from accounting.codegen.typescript import generate
from tests.accounting.codegen.clients import CLIENTS, Contract, command, workshop
from tests.accounting.codegen.documents import turn_with
from tests.accounting.codegen.pages import ROOT, follow, page

MODULES: Final = CLIENTS / "typescript" / "node_modules"
with_node = pytest.mark.skipif(
    which("node") is None or not MODULES.is_dir(),
    reason="no node, or not what the client needs: `npm ci` in tests/clients/typescript",
)


@pytest.fixture(scope="module")
def client(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Sequence[str | Path]:
    written = generate(tmp_path_factory.mktemp("typescript"))
    texts = {f"rounds/{path.name}": path.read_text(encoding="utf-8") for path in written}
    folder = workshop(pytestconfig, "typescript", texts)
    if not (folder / "node_modules").is_symlink():
        (folder / "node_modules").symlink_to(MODULES)
    for project in ("tsconfig.json", "tsconfig.strict.json"):
        assert command("node_modules/.bin/tsc", "--project", project, folder=folder) == ""
    return ["node", folder / "build" / "main.js"]


@with_node
class TestTypeScript(Contract):
    """The contract of every client; unknown keys are kept, and a number that no double holds is no number here."""

    otherwise = MappingProxyType({
        "an unknown key of an open object": '{"rule":"r","violation":"","alternative":"","newer":1}',
        "1e400 in a newer note": None,
        "-0 in a newer note": turn_with('{"sung":0}'),
    })  # fmt: skip


def test_the_same_schema_gives_the_same_bytes(tmp_path: Path) -> None:
    first, second = generate(tmp_path / "a"), generate(tmp_path / "b")
    assert [path.name for path in first] == ["rounds.ts", "schema.ts", "reading.ts"]
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


def test_the_page_names_the_versions_that_are_tested() -> None:
    told = (ROOT / "docs" / "clients" / "typescript.md").read_text(encoding="utf-8")
    package = json.loads((CLIENTS / "typescript" / "package.json").read_text(encoding="utf-8"))
    for name, version in {**package["dependencies"], **package["devDependencies"]}.items():
        assert f"{name}@{version}" in told


@with_node
def test_the_page_leads_to_a_typed_answer(tmp_path: Path) -> None:
    follow(page("typescript"), tmp_path, instead=f'npm() {{ test "$1" = install; ln -sfn "{MODULES}" node_modules; }}')
