"""The gate: what was released changes under a new version, and breaks under a new major one, or it is told."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from accounting.evolution import Change
from accounting.evolution.gate import unannounced
from wire.export import MAJOR, VERSION, schema_dir, schemas

from .test_classes import ANSWERS, FINE, LINES

Json = Any
END = ".schema.json"
ALL = schemas()
EXPORTED = {f"{name}{END}": ALL[f"{name}{END}"] for name in ("rounds-answer", "ask-event", "ask-turn", "check-report")}
"""Enough of them for most tests."""
ANSWER, THREAD = f"rounds-answer{END}", f"ask-event{END}"
RELEASED = schema_dir() / "released"
OTHER = "0" * 64


def folder(path: Path, documents: Mapping[str, bytes] = EXPORTED) -> Path:
    """A folder of released documents."""
    for name, text in documents.items():
        (path / name).write_bytes(text)
    return path


def changed(name: str, change: Callable[[Json], object], documents: Mapping[str, bytes] = EXPORTED) -> dict[str, bytes]:
    """Documents of which one is another, and nothing says so."""
    whole = json.loads(documents[name])
    change(whole)
    return {**documents, name: json.dumps(whole).encode()}


def stamped(version: str, digest: str | None = OTHER, documents: Mapping[str, bytes] = EXPORTED) -> dict[str, bytes]:
    """Documents under another version and hash; without a hash, under their own."""
    found: dict[str, bytes] = {}
    for name, text in documents.items():
        whole = json.loads(text)
        own = whole["$comment"].rpartition(" ")[2].removesuffix(".")
        identity = f"urn:rounds:schema:{version.partition('.')[0]}:{name.removesuffix(END)}"
        comment = f"Version {version}, hash {own if digest is None else digest}."
        found[name] = json.dumps(whole | {"$id": identity, "$comment": comment}).encode()
    return found


def log(*versions: str) -> str:
    return "# Changes\n\n" + "".join(f"## {version} (unreleased)\n\n- Some.\n\n" for version in versions)


def one_word_less(whole: Json) -> None:
    whole["$defs"]["Outcome"]["enum"].remove("failed")


def one_field_more(whole: Json) -> None:
    whole["$defs"]["Call"]["properties"]["tries"] = {"type": "integer"}


def another_order(whole: Json) -> None:
    fields = whole["$defs"]["Call"]["properties"]
    whole["$defs"]["Call"]["properties"] = dict(reversed(fields.items()))


def another_text(whole: Json) -> None:
    whole["description"] = "Other."


def later(version: str, *, minor: int = 0) -> str:
    """The next major version, or one some minors further."""
    first, second = map(int, version.split("."))
    return f"{first}.{second + minor}" if minor else f"{first + 1}.0"


MINOR = later(VERSION, minor=1)
NEXT = later(VERSION)


# What passes


def test_before_the_first_release_nothing_was_promised(tmp_path: Path) -> None:
    assert unannounced(tmp_path, EXPORTED, "") == ()


def test_what_was_released_and_is_the_same_passes(tmp_path: Path) -> None:
    assert unannounced(folder(tmp_path, ALL), ALL, "") == ()


def test_a_wording_keeps_version_and_hash(tmp_path: Path) -> None:
    assert unannounced(folder(tmp_path), changed(ANSWER, another_text), "") == ()


def test_what_was_not_released_may_still_break(tmp_path: Path) -> None:
    bundle, journal = f"rounds{END}", f"dispatch-journal{END}"
    folder(tmp_path)
    some = EXPORTED | {name: ALL[name] for name in (bundle, journal)}
    broken = changed(journal, lambda its: its["required"].pop(), some)
    assert unannounced(tmp_path, broken, "") == ()
    # It changes the hash of the whole export all the same, and so the minor version.
    assert len(unannounced(tmp_path, stamped(VERSION, documents=broken), "")) == 1
    assert unannounced(tmp_path, stamped(MINOR, documents=broken), log(MINOR)) == ()


def test_a_further_document_and_a_further_definition_of_the_bundle_pass(tmp_path: Path) -> None:
    folder(tmp_path, ALL)
    (tmp_path / "ask-turn.schema.json").unlink()
    bundle = json.loads(ALL["rounds.schema.json"])
    bundle["anyOf"].remove({"$ref": "#/$defs/AskTurn"})
    del bundle["$defs"]["AskTurn"]
    (tmp_path / "rounds.schema.json").write_text(json.dumps(bundle))
    assert unannounced(tmp_path, stamped(MINOR, documents=ALL), log(MINOR)) == ()


# Version, hash and change log


@pytest.mark.parametrize("change", [one_field_more, another_order])
def test_the_same_version_with_another_hash_is_told(change: Callable[[Json], object], tmp_path: Path) -> None:
    new = stamped(VERSION, documents=changed(ANSWER, change))
    assert unannounced(folder(tmp_path), new, log(VERSION)) == (
        f"the schema's hash is not the one released as {VERSION}, and its version is the same",
    )
    assert unannounced(tmp_path, stamped(MINOR, documents=new), log(MINOR)) == ()


def test_one_document_is_enough(tmp_path: Path) -> None:
    folder(tmp_path, {ANSWER: EXPORTED[ANSWER]})
    assert len(unannounced(tmp_path, stamped(VERSION), "")) == 1


@pytest.mark.parametrize("version", [MINOR, NEXT])
def test_a_new_version_has_a_heading_of_its_own(version: str, tmp_path: Path) -> None:
    folder(tmp_path)
    told = (f"the change log has no heading for version {version} of the schema",)
    for text in ("", log(VERSION), log(f"{version}1"), log(f"{version}.1"), f"# {version}\n", f"See\n ## {version}\n"):
        assert unannounced(tmp_path, stamped(version), text) == told
    assert unannounced(tmp_path, stamped(version), log(version)) == ()
    assert unannounced(tmp_path, stamped(version), f"## {version}") == ()


def test_a_version_does_not_go_back(tmp_path: Path) -> None:
    folder(tmp_path, stamped("3.2"))
    for version in ("2.9", "3.1"):
        assert unannounced(tmp_path, stamped(version), log(version)) == (
            f"the schema's version went back from 3.2 to {version}",
        )
    assert unannounced(tmp_path, stamped("3.10"), log("3.10")) == ()


def test_a_document_without_version_and_hash_is_told_on_either_side(tmp_path: Path) -> None:
    def silent(whole: Json) -> None:
        del whole["$comment"]

    assert unannounced(folder(tmp_path), changed(ANSWER, silent), "") == (
        f"{ANSWER}: no version and hash in its $comment",
    )
    folder(tmp_path, changed(ANSWER, silent))
    assert unannounced(tmp_path, EXPORTED, "") == (f"{tmp_path / ANSWER}: no version and hash in its $comment",)


# Breaks


def test_a_break_is_told_with_what_to_do(tmp_path: Path) -> None:
    (line,) = unannounced(folder(tmp_path), changed(ANSWER, one_word_less), "")
    assert line.startswith(
        f"{ANSWER}: turns[].calls[].outcome: enum member removed, which breaks a new reader of old data"
    )
    assert f"and its major version is still {MAJOR}" in line


def test_a_document_that_is_gone_is_a_break(tmp_path: Path) -> None:
    folder(tmp_path)
    (tmp_path / "praise.schema.json").write_bytes(EXPORTED[ANSWER])
    (line,) = unannounced(tmp_path, EXPORTED, "")
    assert "praise.schema.json" in line
    assert "document removed" in line
    assert unannounced(tmp_path, stamped(NEXT), log(NEXT)) == ()


def test_a_break_is_announced_by_a_major_version_and_change_log_together(tmp_path: Path) -> None:
    folder(tmp_path)
    broken = changed(ANSWER, one_word_less)
    assert unannounced(tmp_path, stamped(NEXT, documents=broken), log(NEXT)) == ()
    assert unannounced(tmp_path, broken, log(NEXT)) != ()
    assert unannounced(tmp_path, stamped(NEXT, documents=broken), log(MINOR)) != ()
    (line,) = unannounced(tmp_path, stamped(MINOR, documents=broken), log(MINOR))
    assert "enum member removed" in line
    left_behind = stamped(NEXT) | {ANSWER: broken[ANSWER]}
    assert unannounced(tmp_path, left_behind, log(NEXT)) != ()


# What a reader was told to live with


def praise(whole: Json) -> None:
    whole["$defs"]["AskPraise"] = {
        "type": "object",
        "properties": {"t": {"type": "string", "const": "praise"}},
        "required": ["t"],
    }
    whole["oneOf"].append({"$ref": "#/$defs/AskPraise"})


def test_a_further_form_of_a_union_whose_readers_ignore_it_is_a_minor_version(tmp_path: Path) -> None:
    folder(tmp_path)
    new = changed(THREAD, praise)
    assert unannounced(tmp_path, stamped(MINOR, documents=new), log(MINOR)) == ()
    (line,) = unannounced(tmp_path, stamped(VERSION, documents=new), "")
    assert "hash is not the one released" in line
    # A form that goes breaks a new reader of old data whatever an old one was told.
    folder(tmp_path, {THREAD: new[THREAD]})
    assert any("variant removed" in line for line in unannounced(tmp_path, stamped(MINOR), log(MINOR)))


def test_what_counts_is_what_the_released_document_said(tmp_path: Path) -> None:
    def refused(whole: Json) -> None:
        whole["description"] = whole["description"].replace("not here is ignored", "not here is refused")

    folder(tmp_path, changed(THREAD, refused))
    (line,) = unannounced(tmp_path, stamped(MINOR, documents=changed(THREAD, praise)), log(MINOR))
    assert "variant added, which breaks an old reader of new data" in line


def test_a_further_word_and_form_that_is_refused_is_a_break(tmp_path: Path) -> None:
    def lost(whole: Json) -> None:
        whole["$defs"]["Outcome"]["enum"].append("lost")
        closed: Json = {
            "type": "object",
            "properties": {"lost": {}},
            "required": ["lost"],
            "additionalProperties": False,
        }
        whole["$defs"]["Handback"]["oneOf"].append(closed)

    lines = unannounced(folder(tmp_path), stamped(MINOR, documents=changed(ANSWER, lost)), log(MINOR))
    assert [line.split(": ")[2].split(",")[0] for line in lines] == ["enum member added", "variant added"]


# The folder of the repository


@pytest.fixture(scope="module")
def promised() -> dict[str, bytes]:
    """The documents that were released, as if they were exported again."""
    found = {path.name: path.read_bytes() for path in RELEASED.glob(f"*{END}")}
    if not found:
        pytest.skip("nothing was released yet")
    return found


def test_every_document_of_a_released_version_was_released(promised: dict[str, bytes]) -> None:
    assert promised.keys() >= {f"{name}{END}" for name in ("rounds", "rounds-answer", "any-event", "dispatch-journal")}
    # A document that joins changes the hash, and so waits for the release of its version.
    assert released_as(promised) != VERSION or promised.keys() == ALL.keys()


def test_a_break_of_a_journal_is_told_in_every_document_that_has_it(promised: dict[str, bytes], tmp_path: Path) -> None:
    def not_required(schema: Json) -> None:
        schema["required"].remove("stateSource")

    names = [f"{name}{END}" for name in ("cancel-answer", "dispatch-journal", "dispatch-list", "rounds")]
    some = {name: promised[name] for name in names}
    folder(tmp_path, some)
    broken = changed(names[1], not_required, some)
    for name in (names[0], *names[2:]):
        broken = changed(name, lambda its: not_required(its["$defs"]["DispatchJournal"]), broken)
    minor = later(released_as(promised), minor=1)
    lines = unannounced(tmp_path, stamped(minor, documents=broken), log(minor))
    assert sorted({line.split(": ")[0] for line in lines}) == names
    assert all("made optional" in line for line in lines)


def released_as(documents: Mapping[str, bytes]) -> str:
    return str(json.loads(documents[ANSWER])["$comment"]).split()[1].removesuffix(",")


BROKEN = {
    **{case: ("rounds-answer", change, kind) for case, (change, kind, _, fates) in ANSWERS.items() if fates != FINE},
    **{f"line: {case}": ("event-record", change, told[0][0]) for case, (change, told) in LINES.items()},
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_export_of_each_class_does_not_pass(case: str, promised: dict[str, bytes], tmp_path: Path) -> None:
    shape, change, kind = BROKEN[case]
    name = f"{shape}{END}"
    new = changed(name, change, {name: promised[name]})
    folder(tmp_path, {name: promised[name]})
    for version in (released_as(promised), later(released_as(promised), minor=1)):
        lines = unannounced(tmp_path, stamped(version, documents=new), log(version))
        assert any(line.startswith(f"{name}: ") and f": {kind.value}, which breaks" in line for line in lines)
    version = later(released_as(promised))
    assert unannounced(tmp_path, stamped(version, documents=new), log(version)) == ()


@pytest.mark.parametrize("case", [case for case, (_, _, _, fates) in ANSWERS.items() if fates == FINE])
def test_what_breaks_nobody_needs_a_minor_version(case: str, promised: dict[str, bytes], tmp_path: Path) -> None:
    change, kind, *_ = ANSWERS[case]
    new = changed(ANSWER, change, {ANSWER: promised[ANSWER]})
    folder(tmp_path, {ANSWER: promised[ANSWER]})
    if kind is Change.text_changed:
        assert unannounced(tmp_path, new, "") == ()
        return
    assert len(unannounced(tmp_path, stamped(released_as(promised), documents=new), "")) == 1
    minor = later(released_as(promised), minor=1)
    assert unannounced(tmp_path, stamped(minor, documents=new), log(minor)) == ()


def test_the_folder_as_a_whole(promised: dict[str, bytes]) -> None:
    assert unannounced(RELEASED, promised, "") == ()
    left = {name: text for name, text in promised.items() if name not in (ANSWER, THREAD)}
    lines = unannounced(RELEASED, changed(f"check-report{END}", lambda its: its.update(required=[]), left), "")
    assert {(line.split(": ")[0], line.split(": ")[2].split(",")[0]) for line in lines} == {
        (ANSWER, "document removed"),
        (THREAD, "document removed"),
        (f"check-report{END}", "made optional"),
    }


def test_every_class_that_breaks_is_tried() -> None:
    harmless = {Change.document_added, Change.definition_added, Change.optional_field_added, Change.text_changed}
    # One needs a limit that no document has; the others are of whole documents and of what nothing refers to.
    elsewhere = {Change.document_removed, Change.definition_removed, Change.bound_changed}
    assert {kind for _, _, kind in BROKEN.values()} == {*Change} - harmless - elsewhere
