"""`rounds schema` writes and compares the module with version and hash together with the folder it belongs to."""

from pathlib import Path

import pytest
from click.testing import CliRunner

import wire.export
from accounting.cli import main


@pytest.fixture
def came_along(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """A folder that stands for the one that came along, and the module that goes with it."""
    folder, module = tmp_path / "schema", tmp_path / "schema_version.py"
    _, source = wire.export.version_file()
    monkeypatch.setattr(wire.export, "schema_dir", lambda: folder)
    monkeypatch.setattr(wire.export, "version_file", lambda: (module, source))
    return folder, module


def test_the_module_is_written_and_compared_with_its_folder(came_along: tuple[Path, Path]) -> None:
    folder, module = came_along
    written = CliRunner().invoke(main, ["schema", "--out", str(folder)])
    assert (written.exit_code, written.stdout.splitlines()[-1]) == (0, str(module))
    assert CliRunner().invoke(main, ["schema", "--check"]).exit_code == 0
    module.write_text("SCHEMA_VERSION = '0.9'\n")
    stale = CliRunner().invoke(main, ["schema", "--check"])
    assert (stale.exit_code, stale.stderr.count("\n")) == (1, 1)
    assert stale.stderr.startswith(f"rounds: {module}: not what would be exported; `rounds schema --out {folder}`")


@pytest.mark.parametrize("root", wire.export.ROOTS)
def test_a_document_is_found_by_its_shape_too(root: wire.export.Root) -> None:
    document = wire.export.schemas()[f"{root.name}.schema.json"]
    for name in (root.shape, root.name, f"{root.name}.schema.json"):
        assert CliRunner().invoke(main, ["schema", name]).stdout_bytes == document


def test_the_bundle_is_found_by_its_title_and_what_has_no_document_is_not() -> None:
    bundle = wire.export.schemas()["rounds.schema.json"]
    assert CliRunner().invoke(main, ["schema", "Rounds"]).stdout_bytes == bundle
    for name in ("Call", "roundsanswer", "RoundsAnswer.schema.json"):
        assert CliRunner().invoke(main, ["schema", name]).exit_code == 2


def test_another_folder_has_documents_alone(came_along: tuple[Path, Path], tmp_path: Path) -> None:
    _, module = came_along
    assert CliRunner().invoke(main, ["schema", "--out", str(tmp_path / "other")]).exit_code == 0
    assert not module.exists()
