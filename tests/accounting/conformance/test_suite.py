"""The ready-made tests: our own fold and ledger pass them, one with a mistake fails with a message that says what."""

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec import convert, to_builtins

from accounting.conformance.cases import fold_cases
from accounting.conformance.reference import reference_answer
from accounting.conformance.strategies import SealedLedger
from accounting.conformance.suite import FoldSuite, LedgerSuite, as_json
from accounting.ledger import Ledger, verify
from accounting.ledger.writing import Draft, LedgerWriter
from tests.accounting.conformance.planted import folded, planted
from tests.accounting.ledger.writing.systems import QUICK
from wire import Severity
from wire.scalars import JsonObject, RunId


class TestOurFold(FoldSuite):
    def fold(self, ledger: bytes, run: RunId) -> object:
        return reference_answer(ledger, run)


class TestOurLedger(LedgerSuite):
    def append(self, ledger: Path, records: Sequence[JsonObject]) -> None:
        with LedgerWriter(ledger, system=QUICK) as writer:
            writer.append(*(convert(record, Draft) for record in records))

    def read(self, ledger: Path) -> Sequence[JsonObject]:
        return [to_builtins(record) for record, _ in Ledger(ledger).records()]

    def check(self, ledger: Path) -> Sequence[tuple[str, int]]:
        found = verify(ledger)
        return [(finding.code, finding.line) for finding in found if finding.severity is Severity.fault]


class Mistaken(FoldSuite):
    """Not collected by its name."""

    def fold(self, ledger: bytes, run: RunId) -> object:
        return folded(ledger, run)


def test_a_mistake_fails_and_says_what() -> None:
    case = next(case for case in fold_cases() if case.id == "answer-duplicate-earliest")
    # The test itself, without hypothesis around it.
    inner = Mistaken.test_answers_as_the_reference.hypothesis.inner_test  # type: ignore[attr-defined]
    with planted("the latest awaiting call is answered"):
        with pytest.raises(AssertionError) as published:
            Mistaken().test_published_case(case)
        with pytest.raises(AssertionError) as generated:
            inner(Mistaken(), (SealedLedger(content=case.ledger, records=()), case.run))
    assert "case answer-duplicate-earliest\nrounds.md 3.3: " in str(published.value)
    assert "  turns[0].calls[0].outcome: expected " in str(published.value)
    assert "rounds.md 3.3: a result answers the earliest call still awaiting its id" in str(generated.value)
    assert '"kind":"tool_result"' in str(generated.value)


def test_the_same_fold_without_the_mistake_passes() -> None:
    case = next(case for case in fold_cases() if case.id == "answer-duplicate-earliest")
    Mistaken().test_published_case(case)


OTHERS = """
from accounting.conformance.reference import reference_answer
from accounting.conformance.suite import FoldSuite
from tests.accounting.conformance.planted import folded, planted


class TestOurs(FoldSuite):
    def fold(self, ledger, run):
        if b"tool_called" in ledger and len(ledger) > 900:
            raise OSError("the first suite")
        return reference_answer(ledger, run)


class TestTheirs(FoldSuite):
    asked = 0

    def fold(self, ledger, run):
        TestTheirs.asked += 1
        if TestTheirs.asked == 1:
            print("FIRST", len(ledger))
        return reference_answer(ledger, run)
"""


def test_what_fails_one_class_is_not_asked_of_another(tmp_path: Path) -> None:
    (tmp_path / "test_two.py").write_text(OTHERS, "utf-8")
    root = Path(__file__).parents[3]
    command = (sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", "-p", "no:randomly", "test_two.py")
    ran = subprocess.run(
        (*command, "-k", "test_answers_as_the_reference"),
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "the first suite" in ran.stdout
    assert "1 failed, 1 passed" in ran.stdout
    [first] = re.findall("FIRST ([0-9]+)", ran.stdout)
    assert int(first) < 900
    assert not list(tmp_path.glob(".hypothesis/examples/*"))


@pytest.mark.parametrize(
    ("text", "why"),
    [('{"run":1,"run":2}', "stands twice"), (b'{"t":NaN}', "NaN is no JSON"), ("[" * 100 + "]" * 100, "nests deeper")],
)
def test_text_is_read_as_a_program_s_answer_is(text: str | bytes, why: str) -> None:
    assert as_json(b'{"t":18446744073709551616}') == as_json('{"t":18446744073709551616}') == {"t": 2**64}
    with pytest.raises(ValueError, match=why):
        as_json(text)


def test_what_is_not_defined_is_said() -> None:
    with pytest.raises(NotImplementedError, match=r"FoldSuite has to define fold\(ledger, run\)"):
        FoldSuite().fold(b"", "")  # type: ignore[arg-type]
