"""What catches the wrong folds of mutants.toml: the published cases alone, and fuzzing alone. `make mutants` prints the
table and writes docs/mutants.md.
"""

import sys
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import msgspec

from accounting.conformance.cases import FoldCase, fold_cases
from accounting.conformance.finds import FuzzReport
from accounting.conformance.fuzzing import fuzz
from accounting.conformance.report import CaseReport
from accounting.conformance.runner import run_cases
from accounting.conformance.subject import LongLived
from tests.accounting.conformance.typescript_fold import Change, compiled_with

ROOT: Final = Path(__file__).parents[3]
PAGE: Final = ROOT / "docs" / "mutants.md"
SEED: Final = 5
EXAMPLES: Final = 10_000
_PAGE: Final = """\
# What the kit catches

Each of these folds is the one in `tests/clients/typescript/fold` with one mistake in it, which
`tests/accounting/conformance/mutants.toml` spells out. The {cases} published cases have to catch it without fuzzing,
and `rounds conform fold --fuzz {examples} --seed {seed}` without the cases; both have to name a rule that it breaks.

From left to right: the mutant; what it does; the rule that fuzzing names; the first case about a rule that it breaks,
and how many cases fail in all; how many ledgers it took fuzzing to find it, and how many lines the smallest ledger has
that shows it.

| mutant | what it does | rule | case | fail | ledgers | lines |
|---|---|---|---|---:|---:|---:|
{rows}

`make mutants` writes this page.
"""
_FILE: Final = Path(__file__).with_name("mutants.toml")


class Mutant(msgspec.Struct, frozen=True, kw_only=True):
    """A fold that is wrong in one place."""

    id: str
    about: str
    rules: tuple[str, ...]
    """The rule that it breaks, in the words of the reports; one of them is to be named."""
    file: str
    text: str
    instead: str


class Caught(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a mutant."""

    mutant: Mutant
    failed: tuple[CaseReport, ...]
    """The published cases that it fails."""
    fuzzed: FuzzReport

    @property
    def by_cases(self) -> tuple[CaseReport, ...]:
        """Those of the failing cases that are about the rule it breaks."""
        return tuple(case for case in self.failed if case.rule in self.mutant.rules)

    @property
    def is_blamed(self) -> bool:
        """Whether fuzzing finds it and names the rule."""
        return self.fuzzed.failure is not None and self.fuzzed.failure.broken.rule in self.mutant.rules


def mutants() -> tuple[Mutant, ...]:
    """All of them, in the order of the file."""
    return msgspec.convert(tomllib.loads(_FILE.read_text(encoding="utf-8"))["mutant"], tuple[Mutant, ...])


def commands(folder: Path, chosen: Sequence[Mutant]) -> dict[str, list[str]]:
    """What starts each of them, by id, compiled in this folder."""
    changes = [Change(name=one.id, file=one.file, text=one.text, instead=one.instead) for one in chosen]
    return compiled_with(folder, changes)


def caught(mutant: Mutant, command: Sequence[str], cases: Sequence[FoldCase]) -> Caught:
    """Hold a mutant to the cases, and to fuzzing."""
    subject = LongLived(command)
    try:
        failed = tuple(report for report in run_cases(subject, cases, {}) if not report.ok)
        return Caught(mutant=mutant, failed=failed, fuzzed=fuzz(subject, examples=EXAMPLES, seed=SEED))
    finally:
        subject.close()


def row(one: Caught) -> str:
    """One line of the table."""
    named, failure = one.by_cases, one.fuzzed.failure
    first = f"`{named[0].id}`" if named else "**none**"
    if failure is None:
        found = (one.mutant.rules[0], "**none**", "")
    else:
        found = (failure.broken.rule, f"{failure.found_at:,}", str(failure.ledger.count(b"\n")))
    rule, found_at, lines = found
    cells = (f"`{one.mutant.id}`", one.mutant.about, rule, first, str(len(one.failed)), found_at, lines)
    return f"| {' | '.join(cells)} |"


def page(rows: Iterable[str], cases: int) -> str:
    """The whole page."""
    return _PAGE.format(cases=cases, examples=EXAMPLES, seed=SEED, rows="\n".join(rows))


def main() -> int:
    """Catch them all, print the table, write the page; 1 when one got through."""
    cases, every, rows, bad = fold_cases(), mutants(), list[str](), list[str]()
    with TemporaryDirectory() as folder:
        for mutant, command in zip(every, commands(Path(folder), every).values(), strict=True):
            one = caught(mutant, command, cases)
            rows.append(row(one))
            print(rows[-1], flush=True)
            if not one.by_cases or not one.is_blamed:
                bad.append(mutant.id)
    PAGE.write_text(page(rows, len(cases)), encoding="utf-8")
    print(f"{len(every)} mutants; not caught both ways: {', '.join(bad) or 'none'}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
