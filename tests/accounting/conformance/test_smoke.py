"""The probes: each mistake in the wiring is told as one, and a wrong fold is not taken for one."""

import sys
from pathlib import Path

import pytest

from accounting.conformance.comparing import differences
from accounting.conformance.reference import reference_answer
from accounting.conformance.smoke import ProbeOutcome, ProbeReport, fold_probes, smoke
from accounting.conformance.subject import LongLived, OncePerCase
from tests.accounting.conformance.fakes import PYTHON, lines, nothing_left, once
from wire import encode

REFERENCE = (sys.executable, "-m", "accounting.conformance.reference")
RIGHT, WRONG, MISWIRED = ProbeOutcome.right, ProbeOutcome.wrong, ProbeOutcome.miswired
PLAIN = 'import json,sys; sys.stdin.buffer.read(); run=sys.argv[-1]; answer={"run":run,"turns":[]}; '


def probed(subject: OncePerCase | LongLived, of: str = "fold") -> list[ProbeReport]:
    with nothing_left():
        try:
            return list(smoke(subject, "fold" if of == "fold" else "checker"))
        finally:
            subject.close()


@pytest.mark.parametrize(
    "subject",
    [OncePerCase((*REFERENCE, "fold")), LongLived((*REFERENCE, "lines")), OncePerCase((*REFERENCE, "check"))],
    ids=["once", "lines", "check"],
)
def test_the_reference_is_wired_up(subject: OncePerCase | LongLived, request: pytest.FixtureRequest) -> None:
    found = probed(subject, "checker" if "check" in request.node.name else "fold")
    assert [probe.outcome for probe in found] == [RIGHT] * len(found)
    assert len(found) >= 2


def test_the_probes_are_right() -> None:
    for probe in fold_probes():
        assert probe.run is not None
        assert differences(probe.expected, reference_answer(probe.ledger, probe.run)) == ()


@pytest.mark.parametrize(
    ("program", "found", "hint"),
    [
        ("print('hello')", "is no JSON", "nothing else on standard output"),
        ("pass", "printed nothing", "nothing else on standard output"),
        ("sys.exit(1)", "refused: exited with 1", "exit with 0 after an answer"),
        ("print(json.dumps(answer)); sys.exit(1)", "it printed an answer all the same", "exit with 0 after an answer"),
        ("sys.exit(127)", "refused: exited with 127", "126 and 127 are a shell's"),
        ("print([answer])", "no JSON", "one JSON object"),
        ("print(json.dumps([answer]))", "answered [{", "one JSON object"),
        (
            "answer['run']='0ccccccc-0000-4000-8000-00000000000c'; print(json.dumps(answer))",
            "answered for run 0ccccccc",
            "the run's id is the last argument",
        ),
        ("del answer['turns']; print(json.dumps(answer))", "missing required field `turns`", "never absent"),
        ("answer['turns']=None; print(json.dumps(answer))", "$.turns", "rounds-answer.schema.json"),
        ("answer['run']=None; print(json.dumps(answer))", "$.run", "rounds-answer.schema.json"),
    ],
)
def test_a_mistake_in_the_wiring(program: str, found: str, hint: str) -> None:
    [probe] = probed(OncePerCase((*PYTHON, "-c", PLAIN + program)))
    assert probe.outcome is MISWIRED
    assert found in str(probe.found)
    assert hint in str(probe.hint)


def test_a_wrong_fold_is_wired_up() -> None:
    found = probed(LongLived(lines("right")))
    assert [probe.outcome for probe in found] == [RIGHT, WRONG, WRONG, WRONG, WRONG, RIGHT]
    assert found[1].found == 'opening: expected {"task": "a", "goal": "b", "at": 1000}, found null'


def test_the_other_contract_than_it_speaks() -> None:
    [probe] = probed(LongLived(once("right"), timeout_ms=300))
    assert probe.outcome is MISWIRED
    assert "needs --protocol once" in str(probe.hint)
    [probe] = probed(OncePerCase(once("slow"), timeout_ms=300))
    assert "no whole answer within 300 ms" in str(probe.found)
    assert "needs --protocol lines" in str(probe.hint)


def test_one_that_does_not_leave() -> None:
    found = probed(LongLived(lines("stays"), timeout_ms=500))
    assert (found[-1].id, found[-1].outcome) == ("leaving", MISWIRED)


def test_words_that_no_file_holds_are_spelled_out() -> None:
    found = probed(LongLived(lines("rejects-oddly")))
    assert str(found[-1].found) == "refused: not \\ud800"
    encode(found)


def test_a_checker(tmp_path: Path) -> None:
    [probe] = probed(OncePerCase((*PYTHON, "-c", "print('[]')")), "checker")
    assert probe.outcome is MISWIRED
    assert 'expected {"findings": [...]}, found []' in str(probe.found)
    found = probed(OncePerCase((*PYTHON, "-c", "print('{\"findings\":[]}')")), "checker")
    assert [probe.outcome for probe in found] == [RIGHT, WRONG]
