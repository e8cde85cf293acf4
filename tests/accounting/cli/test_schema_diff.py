"""`rounds schema diff` and the gate of `rounds schema --check`, from the command line."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from accounting.evolution import Change
from tests.accounting.cli.help import process, rounds
from wire.export import schema_dir, schemas

ANSWER = "rounds-answer.schema.json"
PAGE = (Path(__file__).resolve().parents[3] / "docs" / "schema-diff.md").read_text("utf-8")


def written(folder: Path, *, word: str = "", field: str = "", text: str = "") -> Path:
    """The document of answers in a folder, with a word, a field or another description."""
    whole: dict[str, Any] = json.loads(schemas()[ANSWER])
    if word:
        whole["$defs"]["Outcome"]["enum"].append(word)
    if field:
        whole["$defs"]["Call"]["properties"][field] = {"type": "string"}
    if text:
        whole["description"] = text
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ANSWER).write_text(json.dumps(whole))
    return folder


def test_the_page_shows_what_is_printed(tmp_path: Path) -> None:
    (expected,) = re.findall(r"\$ rounds schema diff old new\n(.*?)```", PAGE, re.DOTALL)
    given = rounds("schema", "diff", written(tmp_path / "old"), written(tmp_path / "new", word="lost", field="tries"))
    assert given.stdout == expected
    assert (given.exit_code, given.stderr) == (1, "")


def test_the_page_names_every_class() -> None:
    listed = {name for row in re.findall(r"^\| (`.*?) \|", PAGE, re.MULTILINE) for name in re.findall("`(.*?)`", row)}
    assert listed == {change.value for change in Change}


def test_the_verdict_and_the_exit_code(tmp_path: Path) -> None:
    old = written(tmp_path / "old")
    for new, code, verdict in (
        (written(tmp_path / "same"), 0, "No difference."),
        (
            written(tmp_path / "text", text="Other."),
            *(0, "1 difference, and no reader breaks. This calls for a patch version."),
        ),
        (
            written(tmp_path / "field", field="tries"),
            *(0, "1 difference, and no reader breaks. This calls for a minor version."),
        ),
        (written(tmp_path / "word", word="lost"), 1, "1 break. This calls for a major version."),
    ):
        given = rounds("schema", "diff", old, new)
        assert (given.exit_code, given.stdout.splitlines()[-1]) == (code, verdict)


def test_json_is_one_object_on_one_line(tmp_path: Path) -> None:
    old, new = written(tmp_path / "old") / ANSWER, written(tmp_path / "new", word="lost") / ANSWER
    given = rounds("schema", "diff", old, new, "--json")
    assert given.exit_code == 1
    assert given.stdout.count("\n") == 1
    assert json.loads(given.stdout) == {
        "old": str(old),
        "new": str(new),
        "new_reads_old": "compatible",
        "old_reads_new": "breaking",
        "step": "major",
        "differences": [
            {
                "document": ANSWER,
                "class": "enum member added",
                "path": "turns[].calls[].outcome",
                "also_at": [],
                "new_reads_old": "compatible",
                "old_reads_new": "breaking",
                "sentence": "`lost` is new",
                "old_at": "#/$defs/Outcome",
                "new_at": "#/$defs/Outcome",
            }
        ],
    }


def test_a_definition_of_several_documents_is_told_once(tmp_path: Path) -> None:
    new = tmp_path / "new"
    new.mkdir()
    for name, text in schemas().items():
        (new / name).write_bytes(text.replace(b'"minimum": 0', b'"minimum": 1'))
    given = rounds("schema", "diff", schema_dir(), new)
    (line,) = [line for line in given.stdout.splitlines() if line.endswith(": #/$defs/Seq")]
    assert re.fullmatch(r"    in .*, .*, .* and \d+ more: #/\$defs/Seq", line)


@pytest.mark.parametrize("text", ["{", "[1]", '{"$ref": "other.json"}', "[" * 100_000])
def test_what_cannot_be_read_is_told_in_one_line(text: str, tmp_path: Path) -> None:
    good = written(tmp_path) / ANSWER
    bad = tmp_path / "bad.json"
    bad.write_text(text)
    for words in ((bad, good), (good, bad)):
        given = rounds("schema", "diff", *words)
        assert (given.exit_code, given.stdout) == (2, "")
        assert given.stderr.startswith("rounds: ")
        assert given.stderr.count("\n") == 1


def test_what_is_no_unicode_is_told_all_the_same(tmp_path: Path) -> None:
    for name, word in (("old", "a"), ("new", "\\ud800")):
        (tmp_path / f"{name}.json").write_text(f'{{"enum": ["b", "{word}"]}}')
    for more in ((), ("--json",)):
        done = process("schema", "diff", tmp_path / "old.json", tmp_path / "new.json", *more)
        assert (done.returncode, done.stderr) == (1, b"")
        assert b"is new" in done.stdout


def test_wrong_usage(tmp_path: Path) -> None:
    folder = written(tmp_path / "a")
    for words in ((), (folder,), (folder, tmp_path / "gone"), (folder, folder / ANSWER), (folder, tmp_path)):
        given = rounds("schema", "diff", *words)
        assert (given.exit_code, given.stdout, given.stderr.count("\n")) == (2, "", 1), words


def test_help_shows_examples_and_the_group_tells_of_it() -> None:
    given = rounds("schema", "diff", "--help")
    assert given.exit_code == 0
    assert "rounds schema diff schema/released schema" in given.stdout
    assert given.stdout.startswith("Usage: rounds schema diff [OPTIONS] OLD NEW")
    assert "rounds schema diff OLD NEW" in rounds("schema", "--help").stdout


# The gate


def test_check_holds_the_documents_to_what_was_released(tmp_path: Path) -> None:
    assert rounds("schema", "--out", tmp_path).exit_code == 0
    assert rounds("schema", "--check", "--out", tmp_path).exit_code == 0
    written(tmp_path / "released", word="lost")
    given = rounds("schema", "--check", "--out", tmp_path)
    assert (given.exit_code, given.stdout) == (1, "")
    assert given.stderr.startswith(f"rounds: {ANSWER}: turns[].calls[].outcome: enum member removed")
    written(tmp_path / "released")
    assert rounds("schema", "--check", "--out", tmp_path).exit_code == 0


def test_check_holds_version_and_hash_to_what_was_released(tmp_path: Path) -> None:
    assert rounds("schema", "--out", tmp_path).exit_code == 0
    document = written(tmp_path / "released") / ANSWER
    document.write_text(re.sub("hash [0-9a-f]{64}", f"hash {'0' * 64}", document.read_text()))
    given = rounds("schema", "--check", "--out", tmp_path)
    assert (given.exit_code, given.stdout) == (1, "")
    assert given.stderr.startswith("rounds: the schema's hash is not the one released as ")
    assert given.stderr.count("\n") == 1


def test_the_repository_passes_its_own_gate() -> None:
    assert (schema_dir() / "released" / "README.md").is_file()
    done = process("schema", "--check")
    assert (done.returncode, done.stderr) == (0, b"")
