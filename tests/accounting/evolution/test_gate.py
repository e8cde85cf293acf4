"""The gate: a break of what was released has to be announced, and adding never is one."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from accounting.evolution.gate import unannounced
from wire.export import schemas

EXPORTED = schemas()
ANSWER = "rounds-answer.schema.json"


def released(folder: Path, change: Callable[[dict[str, Any]], object] | None = None, **more: bytes) -> Path:
    """A folder of the exported documents, one of them changed."""
    for name, text in EXPORTED.items():
        (folder / name).write_bytes(text)
    if change is not None:
        whole = json.loads(EXPORTED[ANSWER])
        change(whole)
        (folder / ANSWER).write_text(json.dumps(whole))
    return folder


def raised(by: int) -> dict[str, bytes]:
    """Today's documents under another major version."""
    found: dict[str, bytes] = {}
    for name, text in EXPORTED.items():
        whole = json.loads(text)
        before, _, rest = whole["$id"].partition(":schema:")
        major, _, what = rest.partition(":")
        found[name] = json.dumps(whole | {"$id": f"{before}:schema:{int(major) + by}:{what}"}).encode()
    return found


def another_word(whole: dict[str, Any]) -> None:
    whole["$defs"]["Outcome"]["enum"].append("lost")


def next_major() -> int:
    return int(json.loads(EXPORTED[ANSWER])["$id"].split(":")[3]) + 1


def test_before_the_first_release_nothing_was_promised(tmp_path: Path) -> None:
    assert unannounced(tmp_path, EXPORTED, "") == ()


def test_what_was_released_and_is_the_same_passes(tmp_path: Path) -> None:
    assert unannounced(released(tmp_path), EXPORTED, "") == ()


def test_a_further_document_and_a_further_definition_of_the_bundle_pass(tmp_path: Path) -> None:
    released(tmp_path)
    (tmp_path / "ask-turn.schema.json").unlink()
    bundle = json.loads(EXPORTED["rounds.schema.json"])
    bundle["anyOf"].remove({"$ref": "#/$defs/AskTurn"})
    del bundle["$defs"]["AskTurn"]
    (tmp_path / "rounds.schema.json").write_text(json.dumps(bundle))
    assert unannounced(tmp_path, EXPORTED, "") == ()


def test_a_break_is_told_with_what_to_do(tmp_path: Path) -> None:
    (line,) = unannounced(released(tmp_path, another_word), EXPORTED, "")
    assert line.startswith(
        f"{ANSWER}: turns[].calls[].outcome: enum member removed, which breaks a new reader of old data"
    )
    assert f"still version {next_major() - 1}" in line


def test_a_document_that_is_gone_is_a_break(tmp_path: Path) -> None:
    released(tmp_path)
    (tmp_path / "praise.schema.json").write_bytes(EXPORTED[ANSWER])
    (line,) = unannounced(tmp_path, EXPORTED, "")
    assert "praise.schema.json" in line
    assert "document removed" in line


def test_a_break_is_announced_by_version_and_change_log_together(tmp_path: Path) -> None:
    released(tmp_path, another_word)
    log = f"# Changes\n\n## {next_major()}.0 (unreleased)\n"
    assert unannounced(tmp_path, raised(1), log) == ()
    assert unannounced(tmp_path, EXPORTED, log) != ()
    (line,) = unannounced(tmp_path, raised(1), f"## {next_major()}1.0\n")
    assert line == f"the change log has no heading for version {next_major()} of the schema"
    left_behind = raised(1) | {ANSWER: EXPORTED[ANSWER]}
    assert unannounced(tmp_path, left_behind, log) != ()


def test_a_version_does_not_go_back(tmp_path: Path) -> None:
    (line,) = unannounced(released(tmp_path), raised(-1), "")
    assert "went back" in line
