"""A whole fold in another language, written from the specification alone: it passes every case, and fuzzing."""

import pytest

from accounting.conformance.cases import fold_cases
from accounting.conformance.comparing import differences
from accounting.conformance.fuzzing import fuzz
from accounting.conformance.runner import run_cases
from accounting.conformance.subject import Answered, LongLived, OncePerCase
from tests.accounting.conformance.typescript_fold import compiled, with_node
from wire.scalars import Json, run_id

pytestmark = with_node


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """How to start it."""
    return compiled(tmp_path_factory.mktemp("fold") / "fold")


def test_it_passes_every_published_case(command: list[str]) -> None:
    subject = LongLived(command)
    try:
        failed = [report for report in run_cases(subject, fold_cases(), {}) if not report.ok]
    finally:
        problem = subject.stop()
    assert failed == []
    assert problem is None


@pytest.mark.parametrize("id_", ["line-torn-whole", "args-keys-bytewise", "times-largest"])
def test_run_once_it_answers_alike(command: list[str], id_: str) -> None:
    case = next(case for case in fold_cases() if case.id == id_)
    reply = OncePerCase(command).fold(case.ledger, case.run)
    assert isinstance(reply, Answered)
    assert differences(case.expected, reply.answer) == ()


def test_bytes_that_are_no_utf_8_reach_it(command: list[str]) -> None:
    run = run_id("0aaaaaaa-0000-4000-8000-00000000000a")
    assert run is not None
    line = b'{"v":1,"run":"%s","seq":0,"t":5,"kind":"model_called","data":{"model":"a\xffb"}}\n' % run.encode()
    turn: Json = {"number": 1, "opened": 0, "t": 5, "timing": "unmeasured", "model": "a�b", "calls": [], "notes": []}
    expected: Json = {"run": run, "turns": [turn]}  # spec-notes/001
    subject = LongLived(command)
    try:
        reply = subject.fold(line, run)
    finally:
        subject.close()
    assert isinstance(reply, Answered)
    assert differences(expected, reply.answer) == ()


@pytest.mark.parametrize("seed", [11])
def test_fuzzing_finds_nothing(command: list[str], seed: int) -> None:
    _fuzzed(command, examples=400, seed=seed)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(4))
def test_fuzzing_at_length_finds_nothing(command: list[str], seed: int) -> None:
    _fuzzed(command, examples=10_000, seed=seed)


def _fuzzed(command: list[str], examples: int, seed: int) -> None:
    subject = LongLived(command)
    try:
        report = fuzz(subject, examples=examples, seed=seed)
    finally:
        subject.close()
    assert report.failure is None
    assert report.ledgers == examples
