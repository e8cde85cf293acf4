"""The fold of tests/clients/typescript/fold, compiled: as it stands, and again with one text in it replaced."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from shutil import which
from typing import Final

import pytest
from msgspec import Struct

from accounting.codegen.typescript import generate
from tests.accounting.codegen.clients import CLIENTS, command

CLIENT: Final = CLIENTS / "typescript"
SOURCES: Final = CLIENT / "fold"
_MODULES: Final = CLIENT / "node_modules"

with_node = pytest.mark.skipif(
    which("node") is None or not _MODULES.is_dir(),
    reason="no node, or not what the client needs: `npm ci` in tests/clients/typescript",
)


class Change(Struct, frozen=True, kw_only=True):
    """One text in one file of the fold, and what stands there instead."""

    name: str
    """What to call the fold that comes of it: the folder it is compiled in."""
    file: str
    text: str
    """Occurs once in the file."""
    instead: str


def compiled(folder: Path) -> list[str]:
    """The command that starts the fold, strictly compiled in this folder."""
    _project(folder)
    shutil.copytree(SOURCES, folder / "fold")
    generate(folder / "rounds")
    _compile(folder, "fold")
    return _start(folder, "fold")


def compiled_with(folder: Path, changes: Sequence[Change]) -> dict[str, list[str]]:
    """The command that starts each changed fold, by the change's name. One run of the compiler makes them all."""
    _project(folder)
    for change in changes:
        shutil.copytree(SOURCES, folder / change.name, ignore=shutil.ignore_patterns("tsconfig.json"))
        file = folder / change.name / change.file
        before, text, after = file.read_text(encoding="utf-8").partition(change.text)
        assert text, f"{change.name}: {change.file} has no such text: {change.text}"
        file.write_text(before + change.instead + after, encoding="utf-8")
    # A mistake need not satisfy the compiler.
    options = {"rootDir": ".", "outDir": "build", "noCheck": True, "declaration": False, "isolatedDeclarations": False}
    project = {"extends": "./tsconfig.json", "compilerOptions": options, "include": ["*/*.ts"]}
    (folder / "changed.json").write_text(json.dumps(project), encoding="utf-8")
    _compile(folder, "changed.json")
    return {change.name: _start(folder, change.name) for change in changes}


def _project(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "tsconfig.json"):
        shutil.copy(CLIENT / name, folder / name)
    (folder / "node_modules").symlink_to(_MODULES)


def _compile(folder: Path, project: str) -> None:
    printed = command("node_modules/.bin/tsc", "--project", project, folder=folder)
    assert printed == "", printed


def _start(folder: Path, name: str) -> list[str]:
    return ["node", str(folder / "build" / name / "main.js")]
