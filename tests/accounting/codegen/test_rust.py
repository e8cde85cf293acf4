"""The generated Rust: compiled with every warning an error, held to the schema, and its page followed.

serde comes out of Debian's packages, whose sources cargo takes for a registry; nothing is fetched.
"""

from collections.abc import Sequence
from pathlib import Path
from shutil import which
from types import MappingProxyType
from typing import Final

import pytest

from accounting.codegen.model import Named, Union, definitions, member
from accounting.codegen.rust import generate
from tests.accounting.codegen.clients import CLIENTS, Contract, command, workshop
from tests.accounting.codegen.documents import SHAPES
from tests.accounting.codegen.pages import follow, page

SOURCES: Final = Path("/usr/share/cargo/registry")
CARGO: Final = f"""\
[source.crates-io]
replace-with = "system"
[source.system]
directory = "{SOURCES}"
[net]
offline = true
"""
SMALL: Final = {"CARGO_PROFILE_DEV_DEBUG": "0", "CARGO_INCREMENTAL": "0"}
"""Nobody debugs it: less to compile, and less disk."""
with_rust = pytest.mark.skipif(
    which("cargo") is None or not all([*SOURCES.glob(f"{crate}-1*")] for crate in ("regex", "serde", "serde_json")),
    reason="no cargo, or no crates for it: apt-get install librust-{serde-derive,serde-json,regex}-dev",
)


@pytest.fixture(scope="module")
def client(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Sequence[str | Path]:
    written = generate(tmp_path_factory.mktemp("rust"))
    texts = {f"src/rounds/{path.name}": path.read_text(encoding="utf-8") for path in written}
    folder = workshop(pytestconfig, "rust", {".cargo/config.toml": CARGO, "src/shapes.rs": shapes(), **texts})
    command("cargo", "build", "--quiet", folder=folder, CARGO_TARGET_DIR="target", **SMALL)
    return [folder / "target" / "debug" / "client"]


def shapes() -> str:
    """The reader of each shape; a form without its tag is read as the union that it is a form of."""
    forms = {
        form.name: (one.name, member(word))
        for one in definitions().values()
        if isinstance(one, Union) and one.told_by == "tag"
        for word, form in one.forms.items()
        if isinstance(form, Named)
    }
    rows: list[str] = []
    for shape in SHAPES:
        union, form = forms.get(shape, (shape, ""))
        right = f"matches!(one, rounds::{union}::{form}(_))" if form else "true"
        rows.append(
            f'        "{shape}" => crate::again::<rounds::{union}>(text, |{"one" if form else "_"}| {right}),\n'
        )
    return (
        "use crate::rounds;\n\npub fn judge(shape: &str, text: &str) -> serde_json::Result<String> {\n"
        f'    match shape {{\n{"".join(rows)}        _ => panic!("no such shape: {{shape}}"),\n    }}\n}}\n'
    )


@with_rust
class TestRust(Contract):
    """The contract of every client, but a float is refused in free JSON too, and `-0`, which serde_json makes one."""

    regardless = "a float, or an integer past 64 bits|any variant of untagged enum ToolResultResult"
    otherwise = MappingProxyType({"a repeated key": None, "-0": None})


def test_the_same_schema_gives_the_same_bytes(tmp_path: Path) -> None:
    first, second = generate(tmp_path / "a"), generate(tmp_path / "b")
    assert [path.name for path in first] == ["mod.rs", "reading.rs"]
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


@with_rust
def test_the_page_leads_to_a_typed_answer(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    (tmp_path / ".cargo").mkdir()
    (tmp_path / ".cargo" / "config.toml").write_text(CARGO, encoding="utf-8")
    target = pytestconfig.cache.mkdir("client-rust") / "target"  # What the other client had compiled serves again.
    follow(page("rust"), tmp_path, CARGO_TARGET_DIR=str(target), **SMALL)


def test_the_page_names_the_crates_that_are_tested() -> None:
    dependencies = (CLIENTS / "rust" / "Cargo.toml").read_text(encoding="utf-8").partition("[dependencies]\n")[2]
    assert dependencies in page("rust").files["Cargo.toml"]
