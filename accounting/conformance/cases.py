"""The published cases, read from their plain files and written. What stands in them: schema/conformance/README.md.

Each in turn:

    for case in fold_cases():
        reply = my_fold(case.ledger, case.run)
        assert not differences(case.expected, reply)
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal

from msgspec import Struct

from accounting.conformance.exact import exact_json
from wire.export import schema_dir
from wire.scalars import Json, JsonObject, RunId, run_id

EXPECTED: Final = {"fold": "rounds.json", "checker": "findings.json"}
"""What a case is of, and the file that holds what is expected."""


class About(Struct, frozen=True, kw_only=True):
    """What `about.md` says of a case."""

    id: str
    rule: str
    """The rule or invariant, such as `rounds.md 3.3`, `I6` or `ledger.md 8 chain-break`."""
    text: str
    """How the expected values follow from the specification, in plain sentences."""
    generated: bool = False
    """Whether a program wrote part of it, as too long for a hand."""
    unsealed: str | None = None
    """Why the ledger is not sealed: in whole canonical lines, numbered and chained; null where it is."""

    @property
    def summary(self) -> str:
        """The first sentence of the text."""
        found = re.match(r".+?[.!?](?=\s|$)", " ".join(self.text.split()))
        return found[0] if found else self.text


class FoldCase(Struct, frozen=True, kw_only=True):
    """A ledger, the run asked for, and the whole answer that rounds.md gives."""

    folder: Path
    about: About
    ledger: bytes
    """The file as it stands: it need not be UTF-8, nor end in a newline."""
    run: RunId
    expected: JsonObject
    """A `RoundsAnswer`, every field written; of a `cause` only the text up to and with its colon counts."""

    @property
    def id(self) -> str:
        """The name of the folder."""
        return self.about.id


class ExpectedFault(Struct, frozen=True, kw_only=True):
    """One fault that a checker must find."""

    code: str
    """A rule of docs/rules.md."""
    line: int
    """The line in the file, counted from 1."""


class CheckCase(Struct, frozen=True, kw_only=True):
    """A ledger, and what a checker finds in it."""

    folder: Path
    about: About
    ledger: bytes
    conforms: bool
    faults: tuple[ExpectedFault, ...]
    """In ledger order."""

    @property
    def id(self) -> str:
        """The name of the folder."""
        return self.about.id


def conformance_dir() -> Path:
    """The folder of the published cases: inside the installed package, or in the repository.

    Raises `FileNotFoundError` when there is neither.
    """
    folder = schema_dir() / "conformance"
    if not folder.is_dir():
        raise FileNotFoundError(f"no published cases in {folder.parent}")
    return folder


def fold_cases(folder: Path | None = None) -> tuple[FoldCase, ...]:
    """Every fold case in a folder like `schema/conformance`, by id; the published ones when none is given.

    Raises `OSError` when it cannot be read, `ValueError`, naming the file, for one that is not as the README says.
    """
    return tuple(read_fold_case(case) for case in case_folders(folder or conformance_dir(), "fold"))


def check_cases(folder: Path | None = None) -> tuple[CheckCase, ...]:
    """Every checker case, by id; otherwise as `fold_cases`."""
    return tuple(read_check_case(case) for case in case_folders(folder or conformance_dir(), "checker"))


def case_folders(folder: Path, of: Literal["fold", "checker"]) -> Iterator[Path]:
    """The folders of the cases of one sort, by id."""
    return (found.parent for found in sorted((folder / "cases").glob(f"*/{EXPECTED[of]}")))


def read_fold_case(folder: Path) -> FoldCase:
    """The fold case in this folder of its own. Raises what `fold_cases` raises."""
    file = folder / EXPECTED["fold"]
    expected = _object(file)
    run = run_id(expected.get("run"))
    if run is None:
        raise ValueError(f"{file}: `run` is no run id")
    ledger = (folder / "ledger.jsonl").read_bytes()
    return FoldCase(folder=folder, about=read_about(folder), ledger=ledger, run=run, expected=expected)


def read_check_case(folder: Path) -> CheckCase:
    """The checker case in this folder of its own. Raises what `fold_cases` raises."""
    file = folder / EXPECTED["checker"]
    match _object(file):
        case {"conforms": bool(conforms), "faults": list(faults)}:
            found = tuple(_fault(fault, file) for fault in faults)
        case _:
            raise ValueError(f"{file}: expects `conforms`, a boolean, and `faults`, a list")
    ledger = (folder / "ledger.jsonl").read_bytes()
    return CheckCase(folder=folder, about=read_about(folder), ledger=ledger, conforms=conforms, faults=found)


def read_about(folder: Path) -> About:
    """What `about.md` of a case says. Raises what `fold_cases` raises."""
    file = folder / "about.md"
    try:
        title, _, rest = file.read_text("utf-8").partition("\n")
    except UnicodeDecodeError as error:
        raise ValueError(f"{file}: not UTF-8 at byte {error.start}") from None
    rule, _, rest = rest.lstrip().partition("\n")
    if title != f"# {folder.name}" or not rule.startswith("Rule: "):
        raise ValueError(f"{file}: expects the lines `# {folder.name}` and `Rule: …` first")
    text = rest.strip()
    generated = text.startswith("Generated.")
    text = text.removeprefix("Generated.").strip()
    unsealed = None
    if text.startswith("Unsealed: "):
        unsealed, _, text = text.removeprefix("Unsealed: ").partition("\n")
    text = text.strip()
    if not text:
        raise ValueError(f"{file}: says nothing of how the expected values are derived")
    rule = rule.removeprefix("Rule: ").strip()
    return About(id=folder.name, rule=rule, text=text, generated=generated, unsealed=unsealed)


def write_fold_case(
    folder: Path,
    *,
    rule: str,
    about: str,
    ledger: bytes,
    expected: JsonObject,
    generated: bool = False,
    unsealed: str | None = None,
) -> Path:
    """Write a fold case into its folder, whose name is its id, and return the folder.

    `about` derives the values, its first sentence says what the case is about. Lists and index of a published folder
    are another step: `accounting.conformance.refresh`. Raises `OSError` when it cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    heads = [f"# {folder.name}", f"Rule: {rule}"]
    heads += ["Generated."] if generated else []
    heads += [f"Unsealed: {unsealed}"] if unsealed is not None else []
    (folder / "about.md").write_text("\n\n".join((*heads, about.strip())) + "\n", "utf-8")
    (folder / "ledger.jsonl").write_bytes(ledger)
    (folder / EXPECTED["fold"]).write_bytes(pretty(expected))
    return folder


def pretty(value: Json) -> bytes:
    """JSON as the published files spell it: two spaces a level, keys as they stand, a newline at the end."""
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()


def _fault(value: Json, file: Path) -> ExpectedFault:
    match value:
        case {"code": str(code), "line": int(line)}:
            return ExpectedFault(code=code, line=line)
        case _:
            raise ValueError(f"{file}: a fault has a `code`, text, and a `line`, a number: {value!r}")


def _object(file: Path) -> JsonObject:
    """The JSON object in a file, as exact as an answer is read."""
    try:
        value = exact_json(file.read_bytes())
    except ValueError as error:
        raise ValueError(f"{file}: not JSON: {error}") from None
    if not isinstance(value, dict):
        raise ValueError(f"{file}: expects a JSON object")
    return value
