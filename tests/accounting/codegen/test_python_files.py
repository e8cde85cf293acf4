"""`rounds codegen` and what it writes over: the same bytes each time, its own files alone, and clear words."""

import re
from importlib import import_module
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Final

import pytest

import wire
from accounting.codegen import LANGUAGES, python
from tests.accounting.cli.help import rounds

INIT: Final = "msgspec_structs/__init__.py"


def test_languages_are_listed() -> None:
    given = rounds("codegen")
    assert given.exit_code == 0
    for language in LANGUAGES.values():
        assert f"{language.name}\n  writes {language.writes}\n  needs  {language.needs}\n" in given.stdout


@pytest.mark.parametrize("name", LANGUAGES)
def test_every_language_has_a_generator(name: str) -> None:
    assert LANGUAGES[name].name == name
    assert callable(import_module(f"accounting.codegen.{name}").generate)


def test_the_files_are_named_and_say_what_made_them(tmp_path: Path) -> None:
    given = rounds("codegen", "msgspec", "--out", tmp_path / "new" / "folder")
    assert given.exit_code == 0
    written = [Path(line) for line in given.stdout.splitlines()]
    assert set(written) == {path for path in (tmp_path / "new" / "folder").rglob("*") if path.is_file()}
    for path in written:
        head = path.read_text("utf-8").splitlines()[:3]
        assert head[0] == "# Made by `rounds codegen msgspec`: not to be edited, but made again."
        assert head[1:] == [f"# Schema of rounds, version {wire.SCHEMA_VERSION}, hash", f"# {wire.SCHEMA_HASH}"]


def test_a_file_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / INIT).parent.mkdir()
    (tmp_path / INIT).write_text("# Made by `rounds codegen pydantic`, or by hand\n")
    given = rounds("codegen", "msgspec", "--out", tmp_path)
    assert (given.exit_code, given.stdout) == (2, "")
    assert given.stderr.startswith(
        f"rounds: {tmp_path / INIT}: in the way, and not written by `rounds codegen msgspec`"
    )
    assert [path.name for path in tmp_path.rglob("*.*")] == ["__init__.py"]


def test_a_folder_in_the_way_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / INIT).mkdir(parents=True)
    given = rounds("codegen", "msgspec", "--out", tmp_path)
    assert (given.exit_code, given.stderr.count("in the way")) == (2, 1)


def test_its_own_files_are_written_over_and_checked(tmp_path: Path) -> None:
    assert rounds("codegen", "msgspec", "--out", tmp_path, "--check").exit_code == 1
    assert not list(tmp_path.iterdir())
    assert rounds("codegen", "msgspec", "--out", tmp_path).exit_code == 0
    assert rounds("codegen", "msgspec", "--out", tmp_path, "--check").exit_code == 0
    text = (tmp_path / INIT).read_bytes()
    (tmp_path / INIT).write_bytes(text + b"\n")
    (tmp_path / "msgspec_structs" / "ask.py").unlink()
    given = rounds("codegen", "msgspec", "--out", tmp_path, "--check")
    assert (given.exit_code, given.stdout) == (1, "")
    again = f"`rounds codegen msgspec --out {tmp_path}` writes it"
    assert set(given.stderr.splitlines()) == {
        f"rounds: {tmp_path / INIT}: not what would be written; {again}",
        f"rounds: {tmp_path / 'msgspec_structs' / 'ask.py'}: missing; {again}",
    }
    assert rounds("codegen", "msgspec", "--out", tmp_path).exit_code == 0
    assert (tmp_path / INIT).read_bytes() == text


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["cobol"], "no language 'cobol'; there are:"),
        (["pydantic"], "where to? `rounds codegen pydantic --out DIR`; see"),
        (["--check"], "--out and --check are about one LANG; see"),
        (["pydantic", "--check"], "where to?"),
    ],
)
def test_wrong_usage(arguments: list[str], told: str) -> None:
    given = rounds("codegen", *arguments)
    assert (given.exit_code, given.stdout) == (2, "")
    assert given.stderr.startswith(f"rounds: {told}")


# The generator of most of them


@pytest.mark.parametrize("found", [None, "0.1.0"])
@pytest.mark.parametrize("language", ["pydantic", "dataclass", "typeddict"])
def test_a_missing_generator_is_named(
    language: str, found: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def version(name: str) -> str:
        if found is None:
            raise PackageNotFoundError(name)
        return found

    monkeypatch.setattr(python, "version", version)
    given = rounds("codegen", language, "--out", tmp_path)
    assert (given.exit_code, given.stdout, list(tmp_path.iterdir())) == (2, "", [])
    assert given.stderr == (
        f"rounds: needs datamodel-code-generator {python.PIN}, and {found or 'no version'} is installed;"
        " `pip install 'rounds[codegen]'`\n"
    )


def test_a_failing_generator_is_quoted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("datamodel_code_generator")
    monkeypatch.setattr(python, "bundle", lambda: {"$ref": "nowhere.json"})
    given = rounds("codegen", "pydantic", "--out", tmp_path)
    assert given.exit_code == 2
    assert given.stderr.startswith("rounds: datamodel-code-generator failed: ")
    assert given.stderr.count("\n") == 1


def test_the_extra_asks_for_the_same_version() -> None:
    project = (Path(__file__).parents[3] / "pyproject.toml").read_text()
    assert set(re.findall(r"datamodel-code-generator==([\w.]+)", project)) <= {python.PIN}
