"""What in the published folder follows from the rest: sealed ledgers, the index, the list of a version.

python -m accounting.conformance.refresh [FOLDER]

Writes what has changed and names it, after a case was added or edited. See schema/conformance/README.md.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final

from accounting.conformance.cases import case_folders, conformance_dir, read_about
from accounting.conformance.sealing import resealed
from accounting.ledger.checking.rules import RULES
from wire.check import Severity
from wire.scalars import Json, JsonObject

_LISTED: Final = ("cases", "records", "answers", "asks")
"""The folders whose files a version freezes; the words of an `about.md` may get better."""

_SORTS: Final = ("fold", "checker")


_NOT_OF_ONE_FILE: Final = ("unended-segment", "other-end")
"""Faults that take several segments, or knowledge of how the ledger should end."""
_FAULTS: Final = """\
# Faults

What is asked of a checker: the codes of `cases/check-*/findings.json`. Of one line only the first fault counts, in this
order. `python -m accounting.conformance.refresh` writes this page; it is not edited by hand.

| code | what is wrong | specification |
|---|---|---|
"""
_MORE_ON_FAULTS: Final = """
## The version, and fields that do not fit

Where `v` is there, it is looked at first and alone: `{"v":3}` is `version-ahead`, `{"v":0}` is `not-a-version`. A
line without one of `v run seq prev t who kind data` is `not-a-line`, and so is one whose `seq` is no u64 or whose
`prev` or `kind` is no string. Any other field that does not fit is `envelope-field`; an `addr` that is empty and an
`ig` that is `false` are among them, since neither is ever written. To find the fields, bytes that are not UTF-8 read
as U+FFFD.

## Going on after a fault

A line in order *goes on from* a line before it: its `prev` is the hash of that line's bytes as they are found, and
its `seq` is one more. The first line goes on from 64 zeros, with `seq` 0. Mostly that is the line directly before, be
it at fault itself. But one piece of damage is one finding (`ledger.md` 8), so there are three exceptions:

1. A line may also go on from an earlier one, or from the zeros, where no line in order has gone on from it yet: a
   line was put in between, or lines changed places.
2. The `prev` of a line that follows one at fault need fit nothing: the line at fault was changed after it had been
   hashed, and what it hashed to then cannot be known.
3. A line that follows one at fault, and does not go on from an earlier one, may have any of three numbers: one more
   than the line at fault has, the number that was due where the fault is, or one more than that. Where the line at
   fault has no `seq` that is an integer, any number will do.

Damage of other sorts may be told in more findings than one; no case has it.
"""


class ReleasedError(ValueError):
    """A released version would have to change."""


def refresh(folder: Path | None = None) -> tuple[str, ...]:
    """Write every file that follows from the others and is not up to date; their paths within the folder.

    Raises `OSError`, `ValueError` for a file that is not as the README says, `ReleasedError` when the version that
    `index.json` names has been released with other files.
    """
    home = folder or conformance_dir()
    # Ledgers first: the list of the version holds their hashes.
    changed = _written(home, _ledgers(home)) + _written(home, _lists(home))
    return tuple(changed)


def stale(folder: Path | None = None) -> tuple[str, ...]:
    """The paths that `refresh` would write. Raises what `refresh` raises."""
    home = folder or conformance_dir()
    wanted = {**dict(_ledgers(home)), **dict(_lists(home))}
    return tuple(path for path, content in wanted.items() if _differs(home / path, content))


def changed_since_release(folder: Path | None = None) -> tuple[str, ...]:
    """Released files that are not what they were: lists that `versions/RELEASED` names, and files that those name.

    Raises `OSError` when the folder cannot be read.
    """
    home = folder or conformance_dir()
    return tuple(_changes(home))


def _changes(home: Path) -> Iterator[str]:
    for path, digest in released(home).items():
        if not _is(home / path, digest):
            yield path
        else:
            yield from (file for file, was in read_list(home / path).items() if not _is(home / file, was))


def released(folder: Path) -> dict[str, str]:
    """The lists of released versions, `versions/1.0.sha256` say, and the hash that each was released with."""
    return read_list(folder / "versions" / "RELEASED")


def read_list(file: Path) -> dict[str, str]:
    """The lines of a list, hash by path, as `sha256sum` writes them; none where there is no file.

    Raises `ValueError` for any other line.
    """
    if not file.is_file():
        return {}
    found: dict[str, str] = {}
    for line in file.read_text("utf-8").split("\n"):
        digest, gap, path = line.partition("  ")
        if line and (not gap or len(digest) != 64):
            raise ValueError(f"{file}: not a line of sha256sum: {line!r}")
        if line:
            found[path] = digest
    return found


def _faults() -> bytes:
    """The page of the faults that a checker is asked for."""
    rows = [
        f"| `{rule.code}` | {rule.says} | {rule.spec} |\n"
        for rule in RULES
        if rule.severity is Severity.fault and rule.code not in _NOT_OF_ONE_FILE
    ]
    return (_FAULTS + "".join(rows) + _MORE_ON_FAULTS).encode()


def _ledgers(home: Path) -> Iterator[tuple[str, bytes]]:
    """The fold cases' ledgers as they are when sealed. A checker's case is often about a seal that is broken."""
    for case in case_folders(home, "fold"):
        ledger = case / "ledger.jsonl"
        if read_about(case).unsealed is None:
            try:
                yield ledger.relative_to(home).as_posix(), resealed(ledger.read_bytes())
            except ValueError as error:
                raise ValueError(f"{ledger}: {error}") from None


def _lists(home: Path) -> Iterator[tuple[str, bytes]]:
    """The index, and the list of the version that it names."""
    spec = _spec(home)
    yield "index.json", _index(home, spec)
    yield "faults.md", _faults()
    path = f"versions/{spec}.sha256"
    now = "".join(f"{_hash(file)}  {file.relative_to(home).as_posix()}\n" for file in _files(home)).encode()
    if path in released(home) and _differs(home / path, now):
        raise ReleasedError(
            f"{home / path}: version {spec} is released; begin the next one: raise `spec` in index.json"
        )
    yield path, now


def _spec(home: Path) -> str:
    match json.loads((home / "index.json").read_bytes()):
        case {"spec": str(spec)}:
            return spec
        case _:
            raise ValueError(f"{home / 'index.json'}: expects `spec`, the version of the specification")


def _index(home: Path, spec: str) -> bytes:
    """The index: a line for each case, so that changes can be read."""
    cases: list[Json] = [_entry(case, {"of": of}) for of in _SORTS for case in case_folders(home, of)]
    asks: list[Json] = [_entry(file.parent, {}) for file in sorted((home / "asks").glob("*/turns.json"))]
    parts = [f'"spec": {json.dumps(spec)}', _rows("cases", cases)]
    parts += [_rows("records", _verdicts(home / "records")), _rows("answers", _verdicts(home / "answers"))]
    parts += [_rows("asks", asks)]
    return ("{\n  " + ",\n  ".join(parts) + "\n}\n").encode()


def _entry(case: Path, of: JsonObject) -> JsonObject:
    about = read_about(case)
    return {"id": about.id, **of, "rule": about.rule, "about": about.summary, "generated": about.generated}


def _rows(name: str, rows: list[Json]) -> str:
    lines = ",".join(f"\n    {json.dumps(row, ensure_ascii=False)}" for row in rows)
    return f'"{name}": [{lines}\n  ]' if rows else f'"{name}": []'


def _verdicts(folder: Path) -> list[Json]:
    """How many valid and invalid values each folder has."""
    counts: Counter[tuple[str, str]] = Counter()
    for file in folder.rglob("*.json"):
        counts[file.parent.relative_to(folder.parent).as_posix(), file.name.split(".")[-2]] += 1
    names = sorted({name for name, _ in counts})
    return [{"folder": name, "valid": counts[name, "valid"], "invalid": counts[name, "invalid"]} for name in names]


def _files(home: Path) -> Iterator[Path]:
    """Every file that a version freezes, by path."""
    for name in _LISTED:
        yield from (file for file in sorted((home / name).rglob("*")) if file.is_file() and file.suffix != ".md")


def _written(home: Path, wanted: Iterator[tuple[str, bytes]]) -> list[str]:
    changed = [(path, content) for path, content in wanted if _differs(home / path, content)]
    for path, content in changed:
        (home / path).parent.mkdir(exist_ok=True)
        (home / path).write_bytes(content)
    return [path for path, _ in changed]


def _differs(file: Path, content: bytes) -> bool:
    return not file.is_file() or file.read_bytes() != content


def _is(file: Path, digest: str) -> bool:
    return file.is_file() and _hash(file) == digest


def _hash(file: Path) -> str:
    return sha256(file.read_bytes()).hexdigest()


if __name__ == "__main__":
    sys.stdout.writelines(f"{path}\n" for path in refresh(*map(Path, sys.argv[1:2])))
