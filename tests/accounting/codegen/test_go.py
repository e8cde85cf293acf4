"""The generated Go: vetted and formatted, held to the schema, and its page followed."""

from collections.abc import Sequence
from pathlib import Path
from shutil import which
from types import MappingProxyType
from typing import Final

import pytest

from accounting.codegen.go import generate
from tests.accounting.codegen.clients import Contract, command, workshop
from tests.accounting.codegen.documents import SHAPES, signal_with
from tests.accounting.codegen.pages import follow, page

OFFLINE: Final = {"GOPROXY": "off", "GOTOOLCHAIN": "local", "GOFLAGS": "-mod=mod"}
with_go = pytest.mark.skipif(which("go") is None, reason="no go: apt-get install golang-go")


@pytest.fixture(scope="module")
def client(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Sequence[str | Path]:
    written = generate(tmp_path_factory.mktemp("go"))
    rows = "".join(f'"{shape}": func() any {{ return new(rounds.{shape}) }},\n' for shape in SHAPES)
    shapes = f'package main\n\nimport "client/rounds"\n\nvar shapes = map[string]func() any{{\n{rows}}}\n'
    texts = {f"rounds/{path.name}": path.read_text(encoding="utf-8") for path in written}
    folder = workshop(pytestconfig, "go", {"shapes.go": shapes, **texts})
    assert command("gofmt", "-l", "main.go", "rounds", folder=folder) == ""
    assert command("go", "vet", "./...", folder=folder, **OFFLINE) == ""
    assert command("go", "build", "-o", "client", folder=folder, **OFFLINE) == ""
    return [folder / "client"]


@with_go
class TestGo(Contract):
    """The contract of every client; numbers in free JSON pass as they are spelled."""

    otherwise = MappingProxyType({"1e400 in free JSON": signal_with("1e400")})


def test_the_same_schema_gives_the_same_bytes(tmp_path: Path) -> None:
    first, second = generate(tmp_path / "a"), generate(tmp_path / "b")
    assert [path.name for path in first] == ["rounds.go", "reading.go"]
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


@with_go
def test_the_page_leads_to_a_typed_answer(tmp_path: Path) -> None:
    follow(page("go"), tmp_path, **OFFLINE)
