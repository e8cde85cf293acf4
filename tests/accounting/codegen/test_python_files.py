"""`rounds codegen` and what it writes over: the same bytes each time, its own files alone, and clear words."""

import errno
import re
import shutil
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


def _tree(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def _in_the_way(path: Path, language: str) -> str:
    return f"rounds: {path}: in the way, and not written by `rounds codegen {language}`; move it"


@pytest.mark.parametrize(
    "line",
    [
        "# Not Made by `rounds codegen go`: not to be edited, but made again.",
        "# Made by `rounds codegen go`: not to be edited, but made again. By hand since.",
        "package rounds // Made by `rounds codegen go`: not to be edited, but made again.",
        "// Hello\n// Made by `rounds codegen go`: not to be edited, but made again.",
        "Made by `rounds codegen go`: not to be edited, but made again.",
    ],
)
def test_the_mark_is_the_first_line_and_nothing_else(line: str, tmp_path: Path) -> None:
    (tmp_path / "reading.go").write_text(f"{line}\n")
    given = rounds("codegen", "go", "--out", tmp_path)
    assert given.exit_code == 2
    assert given.stderr.startswith(_in_the_way(tmp_path / "reading.go", "go"))
    assert (tmp_path / "reading.go").read_text() == f"{line}\n"


def test_git_may_change_how_lines_end(tmp_path: Path) -> None:
    assert rounds("codegen", "go", "--out", tmp_path).exit_code == 0
    text = (tmp_path / "rounds.go").read_bytes()
    (tmp_path / "rounds.go").write_bytes(text.replace(b"\n", b"\r\n"))
    assert rounds("codegen", "go", "--out", tmp_path).exit_code == 0
    assert (tmp_path / "rounds.go").read_bytes() == text


def test_nothing_is_written_when_a_later_file_is_a_dangling_link(tmp_path: Path) -> None:
    (tmp_path / "reading.go").symlink_to(tmp_path / "nowhere" / "reading.go")
    given = rounds("codegen", "go", "--out", tmp_path)
    assert (given.exit_code, given.stdout) == (2, "")
    assert given.stderr.startswith(_in_the_way(tmp_path / "reading.go", "go"))
    assert _tree(tmp_path) == {"reading.go"}


def test_a_link_is_not_written_through_or_lost(tmp_path: Path) -> None:
    assert rounds("codegen", "go", "--out", tmp_path / "other").exit_code == 0
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "reading.go").symlink_to(tmp_path / "other" / "reading.go")
    assert rounds("codegen", "go", "--out", tmp_path / "out").exit_code == 2
    assert (tmp_path / "out" / "reading.go").is_symlink()


def test_nothing_is_written_when_a_file_is_where_a_folder_has_to_be(tmp_path: Path) -> None:
    assert rounds("codegen", "msgspec", "--out", tmp_path).exit_code == 0
    shutil.rmtree(tmp_path / "msgspec_structs" / "record")
    (tmp_path / "msgspec_structs" / "record").write_text("mine")
    (tmp_path / INIT).write_bytes((tmp_path / INIT).read_bytes() + b"# old\n")
    before = _tree(tmp_path)
    given = rounds("codegen", "msgspec", "--out", tmp_path)
    assert (given.exit_code, given.stdout) == (2, "")
    assert given.stderr.startswith(_in_the_way(tmp_path / "msgspec_structs" / "record", "msgspec"))
    assert _tree(tmp_path) == before
    assert (tmp_path / INIT).read_bytes().endswith(b"# old\n")


def test_nothing_is_replaced_when_writing_fails_halfway(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert rounds("codegen", "go", "--out", tmp_path).exit_code == 0
    old = {path.name: path.read_bytes() + b"// old\n" for path in tmp_path.iterdir()}
    for name, text in old.items():
        (tmp_path / name).write_bytes(text)
    write_bytes = Path.write_bytes

    def full(path: Path, text: bytes) -> int:
        if "reading.go" in path.name:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write_bytes(path, text)

    monkeypatch.setattr(Path, "write_bytes", full)
    assert rounds("codegen", "go", "--out", tmp_path).exit_code != 0
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == old


def test_the_folder_may_be_a_link_and_may_be_named_from_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    monkeypatch.chdir(tmp_path)
    assert rounds("codegen", "go", "--out", "link/new").exit_code == 0
    assert _tree(tmp_path / "real") == {"new", "new/rounds.go", "new/reading.go"}


def test_a_check_names_what_is_in_the_way_and_what_is_left_over(tmp_path: Path) -> None:
    assert rounds("codegen", "msgspec", "--out", tmp_path).exit_code == 0
    folder = tmp_path / "msgspec_structs"
    text = (folder / "ask.py").read_bytes()
    (folder / "ask.py").write_text("mine")
    (folder / "no_more").mkdir()
    for left in (folder / "no_more" / "old.py", tmp_path / "old.py"):
        left.write_bytes(text)
    (folder / "mine.py").write_text("# Mine.\n")
    (tmp_path / "go.py").write_text("# Made by `rounds codegen go`: not to be edited, but made again.\n")
    given = rounds("codegen", "msgspec", "--out", tmp_path, "--check")
    assert (given.exit_code, given.stdout) == (1, "")
    assert set(given.stderr.splitlines()) == {
        _in_the_way(folder / "ask.py", "msgspec"),
        f"rounds: {folder / 'no_more' / 'old.py'}: no longer written; remove it",
        f"rounds: {tmp_path / 'old.py'}: no longer written; remove it",
    }


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
